"""Collectives over all devices of a process, on whatever platform JAX has: collectives.py SEED RESULTS.npz."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

N = len(jax.devices())
MESH = Mesh(np.array(jax.devices()), "x")
SQUARE = Mesh(np.array(jax.devices()).reshape(2, -1), ("x", "y"))
X = PartitionSpec("x")
RING = [(i, (i + 1) % N) for i in range(N)]


def mapped(body: Callable[..., Any], *inputs: Any, out: PartitionSpec = X) -> Any:
    """Of a body that sees each device's part of the inputs' first dimension."""
    run = jax.shard_map(body, mesh=MESH, in_specs=(X,) * len(inputs), out_specs=out, check_vma=False)
    return jax.jit(run)(*inputs)


def loop(part: Any) -> Any:
    def step(carry: Any, _: Any) -> tuple[Any, Any]:
        moved = lax.ppermute(carry, "x", RING)
        return moved * 0.5 + part, lax.pmax(moved.sum(), "x")

    end, sums = lax.scan(step, part, length=5)
    return end + sums.sum()


def training_step(part: Any, weights: Any) -> Any:
    def loss(w: Any) -> Any:
        return lax.pmean((jnp.tanh(part @ w) ** 2).mean(), "x")

    return lax.pmean(jax.grad(loss)(weights), "x")


def contracted(a: Any, b: Any) -> Any:
    """A product whose inner dimension is spread over the devices: XLA itself puts the sum in."""
    split_a = jax.device_put(a, NamedSharding(MESH, PartitionSpec(None, "x")))
    split_b = jax.device_put(b, NamedSharding(MESH, PartitionSpec("x", None)))
    whole = NamedSharding(MESH, PartitionSpec())
    return jax.jit(lambda u, v: jnp.dot(u, v, precision="highest"), out_shardings=whole)(split_a, split_b)


def over_one_axis(a: Any) -> Any:
    spec = PartitionSpec("x", "y")
    body = lambda part: lax.psum(part, "y") - lax.all_gather(part, "x").sum(0)  # noqa: E731
    return jax.jit(jax.shard_map(body, mesh=SQUARE, in_specs=spec, out_specs=spec, check_vma=False))(a)


def results(random: np.random.Generator) -> dict[str, Any]:
    f = random.standard_normal((N * 2, 3 * N)).astype(np.float32)
    i = random.integers(-(2**31), 2**31, (N * 2, 7), dtype=np.int32)
    big = random.standard_normal(N * 100_003).astype(np.float32)
    pairs = [[d, d + 1] for d in range(0, N, 2)]
    return {
        "pmap psum": jax.pmap(lambda v: lax.psum(v, "i"), axis_name="i")(f.reshape(N, -1)),
        "pmap pmean, pmax, pmin": jax.pmap(
            lambda v: (lax.pmean(v, "i"), lax.pmax(v, "i"), lax.pmin(v, "i")), axis_name="i"
        )(f.reshape(N, -1)),
        "psum of integers": mapped(lambda v: lax.psum(v, "x"), i, out=PartitionSpec()),
        "psum of complex numbers": mapped(lambda v: lax.psum(v * (1 + 2j), "x"), f, out=PartitionSpec()),
        "psum of bfloat16": mapped(
            lambda v: lax.psum(v.astype(jnp.bfloat16), "x").astype(jnp.float32), f, out=PartitionSpec()
        ),
        "psum of many": mapped(lambda v: lax.psum(v, "x"), big, out=PartitionSpec()),
        "psum of pairs": mapped(lambda v: lax.psum(v, "x", axis_index_groups=pairs), f),
        "all_gather": mapped(lambda v: lax.all_gather(v, "x", axis=1, tiled=True), f),
        "reduce_scatter": mapped(lambda v: lax.psum_scatter(v, "x", scatter_dimension=1, tiled=True), f),
        "ppermute": mapped(lambda v: lax.ppermute(v, "x", RING), f),
        "ppermute of some": mapped(lambda v: lax.ppermute(v, "x", [(N - 1, 0)]), f),
        "all_to_all": mapped(lambda v: lax.all_to_all(v, "x", split_axis=1, concat_axis=0, tiled=True), f),
        "a loop": mapped(loop, f),
        "a training step": mapped(
            lambda v, w: training_step(v, w[0]), f, np.stack([np.eye(3 * N, 4, dtype=np.float32)] * N)
        ),
        "a product": contracted(f, f.T @ f),
        "one axis of two": over_one_axis(f.reshape(-1, N)),
    }


if __name__ == "__main__":
    found = results(np.random.default_rng(int(sys.argv[1])))
    leaves = {f"{name} {n}": leaf for name in found for n, leaf in enumerate(jax.tree.leaves(found[name]))}
    np.savez(sys.argv[2], **{name: np.asarray(leaf) for name, leaf in leaves.items()})
