"""Functions of one array's elements, or of two's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call
from wavesmith.kernels._kernel_library import ArrayT, library

OfTwo = Literal["add", "subtract", "multiply", "divide", "minimum", "maximum"]
OfOne = Literal[
    "negate",
    "absolute",
    "exp",
    "log",
    "sqrt",
    "reciprocal_root",
    "tanh",
    "sigmoid",
    "relu",
    "gelu",
    "silu",
    "square",
]


def elementwise(
    operation: OfTwo | OfOne,
    x: ArrayT,
    z: ArrayT | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> ArrayT:
    """f(alpha * x), or f(alpha * x, beta * z), with the products rounded to float32.

    Sums, differences, products, quotients, square roots and squares are rounded to float32 once, the other functions
    are within a few ulps of it (wavesmith_rows.h states each bound), and then rounded to the result's type. NaN
    stays NaN, also of "minimum", "maximum" and "relu".

    Args:
        operation: "gelu" is the approximation by tanh, "log" the natural logarithm, "reciprocal_root" 1 / sqrt.
        x: float32, float16 or bfloat16; the last dimension is contiguous and rows are equally apart.
        z: for operations of two; shaped as x, or with one row for all (its last dimension), one element for each
            (a last dimension of 1), or one element. Any of these types.
        alpha: a factor, rounded to float32.
        beta: the factor of z.
        out: as in `rms_norm`; it may be `x`, or a `z` of the same size.
        dtype: as in `rms_norm`.
        stream: as in `rms_norm`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_x = operand("x", x, stream)
    rows, columns, _ = on_x.rows()
    on_z, strides = None, (0, 1)
    if z is not None:
        on_z = operand("z", z, stream)
        on_z, strides = _beside(on_z, on_x)
    call = Call(x, on_x, out, on_x.shape, dtype, stream)

    def launch(place: Callable[[Operand], Operand]) -> None:
        address, word, row_stride = place(on_z).described_rows() if on_z is not None else (0, "", 0)
        library().elementwise(
            (rows, columns),
            operation,
            (alpha, beta),
            place(on_x).described_rows(),
            (address, word, row_stride * strides[0]),
            strides[1],
            place(call.out).described_rows(),
            call.stream,
        )

    call.run([on_x, *([on_z] if on_z is not None else [])], launch)
    return call.result()  # type: ignore[no-any-return]


def _beside(z: Operand, x: Operand) -> tuple[Operand, tuple[int, int]]:
    """As rows, and whether it has rows and columns of its own, 1 or 0 each."""
    shape = (1,) * (len(x.shape) - len(z.shape)) + z.shape
    rows, columns = math.prod(x.shape[:-1]), x.shape[-1]
    has_rows, has_columns = shape[:-1] == x.shape[:-1], shape[-1] == columns
    if len(shape) != len(x.shape) or not ((has_rows or math.prod(shape[:-1]) == 1) and (has_columns or shape[-1] == 1)):
        raise BadInputError(
            f"z has shape {z.shape}, x {x.shape}", hint="z is shaped as x, or has one row, one element per row, or one"
        )
    if not z.shape:
        z = replace(z, shape=(1,), strides=(1,))
    return z, (int(has_rows and rows > 1), int(has_columns and columns > 1))
