"""The router of a mixture of experts: the experts of each token, and their weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call, check_shape
from wavesmith.kernels._kernel_library import ArrayT, library

Scores = Literal["softmax", "sigmoid"]
Worth = Literal["largest", "two_largest"]


def router(
    logits: ArrayT,
    chosen: int,
    *,
    scores: Scores = "softmax",
    renormalised: bool = True,
    factor: float = 1.0,
    bias: ArrayT | None = None,
    groups: int = 1,
    groups_kept: int | None = None,
    worth: Worth = "largest",
    weights: ArrayT | None = None,
    ids: ArrayT | None = None,
    stream: int | None = None,
) -> tuple[Any, Any]:
    """The experts with the largest scores of each token, in descending order, and their weights.

    As vLLM's topk_softmax and grouped_topk and AITER's biased_grouped_topk, in one kernel. Without a bias experts are
    compared by their logits. Of equal ones the lower comes first, and NaN is the largest: ids are always experts that
    differ. A softmax with a NaN, with plus infinity or with minus infinity alone has NaN for weights.

    Args:
        logits: (..., experts), up to 1,024; float32, float16 or bfloat16; the last dimension is contiguous and rows are
            equally apart.
        chosen: experts of each token, up to 32.
        scores: "softmax" over all experts or "sigmoid", in float32.
        renormalised: weights are divided by their sum, where that is not 0.
        factor: by which weights are multiplied.
        bias: one float32 per expert, added to the scores for the choice alone, as DeepSeek-V3's
            e_score_correction_bias.
        groups: equal groups, up to 32, in which experts lie one behind the other.
        groups_kept: of which so many are chosen from, those that are worth most. None: all.
        worth: of a group: its "largest" score + bias (DeepSeek-V2), or the sum of its "two_largest" (DeepSeek-V3).
        weights: (..., chosen), float32, contiguous; written and returned. None: a new array of logits' package.
        ids: the same of int32.
        stream: a hipStream_t as a number, as in `gemm`.

    Returns:
        The weights and the ids.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_logits = operand("logits", logits, stream)
    tokens, experts, _ = on_logits.rows()
    shape = (*on_logits.shape[:-1], chosen)
    if chosen < 1:
        raise BadInputError(f"chosen is {chosen}, and each token wants an expert")
    on_bias = operand("bias", bias, stream) if bias is not None else None
    if on_bias is not None:
        check_shape(on_bias, (experts,), "the experts")
        if on_bias.type != "f32" or (experts > 1 and on_bias.strides[0] != 1):
            raise BadInputError(f"bias is of {on_bias.type} with a stride of {on_bias.strides[0]}, not of f32 with 1")
    call = Call(logits, on_logits, weights, shape, "f32", stream, "weights")
    call_ids = Call(logits, on_logits, ids, shape, "i32", stream, "ids")

    def address(one: Operand) -> int:
        if one.rows()[2] != chosen and tokens > 1:
            raise BadInputError(f"{one.name} has rows {one.rows()[2]} elements apart, not {chosen}")
        return one.address

    def launch(place: Callable[[Operand], Operand]) -> None:
        library().router(
            (tokens, experts, chosen),
            place(on_logits).described_rows(),
            scores,
            renormalised,
            factor,
            place(on_bias).address if on_bias is not None else 0,
            (groups, groups if groups_kept is None else groups_kept, worth),
            address(place(call.out)),
            address(place(call_ids.out)),
            call.stream,
        )

    call.run([on_logits, *([on_bias] if on_bias is not None else [])], launch, [call_ids.out])
    return call.result(), call_ids.result()
