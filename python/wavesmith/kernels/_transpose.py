"""Matrices that are copied, with another type or with rows and columns exchanged."""

from __future__ import annotations

from collections.abc import Callable

from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call
from wavesmith.kernels._kernel_library import ArrayT, library


def transpose(x: ArrayT, *, out: ArrayT | None = None, dtype: object = None, stream: int | None = None) -> ArrayT:
    """An array of its own that has the last two dimensions of x exchanged.

    Args:
        x: a matrix or a batch of matrices of any type, whose rows or columns are contiguous.
        out: written and returned; it must not overlap x.
        dtype: the result's type, x's where it is left out; otherwise both are float32, float16 or bfloat16, and
            elements are rounded to the nearest, ties to even.
        stream: as in `rms_norm`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    return _moved(x, out, dtype, stream, exchanged=True)


def copy(x: ArrayT, *, out: ArrayT | None = None, dtype: object = None, stream: int | None = None) -> ArrayT:
    """An array of its own with the elements of x, of another type where `dtype` says so.

    What is given is as for `transpose`. A transposed view of a matrix becomes one whose rows are contiguous.
    """
    return _moved(x, out, dtype, stream, exchanged=False)


def _moved(x: ArrayT, out: ArrayT | None, dtype: object, stream: int | None, *, exchanged: bool) -> ArrayT:
    on_x = operand("x", x, stream)
    rows, columns, batches = on_x.matrix()
    shape = (*on_x.shape[:-2], columns, rows) if exchanged else on_x.shape
    call = Call(x, on_x, out, shape, dtype, stream)

    def launch(place: Callable[[Operand], Operand]) -> None:
        address, word, row_stride, column_stride, batch_stride = place(call.out).described()
        strides = (column_stride, row_stride) if exchanged else (row_stride, column_stride)
        library().transpose(
            (rows, columns, 1 if batches is None else batches),
            place(on_x).described(),
            (address, word, *strides, batch_stride),
            call.stream,
        )

    call.run([on_x], launch)
    return call.result()  # type: ignore[no-any-return]
