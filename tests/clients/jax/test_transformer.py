"""A two-layer transformer learns: loss, gradients and the parameters after updates are the CPU's."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from agreement import assert_agree, on_both, seed

LAYERS, WIDTH, HEADS, WORDS, LENGTH, BATCH = 2, 32, 4, 50, 16, 2

Parameters = dict[str, Any]


def parameters(random: np.random.Generator) -> Parameters:
    """Weights of the usual sizes: normal, divided by the square root of the number of inputs."""

    def weight(*shape: int) -> np.ndarray:
        return (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    def layer() -> Parameters:
        return {
            "norm1": np.ones(WIDTH, np.float32),
            "norm2": np.ones(WIDTH, np.float32),
            "qkv": weight(WIDTH, 3 * WIDTH),
            "out": weight(WIDTH, WIDTH),
            "up": weight(WIDTH, 4 * WIDTH),
            "down": weight(4 * WIDTH, WIDTH),
        }

    return {"embed": weight(WORDS, WIDTH), "place": weight(LENGTH, WIDTH), "layers": [layer() for _ in range(LAYERS)]}


def normalised(x: jax.Array, weight: jax.Array) -> jax.Array:
    return weight * x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def attend(x: jax.Array, layer: Parameters) -> jax.Array:
    q, k, v = (a.reshape(BATCH, LENGTH, HEADS, -1) for a in jnp.split(x @ layer["qkv"], 3, axis=-1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(WIDTH // HEADS)
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(x.shape) @ layer["out"]


def logits(p: Parameters, words: jax.Array) -> jax.Array:
    x = p["embed"][words] + p["place"]
    for layer in p["layers"]:
        x = x + attend(normalised(x, layer["norm1"]), layer)
        x = x + jax.nn.gelu(normalised(x, layer["norm2"]) @ layer["up"]) @ layer["down"]
    return x @ p["embed"].T


def loss(p: Parameters, words: jax.Array) -> jax.Array:
    chosen = jax.nn.log_softmax(logits(p, words)[:, :-1])
    return -jnp.take_along_axis(chosen, words[:, 1:, None], axis=-1).mean()


def train(precision: str, p: Parameters, words: jax.Array) -> Any:
    """Forward, backward, and two updates with momentum."""
    with jax.default_matmul_precision(precision):
        losses, speed = [], jax.tree.map(jnp.zeros_like, p)
        for _ in range(2):
            value, slope = jax.value_and_grad(loss)(p, words)
            speed = jax.tree.map(lambda s, g: 0.9 * s + g, speed, slope)
            p = jax.tree.map(lambda a, s: a - 0.1 * s, p, speed)
            losses.append(value)
        return losses, slope, p, logits(p, words)


def inputs(random: np.random.Generator) -> Any:
    return parameters(random), random.integers(0, WORDS, (BATCH, LENGTH), dtype=np.int32)


@pytest.mark.representative
def test_forward() -> None:
    gpu, cpu = on_both(lambda p, w: logits(p, w), inputs, seed("forward"))
    assert_agree(gpu, cpu, 2e-2)


# At the GPU's own precision products of f32 may be of its short format, of 11 bits.
@pytest.mark.parametrize(("precision", "tolerance"), [("highest", 1e-4), ("default", 2e-2)])
def test_training(precision: str, tolerance: float) -> None:
    gpu, cpu = on_both(partial(train, precision), inputs, seed("training"))
    assert gpu[0][1] < gpu[0][0], "the loss falls"
    assert_agree(gpu, cpu, tolerance)
