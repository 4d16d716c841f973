"""A small transformer's inference and a dense network's training, for NumPy's arrays or CuPy's.

wavesmith run --gpu mi300x --report -- python network.py SEED RESULTS.npz
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np

LAYERS, WIDTH, HEADS, WORDS, LENGTH, BATCH = 2, 64, 4, 96, 24, 3
INPUTS, HIDDEN, CLASSES, EXAMPLES, STEPS = 40, 72, 10, 50, 3

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


def logits(xp: ModuleType, p: Arrays, words: Any) -> Any:
    """A causal transformer: (BATCH, LENGTH, WORDS)."""
    x = p["embed"][words] + p["place"]
    hidden = xp.triu(xp.full((LENGTH, LENGTH), -1e4, x.dtype), 1)
    for layer in range(LAYERS):
        qkv = (normalised(xp, x) @ p[f"qkv{layer}"]).reshape(BATCH, LENGTH, 3, HEADS, -1)
        q, k, v = (xp.ascontiguousarray(qkv[:, :, i].transpose(0, 2, 1, 3)) for i in range(3))
        scores = q @ xp.ascontiguousarray(k.transpose(0, 1, 3, 2)) / x.dtype.type(np.sqrt(WIDTH // HEADS)) + hidden
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
            before = (slope @ weights[i].T) * (outputs[i] > 0)
            weights[i] -= rate * (outputs[i].T @ slope)
            slope = before
    return {"losses": xp.stack(losses)} | {f"weight{i}": weight for i, weight in enumerate(weights)}


def run(xp: ModuleType, seed: int, dtype: str) -> Arrays:
    """All results, as NumPy's arrays."""
    random = np.random.default_rng(seed)
    p = {name: xp.asarray(value.astype(dtype)) for name, value in parameters(random).items()}
    whole = {name: xp.asarray(value) for name, value in integers(random).items()}
    results = {"logits": logits(xp, p, whole["words"])} | trained(xp, p, whole["classes"])
    return {name: np.asarray(value.get() if hasattr(value, "get") else value) for name, value in results.items()}


if __name__ == "__main__":
    import cupy

    np.savez(sys.argv[2], **run(cupy, int(sys.argv[1]), "f4"))
