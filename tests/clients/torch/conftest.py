"""Shared by the tests of the PyTorch device: run under `wavesmith run --gpu X -- python -m pytest`."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "representative: part of what every change is tested with")
    # Compiling operators without a kernel takes seconds; the tests of it switch it on.
    os.environ.setdefault("WAVESMITH_TORCH_COMPILE", "0")
    import wavesmith.torch  # noqa: F401  the device, before any test is collected


@pytest.fixture(autouse=True)
def seed(request: pytest.FixtureRequest) -> int:
    """Random numbers that differ in each run; the seed is printed with a failure."""
    number = random.SystemRandom().randrange(1 << 31)
    print(f"seed {number}")
    torch.manual_seed(number)
    return number


@pytest.fixture
def by_kernels() -> Iterator[None]:
    """Checks that the host computed nothing."""
    import wavesmith.torch

    before = wavesmith.torch.fallback_counts()
    yield
    after = wavesmith.torch.fallback_counts()
    assert {name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name)} == {}
