"""What the tests of the networks share: every product is a kernel of our library, and results are the CPU's."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import network
import numpy as np
import program

from wavesmith._paths import command

# What `wavesmith run` sets; XLA gives all products to AMD's libraries instead of kernels of its own; and it captures no
# graphs, which a device's thread would spoil for the others' as it waits (docs/clients/jax.md).
XLA_FLAGS = (
    "--xla_gpu_autotune_level=0 --xla_gpu_exhaustive_tiling_search=true"
    " --xla_gpu_enable_triton_gemm=false --xla_gpu_enable_command_buffer="
)


def drawn_seed() -> int:
    """A random seed of a training whose slopes rounding in f32 does not decide, as it may of one in four."""
    while True:
        seed = int.from_bytes(os.urandom(4))
        if network.nearest_kink(seed) > 4e-6:
            return seed


def ran(tool: list[str], framework: str, to: Path) -> tuple[dict[str, np.ndarray], str, dict[str, Any]]:
    """The program's results, within 2e-5 of the CPU's doubles; what was printed; the report, where there is one."""
    seed, report = drawn_seed(), to / "report.json"
    print(f"seed {seed}")
    env = {"XLA_FLAGS": XLA_FLAGS, "WAVESMITH_REPORT": str(report)}
    arguments = [framework, str(seed)]
    got, printed = program.ran([command(), *tool, "--"], Path(network.__file__), arguments, to / "results.npz", env)
    wanted = network.run(np, seed, "f8")
    for name, expected in wanted.items():
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(got[name], expected, rtol=0, atol=2e-5 * scale, err_msg=name)
    assert wanted["losses"][-1] < wanted["losses"][0]
    return got, printed, json.loads(report.read_text()) if report.exists() else {}


def products(kernels: list[dict[str, Any]]) -> int:
    """Launches of our library's products, and of its convolutions with a channel per group, which are none."""
    return sum(kernel["launches"] for kernel in kernels if kernel["name"].startswith(("gemm_f32_", "depthwise_")))


def reported(gpu: str, framework: str, to: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The results and the report of a run with the modelled time of each kernel."""
    got, _, report = ran(["run", "--quiet", "--time", "--gpu", gpu], framework, to)
    assert all(kernel["launches"] > 0 and kernel["modelled_seconds"] > 0 for kernel in report["kernels"])
    return got, report


def profiled(gpu: str, framework: str, to: Path) -> None:
    """The step's time by kernel, as `wavesmith profile` has it."""
    _, printed, _ = ran(["profile", "--json", "--gpu", gpu], framework, to)
    kernels = json.loads(printed)["kernels"]
    assert products(kernels) == network.PRODUCTS
    assert all(kernel["launches"] > 0 and kernel["seconds"] > 0 for kernel in kernels)
