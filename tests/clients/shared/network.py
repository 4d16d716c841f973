"""A small transformer's inference and a dense network's training, for the arrays of NumPy, CuPy or JAX.

wavesmith run --gpu mi300x --report -- python network.py cupy|jax SEED RESULTS.npz

On several GPUs JAX shards examples and weights over all of them.
"""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

LAYERS, WIDTH, HEADS, WORDS, LENGTH, BATCH = 2, 64, 4, 96, 24, 4
INPUTS, HIDDEN, CLASSES, EXAMPLES, STEPS = 40, 72, 10, 50, 3
# Products on one GPU: per layer six, and the logits; per step three, three for weights' slopes, two for activations'.
PRODUCTS = 6 * LAYERS + 1 + STEPS * (3 + 3 + 2)

Arrays = dict[str, Any]


def parameters(random: np.random.Generator) -> Arrays:
    """Weights of the usual sizes: normal, divided by the square root of the number of inputs."""

    def weight(*shape: int) -> np.ndarray:
        return random.standard_normal(shape) / np.sqrt(shape[0])

    made = {"embed": weight(WORDS, WIDTH), "place": weight(LENGTH, WIDTH)}
    for layer in range(LAYERS):
        made |= {f"qkv{layer}": weight(WIDTH, 3 * WIDTH), f"out{layer}": weight(WIDTH, WIDTH)}
        made |= {f"up{layer}": weight(WIDTH, 4 * WIDTH), f"down{layer}": weight(4 * WIDTH, WIDTH)}
    made |= {"first": weight(INPUTS, HIDDEN), "second": weight(HIDDEN, HIDDEN), "third": weight(HIDDEN, CLASSES)}
    return made | {"examples": random.standard_normal((EXAMPLES, INPUTS))}


def integers(random: np.random.Generator) -> Arrays:
    """Words of sentences, and classes of examples."""
    return {"words": random.integers(0, WORDS, (BATCH, LENGTH)), "classes": random.integers(0, CLASSES, EXAMPLES)}


def normalised(xp: ModuleType, x: Any) -> Any:
    return x / xp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)


def softmax(xp: ModuleType, x: Any) -> Any:
    e = xp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def contiguous(xp: ModuleType, x: Any) -> Any:
    """CuPy's products of other batches are one launch each; JAX's arrays have no strides."""
    return xp.ascontiguousarray(x) if hasattr(xp, "ascontiguousarray") else x


def logits(xp: ModuleType, p: Arrays, words: Any) -> Any:
    """A causal transformer: (BATCH, LENGTH, WORDS)."""
    x = p["embed"][words] + p["place"]
    hidden = xp.triu(xp.full((LENGTH, LENGTH), -1e4, x.dtype), 1)
    for layer in range(LAYERS):
        qkv = (normalised(xp, x) @ p[f"qkv{layer}"]).reshape(BATCH, LENGTH, 3, HEADS, -1)
        q, k, v = (contiguous(xp, qkv[:, :, i].transpose(0, 2, 1, 3)) for i in range(3))
        scores = q @ contiguous(xp, k.transpose(0, 1, 3, 2)) / x.dtype.type(np.sqrt(WIDTH // HEADS)) + hidden
        mixed = (softmax(xp, scores) @ v).transpose(0, 2, 1, 3).reshape(BATCH, LENGTH, WIDTH)
        x = x + mixed @ p[f"out{layer}"]
        x = x + xp.maximum(normalised(xp, x) @ p[f"up{layer}"], 0) @ p[f"down{layer}"]
    return x @ p["embed"].T


def trained(xp: ModuleType, p: Arrays, classes: Any) -> Arrays:
    """Losses of three steps, and the weights after them."""
    x, rate = p["examples"], 0.5
    weights = [p["first"].copy(), p["second"].copy(), p["third"].copy()]
    wanted = xp.eye(CLASSES, dtype=x.dtype)[classes]
    losses = []
    for _ in range(STEPS):
        outputs = [x]
        for weight in weights[:-1]:
            outputs.append(xp.maximum(outputs[-1] @ weight, 0))
        chances = softmax(xp, outputs[-1] @ weights[-1])
        losses.append(-xp.log((chances * wanted).sum(axis=1)).mean())
        slope = (chances - wanted) / EXAMPLES
        for i in reversed(range(3)):
            gradient = outputs[i].T @ slope
            if i > 0:
                slope = (slope @ weights[i].T) * (outputs[i] > 0)
            weights[i] -= rate * gradient
    return {"losses": xp.stack(losses)} | {f"weight{i}": weight for i, weight in enumerate(weights)}


def values(random: np.random.Generator, dtype: str) -> tuple[Arrays, Arrays]:
    """Parameters and integers, NumPy's."""
    p = {name: value.astype(dtype) for name, value in parameters(random).items()}
    return p, integers(random)


def run(xp: ModuleType, seed: int, dtype: str) -> Arrays:
    """All results, as NumPy's arrays, of NumPy or CuPy."""
    p, whole = ({n: xp.asarray(v) for n, v in of.items()} for of in values(np.random.default_rng(seed), dtype))
    results = {"logits": logits(xp, p, whole["words"])} | trained(xp, p, whole["classes"])
    return {name: np.asarray(value.get() if hasattr(value, "get") else value) for name, value in results.items()}


class _Watched:
    """NumPy, which notes how near a number that it compares with 0 comes to that, beside the largest."""

    nearest = 1.0

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def maximum(self, x: np.ndarray, other: int) -> np.ndarray:
        self.nearest = min(self.nearest, float(np.abs(x).min() / np.abs(x).max()))
        return np.maximum(x, other)


def nearest_kink(seed: int) -> float:
    """How near training comes to where a slope jumps from 0 to 1, relative to the largest number there."""
    watched: Any = _Watched()
    p, whole = values(np.random.default_rng(seed), "f8")
    trained(watched, p, whole["classes"])
    return float(watched.nearest)


def run_jax(seed: int) -> Arrays:
    """The same of JAX in f32, and how many products XLA gives to AMD's libraries ("products") and keeps ("kept")."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    devices = jax.devices()
    mesh = Mesh(np.array(devices).reshape(min(2, len(devices)), -1), ("rows", "columns"))
    # Sentences and examples are dealt to the mesh's rows; weights that widen a layer to its columns, by columns.
    parts = {"words": P("rows"), "examples": P("rows"), "classes": P("rows")}
    parts |= {name + layer: P(None, "columns") for name in ("qkv", "up") for layer in "01"}
    parts |= {name + layer: P("columns") for name in ("out", "down") for layer in "01"}
    parts |= {"first": P(None, "columns"), "second": P("columns")}
    p, whole = (
        {n: jax.device_put(v, NamedSharding(mesh, parts.get(n, P()))) for n, v in of.items()}
        for of in values(np.random.default_rng(seed), "f4")
    )
    results: Arrays = {"products": 0, "kept": 0}
    for step, inputs in ((logits, whole["words"]), (trained, whole["classes"])):
        with jax.default_matmul_precision("highest"):
            compiled = jax.jit(partial(step, jnp)).lower(p, inputs).compile()
        results["products"] += compiled.as_text().count('custom_call_target="__cublas')
        results["kept"] += compiled.as_text().count(" dot(")
        result = compiled(p, inputs)
        results |= result if step is trained else {"logits": result}
    return {name: np.asarray(value) for name, value in results.items()}


def main(framework: str, seed: int, to: str) -> None:
    if framework == "jax":
        np.savez(to, **run_jax(seed))
    else:
        import cupy

        np.savez(to, **run(cupy, seed, "f4"))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
