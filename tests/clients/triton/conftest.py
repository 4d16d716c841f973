"""Shared by the tests of Triton: run under `wavesmith run --gpu X -- python -m pytest` or with the plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")

Script = Callable[..., subprocess.CompletedProcess]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "representative: part of what every change is tested with")


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(20260)


@pytest.fixture(scope="session")
def arch() -> str:
    import triton

    return triton.runtime.driver.active.get_current_target().arch


@pytest.fixture
def script() -> Script:
    """Runs a file beside the tests in a process of its own, for what ends one or speaks on its streams."""

    def run(name: str, *words: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, str(Path(__file__).parent / name), *words],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
