"""IRIs of the graph: the vocabulary's namespace, and the nodes of one release, each segment percent-encoded."""

from __future__ import annotations

import functools
from urllib.parse import quote as _quote

NAMESPACE = "https://w3id.org/taggate/ns#"
RELEASES = "https://w3id.org/taggate/release/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


class Iri(str):
    """An IRI, told apart from a plain string so that no text becomes a node and no node becomes text."""

    __slots__ = ()


def quote(text: str) -> str:
    """Return `text` percent-encoded for one segment of an IRI: only RFC 3986's unreserved characters stay."""
    return text.translate(_ENCODED) if text.isascii() else _quote(text, safe="")


_ENCODED = {code: _quote(chr(code), safe="") for code in range(128)}  # what most texts are of


def local(iri: object) -> str:
    """Return the last part of an IRI."""
    return str(iri).rpartition("#")[2].rpartition("/")[2]


@functools.cache
def term(name: str) -> Iri:
    """Return the vocabulary's term `name`, percent-encoded: `term("pass")` is `gate:pass`."""
    return Iri(NAMESPACE + quote(name))


def named(name: str) -> str:
    """Return the IRI of a class or property by its name: one of the vocabulary's, unless it is an IRI itself."""
    return name if ":" in name else term(name)


def node(version: str, *segments: str) -> Iri:
    """Return the node of the release `version` that `segments` lead to.

    Each segment is percent-encoded (RFC 3986, unreserved characters kept), so that no name can leave its segment,
    close an IRI or write a triple. A segment of dots only is encoded too: `..` would be resolved away.

    Raises:
        ValueError: a segment is empty: no name is.
    """
    return Iri(RELEASES + "/".join(_segment(part) for part in (version, *segments)))


def below(above: str, *segments: str) -> Iri:
    """Return the node that `segments` lead to from `above`, each encoded as in `node`.

    They are not remembered: this is for what a release has a million of.

    Raises:
        ValueError: a segment is empty.
    """
    return Iri("/".join([above, *map(_encoded, segments)]))


def _encoded(text: str) -> str:
    if not text:
        raise ValueError("a segment of an IRI is empty")
    if text in {".", ".."}:
        return text.replace(".", "%2E")
    return quote(text)


_segment = functools.lru_cache(maxsize=65536)(_encoded)
