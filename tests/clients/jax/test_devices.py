"""Devices: what JAX is told of them, several of them, and what goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import numpy as np
import pytest
from agreement import seed


@pytest.mark.representative
def test_a_device_is_what_was_asked_for() -> None:
    gpus = jax.devices("rocm")
    assert jax.default_backend() == "gpu"
    assert all(gpu.platform == "gpu" and gpu.device_kind.startswith("AMD ") for gpu in gpus)
    asked = os.environ["WAVESMITH_GPU"]
    assert len(gpus) == (int(asked.split(":")[1]) if ":" in asked else 1)


def test_memory_is_counted() -> None:
    gpu = jax.devices("rocm")[0]
    before = gpu.memory_stats()["bytes_in_use"]
    array = jax.device_put(np.zeros(1 << 20, np.float32), gpu).block_until_ready()
    assert gpu.memory_stats()["bytes_in_use"] >= before + array.nbytes


def test_events_order_work_that_is_not_waited_for() -> None:
    x = jax.device_put(np.ones(1000, np.float32), jax.devices("rocm")[0])
    double = jax.jit(lambda a: a * 2, donate_argnums=0)
    for _ in range(20):
        x = double(x)
    assert np.asarray(x)[0] == 2.0**20


def _python(gpus: str, program: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, for other GPUs than this process has."""
    from_here = {k: v for k, v in os.environ.items() if not k.startswith("WAVESMITH_GPU")}
    from wavesmith._paths import command

    run = [command(), "run", "--gpu", gpus, "--", sys.executable, "-c", program]
    return subprocess.run(run, env=from_here, capture_output=True, text=True, timeout=300, check=False)


def test_two_gpus_are_separate_devices() -> None:
    base = seed("devices")
    done = _python(
        "mi300x:2",
        f"""
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
first, second = jax.devices()
x = np.random.default_rng({base}).standard_normal((8, 16)).astype(np.float32)
a, b = jax.device_put(x, first), jax.device_put(x, second)
assert (a + 1).devices() == {{first}} and (b + 1).devices() == {{second}}
moved = jax.device_put(jnp.sin(a), second)
assert moved.devices() == {{second}}
np.testing.assert_allclose(moved, np.sin(x), atol=1e-6)
shared = jax.device_put(x, NamedSharding(Mesh(np.array([first, second]), "x"), PartitionSpec("x")))
np.testing.assert_allclose(jax.jit(jnp.tanh)(shared), np.tanh(x), atol=1e-6)
print("separate")
""",
    )
    assert done.stdout.strip() == "separate", done.stderr[-2000:]


def test_a_library_that_is_not_served_is_named() -> None:
    done = _python(
        "mi300x",
        """
import jax, jax.numpy as jnp
from jax.experimental import sparse
jax.config.update("jax_bcoo_cusparse_lowering", True)
jax.jit(lambda m, v: m @ v)(sparse.BCOO.fromdense(jnp.eye(8)), jnp.arange(8.0)).block_until_ready()
""",
    )
    assert done.returncode != 0
    assert "wavesmith: hipsparseCreateCoo is not supported" in done.stderr, done.stderr[-2000:]
    assert "gpusparseCreateCoo" in done.stderr


def test_a_kernel_s_fault_names_the_kernel() -> None:
    done = _python(
        "mi300x",
        """
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu
def astray(x, out):
    out[...] = plgpu.load(x.at[jnp.arange(64) * (1 << 28)])
np.asarray(pl.pallas_call(astray, out_shape=jax.ShapeDtypeStruct((64,), np.float32),
                          compiler_params=plgpu.CompilerParams())(jnp.ones(64)))
""",
    )
    assert done.returncode != 0
    assert "astray" in done.stderr, done.stderr[-2000:]
    assert "memory" in done.stderr
