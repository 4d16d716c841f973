"""Transpositions and copies from Python. The kernels' own tests are in kernels/transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("shape", [(64, 72), (3, 33, 17), (1, 9)], ids=str)
@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8])
def test_rows_and_columns_are_exchanged(numbers: np.random.Generator, shape: Any, kind: Any) -> None:
    x = (100 * numbers.standard_normal(shape)).astype(kind)
    np.testing.assert_array_equal(kernels.transpose(x), x.swapaxes(-1, -2))
    np.testing.assert_array_equal(kernels.copy(x.swapaxes(-1, -2)), x.swapaxes(-1, -2))


def test_elements_get_another_type(numbers: np.random.Generator) -> None:
    x = numbers.standard_normal((40, 24)).astype(np.float32)
    out = np.zeros((24, 40), np.float16)
    assert kernels.transpose(x, out=out) is out
    np.testing.assert_array_equal(out, x.T.astype(np.float16))
    np.testing.assert_array_equal(kernels.copy(x, dtype="f16"), x.astype(np.float16))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(wavesmith.BadInputError, match="x has 1 dimensions"):
        kernels.transpose(np.ones(8, np.float32))
    with pytest.raises(wavesmith.UnsupportedError, match="x is of f32 and y of i32"):
        kernels.copy(np.ones((4, 8), np.float32), dtype="i32")
