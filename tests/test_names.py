"""Names: what may be one, which two look alike, and that none leaves its segment of an IRI."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef

from gate import iris, names


@pytest.mark.parametrize(
    "name", ["a b", "<x>", "{x}", '"quoted"', "it's", "a`b", "🦆.gguf", "é", "%2F", "a&b", "-rf", "~"]
)
def test_odd_names_are_names(name: str) -> None:
    assert names.checked_name(name) == name


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("", "is empty"), (" a", "white space"), ("a\t", "white space"), ("a\nb", "U+000A"), ("a\x00b", "U+0000"),
        ("a\x1b[31mb", "U+001B"), ("a\u2028b", "U+2028"), ("a\ud800", "U+D800"), ("dir/file", "not its path"),
        ("dir\\file", "not its path"), ("x" * 256, "256 characters"),
    ],
)  # fmt: skip
def test_what_no_name_may_hold_is_refused(name: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong.replace("+", r"\+")):
        names.checked_name(name)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Model.gguf", "model.gguf"),
        ("caf\u00e9", "cafe\u0301"),
        ("\ufb01le", "file"),
        ("a\u200bb", "ab"),
        ("STRASSE", "stra\u00dfe"),
    ],
)
def test_names_that_a_reader_takes_for_one_look_alike(first: str, second: str) -> None:
    assert names.look_alikes([second, "other", first]) == [tuple(sorted((first, second)))]


def test_one_name_twice_does_not_look_like_itself() -> None:
    assert names.look_alikes(["a", "a", "b"]) == []


@pytest.mark.parametrize(
    "text", ["One user,  128 in", "one user,128 in", "one\u00a0user, 128 in", "o\u200bne user, 128\nin "]
)
def test_phrases_look_alike_whatever_blanks_they_hold(text: str) -> None:
    plain = "one user, 128 in"
    assert names.look_alikes([plain, text], names.phrase_likeness) == [tuple(sorted((plain, text)))]
    assert names.look_alikes([plain, "one user, 129 in"], names.phrase_likeness) == []
    assert names.phrase_likeness("\u200b ") == ""


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.lists(TEXT, min_size=1, max_size=4))
def test_an_iri_gives_its_segments_back_and_nothing_more(segments: list[str]) -> None:
    iri = iris.node("0.71.0", *segments)
    parts = iri.removeprefix(iris.RELEASES).split("/")
    assert len(parts) == len(segments) + 1
    assert [unquote(part) for part in parts[1:]] == segments
    assert not set(iri) & set('<>"{}|^`\\ \n')


@given(st.lists(TEXT, min_size=2, max_size=2, unique=True))
def test_two_names_are_two_nodes(pair: list[str]) -> None:
    assert iris.node("1.0.0", pair[0]) != iris.node("1.0.0", pair[1])


@given(TEXT)
def test_no_name_writes_a_triple_of_its_own(name: str) -> None:
    graph = Graph()
    graph.add((URIRef(iris.node("0.71.0", "cell", name)), URIRef(iris.term("verdict")), Literal("x")))
    for form in ("turtle", "nt", "json-ld"):
        assert len(Graph().parse(data=graph.serialize(format=form), format=form)) == 1


@pytest.mark.parametrize("segment", [".", ".."])
def test_a_segment_that_a_resolver_would_take_away_is_encoded(segment: str) -> None:
    assert not iris.node("1.0.0", "cell", segment).endswith(f"/{segment}")


def test_an_empty_segment_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        iris.node("1.0.0", "")


@given(st.text(st.characters(max_codepoint=127)))
def test_a_name_in_ascii_is_in_latin_letters_already(name: str) -> None:
    assert names.latin_likeness(name) == names.likeness(name)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("\u0475", "v"), ("\u0474", "v"), ("\u03bd", "v"), ("\u2174", "v"), ("\u1d20", "v"), ("\u13d9", "v"),
        ("v\u0307", "v"), ("\uff56", "v"), ("\u0433\u0435l\u0435\u0430\u0455\u0435", "release"), ("\u6f22", "\u6f22"),
    ],
)  # fmt: skip
def test_letters_of_other_scripts_are_what_an_eye_takes_them_for(name: str, seen: str) -> None:
    assert names.latin_likeness(name) == seen
