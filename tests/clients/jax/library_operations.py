"""Operations that XLA gives to AMD's libraries: products, convolutions, factorisations, Fourier transforms."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from operation import complex_matrices, normal, operation, uniform

# Matrix products and what stands on them


# XLA multiplies f32 matrices in the short f32 format of a GPU that has one, unless more is asked for.


@operation(normal((67, 45), (45, 83)), tolerance=2e-2, representative=True)
def matrix_product(x, y):
    return x @ y


@operation(normal((67, 45), (45, 83)), tolerance=2e-5)
def precise_matrix_product(x, y):
    return jnp.matmul(x, y, precision="highest")


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


@operation(complex_matrices(np.complex128), tolerance=1e-13, wide=True)
def matmul_of_complex_doubles(x, y):
    """By rocBLAS."""
    return x[0] @ y[0].T, jnp.einsum("bij,bkj->bik", x, jnp.conj(y)), jnp.conj(x[0]).T @ y[0]


@operation(complex_matrices(np.complex64), tolerance=1e-5)
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


@operation(complex_matrices(np.complex128), tolerance=1e-10, wide=True)
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


@operation(complex_matrices(np.complex128), tolerance=1e-9, wide=True)
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
    # Within a half: with larger ones twelve terms cancel, and their rounding is all that is left.
    return jnp.polyval(x[0], jnp.clip(x, -1, 1) / 2), jnp.interp(
        x, jnp.linspace(-3, 3, 20), jnp.sin(jnp.linspace(-3, 3, 20))
    )


@operation(normal((8, 8), (8, 3)), tolerance=1e-4)
def conjugate_gradient(a, b):
    matrix = a @ a.T + 8 * jnp.eye(8)
    return jax.scipy.sparse.linalg.cg(matrix, b, maxiter=50)[0]
