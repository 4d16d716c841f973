"""Reductions of the rows of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from wavesmith._arrays import Operand, operand
from wavesmith._call import Call
from wavesmith._kernel_library import ArrayT, library

if TYPE_CHECKING:
    from wavesmith import _native

Reduction = Literal["sum", "mean", "maximum", "minimum", "sum_of_squares"]


def reduce(
    reduction: Reduction,
    x: ArrayT,
    *,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> ArrayT:
    """What each row of x, along its last dimension, is reduced to: an array without that dimension.

    Sums are float32, in an order that depends on the length and x's alignment only; their error is at most (length /
    2048 + 20) * 2**-24 of the sum of magnitudes. A NaN makes NaN of its row's result. Without elements a sum is 0, a
    mean NaN, a maximum minus infinity and a minimum infinity.

    Args:
        reduction: what is computed.
        x: float32, float16 or bfloat16; the last dimension is contiguous and rows are equally apart.
        out: written and returned; it must not overlap x.
        dtype: as in `rms_norm`.
        stream: as in `rms_norm`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_x = operand("x", x, stream)
    rows, columns, _ = on_x.rows()
    call = Call(x, on_x, out, on_x.shape[:-1], dtype, stream)

    def column(one: Operand) -> _native.Rows:
        """The results as rows of one element."""
        return replace(one, shape=(*one.shape, 1), strides=(*one.strides, 1)).described_rows()

    def launch(place: Callable[[Operand], Operand]) -> None:
        library().reduce((rows, columns), reduction, place(on_x).described_rows(), column(place(call.out)), call.stream)

    column(call.out)  # refuses results that are not equally apart
    call.run([on_x], launch)
    return call.result()  # type: ignore[no-any-return]
