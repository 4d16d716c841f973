"""What lies around the grouped products of a mixture of experts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call, check_shape
from wavesmith.kernels._kernel_library import ArrayT, library
from wavesmith.kernels._workspace import workspace

if TYPE_CHECKING:
    from wavesmith import _native

_NO_ROWS: _native.Rows = (0, "", 0)


def sort_experts(
    ids: ArrayT,
    experts: int,
    *,
    weights: ArrayT | None = None,
    expert_map: ArrayT | None = None,
    stream: int | None = None,
) -> Any:
    """The choices of tokens in the order of experts, as grouped products want them.

    >>> group_offsets, tokens_of, places, sorted_weights = sort_experts(ids, 8, weights=weights)
    >>> hidden = gemm(x, up, group_offsets=group_offsets, a_rows=tokens_of, gated=True, activation="silu")
    >>> y = combine(gemm(hidden, down, group_offsets=group_offsets), places, weights)

    A choice becomes a row among those of its expert, in the order of tokens and of their choices: the same in every
    run. A choice whose expert is not here has no row.

    Args:
        ids: int32, (tokens, choices), contiguous: the chosen experts. Up to 2**24 in all.
        experts: those that are here, up to 1,024: ids from 0 to experts - 1.
        weights: float32, shaped as ids, contiguous.
        expert_map: int32, of one dimension, contiguous: the number here of each id, or one that is none (-1), as where
            several GPUs share a layer's experts. An id beyond it has no row either.
        stream: a hipStream_t as a number, as in `gemm`.

    Returns:
        A tuple of int32 arrays: where each expert's rows begin, (experts + 1,); the token of each row, (tokens *
        choices,), -1 behind the last; the row of each choice, shaped as ids, -1 of those that have none. With weights
        also those of the rows, 0 behind the last.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_ids = _contiguous(operand("ids", ids, stream, integers=True), "i32", 2)
    tokens, choices = on_ids.shape
    on_map = on_weights = None
    if expert_map is not None:
        on_map = _contiguous(operand("expert_map", expert_map, stream, integers=True), "i32", 1)
    if weights is not None:
        on_weights = _contiguous(operand("weights", weights, stream), "f32", 2)
        check_shape(on_weights, on_ids.shape, "ids")
    rows = (tokens * choices,)
    calls = [Call(ids, on_ids, None, shape, None, stream) for shape in ((max(experts, 0) + 1,), rows, on_ids.shape)]
    if on_weights is not None:
        calls.append(Call(ids, on_ids, None, rows, "f32", stream))
    sizes = (tokens, choices, experts, on_map.shape[0] if on_map is not None else 0)

    def launch(place: Callable[[Operand], Operand]) -> None:
        def address(one: Operand | None) -> int:
            return place(one).address if one is not None else 0

        offsets, tokens_of, rows_of = (address(call.out) for call in calls[:3])
        in_order = address(calls[3].out) if on_weights is not None else 0
        at = (address(on_ids), address(on_map), address(on_weights), offsets, tokens_of, rows_of, in_order)
        size = library().sort_experts_workspace(sizes, at)
        stream = calls[0].stream
        library().sort_experts(sizes, at, workspace(size, stream) if size else 0, size, stream)

    inputs = [on_ids, *(one for one in (on_map, on_weights) if one is not None)]
    calls[0].run(inputs, launch, [call.out for call in calls[1:]])
    return tuple(call.result() for call in calls)


def combine(
    x: ArrayT,
    places: ArrayT,
    weights: ArrayT | None = None,
    *,
    addend: ArrayT | None = None,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> Any:
    """The weighted sums of rows, as the results of each token's experts are combined.

    Row t of the result is the sum of weights[t, j] * x[places[t, j]] over j, plus addend[t]. Sums are float32, in the
    order of j; their error is at most (choices + 2) * 2**-24 of the sum of magnitudes, to which rounding to the
    result's type comes.

    Args:
        x: float32, float16 or bfloat16, (rows, columns); the last dimension is contiguous.
        places: int32, (tokens, choices), contiguous. One that is no row of x counts for nothing.
        weights: float32, shaped as places, contiguous. None: all 1.
        addend: (tokens, columns): what else each token has, such as the result of an expert that all share.
        out: written and returned, (tokens, columns); it may be addend. Without it, a new array is returned, of x's
            package and device.
        dtype: the new result's type, as in `gemm`. None: x's.
        stream: a hipStream_t as a number, as in `gemm`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_x = operand("x", x, stream)
    if len(on_x.shape) != 2:
        raise BadInputError(f"x has shape {on_x.shape}, not (rows, columns)")
    on_places = _contiguous(operand("places", places, stream, integers=True), "i32", 2)
    on_weights = on_addend = None
    if weights is not None:
        on_weights = _contiguous(operand("weights", weights, stream), "f32", 2)
        check_shape(on_weights, on_places.shape, "places")
    tokens, choices = on_places.shape
    rows, columns, _ = on_x.rows()
    call = Call(x, on_x, out, (tokens, columns), dtype, stream)
    if addend is not None:
        on_addend = operand("addend", addend, stream)
        check_shape(on_addend, (tokens, columns), "the result")

    def launch(place: Callable[[Operand], Operand]) -> None:
        library().combine(
            (tokens, columns, choices, rows),
            place(on_x).described_rows(),
            place(on_addend).described_rows() if on_addend is not None else _NO_ROWS,
            place(call.out).described_rows(),
            place(on_places).address,
            place(on_weights).address if on_weights is not None else 0,
            call.stream,
        )

    call.run([on_x, on_places, *(one for one in (on_weights, on_addend) if one is not None)], launch)
    return call.result()


def _contiguous(one: Operand, word: str, dimensions: int) -> Operand:
    strides = tuple(math.prod(one.shape[axis + 1 :]) for axis in range(len(one.shape)))
    lies = all(
        size == 1 or given == stride for size, given, stride in zip(one.shape, one.strides, strides, strict=True)
    )
    if one.type != word or len(one.shape) != dimensions or not (lies or 0 in one.shape):
        raise BadInputError(
            f"{one.name} is of {one.type} with shape {one.shape} and strides {one.strides}",
            hint=f"of {word}, with {'one dimension' if dimensions == 1 else 'two dimensions'}, contiguous",
        )
    return one
