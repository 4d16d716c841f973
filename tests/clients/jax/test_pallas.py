"""Pallas kernels, which JAX lowers by Triton."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from agreement import assert_agree, seed
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def _call(kernel: Callable[..., None], shape: Any, *arrays: Any, **options: Any) -> Any:
    with jax.default_device(jax.devices("rocm")[0]):
        call = pl.pallas_call(kernel, out_shape=shape, compiler_params=plgpu.CompilerParams(), **options)
        return jax.tree.map(np.asarray, jax.jit(call)(*arrays))


def _normal(name: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    random = np.random.default_rng(seed(name))
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


@pytest.mark.representative
def test_elementwise_in_blocks() -> None:
    def kernel(x, y, out):
        out[...] = x[...] * y[...] + 1

    x, y = _normal("elementwise", (1024,), (1024,))
    block = pl.BlockSpec((128,), lambda i: (i,))
    out = _call(
        kernel, jax.ShapeDtypeStruct(x.shape, x.dtype), x, y, grid=(8,), in_specs=[block, block], out_specs=block
    )
    assert_agree(out, x * y + 1, 1e-6)


def test_row_softmax() -> None:
    def kernel(x, out):
        e = jnp.exp(x[...] - jnp.max(x[...], axis=-1, keepdims=True))
        out[...] = e / jnp.sum(e, axis=-1, keepdims=True)

    (x,) = _normal("softmax", (16, 256))
    row = pl.BlockSpec((1, 256), lambda i: (i, 0))
    out = _call(kernel, jax.ShapeDtypeStruct(x.shape, x.dtype), x, grid=(16,), in_specs=[row], out_specs=row)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    assert_agree(out, (e / e.sum(1, keepdims=True)).astype(np.float32), 4e-6)


@pytest.mark.parametrize(("kind", "tolerance"), [(np.float16, 2e-2), (np.float32, 1e-4)])
def test_matrix_product(kind: Any, tolerance: float) -> None:
    size, tile = 128, 32

    def kernel(x, y, out):
        def step(k, total):
            at = pl.ds(k * tile, tile)
            return total + plgpu.dot(x[:, at], y[at, :], precision="highest")

        out[...] = jax.lax.fori_loop(0, size // tile, step, jnp.zeros((tile, tile), jnp.float32))

    x, y = (a.astype(kind) for a in _normal("product", (size, size), (size, size)))
    out = _call(
        kernel,
        jax.ShapeDtypeStruct((size, size), jnp.float32),
        x,
        y,
        grid=(size // tile, size // tile),
        in_specs=[pl.BlockSpec((tile, size), lambda i, j: (i, 0)), pl.BlockSpec((size, tile), lambda i, j: (0, j))],
        out_specs=pl.BlockSpec((tile, tile), lambda i, j: (i, j)),
    )
    assert_agree(out, (x.astype(np.float64) @ y.astype(np.float64)).astype(np.float32), tolerance)


def test_masked_loads_and_stores() -> None:
    size = 1000

    def kernel(x, out):
        at = pl.program_id(0) * 256 + jnp.arange(256)
        value = plgpu.load(x.at[at], mask=at < size, other=0.0)
        plgpu.store(out.at[at], value + 1, mask=at < size)

    (x,) = _normal("masked", (size,))
    out = _call(kernel, jax.ShapeDtypeStruct(x.shape, x.dtype), x, grid=(4,))
    assert_agree(out, x + 1, 0)


def test_atomic_sum() -> None:
    def kernel(x, start, out):
        plgpu.atomic_add(out, (0,), jnp.sum(x[...]))

    (x,) = _normal("atomic", (1024,))
    out = _call(
        kernel,
        jax.ShapeDtypeStruct((1,), jnp.float32),
        x,
        np.zeros(1, np.float32),
        grid=(8,),
        in_specs=[pl.BlockSpec((128,), lambda i: (i,)), pl.BlockSpec((1,), lambda i: (0,))],
        out_specs=pl.BlockSpec((1,), lambda i: (0,)),
        input_output_aliases={1: 0},
    )
    np.testing.assert_allclose(out[0], x.astype(np.float64).sum(), rtol=1e-4, atol=1e-3)
