"""Wave on an emulated GPU: run under `wavesmith run --gpu X -- python -m pytest`, which shows it a linker.

Wave launches kernels on PyTorch's tensors, which are the CPU's here.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("wave_lang")

from wavesmith.triton import torch_cuda

TARGETS = {"mi300x": "gfx942", "mi355x": "gfx950", "rx9070xt": "gfx1201"}
LANES = {"gfx942": 64, "gfx950": 64, "gfx1201": 32}

# Wave asks torch.cuda.is_available() for the GPU's target unless told.
os.environ["WAVE_DEFAULT_ARCH"] = TARGETS[os.environ["WAVESMITH_GPU"]]
os.environ["WAVE_CACHE_ON"] = "0"


@pytest.fixture(autouse=True, scope="session")
def bridge() -> None:
    torch_cuda.install()


@pytest.fixture
def lanes() -> int:
    """Lanes of a wave of this GPU."""
    return LANES[os.environ["WAVE_DEFAULT_ARCH"]]
