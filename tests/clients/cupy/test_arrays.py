"""CuPy's arrays on an emulated GPU, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

cp = pytest.importorskip("cupy")

SEED = 20_26
TOLERANCE = {"e": 2e-3, "f": 2e-6, "d": 1e-13, "F": 2e-6, "D": 1e-13}


def numbers(shape, dtype, low=-3.0, high=3.0, seed=SEED):
    """Random numbers of a type: complex ones in both parts, integers between the limits."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else int(low * 9), int(high * 9) + 1, shape).astype(dtype)
    values = random.uniform(low, high, shape)
    if dtype.kind == "c":
        values = values + 1j * random.uniform(low, high, shape)
    return values.astype(dtype)


def agree(got, expected, scale=1.0):
    """The same shape and type, and the same numbers within a few units in the last place."""
    expected = np.asarray(expected)
    got = cp.asnumpy(got)
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    if expected.dtype.kind in "fc":
        tolerance = TOLERANCE[expected.dtype.char] * scale
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.representative
def test_copies_between_host_and_device():
    for shape in ((), (0,), (1,), (1003,), (7, 11, 13)):
        values = numbers(shape, "f4")
        agree(cp.asarray(values), values)
        agree(cp.asarray(values).copy(), values)
    turned = numbers((33, 65), "f8")
    agree(cp.asarray(turned.T), turned.T)
    agree(cp.asarray(np.asfortranarray(turned)), turned)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", ["e", "f", "d", "F"])
@pytest.mark.parametrize("name", ["sin", "exp", "sqrt", "tanh", "square", "reciprocal"])
def test_functions_of_one_number(name, dtype):
    values = numbers(257, dtype, 0.25, 2.5)
    agree(getattr(cp, name)(cp.asarray(values)), getattr(np, name)(values), 8)


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize(
    "name",
    [
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "arcsinh",
        "arctanh",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "cbrt",
        "floor",
        "ceil",
        "rint",
        "trunc",
        "fabs",
        "sign",
        "degrees",
        "isnan",
        "isfinite",
        "signbit",
    ],
)
def test_more_functions_of_one_number(name, dtype):
    values = numbers(301, dtype, 0.01, 0.99)
    agree(getattr(cp, name)(cp.asarray(values)), getattr(np, name)(values), 16)


@pytest.mark.parametrize("dtype", ["b", "H", "i", "q", "f", "d", "D"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "equal"])
def test_functions_of_two_numbers(name, dtype):
    a, b = numbers((19, 1, 31), dtype), numbers((5, 31), dtype, seed=1)
    agree(getattr(cp, name)(cp.asarray(a), cp.asarray(b)), getattr(np, name)(a, b))


@pytest.mark.representative
def test_integers_divide_and_shift():
    a, b = numbers(1000, "i4", -100, 100), numbers(1000, "i4", 1, 30, seed=2)
    b = b % 31 + 1
    for name in ("floor_divide", "remainder", "fmod", "left_shift", "bitwise_xor", "gcd"):
        agree(getattr(cp, name)(cp.asarray(a), cp.asarray(b)), getattr(np, name)(a, b))


def test_brain_floats():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    values = numbers(1000, "f4").astype(bfloat16)
    on_gpu = cp.asarray(values)
    for name in ("add", "multiply", "maximum"):
        got = getattr(cp, name)(on_gpu, on_gpu[::-1])
        assert got.dtype == bfloat16
        np.testing.assert_array_equal(cp.asnumpy(got), getattr(np, name)(values, values[::-1]))


@pytest.mark.representative
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2)])
def test_reductions(axis):
    values = numbers((17, 130, 9), "f8")
    on_gpu = cp.asarray(values)
    for name in ("sum", "min", "max", "mean", "var", "any"):
        agree(getattr(on_gpu, name)(axis=axis), getattr(values, name)(axis=axis), 50)
    if not isinstance(axis, tuple):
        agree(on_gpu.argmax(axis=axis), values.argmax(axis=axis))


@pytest.mark.parametrize("dtype", ["?", "b", "e", "f", "q", "F"])
def test_sums_of_every_type(dtype):
    values = numbers(12_345, dtype, 0, 1)
    agree(cp.asarray(values).sum(), values.sum(), 20)


@pytest.mark.representative
def test_running_sums():
    values = numbers((37, 530), "i8")
    agree(cp.cumsum(cp.asarray(values)), np.cumsum(values))
    agree(cp.cumsum(cp.asarray(values), axis=1), np.cumsum(values, axis=1))
    agree(cp.cumprod(cp.asarray(values[:3] % 3), axis=0), np.cumprod(values[:3] % 3, axis=0))


@pytest.mark.representative
def test_indexing():
    values = numbers((20, 30, 7), "f4")
    on_gpu = cp.asarray(values)
    agree(on_gpu[3:-2:3, ::-2, 1], values[3:-2:3, ::-2, 1])
    agree(on_gpu[..., None, 2], values[..., None, 2])
    agree(on_gpu[on_gpu > 1], values[values > 1])
    rows, columns = np.array([0, 5, 5, 19]), np.array([1, -1, 2, 3])
    agree(on_gpu[cp.asarray(rows), cp.asarray(columns)], values[rows, columns])
    agree(on_gpu.take(cp.asarray(rows), axis=1), values.take(rows, axis=1))
    on_gpu[cp.asarray(rows), 1:4] = 9
    values[rows, 1:4] = 9
    on_gpu[on_gpu < 0] = 0
    values[values < 0] = 0
    agree(on_gpu, values)
    cp.add.at(on_gpu, (cp.asarray(rows), 2), 1)
    np.add.at(values, (rows, 2), 1)
    agree(on_gpu, values)
    agree(cp.stack(cp.nonzero(on_gpu)), np.stack(np.nonzero(values)))


@pytest.mark.representative
@pytest.mark.parametrize("dtype", ["b", "H", "i", "q", "e", "f", "d"])
def test_sorting(dtype):
    """With the code of rocThrust and hipCUB that the package brings."""
    values = numbers(10_007, dtype, -900, 900)
    if np.dtype(dtype).kind == "f":
        values[[5, 99, 1234]] = np.nan
    on_gpu = cp.asarray(values)
    agree(cp.sort(on_gpu), np.sort(values))
    agree(values[cp.asnumpy(cp.argsort(on_gpu))], np.sort(values))
    agree(cp.sort(cp.asarray(values[:9990]).reshape(90, 111), axis=0), np.sort(values[:9990].reshape(90, 111), axis=0))


@pytest.mark.representative
def test_what_builds_on_sorting():
    values = numbers(5003, "i4", -40, 40)
    on_gpu = cp.asarray(values)
    for got, expected in zip(
        cp.unique(on_gpu, return_index=True, return_inverse=True, return_counts=True),
        np.unique(values, return_index=True, return_inverse=True, return_counts=True),
        strict=True,
    ):
        agree(got, expected)
    keys = numbers((2, 400), "f8")
    agree(cp.lexsort(cp.asarray(keys)), np.lexsort(keys))
    edges = np.unique(values)
    agree(cp.searchsorted(cp.asarray(edges), on_gpu), np.searchsorted(edges, values))
    agree(cp.partition(on_gpu, 100)[100], np.partition(values, 100)[100])
    agree(cp.bincount(on_gpu - values.min()), np.bincount(values - values.min()))
    for got, expected in zip(cp.histogram(on_gpu, 13), np.histogram(values, 13), strict=True):
        agree(got, expected)
    agree(cp.median(cp.asarray(keys), axis=1), np.median(keys, axis=1))
    agree(cp.percentile(cp.asarray(keys), [5, 50, 99]), np.percentile(keys, [5, 50, 99]), 10)


def test_shapes():
    values = numbers((6, 8, 10), "i2")
    on_gpu = cp.asarray(values)
    agree(cp.concatenate([on_gpu, on_gpu[:2]]), np.concatenate([values, values[:2]]))
    agree(cp.transpose(on_gpu, (2, 0, 1)).copy(), np.transpose(values, (2, 0, 1)))
    agree(cp.pad(on_gpu, ((1, 2), (0, 3), (4, 0)), mode="edge"), np.pad(values, ((1, 2), (0, 3), (4, 0)), mode="edge"))
    agree(cp.tile(on_gpu, (2, 1, 3)), np.tile(values, (2, 1, 3)))
    agree(cp.roll(on_gpu, 5, axis=(0, 2)), np.roll(values, 5, axis=(0, 2)))
    agree(cp.repeat(on_gpu, 3, axis=1), np.repeat(values, 3, axis=1))
    agree(cp.flip(on_gpu, (0, 1)), np.flip(values, (0, 1)))
    agree(cp.where(on_gpu > 3, on_gpu, -on_gpu), np.where(values > 3, values, -values))
    agree(cp.arange(5, 60, 7), np.arange(5, 60, 7))
    agree(cp.linspace(0, 1, 77), np.linspace(0, 1, 77))


@pytest.mark.representative
@pytest.mark.parametrize("bits", ["XORWOW", "MRG32k3a", "Philox4x3210"])
def test_random_generators(bits):
    """With the generators' device code that the package brings."""
    generator = cp.random.Generator(getattr(cp.random, bits)(SEED))
    uniform = cp.asnumpy(generator.random(20_000))
    assert uniform.min() >= 0 and uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 5 * np.sqrt(1 / 12 / 20_000)
    normal = cp.asnumpy(generator.standard_normal(20_000))
    assert abs(normal.mean()) < 5 / np.sqrt(20_000)
    assert abs(normal.var() - 1) < 5 * np.sqrt(2 / 20_000)
    integers = cp.asnumpy(generator.integers(3, 9, 6000))
    assert set(integers) == {3, 4, 5, 6, 7, 8}
    poisson = cp.asnumpy(generator.poisson(4.5, 20_000))
    assert abs(poisson.mean() - 4.5) < 5 * np.sqrt(4.5 / 20_000)
    again = cp.random.Generator(getattr(cp.random, bits)(SEED))
    np.testing.assert_array_equal(cp.asnumpy(again.random(20_000)), uniform)


@pytest.mark.representative
def test_random_state():
    """With hipRAND's host interface."""
    state = cp.random.RandomState(SEED)
    uniform = cp.asnumpy(state.random_sample(20_001))
    assert abs(uniform.mean() - 0.5) < 5 * np.sqrt(1 / 12 / 20_000)
    normal = cp.asnumpy(state.normal(3, 2, (100, 201)))
    assert abs(normal.mean() - 3) < 5 * 2 / np.sqrt(20_100)
    assert abs(normal.std() - 2) < 0.05
    assert sorted(cp.asnumpy(state.permutation(1000))) == list(range(1000))
    assert set(cp.asnumpy(state.randint(0, 4, 500))) == {0, 1, 2, 3}
    assert set(cp.asnumpy(state.choice(5, 300, replace=True))) == {0, 1, 2, 3, 4}
    np.testing.assert_array_equal(cp.asnumpy(cp.random.RandomState(SEED).random_sample(20_001)), uniform)


@pytest.mark.representative
@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
def test_products_of_matrices(dtype):
    """hipBLAS's gemm and gemv: transposed, batched, with vectors, odd sizes, and slices that are no whole matrices."""
    random = np.random.default_rng(7)
    a, b = (random.standard_normal((6, 37, 23)) for _ in range(2))
    a, b = ((x + 1j * y).astype(dtype) if dtype in "FD" else x.astype(dtype) for x, y in ((a, b), (b, a)))
    wide = "D" if dtype in "FD" else "d"
    tolerance = {"e": 2e-2, "f": 1e-5, "F": 1e-5, "d": 1e-13, "D": 1e-13}[dtype]
    for product in (
        lambda m, x, y: x[0] @ y[0].T,
        lambda m, x, y: x[0].T @ y[0],
        lambda m, x, y: m.conj(x[0]).T @ y[0],
        lambda m, x, y: m.matmul(x, y.swapaxes(1, 2)),
        lambda m, x, y: x[1, ::2, 3:20] @ y[2, :17, :5],
        lambda m, x, y: m.dot(x[0], y[0, 0]),
        lambda m, x, y: m.dot(x[0, 0], y[0, 0]),
        lambda m, x, y: m.tensordot(x, y, axes=([0, 2], [0, 2])),
        lambda m, x, y: m.einsum("bij,bkj->bik", x, y),
    ):
        ours = cp.asnumpy(product(cp, cp.asarray(a), cp.asarray(b)))
        assert ours.dtype == np.dtype(dtype)
        expected = product(np, a.astype(wide), b.astype(wide))
        np.testing.assert_allclose(ours.astype(wide), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())
