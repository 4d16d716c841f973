"""Sums over GPUs from Python, against NumPy in float64. The kernels' own tests are kernels/all_reduce/*_test.cc."""

from __future__ import annotations

import pytest
from conftest import Python

PROGRAM = """
import numpy as np, wavesmith
wavesmith.use("mi300x:3", quiet=True)
from wavesmith import kernels
numbers = np.random.default_rng()
xs = [numbers.standard_normal((5, 3, 96)).astype(np.float16) for _ in range(3)]
residual, weight = (numbers.standard_normal(shape).astype(np.float16) for shape in ((5, 3, 96), 96))
total = sum(x.astype(np.float64) for x in xs)
with kernels.AllReduce(range(3), rows=16, columns=128, dtype="f16") as ranks:
    for summed in ranks.sum(xs):
        assert np.all(np.abs(summed - total) <= 2.0**-11 * np.abs(total) + 2.0**-20)
    ys, sums = ranks.rms_norm(xs, [weight] * 3, residuals=[residual] * 3, weight_offset=1)
    want = total + residual
    assert np.all(np.abs(sums[0] - want) <= 2.0**-11 * np.abs(want) + 2.0**-20)
    wide = sums[0].astype(np.float64)
    norm = wide / np.sqrt(np.mean(wide**2, -1, keepdims=True) + 1e-5) * (1 + weight.astype(np.float64))
    assert np.all(np.abs(ys[0] - norm) <= 2.0**-10 * np.abs(norm) + 2.0**-20)
    for rank in (1, 2):
        np.testing.assert_array_equal(ys[rank], ys[0])
        np.testing.assert_array_equal(sums[rank], sums[0])
    for wrong, says in (
        (lambda: ranks.sum(xs[:2]), "xs has 2 arrays, and there are 3 ranks"),
        (lambda: ranks.sum([x.astype(np.float32) for x in xs]), "xs[0] is of f32"),
        (lambda: ranks.sum([xs[0], xs[1], xs[2][:4]]), "xs[2] has shape (4, 3, 96)"),
        (lambda: ranks.rms_norm(xs, [weight[:8]] * 3), "weights[0] has shape (8,), not (96,)"),
        (lambda: ranks.sum([np.zeros((400, 128), np.float16)] * 3), "buffer_bytes is"),
    ):
        try:
            wrong()
        except wavesmith.BadInputError as error:
            assert says in str(error), error
        else:
            raise AssertionError(says)
try:
    kernels.AllReduce(range(3), rows=1, columns=12, dtype="f16")
except wavesmith.UnsupportedError as error:
    assert "columns is 12, no multiple of 8" in str(error), error
print("done")
"""


@pytest.mark.representative
def test_ranks_add_up_and_normalise(python: Python) -> None:
    ran = python(PROGRAM)
    assert ran.returncode == 0 and ran.stdout.strip() == "done", ran.stderr
