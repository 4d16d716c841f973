"""A small causal transformer whose layers choose two of four experts per word: its loss and slopes.

For the arrays of NumPy, CuPy or JAX. Words come to experts, and back, by products with a matrix of zeros and ones, as
in the first models of this kind; an expert leaves out words beyond its capacity.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from arrays import Arrays, contiguous, cross_entropy, silu, silu_slope, softmax

LAYERS, WIDTH, HEADS, WORDS, LENGTH, BATCH = 2, 32, 4, 40, 16, 3
EXPERTS, CHOSEN, HIDDEN, CAPACITY = 4, 2, 48, 28
TOKENS = BATCH * LENGTH


def parameters(random: np.random.Generator) -> Arrays:
    """Weights of the usual sizes: normal, divided by the square root of the number of inputs."""

    def weight(*shape: int) -> np.ndarray:
        return random.standard_normal(shape) / np.sqrt(shape[-2])

    made = {"embed": random.standard_normal((WORDS, WIDTH)) / 4, "place": random.standard_normal((LENGTH, WIDTH)) / 4}
    for layer in range(LAYERS):
        made |= {f"qkv{layer}": weight(WIDTH, 3 * WIDTH), f"out{layer}": weight(WIDTH, WIDTH)}
        made |= {f"router{layer}": weight(WIDTH, EXPERTS), f"up{layer}": weight(EXPERTS, WIDTH, HIDDEN)}
        made |= {f"down{layer}": weight(EXPERTS, HIDDEN, WIDTH)}
    return made | {"words": weight(WIDTH, WORDS)}


def inputs(random: np.random.Generator) -> Arrays:
    return {"sentences": random.integers(0, WORDS, (BATCH, LENGTH + 1))}


def normalised(xp: ModuleType, x: Any) -> tuple[Any, Any]:
    """By the root of the mean square, and the factor of each row."""
    factor = 1 / xp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
    return x * factor, factor


def normalised_slope(y: Any, factor: Any, slope: Any) -> Any:
    return factor * (slope - y * (slope * y).mean(axis=-1, keepdims=True))


def by_heads(xp: ModuleType, x: Any) -> Any:
    return contiguous(xp, x.reshape(BATCH, LENGTH, HEADS, -1).transpose(0, 2, 1, 3))


def side_by_side(xp: ModuleType, x: Any) -> Any:
    return contiguous(xp, x.transpose(0, 2, 1, 3)).reshape(TOKENS, -1)


def turned(xp: ModuleType, x: Any) -> Any:
    """With the last two dimensions exchanged."""
    return contiguous(xp, xp.swapaxes(x, -1, -2))


def attended(xp: ModuleType, x: Any, qkv: Any) -> tuple[Any, Any]:
    """Attention's result, and what its slope needs."""
    q, k, v = (by_heads(xp, part) for part in xp.split(x @ qkv, 3, axis=1))
    hidden = xp.triu(xp.full((LENGTH, LENGTH), -1e4, x.dtype), 1)
    scale = x.dtype.type(1 / np.sqrt(WIDTH // HEADS))
    weights = softmax(xp, (q @ turned(xp, k)) * scale + hidden)
    return side_by_side(xp, weights @ v), (x, q, k, v, weights, scale)


def attended_slopes(xp: ModuleType, saved: Any, qkv: Any, slope: Any) -> tuple[Any, Any]:
    """Of the input and of the weight."""
    x, q, k, v, weights, scale = saved
    slope = by_heads(xp, slope)
    of_v = turned(xp, weights) @ slope
    of_weights = slope @ turned(xp, v)
    of_scores = weights * (of_weights - (of_weights * weights).sum(axis=-1, keepdims=True)) * scale
    parts = of_scores @ k, turned(xp, of_scores) @ q, of_v
    of_qkv = xp.concatenate([side_by_side(xp, part) for part in parts], axis=1)
    return of_qkv @ turned(xp, qkv), turned(xp, x) @ of_qkv


def dispatched(xp: ModuleType, chances: Any) -> Any:
    """Which place of which expert a word has: words by experts by places, ones and zeros."""
    wanted = (chances >= xp.sort(chances, axis=-1)[:, -CHOSEN, None]).astype(chances.dtype)
    place = xp.cumsum(wanted, axis=0) - 1
    return wanted[:, :, None] * (place[:, :, None] == xp.arange(CAPACITY)).astype(chances.dtype)


def expert_layer(xp: ModuleType, x: Any, router: Any, up: Any, down: Any) -> tuple[Any, Any]:
    """The sum of the chosen experts' results by their chances, and what its slope needs."""
    chances = softmax(xp, x @ router)
    places = dispatched(xp, chances)
    to = contiguous(xp, places.reshape(TOKENS, -1).T)
    given = (to @ x).reshape(EXPERTS, CAPACITY, WIDTH)
    inside = given @ up
    results = (silu(xp, inside) @ down).reshape(-1, WIDTH)
    back = (places * chances[:, :, None]).reshape(TOKENS, -1)
    return back @ results, (x, chances, places, given, inside, results, back)


def expert_slopes(xp: ModuleType, saved: Any, weights: tuple[Any, Any, Any], slope: Any) -> tuple[Any, ...]:
    """Of the input, and of the weights."""
    x, chances, places, given, inside, results, back = saved
    router, up, down = weights
    of_results = (turned(xp, back) @ slope).reshape(EXPERTS, CAPACITY, WIDTH)
    of_down = turned(xp, silu(xp, inside)) @ of_results
    of_inside = (of_results @ turned(xp, down)) * silu_slope(xp, inside)
    of_up = turned(xp, given) @ of_inside
    of_given = (of_inside @ turned(xp, up)).reshape(-1, WIDTH)
    of_back = (slope @ turned(xp, results)).reshape(TOKENS, EXPERTS, CAPACITY)
    of_chances = (of_back * places).sum(axis=-1)
    of_scores = chances * (of_chances - (of_chances * chances).sum(axis=-1, keepdims=True))
    of_x = places.reshape(TOKENS, -1) @ of_given + of_scores @ turned(xp, router)
    return of_x, turned(xp, x) @ of_scores, of_up, of_down


def weights_of(p: Arrays, layer: int) -> tuple[Any, Any, Any]:
    return p[f"router{layer}"], p[f"up{layer}"], p[f"down{layer}"]


def logits(xp: ModuleType, p: Arrays, words: Any) -> tuple[Any, list[Any]]:
    """Of each next word, and what slopes need."""
    x = (p["embed"][words] + p["place"]).reshape(TOKENS, WIDTH)
    saved = []
    for layer in range(LAYERS):
        before = normalised(xp, x)
        mixed, attention = attended(xp, before[0], p[f"qkv{layer}"])
        x = x + mixed @ p[f"out{layer}"]
        between = normalised(xp, x)
        made, experts = expert_layer(xp, between[0], *weights_of(p, layer))
        x = x + made
        saved.append((before, mixed, attention, between, experts))
    saved.append(normalised(xp, x))
    return saved[-1][0] @ p["words"], saved


def targets(given: Arrays) -> Any:
    return given["sentences"][:, 1:].reshape(TOKENS)


def loss(xp: ModuleType, p: Arrays, given: Arrays, _: Any = None) -> Any:
    return cross_entropy(xp, logits(xp, p, given["sentences"][:, :-1])[0], targets(given))[0]


def slopes(xp: ModuleType, p: Arrays, given: Arrays) -> tuple[Any, Arrays]:
    """The loss, and its slopes for all parameters."""
    words = given["sentences"][:, :-1]
    chosen, saved = logits(xp, p, words)
    value, slope = cross_entropy(xp, chosen, targets(given))
    last, factor = saved.pop()
    made = {"words": turned(xp, last) @ slope}
    upstream = normalised_slope(last, factor, slope @ turned(xp, p["words"]))
    for layer in reversed(range(LAYERS)):
        before, mixed, attention, between, experts = saved[layer]
        of_x, *of_weights = expert_slopes(xp, experts, weights_of(p, layer), upstream)
        made |= dict(zip((f"router{layer}", f"up{layer}", f"down{layer}"), of_weights, strict=True))
        upstream = upstream + normalised_slope(*between, of_x)
        made[f"out{layer}"] = turned(xp, mixed) @ upstream
        of_mixed = upstream @ turned(xp, p[f"out{layer}"])
        of_x, made[f"qkv{layer}"] = attended_slopes(xp, attention, p[f"qkv{layer}"], of_mixed)
        upstream = upstream + normalised_slope(*before, of_x)
    ones = xp.eye(WORDS, dtype=upstream.dtype)[words.reshape(TOKENS)]
    made["embed"] = turned(xp, ones) @ upstream
    made["place"] = upstream.reshape(BATCH, LENGTH, WIDTH).sum(axis=0)
    return value, made


def margin(p: Arrays, given: Arrays) -> float:
    """By how much the last chosen expert's chance exceeds the next one's, at the least."""
    _, saved = logits(np, p, given["sentences"][:, :-1])
    ordered = [np.sort(each[4][1], axis=-1) for each in saved[:-1]]
    return float(min((each[:, -CHOSEN] - each[:, -CHOSEN - 1]).min() for each in ordered))
