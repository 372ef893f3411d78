"""What the notes say of speed and of the obligations beside cells: run by run, compared or the project's own."""

from __future__ import annotations

import html
from typing import Any

import pytest

from gate.reporting import pages
from tests.falsifiers.conformance import with_conformance
from tests.falsifiers.falsifier import judge
from tests.falsifiers.kernel import with_kernels
from tests.reading import shown, words
from tests.release import DECLAIM, VERSION, Release, parities, performances, tokenizers
from tests.test_reporting import ALLOWED

CLAIM = """
[[claims.performance]]
id = "{0}"
model = "alpha-q4_k_m.gguf"
metric = "decode_tok_per_sec"
configuration = "one user, 128 in, 128 out"
{1}
of = 3
"""
COMPARED = 'comparator = "llama.cpp"\nat_least = 0.9\nruns = 2'


def speeding(release: Release, *claims: str) -> Release:
    release.rules += "".join(claims)
    release.documents[f"receipts/{VERSION}/speed.json"] = performances("lambda")
    return release


def speed(release: Release) -> str:
    verdict, _ = judge(release.write())
    page = html.unescape(pages.render("notes", "md", verdict))
    return page.partition("## Speed\n")[2].partition("\n## ")[0]


def test_the_notes_show_a_claim_that_is_compared_run_by_run(release: Release) -> None:
    speeding(release, CLAIM.format("decode", COMPARED)).receipt("speed.json")["rows"][1]["value"] = 80.5
    page = speed(release)
    for said in (
        "### decode\n",
        "`decode_tok_per_sec` of `alpha-q4_k_m.gguf`, one user, 128 in, 128 out: at least 0.9 of llama.cpp's in 2 of 3 runs.",
        "**Shown:** 2 of 3 runs reach it.",
        "Compared with llama.cpp, build `d1d3c3396`, in the same runs on lambda.",
        "| run | own figure | llama.cpp's | ratio | |",
        "| 1 | 95 | 100 | 0.95 | |",
        "| 2 | 80.5 | 100 | 0.805 | below |",
    ):
        assert said in page, page


def test_an_own_figure_is_shown_as_that_and_compared_with_nothing(release: Release) -> None:
    page = speed(speeding(release, CLAIM.format("own", ""), CLAIM.format("floor", "at_least = 90\nruns = 3")))
    own, floor = page.split("### floor")
    assert "the own figure, in 3 runs." in own
    assert "**Shown:** 3 of 3 runs are recorded." in own
    assert "at least 90 in 3 of 3 runs." in floor
    for part in (own, floor):
        assert "The project's own figure, compared with nothing, on lambda." in part
        assert "| run | own figure | |" in part
        assert "llama" not in part
        assert "ratio" not in part


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[0].update(value=10.0), "More runs stay below what the claim says than it allows."),
        (lambda rows: [row.pop("comparator") for row in rows], "The comparator was not measured in every run"),
        (lambda rows: rows.clear(), "Fewer runs of these numbers were measured than the claim speaks of."),
    ],
)
def test_a_claim_that_is_not_shown_says_so_and_why(change: Any, said: str, release: Release) -> None:
    speeding(release, CLAIM.format("decode", COMPARED.replace("runs = 2", "runs = 3")))
    change(release.receipt("speed.json")["rows"])
    verdict, _ = judge(release.write())
    for name in ("notes", "known-issues"):
        page = pages.render(name, "md", verdict)
        assert f"**Not shown:** {said}" in page, page
        assert "**Shown:**" not in page
    if "comparator" in said:
        assert "| 1 | 95 | not measured | not compared | |" in page


def test_the_known_issues_name_no_claim_that_is_shown(release: Release) -> None:
    verdict, _ = judge(speeding(release, CLAIM.format("decode", COMPARED)).write())
    assert "decode" not in pages.render("known-issues", "md", verdict)


def test_nothing_in_a_claim_becomes_markup(release: Release) -> None:
    hostile = "<script>alert(1)</script> | *a* [x](http://evil.example) `b`"
    claim = CLAIM.format("decode", COMPARED).replace("one user, 128 in, 128 out", hostile).replace("llama.cpp", "*<b>*")
    for row in speeding(release, claim).receipt("speed.json")["rows"]:
        row["configuration"] = hostile
        row["comparator"] |= {"name": "*<b>*", "pin": "`|<i>"}
    verdict, _ = judge(release.write())
    assert verdict.conforms
    page = shown(pages.render("notes", "md", verdict))
    assert page.tags <= ALLOWED
    assert page.links == set()
    assert "*<b>*'s" in page.text


def test_the_notes_count_every_obligation_beside_cells(release: Release) -> None:
    with_kernels(release)
    with_conformance(release)
    release.rules = release.rules.replace(
        "[require]",
        '[require]\ntokenizer = true\nparity = { against = "cpu", prefix = 20 }\n'
        'rows = [{ suite = "dogfood", rows = ["fmt"] }]',
    )
    speeding(release, CLAIM.format("decode", COMPARED))
    release.documents[f"receipts/{VERSION}/tokenizers.json"] = tokenizers()
    release.documents[f"receipts/{VERSION}/parity-lambda.json"] = parities("lambda")
    release.receipt("kernels-gx10.json")["rows"][1]["verdict"] = "fail"
    release.claims = DECLAIM.replace('arch = "qwen35"', 'kernel = "iq3_s_gemv"')
    verdict, _ = judge(release.write())
    page = pages.render("notes", "md", verdict)
    for line in (
        "| obligation | owed | passed | missing | failed | de-claimed |",
        "| kernels | 3 | 2 | 0 | 1 | 1 |",
        "| tensor shapes | 2 | 2 | 0 | 0 | 1 |",
        "| tokenizers | 2 | 2 | 0 | 0 | 0 |",
        "| output parity | 4 | 2 | 2 | 0 | 0 |",
        "| suites | 1 | 1 | 0 | 0 | 0 |",
        "| rows of suites | 1 | 1 | 0 | 0 | 0 |",
        "| claims of speed | 1 | 1 | 0 | 0 | 0 |",
    ):
        assert line in page, page
    assert page.index("| kernels | 3") < page.index("## Speed")


def test_a_release_without_claims_says_nothing_of_speed(release: Release) -> None:
    verdict, _ = judge(release.write())
    page = pages.render("notes", "md", verdict)
    assert "## Speed" not in page
    assert "| suites | 1 | 1 | 0 | 0 | 0 |" in page
    assert "| kernels" not in page


@pytest.mark.parametrize("page", ["notes", "known-issues"])
def test_both_formats_say_the_same_of_speed(page: str, release: Release) -> None:
    speeding(release, CLAIM.format("decode", COMPARED), CLAIM.format("own", "")).receipt("speed.json")["rows"][1][
        "value"
    ] = 8.5
    release.receipt("speed.json")["rows"][2]["value"] = 8.5
    verdict, _ = judge(release.write())
    assert words(pages.render(page, "md", verdict), "md") == words(pages.render(page, "html", verdict), "html")
