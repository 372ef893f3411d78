"""The releases that one is compared with: by the order of semantic versions, by tags, by what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from semver import Version

from gate import releases, rules
from gate.errors import Declined
from gate.releases import Place, preceding
from tests.release import RULES, git

NAMES = st.builds(
    lambda core, pre, build: ".".join(map(str, core)) + pre + build,
    st.tuples(*[st.integers(0, 3)] * 3),
    st.sampled_from(["", "", "", "-rc.1", "-rc.2", "-rc.10", "-alpha"]),
    st.sampled_from(["", "", "+b1"]),
)


@pytest.mark.parametrize(
    ("version", "cut", "measured", "found"),
    [
        ("0.71.0", "", "", ()),
        ("0.71.0", "", "0.71.0 0.72.0", ()),
        ("0.71.0", "", "0.69.0 0.70.0 0.9.0", ("0.70.0",)),
        ("0.71.0", "0.69.0", "0.69.0", ("0.69.0",)),
        # neither a missing tag nor a new number hides what vanished
        ("0.71.1", "0.70.0", "0.70.0 0.71.0", ("0.70.0", "0.71.0")),
        ("0.71.2", "0.70.0", "0.69.9 0.70.0 0.71.0 0.71.1", ("0.70.0", "0.71.1", "0.71.0")),
        # a full release follows a full release, as long as there is one
        ("0.71.0", "0.70.0 0.71.0-rc.1", "0.70.0 0.71.0-rc.1", ("0.70.0",)),
        ("0.71.0", "", "0.70.0 0.71.0-rc.1", ("0.70.0",)),
        ("1.0.0", "1.0.0-rc.1", "1.0.0-rc.1 1.0.0-rc.2", ("1.0.0-rc.1", "1.0.0-rc.2")),
        # a candidate follows the last release of any kind, and the last full one
        ("0.71.0-rc.1", "0.70.0", "0.70.0", ("0.70.0",)),
        ("0.71.0-rc.2", "0.70.0 0.71.0-rc.1", "0.70.0 0.71.0-rc.1", ("0.71.0-rc.1", "0.70.0")),
        ("0.71.0-rc.10", "0.70.0", "0.70.0 0.71.0-rc.1 0.71.0-rc.9", ("0.70.0", "0.71.0-rc.9")),
        ("0.71.0-rc.2", "", "0.70.0 0.71.0-rc.1", ("0.71.0-rc.1", "0.70.0")),
        # build metadata has no precedence, and is no way round the release that it renews: its text orders it
        ("0.70.0+b", "0.70.0", "0.69.0 0.70.0 0.70.0+c", ("0.70.0",)),
        ("0.71.0", "", "0.70.0+a 0.70.0+b", ("0.70.0+b",)),
    ],
)  # fmt: skip
def test_the_releases_before_one(version: str, cut: str, measured: str, found: tuple[str, ...]) -> None:
    assert preceding(version, cut.split(), measured.split()) == found


@given(version=NAMES, measured=st.sets(NAMES, max_size=12), data=st.data())
def test_what_holds_of_every_order_of_versions(version: str, measured: set[str], data: st.DataObject) -> None:
    cut = data.draw(st.sets(st.sampled_from(sorted(measured)))) if measured else set()
    parsed = {text: Version.parse(text) for text in (*measured, version)}
    found = preceding(version, cut, measured)
    below = {text for text in measured if (parsed[text], text) < (parsed[version], version)}
    assert set(found) <= below
    assert len(set(found)) == len(found)
    assert bool(found) == bool(below)
    assert found == preceding(version, sorted(cut, reverse=True), sorted(measured, reverse=True))
    full = {text for text in below if parsed[text].prerelease is None}
    if not found:
        return
    kind = full if parsed[version].prerelease is None and full else below
    assert set(found) <= kind
    # nothing that was cut lies between the previous release and this one
    assert not [text for text in kind & cut if parsed[text] > parsed[found[0]]]
    assert found[0] in cut or not kind & cut
    # what a full release owed is compared, whatever a candidate left out
    if full and not full & cut:
        assert max(parsed[text] for text in found if text in full) == max(parsed[text] for text in full)
    # a full version that was measured since the last cut, and not cut, is compared
    if kind & cut:
        assert {text for text in full - cut if parsed[text] > parsed[found[0]]} <= set(found)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with rules and nothing measured."""
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, {"gate.toml": RULES})
    return tmp_path


def commit(folder: Path, files: dict[str, str | None], tag: str | None = None) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            git(folder, "rm", "-qr", path)
        else:
            (folder / path).write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x", "--allow-empty")
    if tag:
        git(folder, "tag", tag)


def found(folder: Path, version: str = "9.0.0", name: str = "gate.toml") -> releases.Releases:
    return releases.find(rules.read(folder / name), version)


def place(folder: Path, revision: str, name: str) -> Place:
    return releases.place_of(rules.read(folder / name), git(folder, "rev-parse", revision))


def receipt(version: str, ledger: str = "receipts") -> dict[str, str | None]:
    return {f"{ledger}/{version}/deep/x.json": json.dumps({})}


def test_a_folder_with_a_receipt_was_measured_and_an_empty_one_was_not(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text(RULES)
    for path in ("1.0.0/x.JSON", "1.1.0/release.toml", "nightly/x.json", "9.0.0/x.json"):
        (tmp_path / "receipts" / path).parent.mkdir(parents=True)
        (tmp_path / "receipts" / path).write_text("{}")
    assert found(tmp_path).measured == {"1.0.0"}
    assert found(tmp_path).before("9.0.0") == ("1.0.0",)


def test_a_tag_that_nobody_measured_is_no_release(project: Path) -> None:
    for tag in ("v1.0.0", "2.0.0", "v1.x", "other-1.0.0", "v10.0.0"):
        git(project, "tag", tag)
    seen = found(project)
    assert (seen.tagged, seen.measured, seen.gone) == ({"1.0.0"}, set(), set())
    assert seen.before("9.0.0") == ()


def test_receipts_in_the_ledger_or_at_the_tag_make_it_one(project: Path) -> None:
    commit(project, {}, "v1.0.0")
    commit(project, receipt("1.0.0"))
    commit(project, receipt("2.0.0"), "v2.0.0")
    commit(project, {"receipts/2.0.0": None})
    seen = found(project)
    assert seen.measured == {"1.0.0", "2.0.0"}
    assert seen.before("9.0.0") == ("2.0.0",)


def test_receipts_that_were_removed_are_not_forgotten(project: Path) -> None:
    commit(project, {}, "v1.0.0")
    commit(project, {}, "v2.0.0")
    commit(project, receipt("1.0.0") | receipt("2.0.0"))
    commit(project, {"receipts/2.0.0": None})
    with pytest.raises(Declined, match=r"9\.0\.0 can't be compared with 2\.0\.0.*\n.*git log --diff-filter=D"):
        found(project).before("9.0.0")
    commit(project, {"receipts/1.0.0": None} | receipt("2.0.0"))
    assert found(project).before("9.0.0") == ("2.0.0",)  # an old ledger may go


def test_rules_that_were_moved_are_found_where_they_were(project: Path) -> None:
    commit(project, receipt("1.0.0"), "v1.0.0")
    git(project, "rm", "-qr", "receipts")
    (project / "ci").mkdir()
    git(project, "mv", "gate.toml", "ci/gate.toml")
    commit(project, {})
    seen = found(project, name="ci/gate.toml")
    assert seen.before("9.0.0") == ("1.0.0",)
    assert place(project, "v1.0.0", "ci/gate.toml") == Place("", "receipts", rules=True)
    commit(project, {"ci/gate.toml": RULES.replace('"demo"', '"another project"')})
    assert found(project, name="ci/gate.toml").before("9.0.0") == ()


def test_a_ledger_that_was_renamed_is_found_by_its_old_name(project: Path) -> None:
    commit(project, receipt("1.0.0"), "v1.0.0")
    commit(project, {}, "v2.0.0")
    commit(project, receipt("2.0.0"))
    commit(project, {"gate.toml": RULES.replace("[project]", '[project]\nledger = "measured"')})
    assert found(project).before("9.0.0") == ("2.0.0",)
    assert found(project).before("2.0.0") == ("1.0.0",)


def test_a_project_below_the_root_has_its_ledger_there(project: Path) -> None:
    commit(project, {"a/b/gate.toml": RULES} | receipt("1.0.0", "a/b/receipts"), "v1.0.0")
    commit(project, {"a/b/receipts": None} | receipt("2.0.0"), "v2.0.0")
    seen = found(project, name="a/b/gate.toml")
    assert seen.before("9.0.0") == ("1.0.0",)
    assert place(project, "v1.0.0", "a/b/gate.toml") == Place("a/b/", "a/b/receipts", rules=True)
    git(project, "tag", "before", "v1.0.0~1")
    assert place(project, "before", "a/b/gate.toml") == Place("", "receipts", rules=True)  # the same project's, moved
    assert releases.root_of(rules.read(project / "a/b/gate.toml")).resolve() == project.resolve()


def test_tags_that_were_spelled_otherwise_are_tags_all_the_same(project: Path) -> None:
    commit(project, receipt("1.0.0"), "v1.0.0")
    for tag in ("other-1.1.0", "v1.2.0.4", "nightly-2020"):
        git(project, "tag", tag)
    commit(
        project, {"gate.toml": RULES.replace("[project]", '[project]\ntag = "release/{version}"')} | receipt("2.0.0")
    )
    assert releases.tags_of(rules.read(project / "gate.toml")) == {"1.0.0": "v1.0.0"}
    assert found(project).before("9.0.0") == ("1.0.0", "2.0.0")
    git(project, "tag", "release/2.0.0")
    git(project, "tag", "v2.0.0")  # today's spelling says it
    assert releases.tags_of(rules.read(project / "gate.toml")) == {"1.0.0": "v1.0.0", "2.0.0": "release/2.0.0"}


def test_malformed_rules_at_a_tag_are_not_what_is_read_here(project: Path) -> None:
    commit(project, {"gate.toml": "[project\n"} | receipt("1.0.0"), "v1.0.0")
    commit(project, {"gate.toml": RULES})
    assert found(project).before("9.0.0") == ("1.0.0",)
