"""Wavesmith's kernels from Python, against NumPy in float64."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from conftest import Numbers, Python, wide

import wavesmith
from wavesmith import kernels

ml_dtypes = pytest.importorskip("ml_dtypes")
pytestmark = pytest.mark.representative

BF16 = np.dtype(ml_dtypes.bfloat16)
F16, F32 = np.dtype(np.float16), np.dtype(np.float32)
#: Half the distance between 1 and the next number.
EPSILON = {BF16: 2.0**-8, F16: 2.0**-11, F32: 2.0**-24}
TINY = {BF16: 2.0**-126, F16: 2.0**-24, F32: 2.0**-126}


def check(
    got: Numbers,
    a: Numbers,
    b: Numbers,
    *,
    c: Numbers | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    bias: Numbers | None = None,
    activation: str | None = None,
) -> None:
    """Within the bound that the docstring states, rounded to the result's type."""
    product, size = wide(a) @ wide(b), np.abs(wide(a)) @ np.abs(wide(b))
    assert got.shape == product.shape
    value = alpha * product
    error = (a.shape[-1] + 1) * 2.0**-24 * size * abs(alpha)
    if c is not None:
        value, error = value + beta * wide(c), error + 2.0**-23 * np.abs(beta * wide(c))
    if bias is not None:
        value = value + bias
    error = error + 2.0**-22 * np.abs(value)
    if activation:
        # Their slopes are at most 1.13; their own error is a few units of a float.
        error = 1.2 * error + 2.0**-20 * np.abs(value)
        cube = np.sqrt(2 / np.pi) * (value + 0.044715 * value**3)
        value = {
            "relu": np.maximum(value, 0),
            "gelu": value / 2 * (1 + np.tanh(cube)),
            "silu": value / (1 + np.exp(-value)),
        }[activation]
    allowed = error + EPSILON[got.dtype] * (np.abs(value) + error) + TINY[got.dtype]
    np.testing.assert_array_less(np.abs(wide(got) - value) - allowed, 0.0)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 1, 1), (7, 5, 3), (64, 64, 64), (33, 130, 71), (129, 1, 40), (1, 9, 300)]
)
def test_products_of_any_size(numbers: np.random.Generator, dtype: Any, m: int, n: int, k: int) -> None:
    a, b = numbers.standard_normal((m, k)).astype(dtype), numbers.standard_normal((k, n)).astype(dtype)
    got = kernels.gemm(a, b)
    assert type(got) is np.ndarray and got.dtype == dtype
    check(got, a, b)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_any_layout_with_a_unit_stride(numbers: np.random.Generator, dtype: Any) -> None:
    def matrix(rows: int, columns: int) -> Numbers:
        whole = numbers.standard_normal((rows + 3, columns + 5)).astype(dtype)
        return whole[1 : rows + 1, 2 : columns + 2]

    for a in (matrix(20, 31), matrix(31, 20).T, np.ascontiguousarray(matrix(20, 31))):
        for b in (matrix(31, 12), matrix(12, 31).T):
            check(kernels.gemm(a, b), a, b)
            for out in (matrix(20, 12), matrix(12, 20).T):
                around = out.base.copy() if out.base is not None else None
                assert kernels.gemm(a, b, out=out) is out
                check(out, a, b)
                result = out.copy()
                if around is not None and out.base is not None:
                    out[...] = 0
                    changed = out.base != around
                    out[...] = 1
                    assert ((out.base != around) == changed).sum() >= around.size - out.size
                out[...] = result
    column, row = matrix(20, 31)[:, :1], matrix(20, 31)[:1]
    check(kernels.gemm(column, row), column, row)
    check(kernels.gemm(row, row.T), row, row.T)


def test_parts_of_k(numbers: np.random.Generator) -> None:
    a, b = numbers.standard_normal((5, 4096)).astype(F16), numbers.standard_normal((4096, 70)).astype(F16)
    got = kernels.gemm(a, b, dtype="f32")  # which dispatch splits
    check(got, a, b)
    for tile in ("64x64x64", "64x64x64/2", "64x64x64/16"):
        check(kernels.gemm(a, b, dtype="f32", tile=tile), a, b)
    assert (got == kernels.gemm(a, b, dtype="f32")).all()
    assert (got != kernels.gemm(a, b, dtype="f32", tile="64x64x64")).any()
    with pytest.raises(wavesmith.UnsupportedError, match="64x64x64/3"):
        kernels.gemm(a, b, tile="64x64x64/3")


BLOCK_SCALED = """
import numpy, wavesmith
from wavesmith import kernels
wavesmith.use("mi355x", quiet=True)
numbers = numpy.random.default_rng(SEED)
a, b = (numbers.standard_normal((rows, 256)).astype("f4") for rows in (52, 36))
(q_a, s_a), (q_b, s_b) = (kernels.quantise(x, "e2m1x2", scaling="mx") for x in (a, b))
wide_a, wide_b = (kernels.dequantise(q, s, dtype="f32").astype("f8") for q, s in ((q_a, s_a), (q_b, s_b)))
how = {"block_scale_a": numpy.asfortranarray(s_a), "block_scale_b": numpy.asfortranarray(s_b)}
got = kernels.gemm(q_a, q_b.T, dtype="f32", **how)
assert (abs(got - wide_a @ wide_b.T) <= 260 * 2.0**-24 * (abs(wide_a) @ abs(wide_b.T))).all()
assert kernels.gemm(q_a, q_b.T, **how).dtype == "bfloat16"
wrongs = [
    (dict(how, block_scale_b=s_b), "block_scales_b.row_stride is 8, not 1"),
    (dict(how, block_scale_a=s_a[:, 1:]), "block_scale_a is of u8 with shape"),
    ({}, "have MX's scales"),
]
for wrong, says in wrongs:
    try:
        kernels.gemm(q_a, q_b.T, **wrong)
    except wavesmith.Error as error:
        assert says in str(error), error
    else:
        raise AssertionError(says)
print("right")
"""


def test_numbers_of_4_bits_with_block_scales(python: Python) -> None:
    seed = random.randrange(1 << 30)
    ran = python(BLOCK_SCALED.replace("SEED", str(seed)))
    assert ran.stdout == "right\n", f"seed {seed}: {ran.stderr}"


def test_float8_with_scales_of_blocks(numbers: np.random.Generator) -> None:
    fnuz = bool(kernels.gemm_tiles("float8_e4m3fnuz"))
    dtype = ml_dtypes.float8_e4m3fnuz if fnuz else ml_dtypes.float8_e4m3fn
    a, b = numbers.standard_normal((50, 300)).astype(F32), numbers.standard_normal((200, 300)).astype(F32)
    q_a, s_a = kernels.quantise(a, dtype, scaling="block", block=128)
    squares = numbers.uniform(0.5, 2, (2, 3)).astype(F32)
    q_b = b.astype(dtype)
    wide_a = kernels.dequantise(q_a, s_a, block=128, dtype="f32")
    wide_b = wide(q_b) * np.repeat(np.repeat(squares, 128, 0), 128, 1)[:200, :300]
    got = kernels.gemm(q_a, q_b.T, block_scale_a=s_a, block_scale_b=squares, dtype="f32")
    check(got, wide_a, wide_b.T)
    own = np.asfortranarray(numbers.uniform(0.5, 2, (200, 3)).astype(F32))
    got = kernels.gemm(q_a, q_b.T, block_scale_a=s_a, block_scale_b=own, dtype="f32")
    check(got, wide_a, (wide(q_b) * np.repeat(own, 128, 1)[:, :300]).T)
    both = kernels.gemm(np.stack([q_a, q_a]), q_b.T, block_scale_a=np.stack([s_a, 2 * s_a]), block_scale_b=own)
    check(both, np.stack([wide_a, 2 * wide_a]), (wide(q_b) * np.repeat(own, 128, 1)[:, :300]).T)
    with pytest.raises(wavesmith.UnsupportedError, match="block_scales_b.row_stride is 3, not 1"):
        kernels.gemm(q_a, q_b.T, block_scale_a=s_a, block_scale_b=np.ascontiguousarray(own))
    with pytest.raises(wavesmith.UnsupportedError, match="block_scales_b.scaling is 0"):
        kernels.gemm(q_a, q_b.T, block_scale_a=s_a)
    with pytest.raises(wavesmith.BadInputError, match="block_scale_b is of f32 with shape"):
        kernels.gemm(q_a, q_b.T, block_scale_a=s_a, block_scale_b=squares.T)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_weights_of_4_bits(numbers: np.random.Generator, dtype: Any) -> None:
    m, n, k, group = 30, 70, 200, 64
    a, weights = numbers.standard_normal((m, k)).astype(dtype), numbers.integers(-8, 8, (n, k))
    packed = ((weights[:, ::2] & 15) | (weights[:, 1::2] & 15) << 4).astype(np.uint8)
    scales, zeros = (np.asfortranarray(numbers.uniform(0.25, 1, (n, -(-k // group))).astype(dtype)) for _ in range(2))
    for zero in (None, zeros):
        got = kernels.gemm(a, packed.T, block_scale_b=scales, zero_point_b=zero, dtype="f32")
        less = 0 if zero is None else np.repeat(wide(zero), group, 1)[:, :k]
        exact = np.repeat(wide(scales), group, 1)[:, :k] * (weights - less)
        error = EPSILON[np.dtype(dtype)] * 1.01 * (np.abs(wide(a)) @ np.abs(exact).T) + 2.0**-12
        np.testing.assert_array_less(np.abs(wide(got) - wide(a) @ exact.T), error)
    with pytest.raises(wavesmith.BadInputError, match="zero_point_b is of f32"):
        kernels.gemm(a, packed.T, block_scale_b=scales, zero_point_b=np.asfortranarray(zeros.astype(F32)))
    with pytest.raises(wavesmith.BadInputError, match="block_scale_b is of f32 with shape"):
        kernels.gemm(a, packed.T, block_scale_b=np.ones((n, 5), F32))
    with pytest.raises(wavesmith.UnsupportedError, match="block_scales_b.scaling is 0"):
        kernels.gemm(a, packed.T)
    with pytest.raises(wavesmith.BadInputError, match="a has 200 columns and b 100 rows"):
        kernels.gemm(a.astype(F32), packed.T)


def test_weights_of_mxfp4(numbers: np.random.Generator) -> None:
    m, n, k = 30, 70, 192
    a = numbers.standard_normal((m, k)).astype(BF16)
    bits = numbers.integers(0, 16, (n, k))
    packed = (bits[:, ::2] | bits[:, 1::2] << 4).astype(np.uint8)
    exponents = numbers.integers(120, 128, (n, k // 32)).astype(np.uint8)
    sizes = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])[bits % 8] * np.where(bits < 8, 1, -1)
    exact = sizes * np.repeat(2.0 ** (exponents.astype(np.int64) - 127), 32, 1)
    got = kernels.gemm(a, packed.T, block_scale_b=exponents, dtype="f32")
    error = (k + 1) * 2.0**-24 * (np.abs(wide(a)) @ np.abs(exact).T) + 2.0**-20
    np.testing.assert_array_less(np.abs(wide(got) - wide(a) @ exact.T), error)
    with pytest.raises(wavesmith.UnsupportedError, match="a is of f16 and b of e2m1x2"):
        kernels.gemm(a.astype(F16), packed.T, block_scale_b=exponents)
    with pytest.raises(wavesmith.BadInputError, match="block_scale_b is of u8 with shape"):
        kernels.gemm(a, packed.T, block_scale_b=exponents[:, :2])


def test_groups_of_rows(numbers: np.random.Generator) -> None:
    offsets = np.array([1, 4, 4, 40, 41], np.int32)
    a, b = numbers.standard_normal((50, 64)).astype(F16), numbers.standard_normal((4, 30, 64)).astype(F16)
    out = np.full((50, 30), 7, F32)
    assert kernels.gemm(a, b.swapaxes(1, 2), group_offsets=offsets, out=out) is out
    for group in (0, 2, 3):
        rows = slice(offsets[group], offsets[group + 1])
        check(out[rows], a[rows], b[group].T)
    assert (out[:1] == 7).all() and (out[41:] == 7).all()
    assert kernels.gemm(a, b.swapaxes(1, 2), group_offsets=offsets).shape == (50, 30)
    with pytest.raises(wavesmith.BadInputError, match="group_offsets is of i32 with shape"):
        kernels.gemm(a, b.swapaxes(1, 2), group_offsets=offsets[1:])
    with pytest.raises(wavesmith.BadInputError, match="a is then one matrix and b a batch"):
        kernels.gemm(a, b[0].T, group_offsets=offsets)
    by_rows = kernels.gemm(a, np.ascontiguousarray(b.swapaxes(1, 2)), group_offsets=offsets)
    check(by_rows[4:40], a[4:40], b[2].T)
    with pytest.raises(wavesmith.UnsupportedError, match="want K together in memory in a"):
        kernels.gemm(np.asfortranarray(a), b.swapaxes(1, 2), group_offsets=offsets)


def test_groups_along_k(numbers: np.random.Generator) -> None:
    offsets = np.array([1, 4, 4, 40, 41], np.int32)
    x, y = numbers.standard_normal((50, 64)).astype(F16), numbers.standard_normal((50, 30)).astype(F16)
    made = kernels.gemm(x.T, y, group_offsets=offsets, groups_along_k=True, dtype=F32)
    assert made.shape == (4, 64, 30)
    for group in range(4):
        rows = slice(offsets[group], offsets[group + 1])
        check(made[group], x[rows].T, y[rows])
    assert not made[1].any()
    turned = np.empty((4, 30, 64), F32)
    kernels.gemm(x.T, y, group_offsets=offsets, groups_along_k=True, out=turned.swapaxes(1, 2))
    assert (turned.swapaxes(1, 2) == made).all()
    with pytest.raises(wavesmith.BadInputError, match="a and b are then one matrix each"):
        kernels.gemm(x.T, y[None], group_offsets=offsets, groups_along_k=True)
    with pytest.raises(wavesmith.BadInputError, match="groups_along_k is for products with group_offsets"):
        kernels.gemm(x.T, y, groups_along_k=True)
    with pytest.raises(wavesmith.UnsupportedError, match="want rows of a together in memory, and columns of b"):
        kernels.gemm(np.ascontiguousarray(x.T), y, group_offsets=offsets, groups_along_k=True)


def test_rows_of_groups_that_lie_anywhere(numbers: np.random.Generator) -> None:
    offsets, rows = np.array([0, 3, 3, 20], np.int32), numbers.integers(0, 9, 20).astype(np.int32)
    rows[5:7] = -1, 9
    a, b = numbers.standard_normal((9, 64)).astype(F16), numbers.standard_normal((3, 30, 64)).astype(F16)
    moved = np.where((rows >= 0)[:, None] & (rows < 9)[:, None], a[rows.clip(0, 8)], np.zeros(1, F16))
    got = kernels.gemm(a, b.swapaxes(1, 2), group_offsets=offsets, a_rows=rows)
    check(got[:3], moved[:3], b[0].T)
    check(got[3:], moved[3:], b[2].T)
    with pytest.raises(wavesmith.BadInputError, match="a_rows is of i64"):
        kernels.gemm(a, b.swapaxes(1, 2), group_offsets=offsets, a_rows=rows.astype(np.int64))
    with pytest.raises(wavesmith.UnsupportedError, match="a_rows is for groups of rows"):
        kernels.gemm(a, b[0].T, a_rows=rows)


def test_batches_share_matrices_that_have_none(numbers: np.random.Generator) -> None:
    a, b = numbers.standard_normal((3, 10, 14)).astype(F16), numbers.standard_normal((3, 14, 18)).astype(F16)
    check(kernels.gemm(a, b), a, b)
    check(kernels.gemm(a[0], b), a[0], b)
    check(kernels.gemm(a, b[1]), a, b[1])
    check(kernels.gemm(a[:1], b), a[:1], b)
    check(kernels.gemm(a[:1], b[1]), a[:1], b[1])
    swapped = np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2)
    check(kernels.gemm(swapped[::2], b[::2]), swapped[::2], b[::2])
    c = numbers.standard_normal((10, 18)).astype(F32)
    check(kernels.gemm(a, b, c=c, beta=2.0), a, b, c=c, beta=2.0)


def test_c_bias_activation_and_types(numbers: np.random.Generator) -> None:
    a, b = numbers.standard_normal((25, 40)).astype(BF16), numbers.standard_normal((40, 31)).astype(BF16)
    for number, activation in enumerate((None, "relu", "gelu", "silu")):
        dtype, bias_type, c_type = ((F32, F16, BF16)[(number + shift) % 3] for shift in range(3))
        c = numbers.standard_normal((25, 31)).astype(c_type)
        for per_row in (False, True):
            bias = numbers.standard_normal(25 if per_row else 31).astype(bias_type)
            how: dict[str, Any] = {"alpha": -0.5, "beta": 3.0, "c": c, "activation": activation}
            got = kernels.gemm(a, b, bias=bias, bias_per_row=per_row, dtype=dtype, **how)
            assert got.dtype == dtype
            check(got, a, b, bias=wide(bias)[:, None] if per_row else wide(bias), **how)
    c = numbers.standard_normal((25, 31)).astype(F32)
    before = c.copy()
    assert kernels.gemm(a, b, c=c, out=c, beta=1.0) is c
    check(c, a, b, c=before, beta=1.0)


def test_gated_products(numbers: np.random.Generator) -> None:
    for dtype, n, by_columns in ((BF16, 33, True), (F16, 40, False)):
        a, b = (numbers.standard_normal(shape).astype(dtype) for shape in ((25, 40), (40, 2 * n)))
        b = np.asfortranarray(b) if by_columns else b
        bias = numbers.standard_normal(2 * n).astype(F32)
        product = wide(a) @ wide(b) + wide(bias)
        gate, up = product[:, :n], product[:, n:]
        got = kernels.gemm(a, b, bias=bias, gated=True, activation="silu", dtype=F32)
        np.testing.assert_allclose(got, gate / (1 + np.exp(-gate)) * up, rtol=1e-3, atol=1e-3)
        # As the product and its gate apart.
        np.testing.assert_allclose(
            kernels.gated(kernels.gemm(a, b, bias=bias, dtype=F32), activation="silu"), got, rtol=1e-4, atol=1e-4
        )


def test_empty_products(numbers: np.random.Generator) -> None:
    nothing = np.empty((0, 5), F16)
    assert kernels.gemm(nothing, np.ones((5, 3), F16)).shape == (0, 3)
    got = kernels.gemm(np.empty((4, 0), F16), np.empty((0, 3), F16), bias=np.arange(3, dtype=F16))
    np.testing.assert_array_equal(got, np.tile(np.arange(3, dtype=F16), (4, 1)))
    assert kernels.gemm(np.empty((0, 4, 5), F16), np.ones((5, 3), F16)).shape == (0, 4, 3)


def test_integers_are_summed_exactly(numbers: np.random.Generator) -> None:
    a = numbers.integers(-128, 128, (37, 200), np.int8)
    b = np.asfortranarray(numbers.integers(-128, 128, (200, 41), np.int8))
    got = kernels.gemm(a, b)
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, a.astype(np.int32) @ b.astype(np.int32))
    small = kernels.gemm(a, b, alpha=1 / 4096, dtype=np.int8)
    assert small.dtype == np.int8
    exact = np.clip(np.rint(wide(a) @ wide(b) / 4096), -128, 127)
    assert np.abs(wide(small) - exact).max() <= 1


def test_float32_and_float8(numbers: np.random.Generator) -> None:
    a, b = numbers.standard_normal((33, 70)).astype(F32), numbers.standard_normal((70, 50)).astype(F32)
    check(kernels.gemm(a, b), a, b)
    kind = "fnuz" if kernels.gemm_tiles("float8_e4m3fnuz") else ""
    types = [getattr(ml_dtypes, f"float8_{name}") for name in (f"e4m3{kind or 'fn'}", f"e5m2{kind}")]
    assert kernels.gemm_tiles(*types)
    for type_a in types:
        for type_b in types:
            small_a, small_b = a.astype(type_a), np.asfortranarray(b.astype(type_b))
            got = kernels.gemm(small_a, small_b)
            assert got.dtype == BF16
            check(got, small_a, small_b)
            assert kernels.gemm(small_a, small_b, dtype=type_a).dtype == type_a


def test_scales(numbers: np.random.Generator) -> None:
    a = numbers.integers(-128, 128, (37, 64), np.int8)
    b = np.asfortranarray(numbers.integers(-128, 128, (64, 41), np.int8))
    of_a, of_b = numbers.uniform(0.5, 2, (37, 1)).astype(F32), numbers.uniform(0.5, 2, (1, 41)).astype(F32)
    one = np.float32(0.25).reshape(1)
    rows = kernels.gemm(a, b, scale_a=of_a, scale_b=of_b, scale_d=one, dtype=F32)
    np.testing.assert_allclose(rows, (of_a * wide(a)) @ (wide(b) * of_b) * 0.25, rtol=2.0**-20, atol=2.0**-10)
    np.testing.assert_array_equal(
        kernels.gemm(a, b, scale_a=of_a[:, 0], scale_b=of_b[0], scale_d=one[0:1], dtype=F32), rows
    )
    both = kernels.gemm(a, b, scale_a=np.asarray(of_a[0, 0]), scale_b=one, dtype=F32)
    np.testing.assert_allclose(both, wide(of_a)[0, 0] * 0.25 * (wide(a) @ wide(b)), rtol=2.0**-20)
    out = np.empty((41, 37), F32).T  # by columns: the transpose is computed
    kernels.gemm(a, b, scale_a=of_a, scale_b=of_b, scale_d=one, out=out)
    np.testing.assert_allclose(out, rows, rtol=2.0**-21)


def test_each_tile_can_be_asked_for(numbers: np.random.Generator) -> None:
    a, b = numbers.standard_normal((70, 64)).astype(F16), numbers.standard_normal((64, 130)).astype(F16)
    b = np.asfortranarray(b)  # some tiles want K together
    tiles = kernels.gemm_tiles()
    assert len(tiles) >= 2 and all(len(tile.split("x")) == 3 for tile in tiles)
    for tile in tiles:
        check(kernels.gemm(a, b, tile=tile), a, b)
    with pytest.raises(wavesmith.UnsupportedError, match="no kernel with a tile 1x2x3 for a and b of f16 for gfx"):
        kernels.gemm(a, b, tile="1x2x3")


@pytest.mark.parametrize("word", ["f32", "float32", np.float32, F32])
def test_types_are_named_as_any_package_does(word: object) -> None:
    one = np.ones((2, 2), F16)
    assert kernels.gemm(one, one, dtype=word).dtype == F32
    assert kernels.gemm(one, one, dtype=ml_dtypes.bfloat16).dtype == BF16


ONES = np.ones((4, 4), F16)
READ_ONLY = np.ones((4, 4), F16)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((ONES, np.ones((5, 4), F16), {}), "BadInputError", "a has 4 columns and b 5 rows"),
        ((ONES, np.ones(4, F16), {}), "BadInputError", "b has 1 dimensions"),
        ((np.ones((8, 8), F16)[::2, ::2], ONES, {}), "BadInputError", "gemm: a has strides 16 and 2: one of them must"),
        ((np.ones((4, 4), F16)[::-1], ONES, {}), "BadInputError", "gemm: a.row_stride is -4"),
        ((ONES, ONES.astype(BF16), {}), "UnsupportedError", "gemm: a is of f16 and b of bf16"),
        ((ONES.astype("i4"), ONES.astype("i4"), {}), "UnsupportedError", "there are no kernels for a and b of i32"),
        ((ONES.astype("i1"), ONES.astype("i1"), {}), "UnsupportedError", "want K together in memory"),
        ((ONES.astype(np.float64), ONES, {}), "UnsupportedError", "a is of float64"),
        ((ONES.astype(">f2"), ONES, {}), "UnsupportedError", "a has its bytes in the other order"),
        ((ONES, ONES, {"dtype": "int8"}), "UnsupportedError", "a is of f16 and d of i8"),
        ((ONES, ONES, {"dtype": "int16"}), "UnsupportedError", "the result is of int16"),
        ((ONES, ONES, {"beta": 1.0}), "BadInputError", "gemm: c.data is null"),
        ((ONES, ONES, {"beta": 1.0, "c": np.ones((3, 4), F16)}), "BadInputError", "c has shape"),
        ((ONES, ONES, {"beta": 1.0, "c": np.ones((4, 4), F16).T}), "UnsupportedError", "c and d must both lie by rows"),
        ((ONES, ONES, {"out": ONES}), "BadInputError", "gemm: d overlaps a"),
        ((ONES, ONES, {"out": READ_ONLY}), "BadInputError", "out is read-only"),
        ((ONES, ONES, {"out": np.ones((4, 5), F16)}), "BadInputError", "out has shape"),
        ((ONES, ONES, {"out": np.ones((4, 4), F16), "dtype": "f32"}), "BadInputError", "out is of f16"),
        ((ONES, ONES, {"bias": np.ones(5, F16)}), "BadInputError", "bias has shape"),
        ((ONES, np.ones((4, 5), F16), {"gated": True}), "BadInputError", "b has 5 columns, and a gated product two"),
        ((ONES, ONES, {"gated": True, "beta": 1.0, "c": ONES[:, :2]}), "UnsupportedError", "a gated product has no c"),
        ((ONES.astype("f4"), ONES.astype("f4"), {"gated": True}), "UnsupportedError", "of f32 that gate"),
        ((ONES, ONES, {"scale_a": np.ones(3, F32)}), "BadInputError", "scale_a is of f32, of shape"),
        ((ONES, ONES, {"scale_b": np.ones(4, F16)}), "BadInputError", "scale_b is of f16"),
        ((ONES, ONES, {"activation": "tanh"}), "BadInputError", "activation is 'tanh'"),
        ((ONES, [[1.0]], {}), "BadInputError", "b is list, no array"),
        ((np.ones((2, 4, 4), F16), np.ones((3, 4, 4), F16), {}), "BadInputError", "a has 2 matrices and b 3"),
        ((np.ones((2, 4, 4), F16)[::-1], ONES, {}), "BadInputError", "gemm: a.batch_stride is negative"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple[Any, Any, dict[str, Any]], error: str, says: str) -> None:
    a, b, options = arguments
    with pytest.raises(getattr(wavesmith, error), match=says):
        kernels.gemm(a, b, **options)


def test_arrays_of_torch_in_the_hosts_memory() -> None:
    torch = pytest.importorskip("torch")
    a, b = torch.randn(33, 20).to(torch.bfloat16), torch.randn(17, 20).to(torch.bfloat16).T
    got = kernels.gemm(a, b, bias=torch.ones(17))
    assert isinstance(got, torch.Tensor) and got.dtype == torch.bfloat16
    as_numpy = [one.float().numpy() for one in (a, b)]
    check(got.float().numpy().astype(BF16), *as_numpy, bias=np.ones(17))
    assert kernels.gemm(a, b, dtype=torch.float16).dtype == torch.float16
    out = torch.empty(17, 33).T
    assert kernels.gemm(a, b, out=out) is out
    check(out.numpy(), *as_numpy)
    with pytest.raises(wavesmith.BadInputError, match="a cannot be passed by DLPack"):
        kernels.gemm(torch.ones(2, 2, requires_grad=True), b)


def test_every_generation_multiplies(python: Python) -> None:
    ran = python("""
import numpy, wavesmith
wavesmith.use("mi210,mi355x,rx7900xtx", quiet=True)
a, b = numpy.eye(40, dtype="f2"), numpy.arange(1200, dtype="f2").reshape(40, 30)
assert (wavesmith.kernels.gemm(a, b) == b).all()
print(wavesmith.kernels.gemm_tiles())
assert wavesmith.kernels.gemm_tiles("float8_e4m3fn") == []  # CDNA2 has none
""")
    assert "64x64x64" in ran.stdout, ran.stderr
