"""A mixture of experts from Python, against NumPy in float64. The kernels' own tests are in kernels/experts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import wide

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("tokens", [0, 5, 700])
def test_choices_in_the_order_of_experts(numbers: np.random.Generator, tokens: int) -> None:
    experts, choices = 6, 4
    ids = numbers.integers(-1, experts + 1, (tokens, choices), dtype=np.int32)
    weights = numbers.standard_normal((tokens, choices)).astype(np.float32)
    offsets, tokens_of, places, in_order = kernels.sort_experts(ids, experts, weights=weights)
    flat = ids.reshape(-1)
    rows = np.concatenate([np.flatnonzero(flat == expert) for expert in range(experts)])
    want = np.full(flat.size, -1, np.int32)
    want[rows] = np.arange(rows.size)
    counts = [np.count_nonzero(flat == expert) for expert in range(experts)]
    np.testing.assert_array_equal(offsets, np.cumsum([0, *counts]))
    np.testing.assert_array_equal(tokens_of[: rows.size], rows // choices)
    np.testing.assert_array_equal(tokens_of[rows.size :], -1)
    np.testing.assert_array_equal(places, want.reshape(ids.shape))
    np.testing.assert_array_equal(in_order[: rows.size], weights.reshape(-1)[rows])
    np.testing.assert_array_equal(in_order[rows.size :], 0)


def test_a_map_leaves_the_experts_of_other_gpus_out() -> None:
    ids = np.array([[0, 3], [2, 1]], np.int32)
    here = np.array([1, -1, 0, -1], np.int32)
    offsets, tokens_of, places = kernels.sort_experts(ids, 2, expert_map=here)
    assert (offsets.tolist(), tokens_of.tolist(), places.tolist()) == ([0, 1, 2], [1, 0, -1, -1], [[1, -1], [0, -1]])


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_sums_of_rows(numbers: np.random.Generator, dtype: str) -> None:
    x = numbers.standard_normal((40, 72)).astype(np.float16)
    places = numbers.integers(-1, 41, (9, 5), dtype=np.int32)
    weights = numbers.standard_normal(places.shape).astype(np.float32)
    addend = numbers.standard_normal((9, 72)).astype(np.float32)
    there = (places >= 0) & (places < 40)
    rows = wide(x)[np.where(there, places, 0)] * np.where(there, weights, 0)[..., None]
    got = kernels.combine(x, places, weights, addend=addend, dtype=dtype)
    np.testing.assert_allclose(wide(got), rows.sum(1) + addend, atol=2.0**-19 if dtype == "f32" else 2.0**-7)
    out = addend.copy()
    assert kernels.combine(x, places, weights, addend=out, out=out) is out
    np.testing.assert_allclose(out, rows.sum(1) + addend, atol=2.0**-19)


def test_a_layer(numbers: np.random.Generator) -> None:
    tokens, size, inner, experts, choices = 33, 64, 32, 4, 2
    x = numbers.standard_normal((tokens, size)).astype(np.float16)
    up = (numbers.standard_normal((experts, size, inner)) / 8).astype(np.float16)
    down = (numbers.standard_normal((experts, inner, size)) / 6).astype(np.float16)
    ids = np.stack([numbers.permutation(experts)[:choices] for _ in range(tokens)]).astype(np.int32)
    weights = numbers.random((tokens, choices)).astype(np.float32)
    offsets, tokens_of, places = kernels.sort_experts(ids, experts)
    hidden = kernels.gemm(x, up, group_offsets=offsets, a_rows=tokens_of)
    y = kernels.combine(kernels.gemm(hidden, down, group_offsets=offsets), places, weights, dtype="f32")
    want = np.zeros((tokens, size))
    for t in range(tokens):
        for expert, weight in zip(ids[t], weights[t], strict=True):
            want[t] += weight * (wide(x)[t] @ wide(up)[expert] @ wide(down)[expert])
    np.testing.assert_allclose(y, want, atol=0.02)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda ids, x: kernels.sort_experts(ids, 1025), "experts is 1025"),
        (lambda ids, x: kernels.sort_experts(ids.T, 8), "ids is of i32 with shape"),
        (lambda ids, x: kernels.sort_experts(ids.astype(np.int64), 8), "ids is of i64"),
        (lambda ids, x: kernels.sort_experts(ids, 8, weights=np.ones((2, 3), np.float32)), "weights has shape"),
        (lambda ids, x: kernels.combine(x[0], ids), "x has shape"),
        (lambda ids, x: kernels.combine(x, ids, addend=x), "addend has shape"),
        (lambda ids, x: kernels.combine(x, ids, out=np.ones((3, 8), np.float32)), "out has shape"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, says: str) -> None:
    with pytest.raises(wavesmith.BadInputError, match=says):
        call(np.zeros((4, 2), np.int32), np.ones((5, 8), np.float32))
