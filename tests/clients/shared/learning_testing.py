"""What the tests of learning networks share: products and convolutions are kernels, and results are the CPU's."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

import learning
import network_testing
import numpy as np
import program

from wavesmith._paths import command

# Chances of experts that are nearer to each other might be told apart another way in f32.
LEAST_MARGIN = 1e-4


def expected(name: str) -> tuple[int, dict[str, np.ndarray]]:
    """A seed, and the results of doubles; in each step what is chosen is chosen clearly."""
    network = importlib.import_module(name)
    while True:
        seed = int.from_bytes(os.urandom(4))
        p, given = learning.values(network, seed, "f8")
        margins: list[float] = []

        def step(now: learning.Arrays) -> tuple[Any, learning.Arrays]:
            margins.append(network.margin(now, given))  # noqa: B023
            return network.slopes(np, now, given)  # noqa: B023

        results = learning.trained(step, p)
        margins.append(network.margin(results, given))
        if min(margins) > LEAST_MARGIN:
            print(f"{name}, seed {seed}")
            return seed, results


def agree(got: dict[str, np.ndarray], wanted: dict[str, np.ndarray], allowed: float = 2e-5) -> None:
    for name, value in wanted.items():
        np.testing.assert_allclose(got[name], value, rtol=0, atol=allowed * float(np.abs(value).max()), err_msg=name)


def reported(
    gpu: str, script: str, arguments: list[str], seed: int, to: Path
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The results of a program with that seed on a GPU, and the report of what ran."""
    report = to / "report.json"
    env = {"XLA_FLAGS": network_testing.XLA_FLAGS, "WAVESMITH_REPORT": str(report)}
    tool = [command(), "run", "--quiet", "--gpu", gpu, "--"]
    got, _ = program.ran(tool, Path(script), [*arguments, str(seed)], to / "results.npz", env)
    return got, json.loads(report.read_text())


def products(report: dict[str, Any]) -> int:
    """Launches of our library's products."""
    return network_testing.products(report["kernels"])


def learns(gpu: str, name: str, framework: str, to: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Three steps of training, whose losses and parameters are the CPU's; the results and the report."""
    seed, wanted = expected(name)
    got, report = reported(gpu, learning.__file__, [name, framework], seed, to)
    agree(got, wanted)
    assert wanted[f"loss{learning.STEPS - 1}"] < wanted["loss0"]
    assert report["library_calls"] == [], "a library's function was computed on the host"
    return got, report
