"""Decode and its cache from Python, against NumPy in float64. The kernels' own tests lie beside them."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Numbers, attended, heads, wide

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


def reference(q: Numbers, k: Numbers, v: Numbers, sinks: Numbers | None = None) -> tuple[Numbers, Numbers]:
    """Of q (length, heads, size) and the keys up to its last token: the result and the log-sum-exp."""
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(wide(one), group, 1) for one in (k, v))
    scores = np.einsum("qhd,khd->hqk", wide(q), k) / np.sqrt(q.shape[-1])
    seen = np.arange(len(k)) <= np.arange(len(q))[:, None] + len(k) - len(q)
    scores = np.where(seen, scores, -np.inf)
    if sinks is not None:
        scores = np.concatenate([scores, np.broadcast_to(sinks[:, None, None], (*scores.shape[:2], 1))], -1)
        v = np.concatenate([v, np.zeros_like(v[:1])])
    return attended(scores, v)


def test_tokens_written_to_a_cache_are_attended_to(numbers: np.random.Generator) -> None:
    contexts, page, pages = [40, 3, 1700], 16, 107
    blocks = numbers.permutation(3 * pages).reshape(3, pages).astype(np.int32)
    caches = [np.full((3 * pages, page, 2, 64), np.nan, np.float16) for _ in range(2)]
    written = [[heads(numbers, length, 2, 64) for length in contexts] for _ in range(2)]
    slots = np.concatenate(
        [blocks[i, np.arange(length) // page] * page + np.arange(length) % page for i, length in enumerate(contexts)]
    ).astype(np.int64)
    kernels.cache_write(*(np.concatenate(tokens) for tokens in written), *caches, slots)
    assert sum(np.isfinite(caches[0][:, :, 0, 0]).ravel()) == sum(contexts)

    q, sinks = heads(numbers, 3, 2, 8, 64), np.linspace(-1, 1, 8).astype(np.float32)
    lengths = np.array(contexts, np.int32)
    for given in (None, sinks):
        got, lse = kernels.decode(q, *caches, lengths, block_table=blocks, sinks=given, return_lse=True)
        assert type(got) is np.ndarray and got.shape == q.shape and got.dtype == q.dtype
        for i in range(3):
            want, want_lse = reference(q[i], written[0][i], written[1][i], given)
            np.testing.assert_allclose(wide(got[i]), want, atol=3e-3)
            np.testing.assert_allclose(lse[i], want_lse, atol=1e-4)


def test_a_cache_without_pages(numbers: np.random.Generator) -> None:
    q, k, v = heads(numbers, 2, 4, 128), heads(numbers, 2, 1, 50, 128), heads(numbers, 2, 1, 50, 128)
    by_positions = [cache.transpose(0, 2, 1, 3) for cache in (k, v)]  # heads outside of positions
    got = kernels.decode(q, *by_positions, np.array([50, 7], np.int32), max_context=50)
    assert got.shape == q.shape
    for i, length in enumerate((50, 7)):
        want, _ = reference(q[i : i + 1], by_positions[0][i, :length], by_positions[1][i, :length])
        np.testing.assert_allclose(wide(got[i]), want[0], atol=3e-3)


def test_scales_of_caches(numbers: np.random.Generator) -> None:
    k, v = heads(numbers, 20, 2, 64), heads(numbers, 20, 2, 64)
    caches = [np.zeros((2, 16, 2, 64), np.float16) for _ in range(2)]
    scales = {"k_scale": np.array([0.5, 4], np.float32), "v_scale": np.array(2, np.float32)}
    kernels.cache_write(k, v, *caches, np.arange(20), **scales)
    np.testing.assert_array_equal(caches[0][0, :, 1], k[:16, 1] / 4)
    q, table = heads(numbers, 1, 4, 64), np.array([[0, 1]], np.int32)
    got = kernels.decode(q, *caches, np.array([20], np.int32), block_table=table, **scales)
    np.testing.assert_allclose(wide(got[0]), reference(q, k, v)[0][0], atol=3e-3)


@pytest.mark.parametrize("packed", [False, True])
def test_integers_with_a_scale_of_each_position_and_head(numbers: np.random.Generator, packed: bool) -> None:
    k, v = (heads(numbers, 40, 2, 64) * np.float16(3) for _ in range(2))
    if packed:  # as vLLM does: each row of a head is K, its scale, V, its scale
        rows = np.full((3, 16, 2, 2, 68), -1, np.int8)
        caches = [rows[:, :, :, i, :64] for i in range(2)]
        scales = [rows.view(np.float32)[:, :, :, i, 16] for i in range(2)]
    else:
        caches = [np.full((3, 16, 2, 64), -1, np.int8) for _ in range(2)]
        scales = [np.full((3, 16, 2), np.nan, np.float32) for _ in range(2)]
    given = {"k_scale": scales[0], "v_scale": scales[1]}
    table = np.array([[2, 0, 1]], np.int32)
    kernels.cache_write(k, v, *caches, table[0].repeat(16)[:40] * np.int64(16) + np.arange(40) % 16, **given)
    read = []
    for one, cache, scale in zip((k, v), caches, scales, strict=True):
        in_order = [part[table[0]].reshape(48, *part.shape[2:])[:40] for part in (cache, scale)]
        np.testing.assert_array_equal(in_order[1], np.abs(wide(one)).max(-1).astype(np.float32) / np.float32(127))
        read.append(in_order[0] * in_order[1][..., None].astype(np.float64))
        assert (np.abs(read[-1] - wide(one)) <= in_order[1][..., None] * 0.5001).all()
    q = heads(numbers, 1, 4, 64)
    got = kernels.decode(q, *caches, np.array([40], np.int32), block_table=table, **given)
    np.testing.assert_allclose(wide(got[0]), reference(q, *read)[0][0], atol=8e-3)


def test_what_breaks_a_rule(numbers: np.random.Generator) -> None:
    q, cache, lengths = heads(numbers, 2, 4, 64), heads(numbers, 4, 16, 2, 64), np.array([9, 3], np.int32)
    table = np.zeros((2, 2), np.int32)
    with pytest.raises(wavesmith.BadInputError, match="k_cache has 4 blocks and q 2 sequences"):
        kernels.decode(q, cache, cache, lengths)
    with pytest.raises(wavesmith.BadInputError, match="max_context is 33, and there is room for 32"):
        kernels.decode(q, cache, cache, lengths, block_table=table, max_context=33)
    with pytest.raises(wavesmith.BadInputError, match="block_table is of i64"):
        kernels.decode(q, cache, cache, lengths, block_table=table.astype(np.int64))
    with pytest.raises(wavesmith.UnsupportedError, match="page_size is 4, less than 8"):
        kernels.decode(q, cache[:, :4], cache[:, :4], lengths, block_table=table)
    with pytest.raises(wavesmith.BadInputError, match="slots is of i32"):
        kernels.cache_write(q[:, :2], q[:, :2], cache, cache, np.zeros(2, np.int32))
