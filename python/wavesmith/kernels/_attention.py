"""Attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wavesmith._errors import BadInputError
from wavesmith.kernels._arrays import Operand, operand
from wavesmith.kernels._call import Call
from wavesmith.kernels._kernel_library import ArrayT, library

if TYPE_CHECKING:
    from wavesmith import _native


def attention(
    q: ArrayT,
    k: ArrayT,
    v: ArrayT,
    *,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: ArrayT | None = None,
    sinks: ArrayT | None = None,
    dropout_p: float = 0.0,
    dropout_seed: int = 0,
    dropout_offset: int = 0,
    cu_seqlens_q: ArrayT | None = None,
    cu_seqlens_k: ArrayT | None = None,
    max_seqlen_q: int | None = None,
    max_seqlen_k: int | None = None,
    return_lse: bool = False,
    out: ArrayT | None = None,
    stream: int | None = None,
) -> Any:
    """Attention forward, softmax(q k^T * softmax_scale) v in each head, with flash-attention's names.

    Scores and sums are float32; `wavesmith_attention.h` states the bound of the error. Queries and keys are aligned at
    their ends. A query that sees no key has the result 0 and the log-sum-exp minus infinity.

    Args:
        q: (batch, length, heads, size), float16 or bfloat16, the last dimension contiguous; with `cu_seqlens_q`
            (positions, heads, size): sequences one behind the other.
        k: as q, with a length of its own and a number of heads that q's is a multiple of.
        v: shaped as k.
        softmax_scale: None: 1 / sqrt(size).
        causal: a query sees no keys behind its own position.
        window_size: how many keys before and behind its position a query sees; -1: all.
        softcap: scores become softcap * tanh(score / softcap); 0: they do not.
        alibi_slopes: float32, (heads,) or (batch, heads): slope times distance is subtracted from scores.
        sinks: float32, (heads,): scores without a key, each of which counts in its head's sum of weights.
        dropout_p: the probability with which a weight is dropped, rounded to a multiple of 1 / 256. Heads go to 128.
        dropout_seed: with the offset, what decides which are dropped (`attention_dropout`).
        dropout_offset: a multiple of 4; the next draw's is 4 * batch * heads more.
        cu_seqlens_q: int32, batch + 1 positions at which q's sequences begin, and the end of the last.
        cu_seqlens_k: the same of k; both or neither.
        max_seqlen_q: an upper bound of the lengths, which saves empty workgroups. None: all positions.
        max_seqlen_k: the same of k.
        return_lse: the log-sum-exp of scores, too: float32, (batch, heads, length), or (heads, positions).
        out: written and returned, shaped and typed as q. Without it, a new array of q's package and device.
        stream: a hipStream_t as a number, as in `gemm`.

    Returns:
        The result, or with `return_lse` the result and the log-sum-exp.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_q, on_k, on_v = (operand(name, array, stream) for name, array in (("q", q), ("k", k), ("v", v)))
    packed = cu_seqlens_q is not None
    if packed != (cu_seqlens_k is not None):
        raise BadInputError("cu_seqlens_q and cu_seqlens_k are both given, or neither")
    dimensions = 3 if packed else 4
    for one in (on_q, on_k, on_v):
        if len(one.shape) != dimensions:
            names = "(positions, heads, size)" if packed else "(batch, length, heads, size)"
            raise BadInputError(f"{one.name} has shape {one.shape}, not {names}")
        if one.shape[-1] > 1 and one.strides[-1] != 1:
            raise BadInputError(f"{one.name} has a stride of {one.strides[-1]} in its last dimension, not 1")
        if one.type != on_q.type:
            raise BadInputError(f"q is of {on_q.type} and {one.name} of {one.type}")
    if on_v.shape != on_k.shape:
        raise BadInputError(f"v has shape {on_v.shape}, k {on_k.shape}")
    if on_k.shape[-1] != on_q.shape[-1] or (not packed and on_k.shape[0] != on_q.shape[0]):
        raise BadInputError(f"k has shape {on_k.shape}, q {on_q.shape}")

    more: dict[str, Operand] = {}
    if cu_seqlens_q is not None and cu_seqlens_k is not None:
        for name, array in (("cu_seqlens_q", cu_seqlens_q), ("cu_seqlens_k", cu_seqlens_k)):
            one = more[name] = operand(name, array, stream, integers=True)
            if one.type != "i32" or len(one.shape) != 1 or one.shape[0] < 1 or one.strides != (1,):
                raise BadInputError(
                    f"{name} is of {one.type} with shape {one.shape}, not of i32 with shape (batch + 1,)"
                )
        if more["cu_seqlens_q"].shape != more["cu_seqlens_k"].shape:
            raise BadInputError("cu_seqlens_q and cu_seqlens_k have different lengths")
        batches = more["cu_seqlens_q"].shape[0] - 1
    else:
        batches = on_q.shape[0]
    heads, size = on_q.shape[-2:]
    if alibi_slopes is not None:
        slopes = more["alibi_slopes"] = operand("alibi_slopes", alibi_slopes, stream)
        if slopes.type != "f32" or slopes.shape not in ((heads,), (batches, heads)):
            raise BadInputError(
                f"alibi_slopes is of {slopes.type} with shape {slopes.shape}, not of f32 with a slope per head"
            )
    if sinks is not None:
        given = more["sinks"] = operand("sinks", sinks, stream)
        if given.type != "f32" or given.shape != (heads,):
            raise BadInputError(f"sinks is of {given.type} with shape {given.shape}, not of f32 with a score per head")
    total_q, total_k = on_q.shape[-3], on_k.shape[-3]
    length_q = max_seqlen_q if packed and max_seqlen_q is not None else total_q
    length_k = max_seqlen_k if packed and max_seqlen_k is not None else total_k

    call = Call(q, on_q, out, on_q.shape, None, stream)
    lse = None
    if return_lse:
        shape = (heads, total_q) if packed else (batches, heads, total_q)
        lse = Call(q, on_q, None, shape, "f32", stream)

    def described(one: Operand) -> _native.Attended:
        return one.address, 0 if packed else one.strides[0], one.strides[-3], one.strides[-2]

    def launch(place: Callable[[Operand], Operand]) -> None:
        def address(name: str) -> int:
            return place(more[name]).address if name in more else 0

        alibi = place(more["alibi_slopes"]) if "alibi_slopes" in more else None
        on_lse = place(lse.out) if lse else None
        library().attention(
            (batches, heads, on_k.shape[-2], length_q, length_k, size),
            on_q.type,
            described(place(on_q)),
            described(place(on_k)),
            described(place(on_v)),
            described(place(call.out)),
            1 / math.sqrt(size) if softmax_scale is None and size else softmax_scale or 0.0,
            softcap,
            causal,
            window_size,
            (alibi.address, alibi.strides[0] if len(alibi.shape) == 2 else 0) if alibi else (0, 0),
            (address("cu_seqlens_q"), address("cu_seqlens_k"), total_q, total_k) if packed else (0, 0, 0, 0),
            (on_lse.address, 0 if packed else on_lse.strides[0], on_lse.strides[-2]) if on_lse else (0, 0, 0),
            address("sinks"),
            (dropout_p, dropout_seed, dropout_offset),
            call.stream,
        )

    call.run([on_q, on_k, on_v, *more.values()], launch, [lse.out] if lse else [])
    return (call.result(), lse.result()) if lse else call.result()


def attention_dropout(
    shape: tuple[int, int, int, int], *, dropout_p: float, dropout_seed: int, dropout_offset: int = 0
) -> tuple[bytes, float]:
    """Which weights `attention` keeps under dropout, without a GPU.

    Args:
        shape: batches, heads of q, and the lengths of q and k.
        dropout_p: as `attention` takes it.
        dropout_seed: as `attention` takes it.
        dropout_offset: as `attention` takes it.

    Returns:
        A byte for each weight, by rows, 1 where it is kept; and what multiplies those that are.

    Raises:
        BadInputError: the probability is not in [0, 1), or the offset no multiple of 4.
    """
    batches, heads, length_q, length_k = shape
    dropout = dropout_p, dropout_seed, dropout_offset
    factor = library().attention_dropout(dropout, max(heads, 1), (0, 0, 0), 0)[1]
    rows = ((batch, head, query) for batch in range(batches) for head in range(heads) for query in range(length_q))
    return b"".join(library().attention_dropout(dropout, heads, row, length_k)[0] for row in rows), factor
