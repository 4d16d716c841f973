"""Reductions from Python, against NumPy in float64. The kernels' own tests are in kernels/reduce."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import wide

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative

REDUCTIONS = {
    "sum": lambda x, axis: x.sum(axis),
    "mean": lambda x, axis: x.mean(axis),
    "maximum": lambda x, axis: x.max(axis),
    "minimum": lambda x, axis: x.min(axis),
    "sum_of_squares": lambda x, axis: (x**2).sum(axis),
}


@pytest.mark.parametrize("shape", [(3, 5, 130), (7, 33), (600,)], ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_row_to_one(numbers: np.random.Generator, name: Any, shape: Any) -> None:
    x = numbers.standard_normal(shape).astype(np.float16)
    got = kernels.reduce(name, x, dtype="f32")
    assert got.shape == shape[:-1]
    np.testing.assert_allclose(wide(got), REDUCTIONS[name](wide(x), -1), rtol=2.0**-20, atol=2.0**-20 * shape[-1])


@pytest.mark.parametrize("axis", [0, None])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_column_and_all(numbers: np.random.Generator, name: Any, axis: Any) -> None:
    x = numbers.standard_normal((300, 40)).astype(np.float16)
    got = kernels.reduce(name, x, axis=axis, dtype="f32")
    assert got.shape == ((40,) if axis == 0 else ())
    np.testing.assert_allclose(wide(got), REDUCTIONS[name](wide(x), axis), rtol=2.0**-18, atol=2.0**-20 * x.size)


def test_results_go_where_they_are_wanted(numbers: np.random.Generator) -> None:
    x = numbers.standard_normal((9, 64)).astype(np.float32)
    out = np.zeros((9, 2), np.float32)
    kernels.reduce("maximum", x, out=out[:, 1])
    np.testing.assert_array_equal(out[:, 1], x.max(-1))
    np.testing.assert_array_equal(out[:, 0], 0)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(wavesmith.BadInputError, match="reduction is 'median'"):
        kernels.reduce("median", np.ones((4, 8), np.float32))  # type: ignore[arg-type]
    with pytest.raises(wavesmith.BadInputError, match="axis is 1, and x has 3 dimensions"):
        kernels.reduce("sum", np.ones((2, 4, 8), np.float32), axis=1)
    with pytest.raises(wavesmith.BadInputError, match=r"out has shape \(4, 1\), the result \(4,\)"):
        kernels.reduce("sum", np.ones((4, 8), np.float32), out=np.ones((4, 1), np.float32))
