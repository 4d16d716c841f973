"""list_kernels.py: every kernel of a model's training step with a time and a bound, on the GPU at hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import list_kernels
import pytest

BOUNDS = {"compute", "memory", "address", "lds", "links", "latency"}

PROGRAM = """
import json, torch, wavesmith, wavesmith.torch
from models import CASES
with wavesmith.profile() as profile:
    case = CASES[0]
    network = case.model().to("wavesmith", torch.bfloat16)
    optimizer = torch.optim.AdamW(network.parameters())
    batch = tuple(each.to("wavesmith") for each in case.batch())
    for _ in range(2):
        optimizer.zero_grad()
        case.loss(network(*batch), batch).backward()
        optimizer.step()
print(json.dumps(profile.rows(by="kernel")))
"""


@pytest.mark.representative
def test_a_profile_lists_every_kernel(tmp_path: Path) -> None:
    """As the runtime's own report counts them."""
    report = tmp_path / "report.json"
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"WAVESMITH_REPORT": str(report), "PYTHONPATH": paths, "WAVESMITH_TORCH_COMPILE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    rows = json.loads(done.stdout)
    assert all(row["device_time_us"] > 0 and row["bound"] in BOUNDS for row in rows), rows
    launches: dict[str, int] = {}
    for kernel in json.loads(report.read_text())["kernels"]:
        launches[kernel["name"]] = launches.get(kernel["name"], 0) + kernel["launches"]
    assert {row["name"]: row["calls"] for row in rows if row["name"] not in ("copy", "fill")} == launches


@pytest.mark.parametrize("compiled", [False, True])
def test_a_step(compiled: bool) -> None:
    step = list_kernels.measure("llama", compiled)
    rows = step["kernels"]
    assert all(row["time_us"] > 0 and row["bound"] in BOUNDS for row in rows), rows
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert sum(row["calls"] for row in rows) == step["launches"]
    assert any(row["kernel"].startswith("triton") for row in rows) == compiled
    assert all(row["operators"] for row in rows if not row["kernel"].startswith("triton"))
    assert not step["host"]
    assert len(list_kernels.text(step, 3).splitlines()) == 5
    page = list_kernels.page([step])
    assert all(f"`{list_kernels.short(row['kernel'])}`" in page for row in rows)


def test_its_command(tmp_path: Path) -> None:
    """Without `wavesmith run`."""
    outside = {name: value for name, value in os.environ.items() if name not in ("WAVESMITH_RUN", "WAVESMITH_GPU")}
    command = [sys.executable, list_kernels.__file__, "--gpu", "mi300x", "--model", "bert", "--eager"]
    done = subprocess.run([*command, "--json"], env=outside, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    (step,) = json.loads(done.stdout)
    assert (step["gpu"], step["model"], step["mode"]) == ("mi300x", "bert", "eager")
    told = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "--json" in told and "modelled" in told
