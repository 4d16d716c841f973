"""Attention from Python, against NumPy in float64. The kernels' own tests are kernels/attention/attention_test.cc."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Numbers, attended, heads, wide

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


def reference(
    q: Numbers, k: Numbers, v: Numbers, *, causal: bool = False, slopes: Numbers | None = None
) -> tuple[Numbers, Numbers]:
    """Of (length, heads, size): the result and the log-sum-exp."""
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(wide(one), group, 1) for one in (k, v))
    scores = np.einsum("qhd,khd->hqk", wide(q), k) / np.sqrt(q.shape[-1])
    position = np.arange(len(q))[:, None] + len(k) - len(q)
    distance = position - np.arange(len(k))
    if slopes is not None:
        scores = scores - slopes[:, None, None] * np.abs(distance)
    if causal:
        scores = np.where(distance >= 0, scores, -np.inf)
    return attended(scores, v)


def test_heads_that_share_keys(numbers: np.random.Generator) -> None:
    q, k, v = heads(numbers, 2, 70, 4, 64), heads(numbers, 2, 90, 2, 64), heads(numbers, 2, 90, 2, 64)
    slopes = np.array([0.5, 0.25, 0.125, 0.0625], np.float32)
    for how in ({}, {"causal": True}, {"alibi_slopes": slopes}):
        got, lse = kernels.attention(q, k, v, return_lse=True, **how)
        assert type(got) is np.ndarray and got.shape == q.shape and got.dtype == q.dtype
        for batch in range(2):
            want, want_lse = reference(
                q[batch], k[batch], v[batch], causal="causal" in how, slopes=how.get("alibi_slopes")
            )
            np.testing.assert_allclose(wide(got[batch]), want, atol=3e-3)
            np.testing.assert_allclose(lse[batch], want_lse, atol=1e-4)


def test_sinks_count_in_the_sums(numbers: np.random.Generator) -> None:
    q, k, v = (heads(numbers, 1, 40, 2, 64) for _ in range(3))
    sinks = np.array([1.5, -2.0], np.float32)
    got, lse = kernels.attention(q, k, v, sinks=sinks, return_lse=True)
    want, without = reference(q[0], k[0], v[0])
    total = np.logaddexp(without, sinks[:, None])
    np.testing.assert_allclose(lse[0], total, atol=1e-4)
    np.testing.assert_allclose(wide(got[0]), want * np.exp(without - total).T[..., None], atol=3e-3)
    with pytest.raises(wavesmith.BadInputError, match="sinks"):
        kernels.attention(q, k, v, sinks=sinks[:1])


def test_dropout(numbers: np.random.Generator) -> None:
    q, k, v = heads(numbers, 2, 50, 4, 64), heads(numbers, 2, 90, 2, 64), heads(numbers, 2, 90, 2, 64)
    for p in (0.1, 0.75):
        how = {"dropout_p": p, "dropout_seed": int(numbers.integers(2**63)), "dropout_offset": 4 << 33}
        got, lse = kernels.attention(q, k, v, return_lse=True, **how)
        kept, factor = kernels.attention_dropout((2, 4, 50, 90), **how)
        weights = np.frombuffer(kept, np.uint8).reshape(2, 4, 50, 90) * factor
        # Of 18,000 decisions each the mean is this far off in fewer than one of a billion runs.
        assert abs(weights.mean() - 1) < 7 * (p / (1 - p) / weights.size) ** 0.5
        for batch in range(2):
            of_k, of_v = (np.repeat(wide(one[batch]), 2, 1) for one in (k, v))
            scores = np.einsum("qhd,khd->hqk", wide(q[batch]), of_k) / 8
            powers = np.exp(scores)
            want = np.einsum("hqk,khd->qhd", powers / powers.sum(-1, keepdims=True) * weights[batch], of_v)
            np.testing.assert_allclose(wide(got[batch]), want, atol=3e-3 * factor)
            np.testing.assert_allclose(lse[batch], np.log(powers.sum(-1)), atol=1e-4)
    assert kernels.attention_dropout((1, 1, 1, 3), dropout_p=0, dropout_seed=1) == (b"\1\1\1", 1)
    for wrong, name in (({"dropout_p": 1.0}, "dropout is 1"), ({"dropout_p": 0.5, "dropout_offset": 2}, "offset")):
        with pytest.raises(wavesmith.BadInputError, match=name):
            kernels.attention(q, k, v, **wrong)
        with pytest.raises(wavesmith.BadInputError, match=name):
            kernels.attention_dropout((1, 1, 1, 1), dropout_seed=0, **wrong)
    large = heads(numbers, 1, 5, 2, 136)
    with pytest.raises(wavesmith.UnsupportedError, match="dropout"):
        kernels.attention(large, large, large, dropout_p=0.5)


def test_packed_sequences(numbers: np.random.Generator) -> None:
    lengths_q, lengths_k = [5, 0, 130], [40, 7, 150]
    starts_q, starts_k = (np.cumsum([0, *lengths]).astype(np.int32) for lengths in (lengths_q, lengths_k))
    q, k, v = heads(numbers, 135, 2, 128), heads(numbers, 197, 1, 128), heads(numbers, 197, 1, 128)
    got = kernels.attention(q, k, v, causal=True, cu_seqlens_q=starts_q, cu_seqlens_k=starts_k)
    for i in range(3):
        of_q, of_k = slice(starts_q[i], starts_q[i + 1]), slice(starts_k[i], starts_k[i + 1])
        if lengths_q[i]:
            want, _ = reference(q[of_q], k[of_k], v[of_k], causal=True)
            np.testing.assert_allclose(wide(got[of_q]), want, atol=3e-3)


def test_results_go_where_they_are_wanted(numbers: np.random.Generator) -> None:
    q, k, v = (heads(numbers, 1, 33, 2, 64) for _ in range(3))
    out = np.empty_like(q)
    assert kernels.attention(q, k, v, softmax_scale=0.125, out=out) is out
    np.testing.assert_allclose(wide(out[0]), reference(q[0], k[0], v[0])[0], atol=3e-3)


def test_what_does_not_fit_is_refused() -> None:
    q = np.ones((1, 8, 3, 64), np.float16)
    with pytest.raises(wavesmith.BadInputError, match="v has shape"):
        kernels.attention(q, q, q[:, :4])
    with pytest.raises(wavesmith.BadInputError, match="heads"):
        kernels.attention(q, q[:, :, :2], q[:, :, :2])
    with pytest.raises(wavesmith.BadInputError, match="both given"):
        kernels.attention(q[0], q[0], q[0], cu_seqlens_q=np.array([0, 8], np.int32))
    with pytest.raises(wavesmith.UnsupportedError):
        kernels.attention(*(np.ones((1, 8, 1, 512), np.float16),) * 3)
