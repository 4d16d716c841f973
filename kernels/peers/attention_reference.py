"""What a peer's attention computes of random matrices, beside float64."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from ctypes import c_void_p

import numpy as np
from hip import expect_within, random_bf16, read, widened, write

HEAD = 128


def check_attention(
    run: Callable[[], None],
    matrices: Sequence[c_void_p],
    shape: tuple[int, int, int, int],
    causal: bool,
    name: str,
    rounding: float = 2.0**-8,
) -> None:
    """Ends with an error where an element is further from float64 than roundings and sums may take it.

    The matrices are Q, K, V and O, of bf16; the shape is of batches, heads, heads of K and V, and tokens. `rounding` is
    how far bf16 may lie from a number beside its size, of the weights and of O.
    """
    batch, heads, kv_heads, length = shape
    given = []
    for pointer, count in zip(matrices, (heads, kv_heads, kv_heads), strict=False):
        bits, wide = random_bf16(batch, length, count, HEAD)
        write(pointer, bits)
        given.append(wide)
    o = np.full((batch, length, heads, HEAD), 0x7FC0, np.uint16)
    write(matrices[3], o)
    run()
    read(o, matrices[3])
    q, k, v = given
    k, v = (np.repeat(one, heads // kv_heads, 2) for one in (k, v))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(HEAD)
    error = np.einsum("bqhd,bkhd->bhqk", abs(q), abs(k)).max(-1, keepdims=True) / math.sqrt(HEAD)
    error *= math.log2(math.e) * (HEAD + 8) * 2.0**-24
    if causal:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    want = np.einsum("bhqk,bkhd->bqhd", weights, v)
    weight_error = rounding + 2 * error + 2.0**-18 + (length + 100) * 2.0**-24
    bounds = np.einsum("bhqk,bkhd->bqhd", weights * weight_error, abs(v)) + abs(want) * rounding
    expect_within(widened(o), want, bounds, name)
