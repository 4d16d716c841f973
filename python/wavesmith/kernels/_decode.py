"""Attention of new tokens over a cache of keys and values in pages, and writing to the cache."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wavesmith._errors import BadInputError
from wavesmith._module import _hip
from wavesmith.kernels._arrays import Copies, Operand, current_device, operand
from wavesmith.kernels._call import Call
from wavesmith.kernels._kernel_library import ArrayT, library
from wavesmith.kernels._workspace import workspace

if TYPE_CHECKING:
    from wavesmith import _native


def decode(
    q: ArrayT,
    k_cache: ArrayT,
    v_cache: ArrayT,
    context_lengths: ArrayT,
    *,
    block_table: ArrayT | None = None,
    k_scale: ArrayT | None = None,
    v_scale: ArrayT | None = None,
    softmax_scale: float | None = None,
    window_left: int = -1,
    softcap: float = 0.0,
    alibi_slopes: ArrayT | None = None,
    sinks: ArrayT | None = None,
    max_context: int | None = None,
    return_lse: bool = False,
    out: ArrayT | None = None,
    stream: int | None = None,
) -> Any:
    """Attention of each sequence's last tokens, softmax(q k^T * softmax_scale) v in each head, over a paged cache.

    Query i of n is at position context - n + i, and sees the keys up to there. Scores and sums are float32;
    `wavesmith_attention.h` states the bound of the error. A query that sees no key has the result 0.

    Args:
        q: (batch, heads, size), or (batch, length, heads, size) for several tokens of each sequence; float16 or
            bfloat16. Sizes are 64, 128, and on CDNA 256.
        k_cache: (blocks, page, heads, size), of q's type, or float8 e4m3 as the GPU has it, or int8 with scales; in any
            order in memory in which the last dimension is contiguous. A page is a power of two, 8 at least. q's heads
            are a multiple of its heads. Without a block table (batch, positions, heads, size).
        v_cache: shaped and typed as `k_cache`.
        context_lengths: int32, (batch,): each sequence's keys, those of q's tokens included.
        block_table: int32, (batch, blocks of the longest context): where in the cache a sequence's pages are.
        k_scale: float32, by which the cache's numbers are multiplied: one or one per head, or of float8 and int8 one
            per position and head, (blocks, page, heads), in any order in memory: vLLM's int8_per_token_head. None: 1.
        v_scale: the same of `v_cache`.
        softmax_scale: None: 1 / sqrt(size).
        window_left: how many keys before its own position a query sees; -1: all.
        softcap: scores become softcap * tanh(score / softcap); 0: they do not.
        alibi_slopes: float32, (heads,) or (batch, heads): slope times distance is subtracted from scores.
        sinks: float32, (heads,): in each head the score of one more key, whose value is 0.
        max_context: an upper bound of the contexts, by which the work is split. None: what the table, or a cache
            without one, has room for.
        return_lse: the log-sum-exp of scores, too: float32, (batch, heads), or (batch, heads, length).
        out: written and returned, shaped and typed as q. Without it, a new array of q's package and device.
        stream: a hipStream_t as a number, as in `gemm`. Memory for parts of contexts is kept for each.

    Returns:
        The result, or with `return_lse` the result and the log-sum-exp.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    from wavesmith import _native

    on_q = operand("q", q, stream)
    on_k, on_v = _cache("k_cache", k_cache, stream), _cache("v_cache", v_cache, stream)
    if len(on_q.shape) not in (3, 4):
        raise BadInputError(f"q has shape {on_q.shape}, not (batch, heads, size) or (batch, length, heads, size)")
    _check_contiguous(on_q)
    if on_v.shape != on_k.shape:
        raise BadInputError(f"v_cache has shape {on_v.shape}, k_cache {on_k.shape}")
    batches, heads, size = on_q.shape[0], *on_q.shape[-2:]
    length = on_q.shape[1] if len(on_q.shape) == 4 else 1
    blocks, page, heads_kv, size_kv = on_k.shape
    if size_kv != size:
        raise BadInputError(f"k_cache has heads of {size_kv} elements and q of {size}")

    more: dict[str, Operand] = {}
    contexts = more["context_lengths"] = _integers("context_lengths", context_lengths, (batches,), stream)
    longest = page
    if block_table is not None:
        table = more["block_table"] = _integers("block_table", block_table, (batches, None), stream)
        longest = table.shape[1] * page
    elif blocks != batches:
        raise BadInputError(f"k_cache has {blocks} blocks and q {batches} sequences, and there is no block_table")
    scale_k, scale_v = (
        None if scale is None else _scale(name, scale, on_k.shape, stream, more)
        for name, scale in (("k_scale", k_scale), ("v_scale", v_scale))
    )
    if max_context is not None:
        if max_context > longest:
            raise BadInputError(f"max_context is {max_context}, and there is room for {longest}")
        longest = max_context
    for name, array, shapes in (
        ("alibi_slopes", alibi_slopes, ((heads,), (batches, heads))),
        ("sinks", sinks, ((heads,),)),
    ):
        if array is not None:
            one = more[name] = operand(name, array, stream)
            if one.type != "f32" or one.shape not in shapes or (heads > 1 and one.strides[-1] != 1):
                raise BadInputError(f"{name} is of {one.type} with shape {one.shape}, not of f32 with one per head")

    call = Call(q, on_q, out, on_q.shape, None, stream)
    of_lse = (batches, heads) if len(on_q.shape) == 3 else (batches, heads, length)
    lse = Call(q, on_q, None, of_lse, "f32", stream) if return_lse else None

    def described(one: Operand) -> _native.Attended:
        return one.address, one.strides[0], one.strides[1] if len(one.shape) == 4 else 0, one.strides[-2]

    def launch(place: Callable[[Operand], Operand]) -> None:
        def address(name: str) -> int:
            return place(more[name]).address if name in more else 0

        alibi = place(more["alibi_slopes"]) if "alibi_slopes" in more else None
        on_table = place(more["block_table"]) if "block_table" in more else None
        on_lse = place(lse.out) if lse else None
        description = _native.decode_description(
            (batches, heads, heads_kv, length, size),
            on_q.type,
            described(place(on_q)),
            described(place(call.out)),
            _paged(place(on_k), place(scale_k) if scale_k else None),
            _paged(place(on_v), place(scale_v) if scale_v else None),
            (on_table.address, on_table.strides[0], blocks, page) if on_table else (0, 0, 0, 0),
            (place(contexts).address, longest),
            1 / math.sqrt(size) if softmax_scale is None and size else softmax_scale or 0.0,
            softcap,
            window_left,
            (alibi.address, alibi.strides[0] if len(alibi.shape) == 2 else 0) if alibi else (0, 0),
            address("sinks"),
            (on_lse.address, on_lse.strides[0], on_lse.strides[1]) if on_lse else (0, 0, 0),
        )
        bytes = library().decode_workspace(description)
        library().decode(description, workspace(bytes, call.stream), bytes, call.stream)

    call.run([on_q, on_k, on_v, *more.values()], launch, [lse.out] if lse else [])
    return (call.result(), lse.result()) if lse else call.result()


def cache_write(
    k: ArrayT,
    v: ArrayT,
    k_cache: ArrayT,
    v_cache: ArrayT,
    slots: ArrayT,
    *,
    k_scale: ArrayT | None = None,
    v_scale: ArrayT | None = None,
    stream: int | None = None,
) -> None:
    """Writes the keys and values of tokens into a paged cache, in its type.

    What is written is the quotient by the scale, to the nearest, ties to even; in 8 bits what is beyond the largest
    becomes the largest. NaN stays NaN, and is 0 in int8. Scales of positions are written, too: the largest magnitude of
    a token's head by 127 (int8), 448 or FNUZ 240 (float8), at least 1e-6, and NaN where an element is NaN or infinite.

    Args:
        k: (tokens, heads, size); float32, float16 or bfloat16, the last dimension contiguous.
        v: shaped as k.
        k_cache: (blocks, page, heads, size), as for `decode`; float32, float16, bfloat16, int8 or float8 e4m3 as the
            GPU has it. It is written.
        v_cache: shaped as `k_cache`.
        slots: int64, (tokens,): block * page + position of each token. Negative ones, and those beyond the cache, are
            left out.
        k_scale: float32, one or one per head; of int8 and float8 also (blocks, page, heads), which is written. None: 1,
            not of int8.
        v_scale: the same of `v_cache`.
        stream: a hipStream_t as a number, as in `gemm`.

    Raises:
        BadInputError, UnsupportedError, NotFoundError, ...: as `gemm` does.
    """
    on_k, on_v = operand("k", k, stream), operand("v", v, stream)
    caches = [_cache("k_cache", k_cache, stream, written=True), _cache("v_cache", v_cache, stream, written=True)]
    for one in (on_k, on_v):
        if len(one.shape) != 3:
            raise BadInputError(f"{one.name} has shape {one.shape}, not (tokens, heads, size)")
        _check_contiguous(one)
    if on_v.shape != on_k.shape:
        raise BadInputError(f"v has shape {on_v.shape}, k {on_k.shape}")
    tokens, heads, size = on_k.shape
    blocks, page = caches[0].shape[:2]
    for one in caches:
        if one.shape != (blocks, page, heads, size):
            raise BadInputError(f"{one.name} has shape {one.shape}, not {(blocks, page, heads, size)}")
    on_slots = operand("slots", slots, stream, integers=True)
    if on_slots.type != "i64" or on_slots.shape != (tokens,) or (tokens > 1 and on_slots.strides != (1,)):
        raise BadInputError(f"slots is of {on_slots.type} with shape {on_slots.shape}, not of i64 with one per token")
    more: dict[str, Operand] = {}
    scales = [
        None if scale is None else _scale(name, scale, caches[0].shape, stream, more, written=True)
        for name, scale in (("k_scale", k_scale), ("v_scale", v_scale))
    ]
    inputs = [on_k, on_v, on_slots, *more.values()]
    for one in [*inputs, *caches]:
        if one.device != on_k.device:
            raise BadInputError(f"k lies in {on_k.place()} and {one.name} in {one.place()}")

    def launch(place: Callable[[Operand], Operand]) -> None:
        def described(one: Operand) -> _native.Heads:
            return one.address, one.type, one.strides[0], one.strides[1]

        paged_k, paged_v = (
            _paged(place(cache), place(scale) if scale else None) for cache, scale in zip(caches, scales, strict=True)
        )
        library().cache(
            (tokens, heads, size, blocks, page),
            described(place(on_k)),
            described(place(on_v)),
            paged_k,
            paged_v,
            place(on_slots).address,
            stream or 0,
        )

    hip = _hip()
    with current_device(hip, on_k.device):
        if on_k.device is not None:
            launch(lambda one: one)
            return
        with Copies(hip) as copies:
            placed = {id(one): copies.of(one) for one in [*inputs, *caches]}
            launch(lambda one: placed[id(one)])
            hip.synchronize()
            for one in [*caches, *(scale for scale in scales if scale and len(scale.shape) == 3)]:
                copies.bring_back(placed[id(one)], one)


def _check_contiguous(one: Operand) -> None:
    if one.shape[-1] > 1 and one.strides[-1] != 1:
        raise BadInputError(f"{one.name} has a stride of {one.strides[-1]} in its last dimension, not 1")


def _cache(name: str, array: ArrayT, stream: int | None, *, written: bool = False) -> Operand:
    cache = operand(name, array, stream, written=written)
    if len(cache.shape) != 4:
        raise BadInputError(f"{name} has shape {cache.shape}, not (blocks, page, heads, size)")
    _check_contiguous(cache)
    return cache


def _integers(name: str, array: ArrayT, shape: tuple[int | None, ...], stream: int | None) -> Operand:
    """Checked: int32, of that shape, None being any size."""
    one = operand(name, array, stream, integers=True)
    fits = len(one.shape) == len(shape) and all(want in (None, got) for got, want in zip(one.shape, shape, strict=True))
    if one.type != "i32" or not fits or (one.shape[-1] > 1 and one.strides[-1] != 1):
        names = ", ".join("blocks" if size is None else str(size) for size in shape)
        raise BadInputError(f"{name} is of {one.type} with shape {one.shape}, not of i32 with shape ({names})")
    return one


def _scale(
    name: str,
    array: ArrayT,
    cache: tuple[int, ...],
    stream: int | None,
    more: dict[str, Operand],
    *,
    written: bool = False,
) -> Operand:
    """Checked: one float32, one per head, or one per position and head; it is also put into `more`."""
    scale = operand(name, array, stream)
    if written and len(scale.shape) == 3:
        scale = operand(name, array, stream, written=True)
    more[name] = scale
    *positions, heads, _ = cache
    count = math.prod(scale.shape)
    few = len(scale.shape) < 2 and count in (1, heads) and (count == 1 or scale.strides == (1,))
    if scale.type != "f32" or not (few or scale.shape == (*positions, heads)):
        raise BadInputError(
            f"{name} is of {scale.type} with shape {scale.shape}, not of f32 with one, one per head, "
            f"or one per position and head, {(*positions, heads)}"
        )
    return scale


def _paged(cache: Operand, scale: Operand | None) -> _native.Paged:
    block, row, head, _ = cache.strides
    described = cache.address, cache.type, block, row, head
    if scale is not None and len(scale.shape) == 3:
        return *described, scale.address, (scale.strides[0], scale.strides[1], scale.strides[2])
    return *described, scale.address if scale else 0, scale is not None and math.prod(scale.shape) > 1
