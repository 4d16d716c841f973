"""A transformer learns on eight GPUs, batch and weights sharded: products are kernels, results are the CPU's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import sharded
from agreement import on_cpus, on_gpus, seed


@pytest.mark.representative
def test_eight_gpus(tmp_path: Path) -> None:
    base, program, report = seed("sharded"), Path(sharded.__file__), tmp_path / "report.json"
    wanted = on_cpus(program, 8, base, tmp_path)
    got = on_gpus(program, "mi300x:8", base, tmp_path, {"WAVESMITH_REPORT": str(report)})
    assert got.keys() == wanted.keys()
    for name, expected in wanted.items():
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got[name], expected, rtol=0, atol=1e-4 * scale, err_msg=name)
    ran = json.loads(report.read_text())
    assert len(ran["gpus"]) == 8
    # XLA's products are kernels of its own. What the host serves are RCCL's messages.
    assert any("dot" in kernel["name"] for kernel in ran["kernels"])
    assert {call["library"] for call in ran["library_calls"]} <= {"rccl"}
