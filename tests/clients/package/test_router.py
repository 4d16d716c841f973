"""Routers of mixtures of experts from Python, against NumPy in float64. The kernels' own tests are kernels/router's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Numbers, wide

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


def check(got: tuple[Any, Any], scores: Numbers, compared: Numbers, chosen: int, factor: float) -> None:
    """Scores of all experts, those by which they are compared, and the weights of the chosen renormalised."""
    weights, ids = got
    assert weights.dtype == np.float32 and ids.dtype == np.int32
    want = np.argsort(-compared, -1, kind="stable")[..., :chosen]
    np.testing.assert_array_equal(ids, want)
    of_chosen = np.take_along_axis(scores, want, -1)
    np.testing.assert_allclose(weights, of_chosen / of_chosen.sum(-1, keepdims=True) * factor, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=str)
def test_softmax(numbers: np.random.Generator, dtype: Any) -> None:
    logits = numbers.standard_normal((2, 5, 60)).astype(dtype)
    powers = np.exp(wide(logits))
    check(kernels.router(logits, 4, factor=2.0), powers, wide(logits), 4, 2.0)
    weights, ids = kernels.router(logits, 4, renormalised=False)
    scores = powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(weights, np.take_along_axis(scores, ids, -1), rtol=1e-5)


def test_sigmoids_with_a_bias_in_groups(numbers: np.random.Generator) -> None:
    logits = numbers.standard_normal((33, 64)).astype(np.float32)
    # Steps that are larger than what is rounded.
    bias = (numbers.permutation(64) / 8).astype(np.float32)
    scores = 1 / (1 + np.exp(-wide(logits)))
    in_groups = (scores + bias).reshape(33, 8, 8)
    worth = np.sort(in_groups, -1)[..., -2:].sum(-1)
    kept = np.argsort(-worth, -1, kind="stable")[:, :4]
    of_kept = np.full_like(in_groups, -np.inf)
    np.put_along_axis(of_kept, kept[..., None], np.take_along_axis(in_groups, kept[..., None], 1), 1)
    got = kernels.router(
        logits, 6, scores="sigmoid", bias=bias, groups=8, groups_kept=4, worth="two_largest", factor=2.5
    )
    check(got, scores, of_kept.reshape(33, 64), 6, 2.5)


def test_results_go_where_they_are_wanted(numbers: np.random.Generator) -> None:
    logits = numbers.standard_normal((7, 40)).astype(np.float32)[:, :33]
    weights, ids = np.empty((7, 3), np.float32), np.empty((7, 3), np.int32)
    got = kernels.router(logits, 3, weights=weights, ids=ids)
    assert got[0] is weights and got[1] is ids
    check(got, np.exp(wide(logits)), wide(logits), 3, 1.0)


def test_what_does_not_fit_is_refused() -> None:
    logits = np.ones((4, 16), np.float32)
    with pytest.raises(wavesmith.BadInputError, match="chosen is 0"):
        kernels.router(logits, 0)
    with pytest.raises(wavesmith.BadInputError, match=r"chosen is 17, not in \[1, 16\]"):
        kernels.router(logits, 17)
    with pytest.raises(wavesmith.BadInputError, match=r"bias has shape \(15,\)"):
        kernels.router(logits, 2, bias=np.ones(15, np.float32))
    with pytest.raises(wavesmith.BadInputError, match="bias is of f16"):
        kernels.router(logits, 2, bias=np.ones(16, np.float16))
    with pytest.raises(wavesmith.BadInputError, match="16 experts are not 3 equal groups"):
        kernels.router(logits, 2, groups=3)
    with pytest.raises(wavesmith.BadInputError, match="softmin"):
        kernels.router(logits, 2, scores="softmin")  # type: ignore[arg-type]
    with pytest.raises(wavesmith.BadInputError, match="ids has shape"):
        kernels.router(logits, 2, ids=np.empty((4, 3), np.int32))
    with pytest.raises(wavesmith.UnsupportedError, match="logits is of int64"):
        kernels.router(np.ones((4, 4), np.int64), 2)
