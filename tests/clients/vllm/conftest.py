"""vLLM on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="vllm is not installed")
import models
import torch

SEED = int(os.environ.get("WAVESMITH_SEED", "20261126"))


@dataclass
class Model:
    """A model on disk, and the same in float32 for the CPU."""

    folder: Path
    reference: Any


@dataclass
class Generated:
    """What generate.py said, and the kernels that ran on the GPU, with how often."""

    said: dict[str, Any]
    kernels: dict[str, int]

    @property
    def logits(self) -> torch.Tensor:
        """(prompts, tokens, vocabulary)."""
        return torch.tensor(self.said["logits"])

    def launches(self, *prefixes: str) -> int:
        """Of kernels whose names start with one of these."""
        return sum(count for name, count in self.kernels.items() if name.startswith(prefixes))


Generate = Callable[..., Generated]


@pytest.fixture(scope="session", autouse=True)
def _registered() -> None:
    """What vLLM does when an engine is made."""
    import wavesmith.vllm

    wavesmith.vllm.register()


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Model]:
    made: dict[tuple[str, torch.dtype], Model] = {}

    def make(name: str = "llama", dtype: torch.dtype = torch.bfloat16) -> Model:
        if (name, dtype) not in made:
            print(f"seed {SEED}")
            folder = tmp_path_factory.mktemp(name)
            made[name, dtype] = Model(folder, models.write(name, folder, dtype, SEED))
        return made[name, dtype]

    return make


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """generate.py in a process of its own: an engine lives as long as its process."""

    def start(
        model: Model, out: Path, *, ours: bool = True, environment: dict[str, str] | None = None, **arguments: Any
    ) -> subprocess.CompletedProcess[str]:
        base = {
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "VLLM_LOGGING_LEVEL": "WARNING",
            "WAVESMITH_VLLM": "" if ours else "0",
            "WAVESMITH_REPORT": str(out.with_suffix(".report")),
        }
        if not ours:
            # The CPU's engine compiles some functions by g++ and OpenMP's headers, which this machine may lack.
            base["TORCHDYNAMO_DISABLE"] = "1"
        program = Path(__file__).with_name("generate.py")
        return subprocess.run(
            [sys.executable, str(program), str(model.folder), str(out), json.dumps(arguments)],
            env=os.environ | base | (environment or {}),
            capture_output=True,
            text=True,
            timeout=3000,
            check=False,
        )

    return start


@pytest.fixture(scope="session")
def generate(run: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Generate:
    """The same arguments are run once."""
    known: dict[str, Generated] = {}

    def once(model: Model, *, ours: bool = True, **arguments: Any) -> Generated:
        key = json.dumps([str(model.folder), ours, arguments], sort_keys=True)
        if key not in known:
            out = tmp_path_factory.mktemp("generated") / "said.json"
            done = run(model, out, ours=ours, **arguments)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-8000:]
            report = out.with_suffix(".report")
            kernels = json.loads(report.read_text())["kernels"] if report.exists() else []
            launches: dict[str, int] = {}
            for kernel in kernels:
                launches[kernel["name"]] = launches.get(kernel["name"], 0) + kernel["launches"]
            known[key] = Generated(json.loads(out.read_text()), launches)
        return known[key]

    return once


@pytest.fixture(scope="session")
def parallel_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Without it vLLM makes no layer with weights, not even of one GPU."""
    from vllm.config import VllmConfig, set_current_vllm_config
    from vllm.distributed import init_distributed_environment, initialize_model_parallel

    with set_current_vllm_config(VllmConfig()):
        init_distributed_environment(1, 0, f"file://{tmp_path_factory.mktemp('gloo') / 'rendezvous'}", 0, "gloo")
        initialize_model_parallel(1, 1)
