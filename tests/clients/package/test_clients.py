"""Which clients are known, and what is said when one cannot run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Python

import wavesmith
from wavesmith import _clients, _paths

pytestmark = pytest.mark.representative


def test_versions_are_those_that_the_tests_install() -> None:
    """The requirements and the list of clients state the same versions."""
    text = (ROOT / "tests" / "clients" / "requirements.txt").read_text()
    pinned = dict(line.split("==") for line in text.splitlines() if "==" in line)
    for client in wavesmith.clients():
        for package, tested in client.packages:
            assert pinned[package] == tested, package


@pytest.mark.parametrize(
    ("installed", "problem"),
    [
        (("3.8.0", "2.13.0+cpu"), ""),
        (("3.10.0", "3.0"), ""),
        ((None, "2.13.0"), "triton needs triton, which is not installed: pip install triton==3.8.0 torch==2.13.0"),
        (("3.8.0", None), "triton needs torch, which is not installed: pip install triton==3.8.0 torch==2.13.0"),
        (("3.7.1", "2.13.0"), "triton 3.7.1 is older than 3.8.0, the oldest that is known to work: pip install"),
    ],
)
def test_what_is_missing_or_too_old_is_named(installed: tuple[str | None, ...], problem: str) -> None:
    packages = (("triton", "3.8.0"), ("torch", "2.13.0"))
    client = _clients.Client("triton", packages, "wavesmith.use", installed)
    assert client.problem.startswith(problem) and bool(client.problem) == bool(problem)


def test_use_asks_for_the_client_first(python: Python, tmp_path: Path) -> None:
    old = tmp_path / "old" / "cupy_rocm_7_0-13.0.0.dist-info"
    old.mkdir(parents=True)
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: cupy-rocm-7-0\nVersion: 13.0.0\n")
    path = f"{tmp_path / 'old'}{os.pathsep}{Path(wavesmith.__file__).parent.parent}"
    ran = python("import wavesmith; wavesmith.use('mi300x', client='cupy')", PYTHONPATH=path)
    assert "cupy-rocm-7-0 13.0.0 is older than 14.2.0" in ran.stderr
    assert "emulating" not in ran.stderr
    ran = python("import wavesmith; wavesmith.use('mi300x', client='cupid')")
    assert re.search("ClientError: no client 'cupid'; known are .*cupy", ran.stderr)


def test_the_module_prints_the_list(python: Python) -> None:
    ran = python("import runpy; runpy.run_module('wavesmith', run_name='__main__')")
    for client in wavesmith.clients():
        assert re.search(rf"^{client.name} +.*(ready)", ran.stdout, re.MULTILINE), ran.stdout


@pytest.mark.parametrize(
    "asking", ["hipSetDevice(1)", "hipDeviceGet(place, 1)", "hipGetDevicePropertiesR0600(place, 1)"]
)
def test_a_device_that_the_process_does_not_have_is_explained(asking: str) -> None:
    """By each of the calls with which a client may ask for it first."""
    program = f"import ctypes; place = (ctypes.c_char * 4096)(); print(ctypes.CDLL('libamdhip64.so').{asking})"
    words = [_paths.command(), "run", "--quiet", "--gpu", "mi300x", "--", sys.executable, "-c", program]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "101\n"
    assert ran.stderr == (
        "wavesmith: device 1 does not exist, this process has 1: wavesmith run --gpu mi300x:2 gives more\n"
    )
