"""tinygrad on its HIP device: kernels from its own compiler path (comgr), results against NumPy in double precision."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from tinygrad import Context, Device, Tensor, TinyJit, dtypes, nn


@pytest.fixture
def generator() -> np.random.Generator:
    seed = np.random.SeedSequence().entropy % 2**32
    print(f"seed {seed}")
    return np.random.default_rng(seed)


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _convolution(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


#: The same function of two matrices of one shape, in tinygrad and in NumPy.
OPERATIONS: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "multiply": (lambda a, b: a * b, lambda a, b: a * b),
    "divide": (lambda a, b: a / (b.abs() + 1), lambda a, b: a / (np.abs(b) + 1)),
    "where": (lambda a, b: (a > b).where(a, b * 2), lambda a, b: np.where(a > b, a, b * 2)),
    "exp": (lambda a, b: (a - b).exp(), lambda a, b: np.exp(a - b)),
    "log": (lambda a, b: (a.abs() + 0.5).log(), lambda a, b: np.log(np.abs(a) + 0.5)),
    "sine": (lambda a, b: (a * 30).sin(), lambda a, b: np.sin((a * 30).astype(np.float32).astype(np.float64))),
    "square root": (lambda a, b: a.abs().sqrt(), lambda a, b: np.sqrt(np.abs(a))),
    "tanh": (lambda a, b: a.tanh(), lambda a, b: np.tanh(a)),
    "sum": (lambda a, b: a.sum(0), lambda a, b: a.sum(0)),
    "largest": (lambda a, b: a.max(1), lambda a, b: a.max(1)),
    "mean and deviation": (lambda a, b: a.std(1) + b.mean(1), lambda a, b: a.std(1, ddof=1) + b.mean(1)),
    "softmax": (lambda a, b: a.softmax(1), lambda a, b: _softmax(a)),
    "product": (lambda a, b: a @ b.T, lambda a, b: a @ b.T),
    "transposition": (lambda a, b: a.T.contiguous(), lambda a, b: a.T),
    "running sum": (lambda a, b: a.cumsum(1), lambda a, b: a.cumsum(1)),
    "concatenation": (lambda a, b: a.cat(b, dim=1), lambda a, b: np.concatenate([a, b], 1)),
    "padding": (lambda a, b: a.pad(((1, 2), (3, 4))), lambda a, b: np.pad(a, ((1, 2), (3, 4)))),
    "sorting": (lambda a, b: a[:5, :20].sort(1)[0], lambda a, b: np.sort(a[:5, :20], 1)),
}


@pytest.mark.representative
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name: str, generator: np.random.Generator) -> None:
    ours, theirs = OPERATIONS[name]
    a, b = (generator.standard_normal((37, 65)).astype(np.float32) for _ in range(2))
    expected = theirs(a.astype(np.float64), b.astype(np.float64))
    np.testing.assert_allclose(ours(Tensor(a), Tensor(b)).numpy(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64"])
def test_integers(kind: str, generator: np.random.Generator) -> None:
    a, b = (generator.integers(0, 100, (300,)).astype(kind) for _ in range(2))
    np.testing.assert_array_equal((Tensor(a) // (Tensor(b) + 1)).numpy(), a // (b + 1))
    np.testing.assert_array_equal((Tensor(a) ^ Tensor(b)).numpy(), a ^ b)
    np.testing.assert_array_equal((Tensor(a) < Tensor(b)).numpy(), a < b)


@pytest.mark.representative
@pytest.mark.parametrize("kind", [dtypes.float16, dtypes.bfloat16], ids=["f16", "bf16"])
def test_products_of_halves(kind, generator: np.random.Generator) -> None:
    a, b = (generator.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    wide = [Tensor(x).cast(kind).cast(dtypes.float32).numpy().astype(np.float64) for x in (a, b)]
    # tinygrad 0.14.0 looks matrix cores up by "gfx942", but HIP's name is "gfx942:sramecc+:xnack-": it would take
    # RDNA3's.
    with Context(TC=0 if ":" in Device["HIP"].arch else 1):
        result = Tensor(a).cast(kind).matmul(Tensor(b).cast(kind), dtype=dtypes.float32).numpy()
    # Products may be rounded to `kind` before they are added.
    steps = 2.0**-11 if kind == dtypes.float16 else 2.0**-8
    assert np.abs(result - wide[0] @ wide[1]).max() < 64 * steps


def test_convolution(generator: np.random.Generator) -> None:
    x = generator.standard_normal((2, 3, 14, 15)).astype(np.float32)
    w = generator.standard_normal((8, 3, 3, 3)).astype(np.float32)
    expected = _convolution(x.astype(np.float64), w.astype(np.float64))
    np.testing.assert_allclose(Tensor(x).conv2d(Tensor(w)).numpy(), expected, rtol=1e-4, atol=1e-4)


def test_indexing(generator: np.random.Generator) -> None:
    table = generator.standard_normal((50, 16)).astype(np.float32)
    rows = generator.integers(0, 50, (3, 7))
    np.testing.assert_array_equal(Tensor(table)[Tensor(rows)].numpy(), table[rows])


@pytest.mark.representative
def test_a_network_learns(generator: np.random.Generator) -> None:
    """Steps of Adam on two layers: the loss falls, and gradients are those of differences."""
    x = generator.standard_normal((32, 20)).astype(np.float32)
    labels = generator.integers(0, 5, 32).astype(np.int32)
    w1 = (generator.standard_normal((20, 16)) * 0.3).astype(np.float32)
    w2 = (generator.standard_normal((16, 5)) * 0.3).astype(np.float32)

    def reference(first: np.ndarray) -> float:
        chances = _softmax(np.maximum(x.astype(np.float64) @ first, 0) @ w2.astype(np.float64))
        return float(-np.log(chances[np.arange(32), labels]).mean())

    first, second = Tensor(w1), Tensor(w2)
    optimizer = nn.optim.Adam([first, second], lr=0.02)
    losses = []
    with Context(TRAINING=1):
        for step in range(6):
            optimizer.zero_grad()
            loss = (Tensor(x) @ first).relu().matmul(second).sparse_categorical_crossentropy(Tensor(labels))
            loss.backward()
            losses.append(loss.item())  # now: it is computed when asked for, from the weights of then
            if step == 0:
                gradient = first.grad.numpy()
            optimizer.step()
    assert losses[0] == pytest.approx(reference(w1.astype(np.float64)), rel=1e-5)
    assert losses[-1] < losses[0]
    for row, column in [(0, 0), (7, 3), (19, 15)]:
        nudge = np.zeros_like(w1, np.float64)
        nudge[row, column] = 1e-6
        slope = (reference(w1 + nudge) - reference(w1 - nudge)) / 2e-6
        assert gradient[row, column] == pytest.approx(slope, rel=1e-3, abs=1e-5)


def test_jit(generator: np.random.Generator) -> None:
    @TinyJit
    def step(a: Tensor, b: Tensor) -> Tensor:
        return (a @ b + a).realize()

    for _ in range(4):
        a, b = (generator.standard_normal((24, 24)).astype(np.float32) for _ in range(2))
        np.testing.assert_allclose(step(Tensor(a), Tensor(b)).numpy(), a @ b + a, rtol=1e-4, atol=1e-4)


def test_the_device_is_the_emulated_one() -> None:
    target = {"mi300x": "gfx942", "mi355x": "gfx950", "rx7900xtx": "gfx1100", "rx9070xt": "gfx1201"}
    assert Device["HIP"].arch.split(":")[0] == target[os.environ["WAVESMITH_GPU"]]


@pytest.mark.representative
def test_a_kernel_s_fault_names_the_kernel() -> None:
    program = """
from tinygrad import Device, Tensor
from tinygrad.runtime.autogen import hip
x = Tensor([1.5] * 100_000).realize()
Device["HIP"].synchronize()
assert hip.hipFree(x.uop.base.buffer._buf) == 0  # behind tinygrad's back
print(x.sum().numpy())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "RuntimeError: HIP Error 700" in done.stderr, done.stderr
    assert "memory fault" in done.stderr and "kernel 'r_" in done.stderr


def _fails(device: str, tensor: str) -> str:
    """What a program of its own says that adds 1 to `tensor` on `device` and fails."""
    done = subprocess.run(
        [sys.executable, "-c", f"from tinygrad import Tensor; print(({tensor} + 1).numpy())"],
        env={**os.environ, "DEV": device},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and not done.stdout, done.stdout
    return done.stderr


@pytest.mark.representative
def test_code_for_another_gpu_is_named() -> None:
    """tinygrad compiles for the GPU that it finds, unless `DEV` says which."""
    said = _fails("HIP::gfx90a", "Tensor([1.0, 2.0])")
    assert f"no code for {Device['HIP'].arch.split(':')[0]}" in said, said
    assert "the program has code for: gfx90a" in said
    assert "RuntimeError: HIP Error 209, no kernel image is available" in said


def test_a_second_gpu_that_is_not_there_is_explained() -> None:
    said = _fails("HIP", "Tensor([1.0, 2.0], device='HIP:1')")
    gpu = os.environ["WAVESMITH_GPU"]
    assert f"device 1 does not exist, this process has 1: wavesmith run --gpu {gpu}:2 gives more" in said, said
    assert "RuntimeError: HIP Error 101, invalid device ordinal" in said


@pytest.mark.representative
def test_without_comgr_the_compiler_is_named() -> None:
    """tinygrad's HIP device has one compiler; where it is missing, tinygrad says which."""
    done = subprocess.run(
        [sys.executable, "-c", "from tinygrad import Tensor; print((Tensor([1.0]) + 1).numpy())"],
        env={**os.environ, "DEV": "HIP", "LD_LIBRARY_PATH": "/nowhere", "ROCM_PATH": "/nowhere", "HIP_PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "libamdhip64" in done.stderr or "comgr" in done.stderr or "HIP" in done.stderr
