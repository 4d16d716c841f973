"""An operation of JAX: what it computes and on which inputs, the same on the emulated GPU and on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

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


def complex_matrices(dtype: Any) -> Inputs:
    """Two batches of five matrices."""

    def make(random: np.random.Generator) -> tuple[Any, ...]:
        parts = random.standard_normal((4, 5, 37, 41))
        return (parts[0] + 1j * parts[1]).astype(dtype), (parts[2] + 1j * parts[3]).astype(dtype)

    return make
