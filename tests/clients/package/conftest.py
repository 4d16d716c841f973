"""Shared by the tests of the package itself."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]
BUILD = Path(os.environ.get("WAVESMITH_BUILD", ROOT / "build" / "release"))
Python = Callable[..., subprocess.CompletedProcess[str]]
Numbers = np.ndarray[Any, Any]


def wide(array: object) -> Numbers:
    return np.asarray(array).astype(np.float64)


def heads(numbers: np.random.Generator, *shape: int) -> Numbers:
    return numbers.standard_normal(shape).astype(np.float16)


def attended(scores: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
    """Of scores (heads, queries, keys) and v (keys, heads, size): the result and the log-sum-exp."""
    most = scores.max(-1, keepdims=True)
    powers = np.exp(scores - most)
    total = powers.sum(-1, keepdims=True)
    return np.einsum("hqk,khd->qhd", powers / total, v), (most + np.log(total))[..., 0]


KERNELS = """
#define KERNEL extern "C" __attribute__((global)) void
__attribute__((device)) static int id() {
  return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
}
KERNEL axpy(const float* x, float* y, float a, int n) { if (id() < n) y[id()] += a * x[id()]; }
KERNEL sizes(long* out, char c, short s, long l, double d) { out[0] = c; out[1] = s; out[2] = l; out[3] = (long)d; }
struct Pair { int a, b; };
KERNEL pair(int* out, Pair p) { out[0] = p.a; out[1] = p.b; }
KERNEL grid(int* out) {
  if (__builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workitem_id_y() == 0)
    out[__builtin_amdgcn_workgroup_id_x() + 4 * __builtin_amdgcn_workgroup_id_y()] = 1;
}
KERNEL stray(int* p) { p[1l << 40] = 1; }
KERNEL trap() { __builtin_trap(); }
template <class T> __attribute__((global)) void scale(T* x) { x[id()] *= 2; }
template __attribute__((global)) void scale<float>(float*);
template __attribute__((global)) void scale<int>(int*);
"""


def command_says(*words: str | Path) -> Any:
    """What the command prints with --json."""
    command = [BUILD / "bin" / "wavesmith", *words, "--json"]
    quiet = os.environ | {"WAVESMITH_QUIET": "1"}
    return json.loads(subprocess.run(command, env=quiet, capture_output=True, text=True, check=True).stdout)


@pytest.fixture
def numbers() -> np.random.Generator:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def code() -> bytes:
    """The kernels above for an MI300X and an RX 9070 XT."""
    import wavesmith

    return wavesmith.cc(KERNELS, gpu=["mi300x", "rx9070xt"])


@pytest.fixture
def python(tmp_path: Path) -> Python:
    """Runs a program in a Python of its own, without the GPU that these tests run on."""

    def run(program: str, *, package: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WAVESMITH_", "TRITON_", "IREE_", "ROCM_", "HIP_", "LD_"))
        }
        clean |= {"PYTHONPATH": str(package)} if package else {}
        return subprocess.run(
            [sys.executable, "-c", program],
            env=clean | environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
