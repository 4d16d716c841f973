"""TensorFlow's operations on the emulated GPU against the same on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

v1 = tf.compat.v1.nn

#: An operation, the shapes of its inputs, and what its results may differ by, relative to the largest number.
OPERATIONS: dict[str, tuple[Callable, list[tuple[int, ...]], float]] = {
    "add": (lambda a, b: a + b * 2, [(37, 65), (37, 65)], 0),
    "exp": (tf.exp, [(37, 65)], 1e-6),
    "relu": (tf.nn.relu, [(37, 65)], 0),
    "softmax": (tf.nn.softmax, [(9, 100)], 1e-6),
    "sum": (lambda a: tf.reduce_sum(a, 1), [(37, 65)], 1e-5),
    "matmul": (tf.matmul, [(33, 70), (70, 50)], 1e-5),
    "einsum": (lambda a, b: tf.einsum("bij,bjk->bik", a, b), [(3, 8, 9), (3, 9, 4)], 1e-5),
    "convolution": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), [(2, 9, 9, 3), (3, 3, 3, 8)], 1e-5),
    "largest of a window": (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), [(2, 8, 8, 3)], 0),
    "mean of a window": (lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"), [(2, 8, 8, 3)], 1e-6),
    "batch normalisation": (
        lambda x, s, o: v1.fused_batch_norm(x, s, o, is_training=True)[:3],
        [(2, 8, 8, 3), (3,), (3,)],
        1e-5,
    ),
    "batch normalisation with given statistics": (
        lambda x, s, o, m, v: v1.fused_batch_norm(x, s, o, m, tf.abs(v) + 0.1, is_training=False)[0],
        [(2, 8, 8, 3), (3,), (3,), (3,), (3,)],
        1e-5,
    ),
    "response normalisation": (lambda x: tf.nn.lrn(x, 2), [(2, 5, 5, 8)], 1e-5),
    "Fourier transform": (lambda x: tf.abs(tf.signal.rfft(x)), [(5, 64)], 1e-5),
    "gather": (lambda x: tf.gather(x, [1, 3, 5]), [(9, 4)], 0),
    "sort": (lambda x: tf.sort(x, 1), [(9, 40)], 0),
    "running sum": (lambda x: tf.cumsum(x, 1), [(9, 40)], 1e-5),
    "Cholesky": (
        lambda x: tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + 10 * tf.eye(8)),
        [(3, 8, 8)],
        1e-5,
    ),
    # rocSOLVER's LU factors of an array of matrices
    "solve": (lambda a, b: tf.linalg.solve(a + 10 * tf.eye(12), b), [(3, 12, 12), (3, 12, 2)], 1e-5),
    "inverse": (lambda a: tf.linalg.inv(a + 10 * tf.eye(12)), [(3, 12, 12)], 1e-5),
}


@pytest.fixture
def generator() -> np.random.Generator:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    return np.random.default_rng(seed)


def _on(device: str, operation: Callable, inputs: list[np.ndarray]) -> list[tf.Tensor]:
    with tf.device(device):
        results = operation(*[tf.constant(each) for each in inputs])
    return list(results) if isinstance(results, list | tuple) else [results]


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name: str, generator: np.random.Generator) -> None:
    operation, shapes, allowed = OPERATIONS[name]
    inputs = [generator.standard_normal(shape).astype(np.float32) for shape in shapes]
    ours, theirs = (_on(device, operation, inputs) for device in ("/GPU:0", "/CPU:0"))
    for gpu, cpu in zip(ours, theirs, strict=True):
        assert "GPU:0" in gpu.device
        np.testing.assert_allclose(gpu.numpy(), cpu.numpy(), rtol=0, atol=allowed * np.abs(cpu.numpy()).max())


def test_a_network_learns(generator: np.random.Generator) -> None:
    """Steps of gradient descent through a convolution, a normalisation, pooling and a layer: as on the CPU."""
    x = generator.standard_normal((8, 10, 10, 3)).astype(np.float32)
    labels = generator.integers(0, 4, 8)
    first = generator.standard_normal((3, 3, 3, 6)).astype(np.float32) / 4
    second = generator.standard_normal((6, 4)).astype(np.float32) / 2

    def losses(device: str) -> list[float]:
        found = []
        with tf.device(device):
            weights = [tf.Variable(first), tf.Variable(second), tf.Variable(tf.ones(6)), tf.Variable(tf.zeros(6))]
            for _ in range(4):
                with tf.GradientTape() as tape:
                    y = tf.nn.conv2d(x, weights[0], 1, "VALID")
                    y = v1.fused_batch_norm(y, weights[2], weights[3], is_training=True)[0]
                    y = tf.reduce_mean(tf.nn.max_pool2d(tf.nn.relu(y), 2, 2, "VALID"), [1, 2])
                    logits = tf.matmul(y, weights[1])
                    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
                for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
                    weight.assign_sub(0.5 * gradient)
                found.append(float(loss))
        return found

    ours, theirs = losses("/GPU:0"), losses("/CPU:0")
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    assert ours[-1] < ours[0]
