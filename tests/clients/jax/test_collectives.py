"""Collectives between emulated GPUs agree with JAX's between CPU devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from agreement import seed

from wavesmith._paths import command

PROGRAM = Path(__file__).with_name("collectives.py")


def _run(run: list[str], env: dict[str, str], base: int, to: Path) -> dict[str, np.ndarray]:
    done = subprocess.run(
        [*run, sys.executable, str(PROGRAM), str(base), str(to)],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(to) as results:
        return dict(results)


def _agree(gpus: int, tmp_path: Path, gpu_flags: str = "") -> None:
    base = seed(f"collectives on {gpus}")
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("WAVESMITH_GPU", "LD_PRELOAD"))}
    flags = f"--xla_force_host_platform_device_count={gpus}"
    cpu = _run([], {**outside, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}, base, tmp_path / "cpu.npz")
    gpu = _run(
        [command(), "run", "--quiet", "--gpu", f"mi300x:{gpus}", "--"],
        {**outside, "XLA_FLAGS": f"{outside.get('XLA_FLAGS', '')} {gpu_flags}"},
        base,
        tmp_path / "gpu.npz",
    )
    assert gpu.keys() == cpu.keys()
    for name, expected in cpu.items():
        got = gpu[name]
        assert got.dtype == expected.dtype and got.shape == expected.shape, name
        if got.dtype.kind in "iu":
            np.testing.assert_array_equal(got, expected, err_msg=name)
            continue
        # The CPU's sums of bfloat16 are rounded after each device.
        tolerance = 2.0**-6 if "bfloat16" in name else 1e-5
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale, err_msg=name)


@pytest.mark.representative
def test_two_gpus(tmp_path: Path) -> None:
    _agree(2, tmp_path)


def test_four_gpus(tmp_path: Path) -> None:
    _agree(4, tmp_path)


def test_collectives_in_graphs(tmp_path: Path) -> None:
    captured = "FUSION,CUSTOM_CALL,COLLECTIVES,CUBLAS"
    _agree(2, tmp_path, f"--xla_gpu_enable_command_buffer={captured} --xla_gpu_graph_min_graph_size=1")
