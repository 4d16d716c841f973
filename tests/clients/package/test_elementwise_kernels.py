"""Elementwise operations from Python, against NumPy in float64. The kernels' own tests are in kernels/elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Numbers, wide

import wavesmith
from wavesmith import kernels

pytestmark = pytest.mark.representative


def gelu(x: Numbers) -> Numbers:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@pytest.mark.parametrize("shape", [(3, 5, 40), (5, 40), (40,), (1,), (), (3, 5, 1)], ids=str)
def test_of_two_with_all_that_z_may_be(numbers: np.random.Generator, shape: Any) -> None:
    x = numbers.standard_normal((3, 5, 40)).astype(np.float16)
    z = numbers.standard_normal(shape).astype(np.float32)
    if shape == (5, 40):  # neither one row nor a row for each
        with pytest.raises(wavesmith.BadInputError, match=r"z has shape \(5, 40\), x \(3, 5, 40\)"):
            kernels.elementwise("add", x, z)
        return
    got = kernels.elementwise("subtract", x, z, alpha=2, beta=0.5, dtype="f32")
    np.testing.assert_array_equal(got, 2 * x.astype(np.float32) - np.float32(0.5) * z)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("negate", np.negative),
        ("absolute", np.abs),
        ("exp", np.exp),
        ("log", lambda x: np.log(np.abs(x))),
        ("sqrt", lambda x: np.sqrt(np.abs(x))),
        ("reciprocal_root", lambda x: 1 / np.sqrt(np.abs(x))),
        ("tanh", np.tanh),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
        ("relu", lambda x: np.maximum(x, 0)),
        ("gelu", gelu),
        ("silu", lambda x: x / (1 + np.exp(-x))),
        ("square", np.square),
    ],
)
def test_of_one(numbers: np.random.Generator, name: Any, function: Any) -> None:
    x = numbers.standard_normal((7, 33)).astype(np.float32)
    if name in ("log", "sqrt", "reciprocal_root"):
        x = np.abs(x)
    np.testing.assert_allclose(wide(kernels.elementwise(name, x)), function(wide(x)), rtol=2.0**-18)


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "minimum", "maximum"])
def test_of_two_in_place(numbers: np.random.Generator, name: Any) -> None:
    x, z = (numbers.standard_normal((6, 65)).astype(np.float32)[:, :64] for _ in range(2))  # rows 65 apart
    want = getattr(np, name)(x, z)
    assert kernels.elementwise(name, x, z, out=x) is x
    np.testing.assert_array_equal(x, want)


def test_what_does_not_fit_is_refused() -> None:
    x = np.ones((4, 8), np.float32)
    with pytest.raises(wavesmith.BadInputError, match="operation is 'modulo'"):
        kernels.elementwise("modulo", x, x)  # type: ignore[arg-type]
    with pytest.raises(wavesmith.BadInputError, match=r"z\.data is null"):
        kernels.elementwise("add", x)
