"""Reductions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call
from wavesmith.kernels._kernel_library import ArrayT, library
from wavesmith.kernels._workspace import workspace

if TYPE_CHECKING:
    from wavesmith import _native

Reduction = Literal["sum", "mean", "maximum", "minimum", "sum_of_squares"]
_Over = Literal["row", "column", "all"]


def reduce(
    reduction: Reduction,
    x: ArrayT,
    *,
    axis: int | None = -1,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> ArrayT:
    """What x is reduced to along a dimension: an array without it; or one number of all of x.

    Sums are float32, in an order that depends on x's sizes, strides and alignment only; along the last dimension their
    error is at most (length / 2048 + 20) * 2**-24 of the sum of magnitudes (wavesmith_rows.h states the others). A
    NaN makes NaN of the result that it belongs to. Without elements a sum is 0, a mean NaN, a maximum minus infinity
    and a minimum infinity.

    Args:
        reduction: what is computed.
        x: float32, float16 or bfloat16; the last dimension is contiguous and rows are equally apart.
        axis: the last dimension, the first of two, or None for all elements.
        out: written and returned; it must not overlap x.
        dtype: as in `rms_norm`.
        stream: as in `rms_norm`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_x = operand("x", x, stream)
    sizes = on_x.rows()[:2]
    over = _over(on_x, axis)
    shape = {"row": on_x.shape[:-1], "column": on_x.shape[-1:], "all": ()}[over]
    call = Call(x, on_x, out, shape, dtype, stream)

    def results(one: Operand) -> _native.Rows:
        """The results as rows: of one element each, or one row."""
        if over != "column":
            one = replace(one, shape=(*one.shape, 1), strides=(*one.strides, 1))
        return one.described_rows()

    def launch(place: Callable[[Operand], Operand]) -> None:
        matrices = place(on_x).described_rows(), results(place(call.out))
        size = library().reduce_workspace(sizes, reduction, over, *matrices)
        memory = workspace(size, call.stream) if size else 0
        library().reduce(sizes, reduction, over, *matrices, memory, size, call.stream)

    results(call.out)  # refuses results that are not equally apart
    call.run([on_x], launch)
    return call.result()  # type: ignore[no-any-return]


def _over(x: Operand, axis: int | None) -> _Over:
    if axis is None:
        return "all"
    dimensions = len(x.shape)
    if axis in (-1, dimensions - 1):
        return "row"
    if dimensions == 2 and axis in (0, -2):
        return "column"
    raise BadInputError(
        f"axis is {axis}, and x has {dimensions} dimensions", hint="the last one, the first of two, or None"
    )
