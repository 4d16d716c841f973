"""Every test runs once per GPU; all of them are devices of one process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

#: The GPUs that these tests know, with the target that iree-compile makes code for.
TARGETS = {"mi300x": "gfx942", "mi355x": "gfx950", "rx7900xtx": "gfx1100", "rx9070xt": "gfx1201"}

# Under `wavesmith run --gpu ...` the environment says which; otherwise all of them, with the library of this tree.
os.environ.setdefault("WAVESMITH_GPU", ",".join(TARGETS))
os.environ.setdefault("IREE_HIP_DYLIB_PATH", str(Path(__file__).resolve().parents[3] / "build" / "release" / "lib"))


def gpus() -> list[str]:
    """The emulated GPUs in the order of their devices."""
    return [name for name in os.environ["WAVESMITH_GPU"].split(",") if name in TARGETS]


class Gpu:
    """One emulated GPU as IREE sees it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.target = TARGETS[name]
        self.index = gpus().index(name)
        self.uri = f"hip://{self.index}"

    def __repr__(self) -> str:
        return self.target


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "iree_gpu" in metafunc.fixturenames:
        metafunc.parametrize("iree_gpu", [Gpu(name) for name in gpus()], ids=repr, scope="session")
