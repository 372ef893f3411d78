"""Versions and tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import versions

NUMBERS = st.integers(0, 10**6)
IDENTIFIERS = st.from_regex(r"[a-z][a-z0-9-]{0,5}", fullmatch=True) | NUMBERS.map(str)
VERSIONS = st.builds(
    lambda core, pre: ".".join(map(str, core)) + ("-" + ".".join(pre) if pre else ""),
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
    st.lists(IDENTIFIERS, max_size=3),
)


@given(VERSIONS)
def test_a_tag_names_its_version_under_every_pattern(version: str) -> None:
    for pattern in ("v{version}", "{version}", "release-{version}", "apr/{version}-final"):
        assert versions.version_of_tag(versions.tag_of_version(version, pattern), pattern) == version
        assert versions.version_of_tag(version, pattern) == version


@given(VERSIONS, VERSIONS, VERSIONS)
def test_the_order_is_one(a: str, b: str, c: str) -> None:
    x, y, z = versions.parse(a), versions.parse(b), versions.parse(c)
    assert (x < y) + (y < x) + (x == y) == 1
    if x <= y <= z:
        assert x <= z


@given(VERSIONS)
def test_a_candidate_is_before_its_release(version: str) -> None:
    core = version.partition("-")[0]
    assert versions.parse(f"{core}-rc.1") < versions.parse(core)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("0.71.0-rc.2", "0.71.0-rc.10"), ("0.9.0", "0.10.0"), ("0.71.0-rc.1", "0.71.0"), ("0.71.0-a", "0.71.0-b")],
)
def test_precedence_is_that_of_semantic_versions(earlier: str, later: str) -> None:
    assert versions.parse(earlier) < versions.parse(later)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v",
        "0.71",
        "0.71.0.0",
        "00.1.0",
        "0.071.0",
        "latest",
        "0.71.0-",
        " 0.71.0",
        "0.71.0\n",
        "٠.٧١.٠",
        "v0.71.0 ",
    ],
)
def test_what_is_no_semantic_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a semantic version"):
        versions.parse(text)
    with pytest.raises(ValueError, match="is no tag of this project"):
        versions.version_of_tag(text, "v{version}")
