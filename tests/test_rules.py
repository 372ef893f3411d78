"""Rules and decisions: what is wrong in them is named with its file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import decisions, rules
from gate.errors import BadFile
from tests.falsifiers import performance
from tests.release import DECLAIM, RULES, Release


def refused(read: object, *arguments: object) -> str:
    with pytest.raises(BadFile) as error:
        read(*arguments)  # type: ignore[operator]
    return str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'name = "demo"',
            'name = "demo"\nnmae = "x"',
            "gate.toml, line 4, project.nmae: there is no such key; 'name' is meant?",
        ),
        ('name = "demo"\n', "", "gate.toml, line 2, project.name: the key is missing"),
        ("[require]", "[requires]", "gate.toml, line 36, requires: there is no such key; 'require' is meant?"),
        ('gpu = "NVIDIA GB10"', "gpu = 10", "gate.toml, line 15, hosts[1].gpu: 10 should be a valid string"),
        ('compute = "12.1"', 'compute = "fast"', "line 16, hosts[1].compute: 'fast' is no compute capability"),
        ("required = false", 'required = "false"', "line 20, hosts[2].required: 'false' should be a valid boolean"),
        ("thinking = true", "thinking = 1", "cells.thinking: 1 should be a valid boolean"),
        (
            'verbs = ["run", "chat", "serve", "code"]',
            "verbs = []",
            "line 23, cells.verbs: List should have at least 1 item",
        ),
        ('"serve", "code"', '"serve", "run"', "names 'run' twice"),
        ('"serve", "code"', '"serve", "Run"', "differ only by case"),
        ('id = "gx10"', 'id = "lambda-vector"', "names 'lambda-vector' twice"),
        ('id = "gx10"', 'id = "gx/10"', "hosts[1].id: 'gx/10' holds '/'"),
        ('id = "gx10"', 'id = "gx\\n10"', "holds the control character U+000A"),
        ('owed = ["*q4_k*"]', "owed = []", "models.owed: List should have at least 1 item"),
        ('hosts = ["lambda"]', 'hosts = ["lamda"]', "names the host 'lamda'; the hosts are lambda, gx10, laptop"),
        ('sha256 = "1111', 'sha256 = "111', "models.pinned[0].sha256"),
        ('contexts = "receipts/contexts.json"', "", "no context is owed"),
        ("thinking = true", 'thinking = true\ncontexts = ["4k"]', "project.contexts and cells.contexts both"),
        (
            'contexts = "receipts/contexts.json"',
            'contexts = "receipts/contexts.json"\ntag = "v"',
            "project.tag: 'v' holds {version} 0 times",
        ),
        ("[cells]", "[cells\n", "gate.toml, line 22"),
        ("[require]", "[require]\ntokenizer = true\ntokenizer_tokens = 0", "require.tokenizer_tokens"),
        ("[require]", '[require]\nconformance = true\nconformance_census = "mine"', "require.conformance_census"),
        ("[require]", '[require]\nconformance_census = "receipt"', "sets require.conformance_census without"),
        ("[require]", "[require]\nconformance = true\nconformance_tolerance = 0.0", "require.conformance_tolerance"),
        ("[require]", "[require]\nconformance = true\nconformance_tolerance = inf", "require.conformance_tolerance"),
        ("[require]", "[require]\nconformance_tolerance = 0.1", "sets require.conformance_tolerance without"),
        ("[require]", "[require]\ntokenizer_tokens = 5", "sets require.tokenizer_tokens without require.tokenizer"),
    ],
)
def test_a_malformed_rule_is_named_with_its_line(old: str, new: str, said: str, release: Release) -> None:
    assert old in RULES
    release.rules = RULES.replace(old, new, 1)
    assert said in refused(rules.read, release.write() / "gate.toml")


def test_rules_that_require_no_host_owe_nothing_and_are_refused(release: Release) -> None:
    release.rules = RULES.replace('compute = "8.9"', "required = false").replace('compute = "12.1"', "required = false")
    release.rules = release.rules.replace('hosts = ["lambda"]', "")
    assert "no host is required" in refused(rules.read, release.write() / "gate.toml")


@pytest.mark.parametrize("spelled", ["8.9", "89", "sm_89", "SM_89", "compute_89", " sm_89 "])
def test_one_compute_capability_has_many_spellings(spelled: str) -> None:
    assert rules.compute_capability(spelled) == "8.9"


@pytest.mark.parametrize(("spelled", "is_"), [("sm_121", "12.1"), ("121", "12.1"), ("sm_90a", "9.0"), ("12.1", "12.1")])
def test_a_compute_capability_has_one_digit_behind_its_point(spelled: str, is_: str) -> None:
    assert rules.compute_capability(spelled) == is_


@pytest.mark.parametrize("text", ["", "8", "12", "10", "8.10", "sm_", "eight", "8,9", "sm_1234", "8.9.0", "٨.٩"])
def test_what_is_no_compute_capability_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no compute capability"):
        rules.compute_capability(text)


@given(st.text(min_size=1, max_size=20), st.sampled_from(["*q4_k*", "*Q4K*", "exact.gguf"]))
def test_owed_globs_ignore_case(file: str, glob: str) -> None:
    models = rules.Models(owed=[glob])
    assert models.owes(file.upper().lower()) == models.owes(file.upper().lower().casefold())
    assert models.owes("x-Q4_K-y") == (glob == "*q4_k*")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'host = "gx10"',
            'hsot = "gx10"',
            "claims.toml, line 5, declaim[0].hsot: there is no such key; 'host' is meant?",
        ),
        ('host = "gx10"', 'host = "gx11"', "claims.toml, line 5, declaim[0].host: no rule knows 'gx11'"),
        ('arch = "qwen35"\nhost = "gx10"\n', "", "selects nothing by name, and so would cover every cell"),
        ('arch = "qwen35"', 'arch = "*"', "declaim[0].arch: '*' matches everything"),
        ('arch = "qwen35"', 'arch = "?*"', "matches everything"),
        ('arch = "qwen35"', 'arch = ""', "declaim[0].arch"),
        (
            'until = "0.72.0"',
            'until = "0.72"',
            "claims.toml, line 7, declaim[0].until: '0.72' is not a semantic version",
        ),
        ('until = "0.72.0"', 'until = "never"', "'never' is not a semantic version"),
        ('until = "0.72.0"', 'since = "later"', "declaim[0].since: 'later' is not a semantic version"),
        (
            'until = "0.72.0"',
            'until = "0.72.0"\nsince = "0.72.0"',
            "begins with 0.72.0 and ends with 0.72.0, and so would never apply",
        ),
        ("on = 2026-09-28", 'on = "2026-09-28"', "line 9, declaim[0].ruling.on: '2026-09-28' should be a valid date"),
        ("on = 2026-09-28", "on = 2026-09-31", "claims.toml, line 9"),
        ("issue = 4590", "issue = 0", "declaim[0].issue"),
        ("issue = 4590", 'issue = "4590"', "declaim[0].issue: '4590' should be a valid integer"),
        ('why = "Correct, but slow."', 'why = ""', "declaim[0].why"),
        ('id = "beta-on-gx10"', 'id = "beta on\\tgx10"', "U+0009"),
        ("[[declaim]]", "[[declaims]]", "declaims: there is no such key; 'declaim' is meant?"),
    ],
)
def test_a_malformed_decision_is_never_a_wider_one(old: str, new: str, said: str, release: Release) -> None:
    assert old in DECLAIM
    release.claims = DECLAIM.replace(old, new, 1)
    read = rules.read(release.write() / "gate.toml")
    assert said in refused(decisions.read, read)


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("configuration", "one user, 128 in", "one user,  128 in"),
        ("configuration", "one user", "One user"),
        ("configuration", "one user", "\uff4fne user"),
        ("metric", "decode_tok_per_sec", "decode_tok_per_Sec"),
        ("comparator", "llama.cpp", "llama. cpp"),
    ],
)
def test_claims_whose_terms_only_look_the_same_are_refused(key: str, old: str, new: str, release: Release) -> None:
    again = performance.RULES.replace("decode-parity", "again")
    release.rules += performance.RULES + again
    rules.read(release.write() / "gate.toml")
    release.rules = release.rules.replace(again, again.replace(old, new))
    said = refused(rules.read, release.write() / "gate.toml")
    assert f"claims: claims.performance names the {key} " in said
    assert "which differ only by blanks, case or Unicode form" in said


def test_two_decisions_of_one_id_are_refused(release: Release) -> None:
    release.claims = DECLAIM + DECLAIM
    assert "two decisions have the id 'beta-on-gx10'" in refused(
        decisions.read, rules.read(release.write() / "gate.toml")
    )


def test_decisions_that_the_rules_name_must_be_there(release: Release) -> None:
    release.rules = RULES.replace('name = "demo"', 'name = "demo"\ndecisions = "decided.toml"')
    assert refused(decisions.read, rules.read(release.write() / "gate.toml")) == "decided.toml: there is no such file"


def test_no_decisions_are_none(release: Release) -> None:
    read = decisions.read(rules.read(release.write() / "gate.toml"))
    assert (read.file, read.document.declaim) == (None, [])


def test_a_missing_rules_file_says_so(tmp_path: Path) -> None:
    assert refused(rules.read, tmp_path / "gate.toml") == "gate.toml: there is no such file"
