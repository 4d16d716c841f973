"""Operations on rows from Python, against NumPy in float64. The kernels' own tests are kernels/*/*_test.cc."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Numbers, wide

import wavesmith
from wavesmith import kernels

ml_dtypes = pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.representative

BF16 = np.dtype(ml_dtypes.bfloat16)
#: Half the distance between 1 and the next number.
EPSILON = {BF16: 2.0**-8, np.dtype(np.float16): 2.0**-11, np.dtype(np.float32): 2.0**-24}


def check(got: Any, want: Numbers) -> None:
    assert got.shape == want.shape
    allowed = EPSILON[got.dtype] * np.abs(want) + 2.0**-17 * (np.abs(want) + 1)
    np.testing.assert_array_less(np.abs(wide(got) - want) - allowed, 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16], ids=str)
def test_norms(numbers: np.random.Generator, dtype: Any) -> None:
    x = numbers.standard_normal((3, 5, 160)).astype(dtype)
    weight, bias = (numbers.standard_normal(160).astype(np.float32) for _ in range(2))
    rms = wide(x) / np.sqrt(np.mean(wide(x) ** 2, -1, keepdims=True) + 1e-5)
    check(kernels.rms_norm(x), rms)
    check(kernels.rms_norm(x, weight, weight_offset=1, dtype="f32"), rms * (1 + wide(weight)))
    centred = wide(x) - wide(x).mean(-1, keepdims=True)
    layer = centred / np.sqrt(np.mean(centred**2, -1, keepdims=True) + 0.5) * weight + bias
    check(kernels.layer_norm(x, weight, bias, eps=0.5, dtype="f32"), layer)


def test_a_residual_is_added_and_its_sum_returned(numbers: np.random.Generator) -> None:
    x, residual = (numbers.standard_normal((7, 96)).astype(np.float16) for _ in range(2))
    result, summed = kernels.rms_norm(x, residual=residual)
    np.testing.assert_array_equal(summed, x + residual)
    check(result, wide(summed) / np.sqrt(np.mean(wide(summed) ** 2, -1, keepdims=True) + 1e-5))


def test_a_sum_goes_where_it_is_wanted(numbers: np.random.Generator) -> None:
    x, residual = (numbers.standard_normal((7, 96)).astype(np.float16) for _ in range(2))
    want = kernels.rms_norm(x, residual=residual)
    result, summed = kernels.rms_norm(x, residual=residual, summed=residual, out=x)
    assert result is x and summed is residual
    np.testing.assert_array_equal(x, want[0])
    np.testing.assert_array_equal(residual, want[1])
    with pytest.raises(wavesmith.BadInputError, match="summed is given, and there is no residual"):
        kernels.layer_norm(x, summed=residual)
    with pytest.raises(wavesmith.BadInputError, match="summed is of f32 and residual of f16"):
        kernels.rms_norm(x, residual=residual, summed=np.empty((7, 96), np.float32))


def test_results_go_where_they_are_wanted(numbers: np.random.Generator) -> None:
    x = numbers.standard_normal((9, 65)).astype(np.float32)[:, :64]  # rows 65 apart
    want = wide(x) / np.sqrt(np.mean(wide(x) ** 2, -1, keepdims=True) + 1e-5)
    assert kernels.rms_norm(x, out=x) is x
    check(x, want)


def test_softmax(numbers: np.random.Generator) -> None:
    x = numbers.standard_normal((6, 33)).astype(np.float32)
    powers = np.exp(0.5 * wide(x))
    check(kernels.softmax(x, scale=0.5), powers / powers.sum(-1, keepdims=True))
    check(kernels.softmax(x, scale=0.5, log=True), np.log(powers / powers.sum(-1, keepdims=True)))


def test_gated(numbers: np.random.Generator) -> None:
    both = numbers.standard_normal((4, 48)).astype(np.float16)
    gate, up = wide(both[:, :24]), wide(both[:, 24:])
    want = gate / (1 + np.exp(-gate)) * up
    check(kernels.gated(both), want)
    check(kernels.gated(both[:, :24], both[:, 24:]), want)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rope(numbers: np.random.Generator, interleaved: bool) -> None:
    x = numbers.standard_normal((5, 3, 40)).astype(np.float32)
    angles = np.outer(np.arange(50), 100.0 ** -np.linspace(0, 1, 16))
    cosines, sines = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    positions = numbers.integers(0, 40, 5)
    want = wide(x)
    first, second = (slice(0, 32, 2), slice(1, 32, 2)) if interleaved else (slice(0, 16), slice(16, 32))
    c, s = (wide(table)[positions + 7][:, None] for table in (cosines, sines))
    a, b = want[..., first].copy(), want[..., second].copy()
    want[..., first], want[..., second] = a * c - b * s, b * c + a * s
    check(kernels.rope(x, cosines, sines, positions, first_position=7, interleaved=interleaved), want)


def test_what_does_not_fit_is_refused() -> None:
    x = np.ones((4, 8), np.float16)
    with pytest.raises(wavesmith.BadInputError, match=r"weight has shape \(7,\), a row \(8,\)"):
        kernels.rms_norm(x, np.ones(7, np.float16))
    with pytest.raises(wavesmith.BadInputError, match="x has a stride of 8 in its last dimension"):
        kernels.softmax(x.T)
    with pytest.raises(wavesmith.BadInputError, match="two halves"):
        kernels.gated(x[:, :7])
    with pytest.raises(wavesmith.UnsupportedError, match="x is of int64"):
        kernels.softmax(np.ones((4, 4), np.int64))
    with pytest.raises(wavesmith.UnsupportedError, match="positions is of float64"):
        kernels.rope(np.ones((4, 1, 8), np.float32), *(np.ones((4, 4), np.float32),) * 2, np.ones(4))
