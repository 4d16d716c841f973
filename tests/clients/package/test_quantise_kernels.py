"""Quantising from Python, against ml_dtypes' roundings. The kernels' own tests are kernels/*/*_test.cc."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Numbers, wide

import wavesmith
from wavesmith import kernels

ml_dtypes = pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.representative

TYPES = [np.int8, *(getattr(ml_dtypes, f"float8_{name}") for name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"))]


def limit(dtype: Any) -> float:
    return 127.0 if dtype == np.int8 else float(ml_dtypes.finfo(dtype).max)


def rounded(x: Numbers, scales: Numbers, dtype: Any) -> Numbers:
    quotient = np.clip(x * (np.float32(1) / scales), -limit(dtype), limit(dtype))
    return (np.rint(quotient) if dtype == np.int8 else quotient).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_scales_are_found_for_what_shares_them(numbers: np.random.Generator, dtype: Any) -> None:
    x = numbers.standard_normal((3, 5, 200)).astype(np.float32)
    for scaling, axes in (("matrix", (0, 1, 2)), ("row", 2)):
        q, scales = kernels.quantise(x, dtype, scaling=scaling)
        want = np.abs(x).max(axes, keepdims=True) / np.float32(limit(dtype))
        np.testing.assert_array_equal(scales, want.reshape(scales.shape))
        assert q.dtype == dtype
        np.testing.assert_array_equal(wide(q), wide(rounded(x, want, dtype)))
        np.testing.assert_array_equal(kernels.dequantise(q, scales), q.astype(np.float32) * want)
    q, scales = kernels.quantise(x, dtype, scaling="block", block=64)
    assert scales.shape == (3, 5, 4)
    wanted = np.repeat(scales, 64, axis=-1)[..., :200]
    np.testing.assert_array_equal(wide(q), wide(rounded(x, wanted, dtype)))
    np.testing.assert_array_equal(kernels.dequantise(q, scales, block=64), q.astype(np.float32) * wanted)


def test_a_scale_is_given_or_1(numbers: np.random.Generator) -> None:
    x = numbers.standard_normal((4, 33)).astype(np.float16)
    q, scale = kernels.quantise(x, "e5m2", scale=np.float32([0.25]))
    assert scale[0] == 0.25
    np.testing.assert_array_equal(wide(q), wide((wide(x) * 4).astype(ml_dtypes.float8_e5m2)))
    q, scale = kernels.quantise(x, "e5m2")
    assert scale is None
    np.testing.assert_array_equal(wide(q), wide(x.astype(ml_dtypes.float8_e5m2)))
    np.testing.assert_array_equal(kernels.dequantise(q), q.astype(np.float32))


def test_mx(numbers: np.random.Generator) -> None:
    x = numbers.standard_normal((6, 75)).astype(np.float32)
    q, scales = kernels.quantise(x, "e2m1x2", scaling="mx")
    assert (q.dtype, q.shape, scales.dtype, scales.shape) == (np.uint8, (6, 38), np.uint8, (6, 3))
    largest = np.stack([np.abs(x[:, i : i + 32]).max(-1) for i in (0, 32, 64)], -1)
    np.testing.assert_array_equal(scales, np.floor(np.log2(largest)) - 2 + 127)
    factors = np.repeat(2.0 ** (scales.astype(np.float64) - 127), 32, axis=-1)[:, :75]
    want = np.clip(x / factors, -6, 6).astype(ml_dtypes.float4_e2m1fn)
    np.testing.assert_array_equal(kernels.dequantise(q, scales, columns=75), wide(want) * factors)
    q8, scales8 = kernels.quantise(x, "e4m3", scaling="mx")
    assert q8.dtype == ml_dtypes.float8_e4m3fn
    # Up to 512 may be scaled, and the largest number is 448.
    back = kernels.dequantise(q8, scales8.view(ml_dtypes.float8_e8m0fnu))
    np.testing.assert_allclose(back, x, rtol=2.0**-3, atol=2.0**-9 * np.abs(x).max())


def test_norms_and_gates_quantise_what_they_write(numbers: np.random.Generator) -> None:
    x, residual = (numbers.standard_normal((7, 192)).astype(np.float16) for _ in range(2))
    floats, summed = kernels.rms_norm(x, residual=residual, dtype="f32")
    q, scales, same = kernels.rms_norm(x, residual=residual, dtype="e4m3", scaling="row")
    np.testing.assert_array_equal(same, summed)
    assert scales.shape == (7, 1)
    np.testing.assert_array_equal(wide(q), wide(rounded(floats, scales, ml_dtypes.float8_e4m3fn)))
    q, scales = kernels.gated(x, dtype="i8", scaling="block", block=32)
    assert scales.shape == (7, 3)
    floats = kernels.gated(x, dtype="f32")
    np.testing.assert_array_equal(q, rounded(floats, np.repeat(scales, 32, axis=-1), np.int8))
    scale = np.float32([0.1])
    q = kernels.layer_norm(x, dtype="i8", scale=scale)
    np.testing.assert_array_equal(q, rounded(kernels.layer_norm(x, dtype="f32"), scale, np.int8))


def test_what_does_not_fit_is_refused() -> None:
    x = np.ones((4, 64), np.float32)
    with pytest.raises(wavesmith.UnsupportedError, match="y is of e2m1x2, for which there are kernels with MX"):
        kernels.quantise(x, "e2m1x2", scaling="row")
    with pytest.raises(wavesmith.UnsupportedError, match="block is 48"):
        kernels.quantise(x, scaling="block", block=48)
    with pytest.raises(wavesmith.BadInputError, match="scaling is 'channel'"):
        kernels.quantise(x, scaling="channel")  # type: ignore[arg-type]
    with pytest.raises(wavesmith.BadInputError, match="scale is given, and scaling is 'row'"):
        kernels.quantise(x, scaling="row", scale=np.ones(1, np.float32))
    with pytest.raises(wavesmith.BadInputError, match=r"scales has shape \(3, 1\)"):
        kernels.dequantise(np.ones((4, 64), np.int8), np.ones((3, 1), np.float32))
    with pytest.raises(wavesmith.BadInputError, match="which has none"):
        kernels.rms_norm(x, scaling="row")
    with pytest.raises(wavesmith.UnsupportedError, match="takes a second pass"):
        kernels.gated(x, dtype="i8", scaling="matrix")
