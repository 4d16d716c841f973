"""A program that a test runs by itself, on emulated GPUs of its own or on none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np


def outside() -> dict[str, str]:
    """The environment as it was before `wavesmith run` changed it."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("WAVESMITH_GPU", "LD_PRELOAD"))}


def ran(
    tool: list[str], program: Path, arguments: list[str], to: Path, env: dict[str, str]
) -> tuple[dict[str, np.ndarray], str]:
    """The results of `program ARGUMENTS RESULTS.npz` under a tool, and what was printed."""
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*tool, sys.executable, str(program), *arguments, str(to)],
        env=outside() | {"PYTHONPATH": path} | env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(to) as results:
        return dict(results), done.stdout
