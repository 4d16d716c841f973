"""Operations on the rows of arrays: norms, softmax, gated activations, rotary embeddings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call, check_shape
from wavesmith.kernels._kernel_library import Activation, ArrayT, library
from wavesmith.kernels._quantise import Scales, Scaling

if TYPE_CHECKING:
    from wavesmith import _native

_NO_ROWS: _native.Rows = (0, "", 0)
_NO_VECTOR: _native.Vector = (0, "")


def rms_norm(
    x: ArrayT,
    weight: ArrayT | None = None,
    *,
    residual: ArrayT | None = None,
    summed: ArrayT | None = None,
    bias: ArrayT | None = None,
    eps: float = 1e-5,
    weight_offset: float = 0.0,
    scaling: Scaling | None = None,
    scale: ArrayT | None = None,
    block: int = 128,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> Any:
    """The norm x / sqrt(mean(x**2) + eps) * (weight + weight_offset) + bias over the last dimension.

    Sums are float32, and their order depends on the length and the arrays' alignment only. A NaN or infinity spoils its
    row and no other.

    Args:
        x: float32, float16 or bfloat16; the last dimension is contiguous and rows are equally apart.
        weight: one element per column, of any of these types; None: 1.
        residual: shaped as x. It is added to x first, and the sum rounded to the residual's type.
        summed: where that sum is written, shaped and typed as the residual; it may be that, or x. None: a new array.
        bias: one element per column.
        eps: what is added to the mean square.
        weight_offset: 1 for models that keep weight - 1, such as Gemma.
        scaling: "row" or "block": the result is quantised to `dtype`, int8 or a float8, with scales that are computed
            and returned, as by `quantise`, in one pass.
        scale: one float32 by which the result is divided before it is rounded to int8 or a float8.
        block: columns that share a scale: 32, 64 or 128.
        out: written and returned; it may be x. Without it, a new array is returned, of x's package and device.
        dtype: the new result's type, as in `gemm`. None: x's.
        stream: a hipStream_t as a number, as in `gemm`.

    Returns:
        The result; with `scaling` and with a residual a tuple of the result, the scales and the sum, of the
        residual's type.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    quantised = (scaling, scale, block)
    return _norm(x, weight, (residual, summed), bias, eps, weight_offset, quantised, out, dtype, stream, centred=False)


def layer_norm(
    x: ArrayT,
    weight: ArrayT | None = None,
    bias: ArrayT | None = None,
    *,
    residual: ArrayT | None = None,
    summed: ArrayT | None = None,
    eps: float = 1e-5,
    weight_offset: float = 0.0,
    scaling: Scaling | None = None,
    scale: ArrayT | None = None,
    block: int = 128,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> Any:
    """(x - mean(x)) / sqrt(variance(x) + eps) * (weight + weight_offset) + bias over the last dimension.

    The variance divides by the length. Everything else is as in `rms_norm`.
    """
    quantised = (scaling, scale, block)
    return _norm(x, weight, (residual, summed), bias, eps, weight_offset, quantised, out, dtype, stream, centred=True)


def softmax(
    x: ArrayT,
    *,
    scale: float = 1.0,
    log: bool = False,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> ArrayT:
    """exp(scale * x) / sum(exp(scale * x)) over the last dimension, or with `log` its logarithm.

    Nothing overflows: each row's largest element is subtracted first. A row with a NaN, with plus infinity or with
    minus infinity alone becomes NaN. Arguments are those of `rms_norm`.
    """
    on_x = operand("x", x, stream)
    call = Call(x, on_x, out, on_x.shape, dtype, stream)
    rows, columns, _ = on_x.rows()

    def launch(place: Callable[[Operand], Operand]) -> None:
        library().softmax(
            (rows, columns),
            place(on_x).described_rows(),
            place(call.out).described_rows(),
            scale,
            log,
            call.stream,
        )

    call.run([on_x], launch)
    return call.result()  # type: ignore[no-any-return]


def gated(
    gate: ArrayT,
    up: ArrayT | None = None,
    *,
    activation: Activation = "silu",
    scaling: Scaling | None = None,
    scale: ArrayT | None = None,
    block: int = 128,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> Any:
    """activation(gate) * up, element by element.

    Args:
        gate: float32, float16 or bfloat16; the last dimension is contiguous and rows are equally apart.
        up: shaped as `gate`. None: `gate` holds both side by side in its last dimension, the gate first.
        activation: "relu", "gelu" (the approximation by tanh) or "silu".
        scaling: as in `rms_norm`, also the following two.
        scale: one float32.
        block: columns.
        out: as in `rms_norm`; it may be `gate` or `up`.
        dtype: as in `rms_norm`.
        stream: as in `rms_norm`.

    Returns:
        The result; with `scaling` a tuple of the result and the scales.
    """
    on_gate = operand("gate", gate, stream)
    if up is None:
        if not on_gate.shape or on_gate.shape[-1] % 2:
            raise BadInputError(f"gate has shape {on_gate.shape}, and without up its last dimension is two halves")
        shape = (*on_gate.shape[:-1], on_gate.shape[-1] // 2)
        on_up = None
    else:
        shape = on_gate.shape
        on_up = operand("up", up, stream)
        check_shape(on_up, shape, "gate")
    call = Call(gate, on_gate, out, shape, dtype, stream)
    scales = Scales(gate, on_gate, shape, scaling, scale, block, stream)
    rows = math.prod(shape[:-1])

    def launch(place: Callable[[Operand], Operand]) -> None:
        on = place(on_gate).described_rows()
        if on_up is not None:
            other = place(on_up).described_rows()
        else:
            size = 4 if on[1] == "f32" else 2
            other = (on[0] + shape[-1] * size, on[1], on[2])
        library().gate(
            (rows, shape[-1]),
            on,
            other,
            place(call.out).described_rows(),
            activation,
            scales.described(place),
            call.stream,
        )

    call.run([on_gate, *([on_up] if on_up else []), *scales.inputs()], launch, scales.results())
    return (call.result(), scales.result()) if scales.are_computed else call.result()


def rope(
    x: ArrayT,
    cosines: ArrayT,
    sines: ArrayT,
    positions: ArrayT | None = None,
    *,
    first_position: int = 0,
    interleaved: bool = False,
    out: ArrayT | None = None,
    dtype: object = None,
    stream: int | None = None,
) -> ArrayT:
    """Rotary position embedding of heads: pairs (a, b) become (a cos - b sin, b cos + a sin).

    Args:
        x: (tokens, heads, elements), the last dimension contiguous; float32, float16 or bfloat16.
        cosines: a row per position, a column per pair. Twice as many elements of a head are rotated, the others copied.
        sines: the same, of the same type.
        positions: int32 or int64, one per token. None: token i is at position i. All of them, plus `first_position`,
            must be rows of the tables; that is not checked.
        first_position: added to each position.
        interleaved: pairs are neighbours (GPT-J); otherwise half of what is rotated apart (GPT-NeoX, Llama).
        out: as in `rms_norm`; it may be x.
        dtype: as in `rms_norm`.
        stream: as in `rms_norm`.
    """
    on_x, on_cosines, on_sines = (
        operand(name, array, stream) for name, array in (("x", x), ("cosines", cosines), ("sines", sines))
    )
    on_positions = operand("positions", positions, stream, integers=True) if positions is not None else None
    if len(on_x.shape) != 3:
        raise BadInputError(f"x has shape {on_x.shape}, not (tokens, heads, elements)")
    tokens, heads, elements = on_x.shape
    if elements > 1 and on_x.strides[2] != 1:
        raise BadInputError(f"x has a stride of {on_x.strides[2]} in its last dimension, not 1")
    if len(on_cosines.shape) != 2:
        raise BadInputError(f"cosines has shape {on_cosines.shape}, not (positions, pairs)")
    check_shape(on_sines, on_cosines.shape, "cosines")
    if on_sines.type != on_cosines.type or on_sines.strides[0] != on_cosines.strides[0]:
        raise BadInputError("cosines and sines differ in type or stride")
    if on_positions is not None and (on_positions.shape != (tokens,) or (tokens > 1 and on_positions.strides[0] != 1)):
        raise BadInputError(f"positions has shape {on_positions.shape}, and there are {tokens} tokens")
    call = Call(x, on_x, out, on_x.shape, dtype, stream)

    def heads_of(one: Operand) -> _native.Heads:
        return one.address, one.type, one.strides[0], one.strides[1]

    def launch(place: Callable[[Operand], Operand]) -> None:
        numbers = place(on_positions) if on_positions is not None else None
        library().rope(
            (tokens, heads, elements, 2 * on_cosines.shape[1]),
            heads_of(place(on_x)),
            heads_of(place(call.out)),
            place(on_cosines).described_rows(),
            place(on_sines).described_rows(),
            (numbers.address, 64 if numbers.type == "i64" else 32) if numbers else (0, 32),
            first_position,
            interleaved,
            call.stream,
        )

    call.run([on_x, on_cosines, on_sines, *([on_positions] if on_positions else [])], launch)
    return call.result()  # type: ignore[no-any-return]


def _norm(
    x: Any,
    weight: Any,
    residuals: tuple[Any, Any],
    bias: Any,
    eps: float,
    weight_offset: float,
    quantised: tuple[Scaling | None, Any, int],
    out: Any,
    dtype: object,
    stream: int | None,
    *,
    centred: bool,
) -> Any:
    on_x = operand("x", x, stream)
    rows, columns, _ = on_x.rows()
    call = Call(x, on_x, out, on_x.shape, dtype, stream)
    scales = Scales(x, on_x, on_x.shape, *quantised, stream)
    vectors: dict[str, Operand] = {}
    for name, array in (("weight", weight), ("bias", bias)):
        if array is None:
            continue
        one = vectors[name] = operand(name, array, stream)
        check_shape(one, (columns,), "a row")
        if columns > 1 and one.strides[0] != 1:
            raise BadInputError(f"{name} has a stride of {one.strides[0]}, not 1")
    on_residual = summed = None
    residual, sum_out = residuals
    if residual is None and sum_out is not None:
        raise BadInputError("summed is given, and there is no residual")
    if residual is not None:
        on_residual = operand("residual", residual, stream)
        check_shape(on_residual, on_x.shape, "x")
        summed = Call(residual, on_residual, sum_out, on_x.shape, None, stream, "summed")
        if summed.out.type != on_residual.type:
            raise BadInputError(f"summed is of {summed.out.type} and residual of {on_residual.type}")

    def launch(place: Callable[[Operand], Operand]) -> None:
        library().norm(
            (rows, columns),
            place(on_x).described_rows(),
            place(call.out).described_rows(),
            place(on_residual).described_rows() if on_residual else _NO_ROWS,
            place(summed.out).described_rows() if summed else _NO_ROWS,
            place(vectors["weight"]).described_vector() if "weight" in vectors else _NO_VECTOR,
            place(vectors["bias"]).described_vector() if "bias" in vectors else _NO_VECTOR,
            weight_offset,
            eps,
            centred,
            scales.described(place),
            call.stream,
        )

    inputs = [on_x, *vectors.values(), *([on_residual] if on_residual else []), *scales.inputs()]
    call.run(inputs, launch, [*scales.results(), *([summed.out] if summed else [])])
    results = [call.result()]
    if scales.are_computed:
        results.append(scales.result())
    if summed:
        results.append(summed.result())
    return tuple(results) if len(results) > 1 else results[0]
