"""Every input that the fuzzer kept is read or refused by name, again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.target import CHOICES, feed

CORPUS = sorted((Path(__file__).parent / "fuzz" / "corpus").iterdir())


def test_the_corpus_reaches_every_reader_to_its_end() -> None:
    inputs = [content for path in CORPUS if (content := path.read_bytes())]
    assert {CHOICES[content[0] % len(CHOICES)] for content in inputs} == set(CHOICES)
    assert {CHOICES[content[0] % len(CHOICES)] for content in inputs if feed(content) is not None} == set(CHOICES)


@pytest.mark.parametrize("part", range(8))
def test_no_kept_input_fails_a_reader(part: int) -> None:
    for path in CORPUS[part::8]:
        feed(path.read_bytes())


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(CORPUS), st.data())
def test_no_mutant_of_a_kept_input_fails_a_reader(path: Path, data: st.DataObject) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, max(len(content) - 1, 0)))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    feed(bytes(content))
