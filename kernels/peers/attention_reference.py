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


def check_gradients(
    run: Callable[[], None],
    read_by_it: Sequence[c_void_p],
    gradients: Sequence[c_void_p],
    shape: tuple[int, int, int, int],
    causal: bool,
    rounding: float = 2.0**-8,
) -> None:
    """The same of gradients: dQ in f32, by (batch, head, token), dK and dV in bf16 of each head of queries.

    What is read is Q, K, V, dO, the log-sum-exp and each row's sum of dO * O, (batch, head, token) floats.
    """
    batch, heads, kv_heads, length = shape
    given = []
    for pointer, count in zip(read_by_it, (heads, kv_heads, kv_heads, heads), strict=False):
        bits, wide = random_bf16(batch, length, count, HEAD)
        write(pointer, bits)
        given.append(wide)
    q, k, v, d_o = given
    k, v = (np.repeat(one, heads // kv_heads, 2) for one in (k, v))
    scale = 1 / math.sqrt(HEAD)
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if causal:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    lse = np.log(np.exp(scores).sum(-1))
    weights = np.exp(scores - lse[..., None])
    of_weights = np.einsum("bqhd,bkhd->bhqk", d_o, v)
    delta = (weights * of_weights).sum(-1)
    write(read_by_it[4], np.ascontiguousarray(lse, np.float32))
    write(read_by_it[5], np.ascontiguousarray(delta, np.float32))
    run()
    of_scores = weights * (of_weights - delta[..., None]) * scale
    # Rounded weights and gradients of scores, the result, and sums of `HEAD` products in f32.
    sizes = weights * (np.einsum("bqhd,bkhd->bhqk", abs(d_o), abs(v)) + abs(delta)[..., None]) * scale
    errors = abs(of_scores) * 2 * rounding + sizes * 2.0**-12
    for name, pointer, weighed, wrong, by, to in (
        ("dq", gradients[0], of_scores, errors, k, "bhqk,bkhd->bqhd"),
        ("dk", gradients[1], of_scores, errors, q, "bhqk,bqhd->bkhd"),
        ("dv", gradients[2], weights, weights * 2 * rounding, d_o, "bhqk,bqhd->bkhd"),
    ):
        want = np.einsum(to, weighed, by)
        bounds = np.einsum(to, wrong, abs(by)) + abs(want) * rounding
        of_q = name == "dq"
        got = np.empty((batch, heads, length, HEAD) if of_q else want.shape, np.float32 if of_q else np.uint16)
        read(got, pointer)
        expect_within(got.transpose(0, 2, 1, 3) if of_q else widened(got), want, bounds, name)
