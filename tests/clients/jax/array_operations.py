"""Operations that XLA compiles by itself: elementwise, shapes, reductions, sorting, gathering."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from operation import both, normal, operation, uniform

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
