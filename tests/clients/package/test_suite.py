"""run_suite.py: a suite with tests that fail, kill the process, hang or lose the GPU, to its end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import os, pathlib, time, pytest

@pytest.mark.parametrize("i", range(12))
def test_adds(i):
    assert i + 1 > i

def test_is_wrong(): assert 1 == 2
def test_skips(): pytest.skip("no such thing")
def test_ends(): os._exit(3)
def test_hangs(): time.sleep(1000)
def test_loses_the_gpu():
    pathlib.Path("lost").write_text("")
    raise RuntimeError("hipErrorLaunchFailure")
@pytest.fixture
def broken(): raise ValueError("the fixture")
def test_has_no_fixture(broken): pass
def test_much_later(): raise AssertionError("asked for later")
"""


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    runner = Path(__file__).parents[1] / "run_suite.py"
    command = [sys.executable, runner, "--gpu", "mi300x", "--results", folder / "results.jsonl", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)


def _outcomes(*files: Path) -> dict[str, str]:
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    names = [each["test"].split("::")[-1] for each in lines]
    assert len(set(names)) == len(names)  # none ran twice
    return {name: each["outcome"] for name, each in zip(names, lines, strict=True)}


EXPECTED = {
    "test_is_wrong": "failed",
    "test_skips": "skipped",
    "test_ends": "died",
    "test_hangs": "died",
    "test_loses_the_gpu": "failed",
    "test_has_no_fixture": "failed",
    **{f"test_adds[{i}]": "passed" for i in range(12)},
}


@pytest.mark.representative
def test_a_suite_goes_to_its_end(tmp_path: Path) -> None:
    suite = tmp_path / "test_suite_of_all_kinds.py"
    suite.write_text(SUITE)
    words = ("--jobs", "2", "--timeout", "3", "--later", "much_later", str(suite))
    done = _run(tmp_path, *words)
    assert done.returncode == 1, done.stderr
    files = [tmp_path / f"results.{job}.jsonl" for job in range(2)]
    assert _outcomes(*files) == EXPECTED
    assert all(file.exists() and file.stat().st_size for file in files)
    assert "18 tests: 12 passed" in done.stdout
    assert "RuntimeError: hipErrorLaunchFailure" in done.stdout
    # Again, after one that was stopped in a test: there is nothing left, and what is recorded decides.
    (tmp_path / "results.0.now").write_text("test_under_way")
    again = _run(tmp_path, *words)
    assert again.returncode == 1
    assert _outcomes(*files) == EXPECTED


def test_what_pytest_refuses_ends_the_run(tmp_path: Path) -> None:
    suite = tmp_path / "test_broken.py"
    suite.write_text("import there_is_no_such_module\n")
    done = _run(tmp_path, str(suite))
    assert done.returncode == 2
    assert "there_is_no_such_module" in done.stderr
