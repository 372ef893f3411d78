"""The keys that may sign: an OpenSSH `allowed_signers` file, and the keys that are taken back. Read strictly.

ssh-keygen passes over a line that it can't read, and so over the date or the namespace that its writer put there. Here
such a line is refused by its number. What a line means, ssh-keygen decides (ssh-keygen(1), ALLOWED SIGNERS).
"""

from __future__ import annotations

import base64
import binascii
import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import BadFile
from gate.files import MEBIBYTE, InputFile, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_KEYS = MEBIBYTE  # bytes of an allowed_signers file, or of one of revoked keys
_REVOCATION_LIST = b"SSHKRL\n\x00"  # begins a binary one, which ssh-keygen reads

_MOST_WORDS = 4  # principals, options, the type of the key, the key
_WORD = re.compile(r'(?:[^\s"]|"[^"]*")+(?=\s|\Z)')
_OPTION = re.compile(r'(?:([A-Za-z-]+)="([^"]*)"|([A-Za-z-]+))(?:,(?=.)|\Z)')
_TIME = re.compile(r"(\d{8})(\d{4}(?:\d{2})?)?Z?")
_FORM = "A line is: PRINCIPAL[,PRINCIPAL] [OPTION,…] KEYTYPE KEY. See ssh-keygen(1), ALLOWED SIGNERS."
_DATES = ("valid-after", "valid-before")
_VALUED = ("namespaces", *_DATES)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an allowed_signers file: who may sign with which key, under which options (None: without a value)."""

    principals: str
    options: tuple[tuple[str, str | None], ...]
    key: str

    def text(self, *, dated: bool = True) -> str:
        """Return the line as ssh-keygen reads it, with the dates of the key or without."""
        options = [(name, value) for name, value in self.options if dated or name not in _DATES]
        spelled = ",".join(name if value is None else f'{name}="{value}"' for name, value in options)
        return " ".join(part for part in (self.principals, spelled, self.key) if part)


def read(file: InputFile) -> tuple[Line, ...]:
    """Return the lines of an allowed_signers file.

    Raises:
        BadFile: a line isn't what ssh-keygen would take, gives a key to whoever asks, or no line names a key.
    """
    lines = tuple(_line(file, number, text) for number, text in _told(file))
    if not lines:
        raise BadFile(file.path, "", "it names no key, so that nobody could sign", "Each line: PRINCIPAL KEYTYPE KEY")
    return lines


def undated(lines: tuple[Line, ...]) -> bytes:
    """Return the file without the dates: it tells a key that is out of its dates from one that may not sign at all."""
    return "".join(f"{line.text(dated=False)}\n" for line in lines).encode()


def check_revoked(file: InputFile) -> None:
    """Refuse keys that are taken back in words that ssh-keygen would pass over.

    Raises:
        BadFile: the file is no binary revocation list, and a line of it is no public key.
    """
    if file.content.startswith(_REVOCATION_LIST):
        return
    for number, text in _told(file):
        words = text.split()
        wrong = _wrong_key(words)
        if wrong:
            raise BadFile(file.path, f"line {number}", wrong, "Each line is a public key: KEYTYPE KEY. Or make the "
                          "file with ssh-keygen -k.")  # fmt: skip


def _told(file: InputFile) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(decode(file).split("\n"), start=1):
        strange = next((c for c in text if not c.isprintable() and c != "\t"), None)
        if strange is not None:
            wrong = f"it holds the control character U+{ord(strange):04X}"
            raise BadFile(file.path, f"line {number}", wrong, "Lines end in a line feed alone.")
        if text.strip() and not text.strip().startswith("#"):
            yield number, text


def _line(file: InputFile, number: int, text: str) -> Line:
    def refused(wrong: str, right: str = "") -> BadFile:
        return BadFile(file.path, f"line {number}", wrong, right or _FORM)

    words = _words(text)
    if words is None:
        raise refused("a quotation mark is not closed")
    principals, rest = words[0], words[1:]
    if '"' in principals or not all(principals.split(",")):
        raise refused(f"{principals!r} is no list of principals")
    options: tuple[tuple[str, str | None], ...] = ()
    # As ssh-keygen does: what isn't a key is taken for options, and a key must follow.
    if rest and _wrong_key(rest):
        if len(rest) < 2 or _wrong_key(rest[1:]):
            raise refused(_wrong_key(rest if _is_type(rest[0]) else rest[1:]))
        options, wrong = _options(rest[0])
        rest = rest[1:]
        if wrong:
            raise refused(wrong)
    if not rest:
        raise refused("the key is missing")
    anybody = re.search(r"[*?!]", principals)
    if anybody and ("cert-authority", None) not in options:
        raise refused(
            f"{principals!r} is a pattern, and would let this key sign as whoever the rules name",
            "Name the principals. A pattern may stand only before cert-authority, whose certificates name them.",
        )
    return Line(principals, options, " ".join(rest[:2]))


def _words(text: str) -> list[str] | None:
    """Return the first words of a line, quotation marks kept together; what follows them is a comment."""
    words: list[str] = []
    rest = text.strip()
    while rest and len(words) < _MOST_WORDS:
        match = _WORD.match(rest)
        if match is None:
            return None
        words.append(match[0])
        rest = rest[match.end() :].lstrip()
    return words


def _options(text: str) -> tuple[tuple[tuple[str, str | None], ...], str]:
    """Return the options of a line, and what is wrong with them (empty: nothing)."""
    found: dict[str, str | None] = {}
    place = 0
    while place < len(text):
        match = _OPTION.match(text, place)
        if match is None:
            return (), f"{text[place:]!r} is no option: each is a name, or a name and a value in quotation marks"
        name, value = (match[1] or match[3]).lower(), match[2]
        if name not in {"cert-authority", *_VALUED} or (name in _VALUED) != (value is not None):
            return (), f"{name!r} is no option" if name not in _VALUED else f"{name} needs a value in quotation marks"
        if name in found:
            return (), f"{name} stands twice"
        wrong = _wrong_time(name, value) if name in _DATES and value is not None else ""
        if wrong or value == "":
            return (), wrong or f"{name} is empty"
        found[name], place = value, match.end()
    return tuple(found.items()), _wrong_order(found)


def _moment(text: str) -> datetime.datetime | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    spelled = match[1] + (match[2] or "").ljust(6, "0")
    try:
        return datetime.datetime.strptime(spelled, "%Y%m%d%H%M%S").replace(tzinfo=datetime.UTC)
    except ValueError:
        return None


def _wrong_time(name: str, value: str) -> str:
    return "" if _moment(value) else f"{name}: {value!r} is no time such as 20260101 or 202601011200Z"


def _wrong_order(found: dict[str, str | None]) -> str:
    after, before = (_moment(found.get(name) or "") for name in _DATES)
    if after is None or before is None or after < before:
        return ""
    return "valid-before is not after valid-after: the key would never be valid"


def _is_type(word: str) -> bool:
    return re.fullmatch(r"(sk-)?(ssh|ecdsa)-[a-z0-9@.-]+", word) is not None


def _wrong_key(words: list[str]) -> str:
    """Return what is wrong with a public key in the form `ssh-ed25519 AAAA…`, or nothing where it is one."""
    if len(words) < 2 or not _is_type(words[0]):
        return "there is no public key" + (f" in {words[0][:40]!r}" if words else "")
    if "-cert-" in words[0]:
        return "a certificate stands where a key should; name the key of its authority, after cert-authority"
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (binascii.Error, ValueError):
        return f"its key {words[1][:20]!r}… is not base64"
    kind = words[0].encode()
    if blob[:4] != len(kind).to_bytes(4, "big") or blob[4 : 4 + len(kind)] != kind or len(blob) <= 4 + len(kind):
        return f"its key is not one of {words[0]}"
    return ""
