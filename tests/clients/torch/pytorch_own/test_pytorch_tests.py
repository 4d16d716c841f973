"""A part of PyTorch's own test files, another one in each run; `run_pytorch_tests.py` runs all."""

from __future__ import annotations

import importlib
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

pytest.importorskip("expecttest", reason="PyTorch's test library needs it")

import run_pytorch_tests as tests

SEED = int(os.environ.get("WAVESMITH_SEED") or random.SystemRandom().randrange(1 << 31))

pytestmark = pytest.mark.skipif(
    not tests.SOURCE.exists(), reason="PyTorch's test files are not here: tools/setup-pytorch-tests"
)


def _run(file: str, table: Path, options: Sequence[str] = ()) -> None:
    """Runs tests of a file in a random order."""
    print(f"WAVESMITH_SEED={SEED}")
    log = table.with_suffix(".log")
    command = [sys.executable, tests.__file__, "--table", str(table), "--seed", str(SEED), "--log", str(log)]
    result = subprocess.run([*command, *options, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(result.stdout)
    assert result.returncode == 0, log.read_text(errors="replace")[-2000:] if log.exists() else ""
    assert tests.read(table)


@pytest.mark.representative
def test_a_part_of_a_file(tmp_path: Path) -> None:
    _run(random.Random(SEED).choice(tests.JUDGED), tmp_path / "table.tsv", ["--seconds", "15"])


@pytest.mark.parametrize("file", tests.JUDGED)
def test_whole_file(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAVESMITH_TORCH_COMPILE", "1")
    _run(file, tmp_path / "table.tsv")
    bad = (*tests.BAD, "expected")
    if torch.accelerator.device_count() == 1:  # PyTorch skips what wants several
        bad += ("skipped",)
    failed = [f"{file} {row['test']}" for row in tests.read(tmp_path / "table.tsv") if row["status"] in bad]
    stated = [pattern for pattern, _ in tests.reasons() if pattern.pattern.startswith(re.escape(file))]
    assert [pattern.pattern for pattern in stated if not any(map(pattern.fullmatch, failed))] == []


@pytest.mark.representative
def test_errors_are_alike() -> None:
    """Numbers and the device's name are no difference, others are."""
    assert tests.alike("Expected wavesmith:0 at 0x7f", "expected cpu at 0x12")
    assert not tests.alike("Mismatched elements: 3", "Not equal")


@pytest.mark.representative
def test_the_same_test_for_the_cpu() -> None:
    assert tests.on_cpu("TestAPRIVATEUSE1.test_b_wavesmith_float32") == "TestACPU.test_b_cpu_float32"
    assert tests.on_cpu("TestAWAVESMITH.test_b_wavesmith") == "TestACPU.test_b_cpu"


@pytest.mark.representative
def test_what_takes_too_much_memory_is_not_run() -> None:
    name = "TestIndexingPRIVATEUSE1.test_index_put_accumulate_large_tensor_wavesmith"
    assert tests.is_left_out("test_indexing.py", name) and tests.cannot_pass("test_indexing.py", name)
    assert not tests.is_left_out("test_indexing.py", name.replace("large_tensor", "empty"))


@pytest.mark.representative
def test_names_of_an_older_library(tmp_path: Path) -> None:
    """A name that was dropped, with one that it needs, becomes a part of the installed module."""
    import older_names
    from torch.testing._internal import common_cuda

    library = tmp_path / "torch/testing/_internal"
    library.mkdir(parents=True)
    (library / "common_cuda.py").write_text(
        "TEST_CUDA = 'older'\ndef _dropped(): return TEST_CUDA\ndef dropped_one(): return _dropped()\n"
    )
    file = tmp_path / "test/test_x.py"
    file.parent.mkdir()
    file.write_text("from torch.testing._internal.common_cuda import dropped_one, TEST_CUDA\n")
    assert older_names.give(file) == ["torch.testing._internal.common_cuda.dropped_one"]
    assert vars(common_cuda)["dropped_one"]() is False


@pytest.mark.representative
def test_what_ran_is_tabulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that was run whole, one of which a few tests ran, and the reasons of what cannot pass."""
    import tabulate_pytorch_tests as tabulate

    monkeypatch.setattr(tests, "reasons", lambda: [(re.compile(r"a\.py T\.c"), "for a reason")])
    monkeypatch.setattr(tabulate, "reasons", tests.reasons)
    table = tmp_path / "table.tsv"
    for columns, path, rows in (
        (
            tests.COLUMNS,
            table,
            [
                ("a.py", f"T.{name}", status, "", "0", "")
                for name, status in (("a", "kernels"), ("b", "host"), ("c", "fails"), ("d", "crashes"))
            ],
        ),
        (tests.PARTS, tests.parts_of(table), [("a.py", "", "", 4, None), ("a.py", "only a", "a$", 10, 7)]),
    ):
        file, writer = tests.append(path, columns)
        with file:
            writer.writerows(dict(zip(columns, row, strict=True)) for row in rows)
    lines = tabulate.page([table]).splitlines()
    assert "| `a.py` | 4 | whole | 1 | 1 | 0 | 0 | 1 | 1 |" in lines
    assert "| `a.py`: only a | 10 | 10%, at random (7) | 1 | 0 | 0 | 0 | 0 | 0 |" in lines
    assert "| 1 | for a reason |" in lines


@pytest.mark.representative
def test_folders_beside_a_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package has the name of one."""
    import pytorch_tests

    (tmp_path / "email").mkdir()
    (tmp_path / "email" / "of_the_tests.py").write_text("NUMBER = 3\n")
    file = tmp_path / "test_x.py"
    file.write_text("from email.of_the_tests import NUMBER\n")
    monkeypatch.setitem(sys.modules, "email", sys.modules.get("email"))
    pytorch_tests._find_beside(file)
    assert importlib.import_module("email.of_the_tests").NUMBER == 3
    del sys.modules["email.of_the_tests"]
