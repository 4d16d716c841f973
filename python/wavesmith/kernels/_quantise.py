"""Quantising rows of arrays, and the scales of operations that quantise what they write."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand, word_of
from wavesmith.kernels._call import Call, check_shape
from wavesmith.kernels._kernel_library import ArrayT, library

if TYPE_CHECKING:
    from wavesmith import _native

Scaling = Literal["matrix", "row", "block", "mx"]
"""What shares a scale: the whole array, a row, a block of a row's columns, or 32 columns in OCP's MX formats."""

_MX_BLOCK = 32


def quantise(
    x: ArrayT,
    dtype: object = "e4m3",
    *,
    scaling: Scaling | None = None,
    scale: ArrayT | None = None,
    block: int = 128,
    out: ArrayT | None = None,
    stream: int | None = None,
) -> tuple[Any, Any]:
    """Quantises rows: x is about q * scale, with scale = max(abs(x)) / (the type's largest number).

    Each scale is at least 2**-126, and q = round(x * (1 / scale)), each operation rounded to float32. Rounding is to
    the nearest, ties to even; what is beyond the largest number becomes that, infinity too. NaN stays NaN, and becomes
    0 in int8 and e2m1. A NaN or infinity spoils what shares a computed scale: all of it is NaN when it is dequantised.

    Args:
        x: float32, float16 or bfloat16; the last dimension is contiguous and rows are equally apart.
        dtype: "i8", "e4m3", "e5m2", "e4m3fnuz" or "e5m2fnuz", or as the package names it; with MX "e4m3", "e5m2" or
            "e2m1x2": two numbers per byte of uint8, the first in its lower bits. Every GPU has all of them.
        scaling: "matrix": one scale, of shape (1,). "row": one per row, of shape (..., 1). "block": one per `block`
            columns of a row, of shape (..., blocks). "mx": a power of two per 32 columns, as e8m0 (exponent + 127) in
            uint8, of shape (..., blocks). None: nothing is computed.
        scale: without `scaling`, one float32 to divide by, positive and finite. None: 1.
        block: 32, 64 or 128 columns.
        out: written and returned; shaped as x, of e2m1x2 with half as many columns, rounded up.
        stream: a hipStream_t as a number, as in `gemm`.

    Returns:
        The quantised array and the scales: float32, of MX uint8, `scale` where that is given, or None.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_x = operand("x", x, stream)
    rows, columns, _ = on_x.rows()
    word = word_of(dtype)
    shape = on_x.shape if word != "u8" else (*on_x.shape[:-1], (columns + 1) // 2)
    call = Call(x, on_x, out, shape, word, stream)
    scales = Scales(x, on_x, on_x.shape, scaling, scale, block, stream)

    def launch(place: Callable[[Operand], Operand]) -> None:
        library().quantise(
            (rows, columns),
            place(on_x).described_rows(),
            place(call.out).described_rows(),
            scales.described(place),
            call.stream,
        )

    call.run([on_x, *scales.inputs()], launch, scales.results())
    return call.result(), scales.result()


def dequantise(
    q: ArrayT,
    scales: ArrayT | None = None,
    *,
    block: int = 128,
    columns: int | None = None,
    out: ArrayT | None = None,
    dtype: object = "f32",
    stream: int | None = None,
) -> ArrayT:
    """What `quantise` made, as floats again: q * scale, rounded to float32 and then to the result's type.

    Args:
        q: int8 or float8 of any kind, or uint8, whose bytes hold two e2m1 each; rows as in `quantise`.
        scales: as `quantise` returns them: one float32, one per row, one per block of columns, or in uint8 the e8m0 of
            32 columns each. None: 1.
        block: columns of a block, where there is one scale for several.
        columns: numbers of a row of e2m1, where the last byte holds one. None: two per byte.
        out: written and returned; float32, float16 or bfloat16.
        dtype: the new result's type, as in `gemm`.
        stream: as in `quantise`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_q = operand("q", q, stream, raw=True)
    rows, width, _ = on_q.rows()
    packed = on_q.type == "u8"
    count = columns if columns is not None else 2 * width if packed else width
    if width != ((count + 1) // 2 if packed else count):
        raise BadInputError(f"q has {width} {'bytes' if packed else 'columns'} in a row, and columns is {columns}")
    shape = (*on_q.shape[:-1], count)
    on_scales = operand("scales", scales, stream, raw=True) if scales is not None else None
    scaling, extent = _scaling_of(on_scales, shape, block)
    call = Call(q, on_q, out, shape, dtype, stream)

    def launch(place: Callable[[Operand], Operand]) -> None:
        described = _described(place(on_scales) if on_scales else None, scaling, extent)
        library().dequantise(
            (rows, count), place(on_q).described_rows(), place(call.out).described_rows(), described, call.stream
        )

    call.run([on_q, *([on_scales] if on_scales else [])], launch)
    return call.result()  # type: ignore[no-any-return]


class Scales:
    """The scales of what a call writes: given, computed or none."""

    def __init__(
        self,
        like: object,
        on: Operand,
        shape: tuple[int, ...],
        scaling: Scaling | None,
        scale: Any,
        block: int,
        stream: int | None,
    ) -> None:
        """Of a result with that shape, beside an array of the package that `like` is of."""
        self._given = scale
        self._made: Call | None = None
        self._operand: Operand | None = None
        self._scaling: str = scaling or "unscaled"
        self._block = _MX_BLOCK if scaling == "mx" else block
        if scale is not None:
            if scaling is not None:
                raise BadInputError(f"scale is given, and scaling is '{scaling}'", hint="one of the two")
            self._scaling, self._operand = "given", operand("scale", scale, stream)
            if self._operand.type != "f32" or math.prod(self._operand.shape) != 1:
                raise BadInputError(
                    f"scale is of {self._operand.type} and shape {self._operand.shape}", hint="it is one float32"
                )
        elif scaling is not None:
            if scaling == "block" and block < 1:
                raise BadInputError(f"block is {block}")
            blocks = -(-shape[-1] // self._block) if scaling in ("block", "mx") else 1
            extents = (1,) if scaling == "matrix" else (*shape[:-1], blocks)
            self._made = Call(like, on, None, extents, "e8m0" if scaling == "mx" else "f32", stream)
            self._operand = self._made.out

    def inputs(self) -> list[Operand]:
        return [self._operand] if self._operand is not None and self._made is None else []

    def results(self) -> list[Operand]:
        return [self._made.out] if self._made is not None else []

    def described(self, place: Callable[[Operand], Operand]) -> _native.Scales:
        return _described(place(self._operand) if self._operand else None, self._scaling, self._block)

    @property
    def are_computed(self) -> bool:
        return self._made is not None

    def result(self) -> Any:
        return self._made.result() if self._made is not None else self._given


def _described(scales: Operand | None, scaling: str, block: int) -> _native.Scales:
    if scales is None:
        return 0, scaling, block, 0, 0
    row_stride = scales.rows()[2] if scales.shape else 1
    return scales.address, scaling, block, row_stride, 1


def _scaling_of(scales: Operand | None, shape: tuple[int, ...], block: int) -> tuple[str, int]:
    """What shares each of these scales of an array with that shape, and the columns of a block."""
    if scales is None:
        return "unscaled", 0
    if scales.type not in ("f32", "u8"):
        raise BadInputError(f"scales are of {scales.type}", hint="they are float32, or e8m0 in uint8")
    if scales.type == "u8":
        check_shape(scales, (*shape[:-1], -(-shape[-1] // _MX_BLOCK)), "an array with blocks of 32 columns")
        return "mx", _MX_BLOCK
    if math.prod(scales.shape) == 1:
        return "matrix", 0
    if scales.shape == (*shape[:-1], 1):
        return "row", 0
    check_shape(scales, (*shape[:-1], -(-shape[-1] // max(block, 1))), f"an array with blocks of {block} columns")
    return "block", block
