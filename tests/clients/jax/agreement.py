"""The same function on the emulated GPU and on the CPU, and how far the results are apart."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from program import ran

from wavesmith._paths import command

# New inputs in every run; WAVESMITH_TEST_SEED repeats one.
_BASE = int(os.environ.get("WAVESMITH_TEST_SEED") or np.random.SeedSequence().entropy % 2**32)


def seed(name: str) -> int:
    """The test's own seed, printed with a failure."""
    print(f"WAVESMITH_TEST_SEED={_BASE}")
    return _BASE ^ zlib.crc32(name.encode())


def on_both(
    run: Callable[..., Any], inputs: Callable[[np.random.Generator], Any], seed: int, wide: bool = False
) -> tuple[Any, Any]:
    """The results of jit(run) on the GPU and on the CPU, for the same inputs; `wide`: with 64-bit types."""
    values = inputs(np.random.default_rng(seed))
    results = []
    for device in (jax.devices("rocm")[0], jax.devices("cpu")[0]):
        with jax.default_device(device), jax.enable_x64(wide):
            result = jax.jit(run)(*values)
            for leaf in jax.tree.leaves(result):
                assert leaf.devices() == {device}
            results.append(jax.tree.map(np.asarray, result))
    return results[0], results[1]


def assert_agree(gpu: Any, cpu: Any, tolerance: float) -> None:
    """Same structure, shapes and types; numbers within the tolerance of the largest one, the same bits at 0."""
    assert jax.tree.structure(gpu) == jax.tree.structure(cpu)
    for at, (one, other) in enumerate(zip(jax.tree.leaves(gpu), jax.tree.leaves(cpu), strict=True)):
        assert one.dtype == other.dtype and one.shape == other.shape
        if tolerance == 0 or one.dtype.kind in "biu":
            np.testing.assert_array_equal(one, other, err_msg=f"result {at}")
        else:
            widest = np.complex128 if one.dtype.kind == "c" else np.float64
            one, other = one.astype(widest), other.astype(widest)
            finite = np.abs(other[np.isfinite(other)])
            scale = min(float(finite.max(initial=0.0)), 1.0)
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale, err_msg=f"result {at}")


def on_gpus(program: Path, gpus: str, seed: int, to: Path, env: dict[str, str] | None = None) -> dict[str, np.ndarray]:
    """The results of `program SEED RESULTS.npz` on emulated GPUs of its own."""
    return ran([command(), "run", "--quiet", "--gpu", gpus, "--"], program, [str(seed)], to / "gpu.npz", env or {})[0]


def on_cpus(program: Path, count: int, seed: int, to: Path) -> dict[str, np.ndarray]:
    """The same on so many of JAX's CPU devices."""
    env = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={count}"}
    return ran([], program, [str(seed)], to / "cpu.npz", env)[0]
