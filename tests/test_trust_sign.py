"""`gate sign`, and what the verdict and the graph say of who signed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.release import NOW, VERSION, Release, gate_here, green, judged
from tests.signing import (
    CLAIMS,
    GX10,
    RELEASE,
    SUITE,
    fingerprint,
    frozen,
    key,
    keygen,
    sealed,
)

FOLDER = f"receipts/{VERSION}"
CHECK = ("check", "--tag", VERSION, "--now", NOW)


# ------------------------------------------------------------------ gate sign


def test_what_gate_sign_signs_ssh_keygen_and_the_gate_verify(trusted: Release) -> None:
    for path in [path for path in trusted.documents if path.endswith(".sig")]:
        del trusted.documents[path]
    folder = trusted.write()
    names = [p for p in trusted.documents if p.startswith(FOLDER)]
    for name in ("lambda", "gx10"):
        done = gate_here(folder, "sign", *[p for p in names if name in p], "--key", str(key(name)))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.count(f".sig: signed with {fingerprint(name)}\n") == 2
    assert gate_here(folder, "sign", SUITE, RELEASE, "--key", str(key("ci"))).returncode == 0
    assert gate_here(folder, "sign", CLAIMS, "--key", str(key("owner")) + ".pub").returncode == 0
    assert judged(folder)["verdict"] == "conforms"
    keygen(
        "-Y", "verify", "-f", str(folder / "allowed_signers"), "-I", "owner@example.org", "-n", "taggate", "-s",
        str(folder / "claims.toml.sig"), content=(folder / CLAIMS).read_bytes(),
    )  # fmt: skip


def test_a_signature_is_never_replaced_unasked(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    arguments = ("sign", "a", "--key", str(key("owner")))
    assert gate_here(tmp_path, *arguments).returncode == 0
    first = (tmp_path / "a.sig").read_bytes()
    assert gate_here(tmp_path, *arguments).returncode == 0  # the same one again
    other = gate_here(tmp_path, "sign", "a", "--key", str(key("gx10")))
    assert (other.returncode, (tmp_path / "a.sig").read_bytes()) == (3, first)
    assert "a.sig: it exists and is another signature; --force replaces it" in other.stderr
    assert gate_here(tmp_path, "sign", "a", "--key", str(key("gx10")), "--force").returncode == 0
    assert (tmp_path / "a.sig").read_bytes() != first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a", "nofile"), "nofile: there is no such file"),
        (("a", "b.sig"), "b.sig: it is a signature itself"),
        (("a", "c"), "c.sig: it is a symbolic link"),
        (("a", "."), "it is not a regular file"),
    ],
)
def test_where_one_file_can_not_be_signed_none_is(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    for name in ("a", "b.sig", "c"):
        (tmp_path / name).write_text(name)
    (tmp_path / "c.sig").symlink_to("a")
    done = gate_here(tmp_path, "sign", *arguments, "--key", str(key("owner")))
    assert done.returncode == 3
    assert said in done.stderr
    assert not (tmp_path / "a.sig").exists()


def test_what_ssh_keygen_says_against_a_key_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    done = gate_here(tmp_path, "sign", "a", "--key", "no\x1b[31mkey")
    assert done.returncode == 3
    assert "a: ssh-keygen didn't sign it with no\\x1b[31mkey\n  Couldn't load public key" in done.stderr
    assert not (tmp_path / "a.sig").exists()


# ------------------------------------------------------------------ the gate's own files


def test_the_output_is_never_written_over_a_signature_or_the_keys(trusted: Release) -> None:
    folder = trusted.write()
    for name in ("claims.toml.sig", "allowed_signers"):
        done = gate_here(folder, *CHECK, "--output", name)
        assert done.returncode == 3
        assert "is an input of the check" in done.stderr


def test_the_graph_says_who_signed(trusted: Release) -> None:
    done = gate_here(trusted.write(), "graph", "--tag", VERSION, "--format", "nt", "--now", NOW)
    assert done.returncode == 0
    assert f'ns#fingerprint> "{fingerprint("owner")}"' in done.stdout


def test_the_receipts_may_say_in_which_order_they_like_who_they_are(tmp_path: Path) -> None:
    """An unsigned JSON Lines receipt counts as absent, however many rows it has."""
    release = green(tmp_path)
    document = release.documents.pop(GX10)
    rows = document.pop("runs")
    release.documents[f"{FOLDER}/gx10.jsonl"] = "".join(json.dumps(one) + "\n" for one in [document, *rows])
    sealed(release)
    frozen(release)
    assert judged(release.write())["verdict"] == "conforms"
    (release.folder / f"{FOLDER}/gx10.jsonl.sig").unlink()
    assert judged(release.folder)["counts"]["cells"]["missing"] == 36
