"""Operations of JAX: what each computes and on which inputs, the same on the emulated GPU and on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Inputs = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Operation:
    """One operation: `run(*inputs(random))` on both, equal within the tolerance (relative, and absolute)."""

    name: str
    inputs: Inputs
    run: Callable[..., Any]
    tolerance: float = 2e-6  # of a few roundings of f32; 0: the same bits
    wide: bool = False  # with 64-bit types
    representative: bool = False  # of its kind: `make test` runs it


OPERATIONS: list[Operation] = []


def operation(inputs: Inputs, tolerance: float = 2e-6, wide: bool = False, representative: bool = False):
    """Registers the function below it."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        OPERATIONS.append(Operation(run.__name__, inputs, run, tolerance, wide, representative))
        return run

    return register


def normal(*shapes: tuple[int, ...], dtype: Any = np.float32) -> Inputs:
    """Standard normal numbers, an array a shape."""
    return lambda random: tuple(random.standard_normal(shape).astype(dtype) for shape in shapes)


def uniform(low: float, high: float, *shapes: tuple[int, ...], dtype: Any = np.float32) -> Inputs:
    """Uniform numbers: integers include both ends."""

    def make(random: np.random.Generator) -> tuple[Any, ...]:
        if np.issubdtype(dtype, np.integer):
            return tuple(random.integers(int(low), int(high), shape, dtype=dtype, endpoint=True) for shape in shapes)
        return tuple(random.uniform(low, high, shape).astype(dtype) for shape in shapes)

    return make


def both(first: Inputs, second: Inputs) -> Inputs:
    """The inputs of the one, then those of the other."""
    return lambda random: first(random) + second(random)


# Elementwise


@operation(normal((37, 65), (37, 65)), representative=True)
def arithmetic(x, y):
    return x + y, x - y, x * y, x / (jnp.abs(y) + 1), -x, jnp.abs(x)


@operation(normal((1000,)), tolerance=4e-6)
def exponentials(x):
    return jnp.exp(x), jnp.exp2(x), jnp.expm1(x), jnp.sinh(x), jnp.cosh(x), jnp.tanh(x)


@operation(uniform(1e-3, 50, (1000,)), tolerance=4e-6)
def logarithms(x):
    return jnp.log(x), jnp.log2(x), jnp.log10(x), jnp.log1p(x)


@operation(uniform(-20, 20, (1000,)), tolerance=1e-5)
def trigonometry(x):
    return jnp.sin(x), jnp.cos(x), jnp.tan(x / 20), jnp.arctan(x), jnp.arcsin(x / 20), jnp.arccos(x / 20)


@operation(uniform(-3, 3, (999,), (999,)), tolerance=1e-5)
def two_argument_functions(x, y):
    return jnp.arctan2(x, y), jnp.hypot(x, y), jnp.power(jnp.abs(x) + 0.1, y), jnp.logaddexp(x, y)


@operation(uniform(0.01, 100, (777,)), tolerance=4e-6)
def roots(x):
    return jnp.sqrt(x), lax.rsqrt(x), jnp.cbrt(x)


@operation(uniform(-4, 4, (500,)), tolerance=1e-5)
def error_functions(x):
    return jax.scipy.special.erf(x), jax.scipy.special.erfc(x), jax.scipy.special.erfinv(x / 4.5)


@operation(uniform(0.1, 20, (500,)), tolerance=2e-5)
def gamma_functions(x):
    return jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x)


@operation(normal((500,)), tolerance=0)
def rounding(x):
    x = x * 10
    return jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.trunc(x), jnp.sign(x)


@operation(normal((400,), (400,)), tolerance=0)
def comparisons(x, y):
    return x < y, x == y, jnp.maximum(x, y), jnp.minimum(x, y), jnp.where(x > 0, x, y), jnp.clip(x, -1, 1)


@operation(uniform(-(2**31), 2**31 - 1, (513,), (513,), dtype=np.int32), tolerance=0)
def integers(x, y):
    shift = jnp.abs(y) % 31
    return x + y, x * y, x // (y | 1), x % (y | 1), x & y, x | y, x ^ y, ~x, x << shift, x >> shift


@operation(uniform(0, 2**32 - 1, (300,), dtype=np.uint32), tolerance=0)
def bit_counting(x):
    return lax.population_count(x), lax.clz(x), lax.bitcast_convert_type(x, jnp.float32).view(jnp.uint32)


@operation(uniform(-128, 127, (300,), (300,), dtype=np.int8), tolerance=0)
def small_integers(x, y):
    return x + y, x * y, x.astype(jnp.int16) * y, x.astype(jnp.uint8), (x > y).astype(jnp.int8)


@operation(normal((33, 47), (47, 29), (29,), dtype=np.float64), tolerance=1e-13, wide=True, representative=True)
def dense_layers_in_double_precision(x, w, b):
    product = x @ w  # each a product with an epilogue of hipBLASLt's
    return product + b, jax.nn.relu(product), jax.nn.relu(product + b), jax.nn.gelu(product + b), jax.nn.silu(product)


@operation(uniform(-(2**62), 2**62, (300,), (300,), dtype=np.int64), tolerance=0, wide=True)
def wide_integers(x, y):
    return x + y, x * y, x // (y | 1), x ^ y


@operation(normal((300,), (300,), dtype=np.float64), tolerance=1e-14, wide=True)
def doubles(x, y):
    return x * y + x, jnp.exp(x), jnp.log(jnp.abs(y)), jnp.sin(x), jnp.tanh(y), x / y


@operation(normal((300,), (300,), dtype=np.float16), tolerance=2e-3)
def halves(x, y):
    return x * y + x, jnp.exp(x), jnp.tanh(y), jnp.sqrt(jnp.abs(x))


@operation(normal((300,), (300,)), tolerance=1.6e-2)
def bfloats(x, y):
    x, y = x.astype(jnp.bfloat16), y.astype(jnp.bfloat16)
    return x * y + x, jnp.exp(x), jnp.tanh(y)


@operation(normal((300,)), tolerance=0)
def conversions(x):
    kinds = (jnp.bfloat16, jnp.float16, jnp.float8_e4m3fn, jnp.float8_e5m2)
    return [(x * 10).astype(jnp.int32), (x > 0).astype(jnp.float32)] + [x.astype(kind) for kind in kinds]


@operation(normal((200,), (200,)), tolerance=4e-6)
def complex_numbers(x, y):
    z = lax.complex(x, y)
    return z * z, z / (z + 3), jnp.abs(z), jnp.exp(z), jnp.conj(z).imag


@operation(normal((300,)), tolerance=4e-6)
def activations(x):
    return jax.nn.relu(x), jax.nn.gelu(x), jax.nn.silu(x), jax.nn.softplus(x), jax.nn.sigmoid(x), jax.nn.elu(x)


@operation(lambda random: (np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-37, 3e38], np.float32),), tolerance=0)
def special_numbers(x):
    return x + 1, jnp.isnan(x), jnp.isinf(x), jnp.sign(x), jnp.maximum(x, 0), jnp.minimum(x, x[::-1])


# Shapes


@operation(normal((6, 10, 4)), tolerance=0)
def reshaping(x):
    return x.reshape(12, 20), x.transpose(2, 0, 1), x[:, None], jnp.squeeze(x[:1]), x.ravel(), jnp.swapaxes(x, 0, 2)


@operation(normal((33, 129)), tolerance=0, representative=True)
def transposing(x):
    return x.T + 0, jnp.rot90(x), jnp.flip(x, 1), jnp.roll(x, 5, 0)


@operation(normal((8, 9), (8, 9)), tolerance=0)
def joining(x, y):
    return jnp.concatenate([x, y]), jnp.stack([x, y], 1), jnp.split(x, 2), jnp.tile(x, (2, 3)), jnp.repeat(y, 3, 1)


@operation(normal((8, 9)), tolerance=0)
def padding(x):
    return jnp.pad(x, 2), jnp.pad(x, ((1, 0), (2, 3)), mode="reflect"), lax.pad(x, 7.0, ((1, 1, 1), (-1, 2, 0)))


@operation(normal((20, 30)), tolerance=0)
def slicing(x):
    return x[3:15:2, ::-1], lax.dynamic_slice(x, (4, 5), (6, 7)), x[-1], x[..., 3]


@operation(normal((20, 30), (5, 6)), tolerance=0)
def updating(x, y):
    return lax.dynamic_update_slice(x, y, (3, 4)), x.at[2:7, 4:10].set(y), x.at[0].set(1.0)


@operation(normal((11, 1), (1, 13)), tolerance=0)
def broadcasting(x, y):
    return x + y, jnp.broadcast_to(x, (11, 13)), jnp.outer(x[:, 0], y[0])


@operation(normal((9, 9)), tolerance=0)
def triangles(x):
    return jnp.tril(x), jnp.triu(x, 1), jnp.diag(x), jnp.eye(9) * x, jnp.trace(x)[None] * 0


@operation(lambda random: (np.int32(random.integers(3, 9)),), tolerance=0)
def ranges(n):
    return jnp.arange(100) * n, jnp.linspace(0, 1, 5) > 0.3, jnp.meshgrid(jnp.arange(4), jnp.arange(5) * n)


# Reductions and scans


@operation(normal((64, 300)), tolerance=2e-5, representative=True)
def sums(x):
    return x.sum(), x.sum(0), x.sum(1), jnp.mean(x, 1), (x * x).sum((0, 1), keepdims=True)


@operation(normal((50, 77)), tolerance=0)
def extremes(x):
    return x.max(), x.min(0), x.max(1), jnp.ptp(x, 1)


@operation(normal((50, 77)), tolerance=0)
def places_of_extremes(x):
    return jnp.argmax(x), jnp.argmin(x, 0), jnp.argmax(x, 1)


@operation(uniform(0.9, 1.1, (30, 40)), tolerance=1e-5)
def products(x):
    return x.prod(), x.prod(0), x.prod(1)


@operation(normal((40, 50)), tolerance=1e-4)
def statistics(x):
    return jnp.var(x), jnp.std(x, 0), jnp.median(x, 1), jnp.quantile(x, 0.3), jnp.cov(x[:4]), jnp.linalg.norm(x)


@operation(uniform(0, 1, (31, 17), dtype=np.int32), tolerance=0)
def logical_reductions(x):
    return (x > 0).any(1), (x > 0).all(0), jnp.count_nonzero(x), jnp.bitwise_xor.reduce(x, axis=0)


@operation(normal((3, 100_003)), tolerance=1e-4)
def long_reduction(x):
    return x.sum(1), jnp.abs(x).max(1)


@operation(normal((7, 200)), tolerance=5e-5)
def cumulative(x):
    return (
        jnp.cumsum(x, 1),
        jnp.cumprod(1 + x / 100, 1),
        lax.cummax(x, axis=1),
        jnp.cumsum(x, 0),
        lax.cumlogsumexp(x, 1),
    )


@operation(normal((12, 40)), tolerance=1e-5)
def associative_scan(x):
    return lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (jnp.tanh(x), x), axis=1)


@operation(normal((16, 90)), tolerance=1e-5, representative=True)
def softmaxes(x):
    return jax.nn.softmax(x), jax.nn.log_softmax(x, 0), jax.nn.logsumexp(x, 1), jax.nn.standardize(x)


@operation(normal((2, 12, 12, 3)), tolerance=1e-5)
def windows(x):
    window, stride = (1, 3, 3, 1), (1, 2, 2, 1)
    largest = lax.reduce_window(x, -jnp.inf, lax.max, window, stride, "SAME")
    return largest, lax.reduce_window(x, 0.0, lax.add, window, stride, "VALID")


# Sorting and searching


@operation(normal((1000,), (20, 33)), tolerance=0, representative=True)
def sorting(x, y):
    return jnp.sort(x), jnp.argsort(x), jnp.sort(y, 0), jnp.sort(y, 1, descending=True)


@operation(both(uniform(0, 9, (300,), dtype=np.int32), normal((300,))), tolerance=0)
def sorting_by_keys(keys, values):
    return lax.sort((keys, values), num_keys=1), jnp.lexsort((values, keys))


@operation(normal((8, 500)), tolerance=0)
def top_k(x):
    return lax.top_k(x, 7)


@operation(normal((100,), (64,)), tolerance=0)
def searching(x, y):
    return jnp.searchsorted(jnp.sort(x), y), jnp.digitize(y, jnp.array([-1.0, 0.0, 1.0]))


@operation(uniform(0, 20, (200,), dtype=np.int32), tolerance=0)
def unique_and_counts(x):
    return jnp.unique(x, size=21, fill_value=-1), jnp.bincount(x, length=21), jnp.nonzero(x > 10, size=200)


@operation(normal((500,)), tolerance=0)
def histogram(x):
    return jnp.histogram(x, bins=16, range=(-3, 3))[0]


# Gather and scatter


@operation(both(normal((50, 8)), uniform(0, 49, (30,), dtype=np.int32)), tolerance=0, representative=True)
def gathering(x, i):
    return x[i], jnp.take(x, i, 0), x[i, i % 8], jnp.take_along_axis(x, (i % 50)[:8][None, :], 0)


@operation(both(normal((50, 8), (30, 8)), uniform(0, 49, (30,), dtype=np.int32)), tolerance=2e-5)
def scatter_add(x, y, i):
    return x.at[i].add(y), x.at[i].mul(1.5), jnp.zeros((50,)).at[i].add(y[:, 0])


@operation(both(normal((50, 8), (30, 8)), uniform(0, 49, (30,), dtype=np.int32)), tolerance=0)
def scatter_extremes(x, y, i):
    return x.at[i].max(y), x.at[i].min(y)


@operation(both(normal((50,), (40,)), lambda random: (random.permutation(50)[:40].astype(np.int32),)), tolerance=0)
def scatter_set(x, y, i):
    return x.at[i].set(y)


@operation(both(normal((200, 4)), uniform(0, 9, (200,), dtype=np.int32)), tolerance=2e-5)
def segments(x, i):
    return jax.ops.segment_sum(x, i, 10), jax.ops.segment_max(x, i, 10)


@operation(uniform(0, 9, (60,), dtype=np.int32), tolerance=0)
def one_hot(i):
    return jax.nn.one_hot(i, 10)


# Matrix products and what stands on them


# XLA multiplies f32 matrices in the short f32 format of a GPU that has one, unless more is asked for.


@operation(normal((67, 45), (45, 83)), tolerance=2e-2, representative=True)
def matrix_product(x, y):
    return x @ y


@operation(normal((67, 45), (45, 83)), tolerance=2e-5)
def precise_matrix_product(x, y):
    return jnp.matmul(x, y, precision="highest")


def _complex_matrices(dtype: Any) -> Inputs:
    def make(random: np.random.Generator) -> tuple[Any, ...]:
        parts = random.standard_normal((4, 5, 37, 41))
        return (parts[0] + 1j * parts[1]).astype(dtype), (parts[2] + 1j * parts[3]).astype(dtype)

    return make


@operation(normal((5, 37, 41), (5, 29, 41), dtype=np.float64), tolerance=1e-13, wide=True, representative=True)
def matmul_of_doubles(x, y):
    """By hipBLASLt, one and batched, and a vector."""
    return x[0] @ y[0].T, jnp.einsum("bij,bkj->bik", x, y), x[0] @ y[0, 0], jnp.tensordot(x, y, [[0, 2], [0, 2]])


@operation(normal((40, 24), (4, 24, 17)), tolerance=1e-4, representative=True)
def ragged_products(tokens, experts):
    """By hipBLASLt's groups of products, one group empty; gradients, one of them ragged in what is summed."""
    sizes = jnp.array([7, 0, 30, 3], np.int32)
    result, pull = jax.vjp(lambda x, w: lax.ragged_dot(x, w, sizes), tokens, experts)
    return result, pull(jnp.cos(result))


@operation(normal((40, 24), (4, 24, 17), dtype=np.float16), tolerance=5e-3)
def ragged_products_of_halves(tokens, experts):
    return lax.ragged_dot(tokens, experts, jnp.array([7, 0, 30, 3], np.int32))


@operation(_complex_matrices(np.complex128), tolerance=1e-13, wide=True)
def matmul_of_complex_doubles(x, y):
    """By rocBLAS."""
    return x[0] @ y[0].T, jnp.einsum("bij,bkj->bik", x, jnp.conj(y)), jnp.conj(x[0]).T @ y[0]


@operation(_complex_matrices(np.complex64), tolerance=1e-5)
def matmul_of_complex_numbers(x, y):
    """By rocBLAS."""
    return x[0] @ y[0].T, jnp.einsum("bij,bkj->bik", x, jnp.conj(y)), jnp.conj(x[0]).T @ y[0]


@operation(normal((128, 256), (256, 64), dtype=np.float16), tolerance=5e-3)
def matrix_product_of_halves(x, y):
    return lax.dot(x, y, preferred_element_type=jnp.float32)


@operation(normal((64, 96), (96, 128)), tolerance=2e-2)
def matrix_product_of_bfloats(x, y):
    return jnp.dot(x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), preferred_element_type=jnp.float32)


@operation(uniform(-100, 100, (40, 64), (64, 48), dtype=np.int8), tolerance=0)
def matrix_product_of_integers(x, y):
    return lax.dot(x, y, preferred_element_type=jnp.int32)


@operation(normal((4, 24, 32), (4, 32, 40)), tolerance=2e-2)
def batched_matrix_product(x, y):
    return x @ y, jnp.einsum("bij,bjk->ik", x, y), jnp.einsum("bij,bkj->bik", x, x)


@operation(normal((60, 40), (40,), (60,)), tolerance=2e-5)
def matrix_vector_products(m, x, y):
    return m @ x, y @ m, jnp.dot(x, x), jnp.vdot(y, y), jnp.outer(y, x)


@operation(normal((5, 6, 7), (7, 6, 8)), tolerance=2e-5)
def tensor_products(x, y):
    return jnp.tensordot(x, y, axes=([1, 2], [1, 0])), jnp.einsum("abc,cbd->abd", x, y), jnp.kron(x[0], x[1])


@operation(normal((32, 48), (48, 64), (64,)), tolerance=2e-2)
def layer(x, w, b):
    return jax.nn.relu(x @ w + b)


@operation(normal((2, 16, 4, 8), (2, 16, 4, 8), (2, 16, 4, 8)), tolerance=1e-2)
def attention(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


# Random numbers


@operation(uniform(0, 2**31 - 1, (), dtype=np.int32), tolerance=2e-6, representative=True)
def random_numbers(seed):
    keys = jax.random.split(jax.random.key(seed), 4)
    return (
        jax.random.bits(keys[0], (99,)),
        jax.random.uniform(keys[1], (99,)),
        jax.random.randint(keys[2], (99,), 0, 1000),
        jax.random.bernoulli(keys[3], 0.3, (99,)),
    )


@operation(uniform(0, 2**31 - 1, (), dtype=np.int32), tolerance=1e-5)
def random_distributions(seed):
    keys = jax.random.split(jax.random.key(seed), 4)
    return (
        jax.random.normal(keys[0], (999,)),
        jax.random.exponential(keys[1], (99,)),
        jax.random.categorical(keys[2], jnp.zeros((50, 7))),
        jax.random.permutation(keys[3], 40),
    )


# Transformations


@operation(normal((40,)), tolerance=1e-5, representative=True)
def gradients(x):
    return jax.value_and_grad(lambda a: (jnp.tanh(a) * jnp.sin(a)).sum())(x)


@operation(normal((6,), (5, 6)), tolerance=2e-5)
def jacobians(x, w):
    def f(a):
        return jnp.tanh(w @ a)

    return jax.jacrev(f)(x), jax.jacfwd(f)(x), jax.hessian(lambda a: f(a).sum())(x)


@operation(normal((7, 5), (5,)), tolerance=1e-5)
def vectorised(x, y):
    return jax.vmap(lambda row: jnp.dot(row, y))(x), jax.vmap(jax.vmap(jnp.sin))(x), jax.vmap(jnp.sort)(x)


@operation(normal((4, 8), (10, 4)), tolerance=1e-5, representative=True)
def scanned(w, x):
    def step(state, row):
        state = jnp.tanh(state + row @ w)
        return state, state.sum()

    return lax.scan(step, jnp.zeros(8), x)


@operation(uniform(1, 20, (), dtype=np.int32), tolerance=0)
def loops(n):
    power = lax.fori_loop(0, n, lambda i, a: (a * 3 + i) % 1009, jnp.int32(1))
    return power, lax.while_loop(lambda s: s[0] < 100, lambda s: (s[0] + n, s[1] + 1), (jnp.int32(0), 0))


@operation(both(uniform(0, 2, (), dtype=np.int32), normal((20,))), tolerance=2e-6)
def branches(i, x):
    return lax.cond(i > 0, jnp.sin, jnp.cos, x), lax.switch(i, [jnp.abs, jnp.square, jnp.negative], x)


@operation(normal((6, 30)), tolerance=1e-5)
def mapped(x):
    return lax.map(lambda row: jnp.sort(row).cumsum(), x)


@operation(normal((16, 16)), tolerance=1e-5)
def checkpointed(x):
    return jax.grad(lambda a: jax.checkpoint(lambda b: jnp.sin(jnp.sin(b)))(a).sum())(x)


@operation(normal((5, 8)), tolerance=1e-5)
def custom_gradient(x):
    @jax.custom_vjp
    def clipped(a):
        return jnp.exp(a)

    clipped.defvjp(lambda a: (jnp.exp(a), a), lambda a, g: (jnp.clip(g * jnp.exp(a), -1, 1),))
    return jax.grad(lambda a: clipped(a).sum())(x)


# Convolutions, which XLA gives to MIOpen


def _convolve(x, w, **how):
    how = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": ("NHWC", "HWIO", "NHWC")} | how
    return lax.conv_general_dilated(x, w, **how)


@operation(normal((2, 14, 15, 8), (3, 3, 8, 12)), tolerance=2e-5, representative=True)
def convolutions(x, w):
    strided = _convolve(x, w, window_strides=(2, 3), padding="VALID")
    dilated = _convolve(x, w, rhs_dilation=(2, 1))
    return _convolve(x, w), strided, dilated, _convolve(x, w, padding=((1, 1), (1, 1)), lhs_dilation=(2, 2))


@operation(normal((2, 9, 10, 8), (3, 3, 2, 12), (3, 3, 1, 8)), tolerance=2e-5)
def convolutions_of_groups(x, w, depthwise):
    return _convolve(x, w, feature_group_count=4), _convolve(x, depthwise, feature_group_count=8)


@operation(normal((2, 14, 15, 8), (3, 3, 8, 12)), tolerance=2e-4, representative=True)
def gradients_of_a_convolution(x, w):
    return jax.grad(lambda x, w: jnp.sum(_convolve(x, w, window_strides=(2, 2)) ** 2), (0, 1))(x, w)


@operation(normal((2, 14, 15, 8), (3, 3, 8, 12), (12,)), tolerance=2e-5)
def convolution_with_bias_and_relu(x, w, bias):
    return jax.nn.relu(_convolve(x, w) + bias)


@operation(normal((2, 9, 10, 8), (3, 3, 8, 12), dtype=np.float16), tolerance=5e-3)
def convolution_of_halves(x, w):
    return _convolve(x, w)


@operation(uniform(-100, 100, (2, 9, 10, 8), (3, 3, 8, 12), dtype=np.int8), tolerance=0)
def convolution_of_bytes(x, w):
    """Which wrap around."""
    return _convolve(x, w)


@operation(normal((200,), (17,)), tolerance=2e-5)
def convolution_of_vectors(x, y):
    return jnp.convolve(x, y), jnp.correlate(x, y), jnp.polymul(x[:9], y[:5])


@operation(normal((1, 4, 6, 7, 8), (5, 4, 2, 3, 3)), tolerance=2e-5)
def convolution_in_space(x, w):
    return lax.conv(x, w, (1, 1, 1), "SAME")


@operation(normal((2, 7, 9, 8), (3, 3, 8, 12)), tolerance=2e-5)
def transposed_convolution(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME")


@operation(normal((64,), (9,)), tolerance=2e-5)
def convolution_by_sums(x, y):
    """As a product with windows."""
    index = jnp.arange(56)[:, None] + jnp.arange(9)[None, :]
    return x[index] @ y


# Factorisations, by hipSOLVER and rocBLAS


@operation(normal((12, 12), (12, 3)), tolerance=1e-3, representative=True)
def factorisations(a, b):
    positive = a @ a.T + 12 * jnp.eye(12)
    lower = jnp.linalg.cholesky(positive)
    upper = jnp.linalg.cholesky(positive, upper=True)
    return lower, upper, jax.scipy.linalg.solve_triangular(lower, b, lower=True), jnp.linalg.solve(positive, b)


@operation(normal((3, 9, 9), (3, 9, 2), dtype=np.float64), tolerance=1e-10, wide=True)
def factorisations_of_doubles(a, b):
    positive = a @ jnp.swapaxes(a, 1, 2) + 9 * jnp.eye(9)
    return (
        jnp.linalg.cholesky(positive),
        jnp.linalg.solve(positive, b),
        jnp.linalg.det(positive[0]),
        lax.linalg.lu(a[0])[0],
    )


@operation(_complex_matrices(np.complex128), tolerance=1e-10, wide=True)
def factorisations_of_complex_doubles(x, y):
    square = x[0] @ jnp.conj(x[0]).T + 20 * jnp.eye(x.shape[1])
    return jnp.linalg.cholesky(square), jnp.linalg.inv(square)


def _signless(columns):
    """Vectors that are unique but for a factor of size 1: what their products with themselves are."""
    return jnp.einsum("...ij,...kj->...jik", columns, jnp.conj(columns), precision="highest")


@operation(normal((12, 7), (7, 12), (3, 6, 6)), tolerance=1e-3, representative=True)
def orthogonal_factors(tall, wide, batch):
    q, r = jnp.linalg.qr(tall)
    complete = jnp.linalg.qr(wide, mode="complete")[0]
    u, values, vh = jnp.linalg.svd(wide, full_matrices=False)
    return jnp.abs(q), jnp.abs(r), jnp.abs(complete), _signless(u), values, _signless(vh.T), jnp.linalg.svd(batch)[1]


@operation(normal((41, 41), (3, 6, 6)), tolerance=1e-3, representative=True)
def eigenvalues_of_symmetric_matrices(large, batch):
    values, vectors = jnp.linalg.eigh(batch + jnp.swapaxes(batch, 1, 2))
    return values, _signless(vectors), jnp.linalg.eigvalsh(large + large.T)


@operation(normal((14, 9), (14, 2), dtype=np.float64), tolerance=1e-9, wide=True)
def least_squares_of_doubles(a, b):
    return jnp.linalg.lstsq(a, b)[0], jnp.linalg.pinv(a), jnp.linalg.matrix_rank(a), jnp.linalg.cond(a)


@operation(_complex_matrices(np.complex128), tolerance=1e-9, wide=True)
def orthogonal_factors_of_complex_doubles(x, y):
    u, values, _ = jnp.linalg.svd(x[0])
    hermitian = x[0] @ jnp.conj(x[0]).T
    eigenvalues, vectors = jnp.linalg.eigh(hermitian)
    q = lax.linalg.qr(y[0], full_matrices=False)[0]
    return values, _signless(u[:, : len(values)]), eigenvalues, _signless(vectors), jnp.abs(q)


@operation(normal((3, 20), (3, 20), (3, 20, 2)), tolerance=1e-3)
def three_diagonals(beside, diagonal, b):
    """By hipSPARSE."""
    below, above = beside.at[:, 0].set(0), beside.at[:, -1].set(0)
    return lax.linalg.tridiagonal_solve(below, diagonal + 5, above, b), lax.linalg.tridiagonal_solve(
        below, diagonal + 5, above, b[..., :1]
    )


# Fourier transforms, which XLA gives to hipFFT


@operation(normal((3, 5, 60)), tolerance=1e-5, representative=True)
def fourier_transforms(x):
    spectrum = jnp.fft.rfft(x)
    return (
        spectrum,
        jnp.fft.irfft(spectrum, n=60),
        jnp.fft.fft(spectrum),
        jnp.fft.ifft(spectrum, axis=0),
        jnp.fft.fft(x[..., :59]),
    )


@operation(normal((3, 5, 12), dtype=np.float64), tolerance=1e-13, wide=True)
def fourier_transforms_of_doubles(x):
    return jnp.fft.rfftn(x), jnp.fft.fft2(x), jnp.fft.irfftn(jnp.fft.rfftn(x), x.shape), jnp.fft.ifftn(x + 1j * x[::-1])


@operation(normal((200,), (9,)), tolerance=1e-5)
def convolution_by_fourier_transforms(x, y):
    loss = jax.grad(lambda v: jnp.mean(jnp.abs(jnp.fft.rfft(v)) ** 2))
    return jax.scipy.signal.fftconvolve(x, y), loss(x)


@operation(normal((12, 9)), tolerance=1e-5)
def polynomials(x):
    return jnp.polyval(x[0], x), jnp.interp(x, jnp.linspace(-3, 3, 20), jnp.sin(jnp.linspace(-3, 3, 20)))


@operation(normal((8, 8), (8, 3)), tolerance=1e-4)
def conjugate_gradient(a, b):
    matrix = a @ a.T + 8 * jnp.eye(8)
    return jax.scipy.sparse.linalg.cg(matrix, b, maxiter=50)[0]
