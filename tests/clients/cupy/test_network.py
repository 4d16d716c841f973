"""A small transformer's inference and a dense network's training: every product is a kernel, results are the CPU's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import network
import numpy as np
import pytest

from wavesmith._paths import command

PROGRAM = Path(network.__file__)
# Products of the transformer and of the training: per layer six, and the logits; per step three, and six for slopes.
PRODUCTS = 6 * network.LAYERS + 1 + network.STEPS * (3 + 6)


def _run(gpu: str, options: list[str], seed: int, to: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The program's results, and the report of its run."""
    report = to / "report.json"
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("WAVESMITH_GPU", "LD_PRELOAD"))}
    run = [command(), "run", "--quiet", *options, "--gpu", gpu, "--"]
    done = subprocess.run(
        [*run, sys.executable, str(PROGRAM), str(seed), str(to / "results.npz")],
        env=outside | {"WAVESMITH_REPORT": str(report)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(to / "results.npz") as results:
        return dict(results), json.loads(report.read_text())


@pytest.mark.representative
@pytest.mark.parametrize("gpu", ["mi300x", "mi210", "rx9070xt"])
def test_every_product_is_a_kernel(gpu: str, tmp_path: Path) -> None:
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    got, report = _run(gpu, ["--time"], seed, tmp_path)
    wanted = network.run(np, seed, "f8")
    assert got.keys() == wanted.keys()
    for name, expected in wanted.items():
        scale = float(np.abs(expected).max())
        np.testing.assert_allclose(got[name], expected, rtol=0, atol=2e-5 * scale, err_msg=name)
    assert wanted["losses"][-1] < wanted["losses"][0]
    assert report["library_calls"] == []
    products = [kernel for kernel in report["kernels"] if kernel["name"].startswith("gemm_f32_")]
    assert sum(kernel["launches"] for kernel in products) == PRODUCTS
    # The modelled time of the whole, kernel by kernel.
    assert all(kernel["modelled_seconds"] > 0 for kernel in report["kernels"])
