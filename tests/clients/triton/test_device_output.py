"""What kernels say: prints, assertions, faults. Each in a process of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


@pytest.mark.representative
def test_device_print_prints_every_value(script):
    done = script("device_output.py", "print")
    assert done.returncode == 0, done.stderr
    values = re.findall(r"pid \(0, 0, 0\) idx \( *(\d+)\) value: (\d+)\.0", done.stdout)
    assert {(int(at), int(value)) for at, value in values} == {(i, i) for i in range(8)}
    assert "the end" in done.stdout


@pytest.mark.representative
def test_failed_device_assert_says_what_and_where(script):
    done = script("device_output.py", "assert")
    assert done.returncode == 1
    assert "passed once: [1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 7.0]" in done.stdout
    assert "the end" not in done.stdout
    assert "too large a value" in done.stdout + done.stderr
    assert re.search(r"HipError: kernel 'asserts': hipErrorLaunchFailure", done.stderr)


@pytest.mark.representative
def test_memory_fault_names_the_kernel_and_the_line_in_triton(script):
    done = script("device_output.py", "fault")
    text = (Path(__file__).parent / "device_output.py").read_text().splitlines()
    line = next(i for i, each in enumerate(text, 1) if "the line of the fault" in each)
    assert done.returncode == 1
    assert "HipError: kernel 'goes_astray': hipErrorIllegalAddress" in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert "0x10000000120" in last
    assert "'goes_astray'" in last
    assert f"device_output.py:{line}" in last
