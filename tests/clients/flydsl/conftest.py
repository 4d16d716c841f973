"""FlyDSL on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`, which shows it a linker.

FlyDSL launches kernels on PyTorch's tensors that say they are on a GPU. PyTorch's CPU build has none such, so these
tests give it tensors of the host that say so; the emulated GPU reaches the host's memory where xnack is on.
"""

from __future__ import annotations

import os

os.environ["HSA_XNACK"] = "1"  # before the HIP runtime starts
# PyTorch frees and reads its host tensors without waiting for a GPU, which may still be at work on them.
os.environ["HIP_LAUNCH_BLOCKING"] = "1"

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("flydsl")

TARGETS = {"mi300x": "gfx942", "mi355x": "gfx950"}


class GpuTensor(torch.Tensor):
    """A tensor of the host that FlyDSL takes for one of a GPU."""

    @property
    def device(self) -> torch.device:
        return torch.device("cuda", 0)


def on_gpu(tensor: torch.Tensor) -> GpuTensor:
    return tensor.clone().as_subclass(GpuTensor)


@pytest.fixture
def target() -> str:
    """The GPU's target; FlyDSL finds it by itself (rocm_agent_enumerator)."""
    return TARGETS[os.environ["WAVESMITH_GPU"]]


@pytest.fixture(autouse=True)
def no_cache(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")


@pytest.fixture
def generator() -> torch.Generator:
    generator = torch.Generator()
    print(f"seed {generator.seed()}")
    return generator
