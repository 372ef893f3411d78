"""`gate inventory scan`: an inventory is what the files hold, and a file that can't be read is never left out."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gate.errors import BadFile
from gate.ledger import chat_template, ggml, gguf_file, gguf_header
from gate.ledger.digests import Digests
from tests.release import COMMIT, VERSION, Release, gate, judged

gguf = pytest.importorskip("gguf", reason="gguf is not installed: pip install 'taggate[scan]'")
np = pytest.importorskip("numpy")

QWEN3 = (
    "{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content.split('</think>')[-1] }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
    "{%- endif %}"
)
OPENS = "{%- for m in messages %}{{ m.content }}{%- endfor %}{% if add_generation_prompt %}{{ 'assistant\\n<think>\\n' }}{% endif %}"
MENTIONS = "{%- for m in messages %}{{ m.content.split('<think>')[0] }}{%- endfor %}{{ '<|assistant|>' }}"
BROKEN = "{{ raise_exception('tools only') }}"


def model(
    path: Path, arch: str = "qwen3", template: str | None = QWEN3, length: int | None = 4096, **extra: Any
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, arch)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
    if length is not None:
        writer.add_context_length(length)
    if template is not None:
        writer.add_chat_template(template)
    for key, value in extra.items():
        writer.add_uint16(key.replace("__", "."), value)
    writer.add_tensor("token_embd.weight", np.zeros((8, 64), dtype=np.float32))
    writer.add_tensor("output_norm.weight", np.zeros((64,), dtype=np.float32))
    blocks = np.zeros((16, 2 * 18), dtype=np.uint8)
    writer.add_tensor("blk.0.ffn_up.weight", blocks, raw_dtype=gguf.GGMLQuantizationType.Q4_0)
    writer.add_tensor(
        "blk.0.exps.weight", np.zeros((3, 16, 2 * 18), np.uint8), raw_dtype=gguf.GGMLQuantizationType.Q4_0
    )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def header(entry: bytes) -> bytes:
    """The beginning of a GGUF file without a tensor, and the type and value of its one field, which is called `a`."""
    return b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + entry


def array(length: int) -> bytes:
    """The beginning of an array of bytes that says how long it is."""
    return struct.pack("<IIQ", gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.UINT8, length)


ARGUMENTS = ("--host", "gx10", "--release", VERSION, "--commit", COMMIT, "--gpu", "NVIDIA GB10", "--compute", "sm_121",
             "--measured-at", "2026-10-12T09:00:00Z", "--output", "out.json")  # fmt: skip


def scan(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
    given = list(ARGUMENTS)
    if arguments and arguments[0] in given:  # each option is given once
        given[given.index(arguments[0]) + 1], arguments = arguments[1], ()
    return gate(folder, "inventory", "scan", "models", *given, *arguments, env=env)


def scanned(folder: Path, *arguments: str) -> Any:
    done = scan(folder, *arguments)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = json.loads((folder / "out.json").read_text())
    count = len(found["models"])
    said = f"gate: out.json is written: taggate/inventory-receipt/v1, {count} {'file' if count == 1 else 'files'}\n"
    left_out = ", ".join(f"{what} ({number})" for what, number in sorted(found.get("left_out", {}).items()))
    assert done.stderr == said + (f"  left out: {left_out}\n" if left_out else "")
    return found


def test_the_receipt_says_what_the_headers_say(tmp_path: Path) -> None:
    path = model(tmp_path / "models/deep/called-something.gguf")
    found = scanned(tmp_path)
    assert found == {
        "schema": "taggate/inventory-receipt/v1",
        "release": {"version": VERSION, "commit": COMMIT},
        "host": "gx10",
        "measured_at": "2026-10-12T09:00:00Z",
        "producer": "gate inventory scan, 1 files",
        "gpu": {"name": "NVIDIA GB10", "compute": "sm_121"},
        "census": [
            {"quant": "F32", "shape": "64x8"},
            {"quant": "Q4_0", "shape": "64x16"},
        ],
        "models": [
            {
                "file": "called-something.gguf",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "bytes": path.stat().st_size,
                "arch": "qwen3",
                "quant": "Q4_0",
                "context_length": 4096,
                "template_markers": ["enable_thinking"],
                "weights_bytes": 8 * 64 * 4 + 64 * 4 + 4 * 16 * 36,
                "tensor_types": {"F32": 2, "Q4_0": 2},
            }
        ],
    }


@pytest.mark.parametrize(
    ("template", "markers"),
    [
        (None, []), (QWEN3, ["enable_thinking"]), (OPENS, ["<think>"]), (MENTIONS, []), (BROKEN, None), ("{% if", None),
        ("{{ messages.x.y.z }}", None), ("{% for i in range(10**9) %}x{% endfor %}", None), ("{{ 'a' * 10**11 }}", None),
        ("é" * 1_100_000, None), ("{{ ['<thi', 'nk>'] | join }}", ["<think>"]),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", None),
        ("{{ strftime_now('%Y') }}{{ messages | tojson }}<think>", ["<think>"]),
    ],
)  # fmt: skip
def test_the_markers_are_what_the_template_does(
    template: str | None, markers: list[str] | None, tmp_path: Path
) -> None:
    assert gguf_header.read(model(tmp_path / "a.gguf", template=template), "a.gguf").markers == markers


def test_file_types_have_the_names_that_the_library_gives_them() -> None:
    known = {entry.value: entry.name.removeprefix("MOSTLY_").removeprefix("ALL_") for entry in gguf.LlamaFileType}
    assert {number: known.get(number) for number in ggml.FILE_TYPES} == ggml.FILE_TYPES


def test_what_a_header_does_not_say_is_left_out(tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf", length=None, template=BROKEN)
    found = scanned(tmp_path)
    (entry,) = found["models"]
    assert not {"context_length", "template_markers"} & set(entry)
    assert found["left_out"] == {"chat templates that can't be rendered": 1}


def test_what_is_no_gguf_file_is_counted(tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    model(tmp_path / "elsewhere/b.gguf")
    for name in ("notes.txt", "deep/model.safetensors", ".hidden"):
        (tmp_path / "models" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "models" / name).write_text("x")
    (tmp_path / "models/linked").symlink_to(tmp_path / "elsewhere")
    found = scanned(tmp_path)
    assert [entry["file"] for entry in found["models"]] == ["a.gguf"]
    assert found["left_out"] == {"files that are no *.gguf": 3, "symbolic links to folders": 1}


# Each of these would run for longer than anybody waits, or for ever.
ENDLESS = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
    "{{ 9**(9**9) }}",
]


@pytest.mark.parametrize("template", ENDLESS)
def test_a_template_that_does_not_end_is_named(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template, "CPU_SECONDS", 1)
    with pytest.raises(BadFile) as refused:
        gguf_header.read(model(tmp_path / "a.gguf", template=template), "models/a.gguf")
    assert str(refused.value).splitlines()[0] == (
        "models/a.gguf, tokenizer.chat_template: it did not end within 1 seconds of computing"
    )


def test_a_template_that_does_not_end_lets_nothing_be_written(tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    model(tmp_path / "models/b.gguf", template=ENDLESS[0])
    done = scan(tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("gate: models/b.gguf, tokenizer.chat_template: it did not end within ")
    assert not (tmp_path / "out.json").exists()


def test_a_link_and_a_second_name_are_entries_of_their_own(tmp_path: Path) -> None:
    real = model(tmp_path / "elsewhere/a.gguf")
    (tmp_path / "models").mkdir()
    (tmp_path / "models/linked.gguf").symlink_to(real)
    (tmp_path / "models/copied.GGUF").write_bytes(real.read_bytes())
    (tmp_path / "models/notes.txt").write_text("x")
    entries = scanned(tmp_path)["models"]
    assert [entry["file"] for entry in entries] == ["copied.GGUF", "linked.gguf"]
    assert len({entry["sha256"] for entry in entries}) == 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda p: p.write_bytes(p.read_bytes()[:-40]), "b.gguf: it ends before its last tensor does"),
        (lambda p: p.write_bytes(p.read_bytes()[:60]), "b.gguf: it ends in the middle of its header, after the field "),
        (lambda p: p.write_bytes(p.read_bytes()[:6]), "b.gguf: it ends in the middle of its header\n"),
        (lambda p: p.write_bytes(b""), "b.gguf: it is no GGUF file: it is empty"),
        (lambda p: p.write_bytes(b"<html>" * 20), "b.gguf: it is no GGUF file: it begins with b'<htm'"),
        (lambda p: p.write_bytes(b"GGUF\x03\0\0\0" + b"\xff" * 64), "b.gguf: it ends in the middle of its header"),
        (
            lambda p: p.write_bytes(b"GGUF\x63\0\0\0" + b"\0" * 64),
            "b.gguf: it is of a version of GGUF that can't be read",
        ),
        (
            lambda p: p.write_bytes(header(array(2**40))),
            "b.gguf: it ends in the middle of its header, after the field GGUF.kv",
        ),
        (
            lambda p: p.write_bytes(header(struct.pack("<I", 77) + bytes(64))),
            "b.gguf: its header is damaged, after the field ",
        ),
        (
            lambda p: p.write_bytes(p.read_bytes().replace(b"general.file_type", b"general.file_\xff\xff\xff\xff")),
            "b.gguf: its header is damaged, after",
        ),
        (
            lambda p: p.write_bytes(p.read_bytes().replace(b"blk.0.exps.weight", b"token_embd.weight")),
            "b.gguf: a tensor is described wrongly",
        ),
        (lambda p: (p.unlink(), p.symlink_to("nowhere")), "b.gguf: it is no file, or a symbolic link to none"),
        (lambda p: (p.unlink(), model(p, split__count=3)), "b.gguf: it is a part of a model in several files"),
        (lambda p: (p.unlink(), model(p.parent / "sub/a.gguf")), "a.gguf has the same name"),
        (lambda p: p.rename(p.parent / "b\n.gguf"), "holds the control character"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_written(spoil: Any, said: str, tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    spoil(model(tmp_path / "models/b.gguf"))
    done = scan(tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in done.stderr
    assert "Error" not in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_the_values_of_a_header_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(header(array(2**16) + bytes(2**16)))
    monkeypatch.setattr(gguf_file, "MOST_VALUES", 1000)
    with pytest.raises(BadFile, match=r"^a\.gguf: its header holds more than 1,000 values"):
        gguf_header.read(path, "a.gguf")


def test_every_broken_file_is_named_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        model(tmp_path / f"models/{name}.gguf").write_bytes(b"GGUF")
    assert {"models/a.gguf", "models/b.gguf"} <= {
        line.removeprefix("gate: ").partition(":")[0] for line in scan(tmp_path).stderr.splitlines() if "header" in line
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--commit", "c0ffee"), "release.commit"), (("--release", "0.71"), "is not a semantic version"),
        (("--host", "a/b"), "host"), (("--compute", "fast"), "is no compute capability"),
        (("--measured-at", "2026-10-12"), "has no time zone"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_the_callers_error(arguments: Any, said: str, tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    done = scan(tmp_path, *arguments)
    assert done.returncode == 3
    assert said in done.stderr


def test_all_options_that_are_missing_are_named_at_once(tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    done = gate(tmp_path, "inventory", "scan", "models", "--host", "gx10")
    assert (done.returncode, done.stdout) == (3, "")
    assert (
        done.stderr
        == "gate: --output, --release and --commit are needed: a folder of models does not say them, and nothing is guessed\n"
    )


def test_no_folder_and_an_empty_one_are_the_callers_errors(tmp_path: Path) -> None:
    assert "there is no such folder" in scan(tmp_path).stderr
    (tmp_path / "models").mkdir()
    done = scan(tmp_path)
    assert (done.returncode, done.stderr) == (3, "gate: models: it holds no *.gguf file\n")


def test_another_receipt_is_not_replaced_unasked(tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    assert scan(tmp_path).returncode == scan(tmp_path).returncode == 0
    model(tmp_path / "models/b.gguf")
    assert "--force replaces it" in scan(tmp_path).stderr
    assert len(scanned(tmp_path, "--force")["models"]) == 2


def test_a_digest_is_kept_until_the_file_changes(tmp_path: Path) -> None:
    path = model(tmp_path / "a.gguf")
    cache = tmp_path / "cache/digests.json"
    read: list[int] = []
    digests = Digests(cache)
    first = digests.of(path, "a.gguf", read.append)
    digests.keep()
    again = Digests(cache)
    assert again.known(path) == first == hashlib.sha256(path.read_bytes()).hexdigest()
    os.utime(path, ns=(1, 1))
    assert again.known(path) is None
    with path.open("ab") as stream:
        stream.write(b"x")
    assert again.of(path, "a.gguf", read.append) != first
    assert sum(read) == 2 * path.stat().st_size - 1


@pytest.mark.parametrize("content", ["", "[]", "{", '{"x": 3}', "\udc80"])
def test_a_broken_cache_costs_time_and_nothing_else(content: str, tmp_path: Path) -> None:
    path = model(tmp_path / "a.gguf")
    cache = tmp_path / "digests.json"
    cache.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert Digests(cache).of(path, "a.gguf", lambda _: None) == hashlib.sha256(path.read_bytes()).hexdigest()
    cache.write_text(json.dumps({str(path): {"state": "x", "sha256": "0" * 64}}))
    assert Digests(cache).known(path) is None


def test_without_a_cache_nothing_is_kept(tmp_path: Path) -> None:
    model(tmp_path / "models/a.gguf")
    scanned(tmp_path, "--no-cache")
    assert not (tmp_path / "cache").exists()
    scanned(tmp_path)
    assert (tmp_path / "cache/taggate/digests.json").is_file()


def test_a_scanned_inventory_is_what_its_host_owes(release: Release) -> None:
    folder = release.write()
    model(folder / "models/alpha-q4_k_m.gguf", length=16384)
    done = scan(folder)
    assert done.returncode == 0, done.stderr
    (folder / "out.json").replace(folder / f"receipts/{VERSION}/inventory-gx10.json")
    verdict = judged(folder)
    assert {f["reason"] for f in verdict["findings"] if f["host"] == "gx10" and f["shape"] == "cell"} == {"missing"}


def test_a_scanned_census_says_what_must_conform(release: Release) -> None:
    release.rules = release.rules.replace("[require]", "[require]\nconformance = true")
    folder = release.write()
    model(folder / "models/alpha-q4_k_m.gguf", length=16384)
    assert scan(folder).returncode == 0
    (folder / "out.json").replace(folder / f"receipts/{VERSION}/inventory-gx10.json")
    found = [f for f in judged(folder)["findings"] if f["shape"] == "conformance" and f["host"] == "gx10"]
    assert [(f["focus"], f["property"]) for f in found] == [
        ("gx10", "receipt"), ("gx10/conformance/F32/64x8", "receipt"), ("gx10/conformance/Q4_0/64x16", "receipt"),
    ]  # fmt: skip
