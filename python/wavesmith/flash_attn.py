"""Attention under the names, arguments and shapes of the package flash-attn 2, over Wavesmith's kernels.

>>> from wavesmith.flash_attn import flash_attn_func
>>> flash_attn_func(q, k, v, causal=True)

Programs that import `flash_attn` run with `import wavesmith.flash_attn as flash_attn`. Tensors are of a GPU in PyTorch
for ROCm or of the device `wavesmith`, float16 or bfloat16, heads of a multiple of 8 up to 256 elements. There is no
dropout. Gradients are PyTorch's autograd's: a kernel's, or second gradients composed with all scores of a batch in
memory.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from wavesmith.torch.library import load

load()

__all__ = [
    "flash_attn_func",
    "flash_attn_kvpacked_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_func",
    "flash_attn_varlen_kvpacked_func",
    "flash_attn_varlen_qkvpacked_func",
    "flash_attn_with_kvcache",
]

_ops = torch.ops.wavesmith


def flash_attn_func(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """softmax(q k^T * softmax_scale) v in each head.

    Args:
        q: (batch, length_q, heads, size).
        k: (batch, length_k, heads_k, size); heads are a multiple of heads_k.
        v: shaped as k.
        dropout_p: 0.
        softmax_scale: None: 1 / sqrt(size).
        causal: the query i sees the keys up to i + length_k - length_q.
        window_size: how many keys to the left and right of that a query sees; -1: all.
        softcap: scores become softcap * tanh(score / softcap); 0: they do not.
        alibi_slopes: float32, (heads,) or (batch, heads): slope * distance is subtracted from scores.
        deterministic: results always are, and gradients are where PyTorch's operators are.
        return_attn_probs: also returns the log-sum-exp of scores, float32 of (batch, heads, length_q), and None in the
            place of the weights, which are never in memory.

    Returns:
        Shaped as q. A query that sees no key has the result 0.
    """
    results = _attention(q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes)
    return (*results, None) if return_attn_probs else results[0]


def flash_attn_qkvpacked_func(
    qkv: Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """`flash_attn_func` of a (batch, length, 3, heads, size) tensor that holds q, k and v; they are used in place."""
    q, k, v = qkv.unbind(2)
    return flash_attn_func(
        q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, deterministic, return_attn_probs
    )


def flash_attn_kvpacked_func(
    q: Tensor,
    kv: Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """`flash_attn_func` of a (batch, length_k, 2, heads_k, size) tensor that holds k and v; they are used in place."""
    k, v = kv.unbind(2)
    return flash_attn_func(
        q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, deterministic, return_attn_probs
    )


def flash_attn_varlen_func(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
    block_table: Tensor | None = None,
) -> Any:
    """`flash_attn_func` of sequences that lie one behind the other.

    Args:
        q: (positions of all sequences, heads, size).
        k: (positions, heads_k, size).
        v: shaped as k.
        cu_seqlens_q: int32, (batch + 1,): where q's sequences begin, and the end of the last.
        cu_seqlens_k: the same of k's.
        max_seqlen_q: an upper bound of the lengths of q's.
        max_seqlen_k: of k's.
        dropout_p: as in `flash_attn_func`, also the following ones.
        softmax_scale: a factor.
        causal: a mask.
        window_size: a mask.
        softcap: a cap.
        alibi_slopes: a bias.
        deterministic: not looked at.
        return_attn_probs: also returns the log-sum-exp, float32 of (heads, positions), and None.
        block_table: int32, (batch, blocks): k and v are caches of pages, (blocks, page, heads_k, size), of which the
            sequences are gathered first.
    """
    if block_table is not None:
        where = _gathered(cu_seqlens_k, max_seqlen_k, k.shape[1], block_table)
        k, v = k[where], v[where]
    ends = (cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k)
    results = _attention(q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes, ends)
    return (*results, None) if return_attn_probs else results[0]


def flash_attn_varlen_qkvpacked_func(
    qkv: Tensor,
    cu_seqlens: Tensor,
    max_seqlen: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """`flash_attn_varlen_func` of a (positions, 3, heads, size) tensor that holds q, k and v."""
    q, k, v = qkv.unbind(1)
    ends = (cu_seqlens, cu_seqlens, max_seqlen, max_seqlen)
    return flash_attn_varlen_func(
        q,
        k,
        v,
        *ends,
        dropout_p,
        softmax_scale,
        causal,
        window_size,
        softcap,
        alibi_slopes,
        deterministic,
        return_attn_probs,
    )


def flash_attn_varlen_kvpacked_func(
    q: Tensor,
    kv: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_attn_probs: bool = False,
) -> Any:
    """`flash_attn_varlen_func` with a (positions, 2, heads_k, size) tensor that holds k and v."""
    k, v = kv.unbind(1)
    ends = (cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k)
    return flash_attn_varlen_func(
        q,
        k,
        v,
        *ends,
        dropout_p,
        softmax_scale,
        causal,
        window_size,
        softcap,
        alibi_slopes,
        deterministic,
        return_attn_probs,
    )


def flash_attn_with_kvcache(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    k: Tensor | None = None,
    v: Tensor | None = None,
    rotary_cos: Tensor | None = None,
    rotary_sin: Tensor | None = None,
    cache_seqlens: int | Tensor | None = None,
    cache_batch_idx: Tensor | None = None,
    cache_leftpad: Tensor | None = None,
    block_table: Tensor | None = None,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    rotary_interleaved: bool = True,
    alibi_slopes: Tensor | None = None,
    num_splits: int = 0,
    return_softmax_lse: bool = False,
) -> Any:
    """Attention of new tokens over a cache, into which their keys and values are written first.

    Args:
        q: (batch, length, heads, size), size 64, 128, on CDNA 256.
        k_cache: (batch of the cache, positions, heads_k, size), or with a table (blocks, page, heads_k, size) and pages
            of a power of two, 8 at least. Written, where k is given.
        v_cache: shaped as `k_cache`.
        k: (batch, length_k, heads_k, size): new keys, which are put behind each sequence's `cache_seqlens`.
        v: shaped as k.
        rotary_cos: (positions, rotated / 2): k and q are rotated, by the positions behind what the cache holds; with
            neither `causal` nor a window all of q by the first of them. Needs k.
        rotary_sin: the same.
        cache_seqlens: int32, (batch,), or one number: what the cache holds of each sequence without k. None: all.
        cache_batch_idx: int32, (batch,): which of the cache's batch each sequence is. None: the same.
        cache_leftpad: None.
        block_table: int32, (batch, blocks).
        softmax_scale: None: 1 / sqrt(size).
        causal: a query sees the keys up to its own position. Otherwise several tokens of a sequence can have neither
            a window nor slopes.
        window_size: how many keys before its own position a query sees, and 0 or -1.
        softcap: as in `flash_attn_func`.
        rotary_interleaved: pairs are neighbours (GPT-J); otherwise half of what is rotated apart.
        alibi_slopes: float32, (heads,) or (batch, heads).
        num_splits: not looked at: the library chooses.
        return_softmax_lse: also returns the log-sum-exp, float32 of (batch, heads, length).

    Returns:
        Shaped as q.
    """
    batches, length = q.shape[:2]
    local = causal or window_size != (-1, -1)
    if cache_leftpad is not None:
        raise NotImplementedError("flash_attn_with_kvcache: cache_leftpad is not supported")
    if window_size[1] > 0:
        raise NotImplementedError("flash_attn_with_kvcache: window_size reaches to the left only")
    if length > 1 and not causal and (local or alibi_slopes is not None):
        raise NotImplementedError(
            "flash_attn_with_kvcache: several tokens of a sequence with a window or slopes need causal=True"
        )
    if (k is None) != (v is None):
        raise ValueError("flash_attn_with_kvcache: k and v are both given, or neither")
    apart = length > 1 and not causal  # each token is a sequence of its own, with all the keys
    table = block_table
    if table is None and (apart or cache_batch_idx is not None):
        which = torch.arange(batches, device=q.device) if cache_batch_idx is None else cache_batch_idx
        k_cache, v_cache, table = _as_pages(k_cache, v_cache, which)
    elif cache_batch_idx is not None:
        raise NotImplementedError("flash_attn_with_kvcache: cache_batch_idx and block_table exclude each other")
    room = k_cache.shape[1] * (1 if table is None else table.shape[1])
    contexts = _lengths(cache_seqlens, batches, room, q.device)
    if rotary_cos is not None and rotary_sin is not None:
        if k is None:
            raise NotImplementedError("flash_attn_with_kvcache: rotary_cos needs k")
        q = _rotated(q, rotary_cos, rotary_sin, _positions(contexts, length if local else 1), rotary_interleaved)
        k = _rotated(k, rotary_cos, rotary_sin, _positions(contexts, k.shape[1]), rotary_interleaved)
    if k is not None and v is not None:
        slots = _slots(_positions(contexts, k.shape[1]), k_cache.shape[1], table)
        _ops.cache_write(k.flatten(0, 1), v.flatten(0, 1), k_cache, v_cache, slots)
        contexts = contexts + k.shape[1]
    queries = q
    if apart and table is not None:
        queries, contexts, table = (
            q.flatten(0, 1),
            contexts.repeat_interleave(length),
            table.repeat_interleave(length, 0),
        )
    out, lse = _ops.paged_attention(
        queries,
        k_cache,
        v_cache,
        contexts,
        table,
        None,
        None,
        alibi_slopes,
        None,
        softmax_scale=softmax_scale,
        window_left=window_size[0],
        softcap=softcap,
    )
    if apart:
        out, lse = out.view(q.shape), lse.view(batches, length, -1).transpose(1, 2)
    return (out, lse) if return_softmax_lse else out


def _attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    dropout_p: float,
    softmax_scale: float | None,
    causal: bool,
    window_size: tuple[int, int],
    softcap: float,
    alibi_slopes: Tensor | None,
    ends: tuple[Tensor, Tensor, int, int] | None = None,
) -> tuple[Tensor, Tensor]:
    if dropout_p != 0.0:
        raise NotImplementedError(f"flash-attention with dropout_p={dropout_p}: there is no dropout")
    cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k = ends if ends is not None else (None,) * 4
    return _ops.attention(
        q,
        k,
        v,
        alibi_slopes,
        None,
        cu_seqlens_q,
        cu_seqlens_k,
        softmax_scale=softmax_scale,
        causal=causal,
        window_left=window_size[0],
        window_right=window_size[1],
        softcap=softcap,
        max_seqlen_q=max_seqlen_q,
        max_seqlen_k=max_seqlen_k,
    )


def _lengths(cache_seqlens: int | Tensor | None, batches: int, room: int, device: torch.device) -> Tensor:
    """The keys of each sequence: int32, (batch,)."""
    if isinstance(cache_seqlens, Tensor):
        return cache_seqlens
    length = room if cache_seqlens is None else cache_seqlens
    return torch.full((batches,), length, dtype=torch.int32, device=device)


def _as_pages(k_cache: Tensor, v_cache: Tensor, which: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A cache of sequences as one of pages, without a copy, and the table of those that are named."""
    positions = k_cache.shape[1]
    page = positions & -positions  # the largest power of two that divides it
    if page < 8:
        raise NotImplementedError(
            f"flash_attn_with_kvcache: cache_batch_idx with a cache of {positions} positions, no multiple of 8"
        )
    per_sequence = positions // page
    table = which.to(torch.int32)[:, None] * per_sequence
    table = table + torch.arange(per_sequence, dtype=torch.int32, device=table.device)
    heads = k_cache.shape[2:]
    return k_cache.view(-1, page, *heads), v_cache.view(-1, page, *heads), table


def _positions(before: Tensor, length: int) -> Tensor:
    """Of each sequence's new tokens: (batch, length)."""
    return before[:, None].to(torch.int64) + torch.arange(length, device=before.device)


def _slots(positions: Tensor, page: int, table: Tensor | None) -> Tensor:
    """Where in the cache new tokens go, one sequence behind the other."""
    if table is None:
        blocks = torch.arange(positions.shape[0], device=positions.device)[:, None]
        return torch.where(positions < page, blocks * page + positions, -1).flatten()
    last = table.shape[1] - 1
    blocks = table.to(torch.int64).gather(1, (positions // page).clamp(max=last))
    return torch.where(positions < (last + 1) * page, blocks * page + positions % page, -1).flatten()


def _gathered(cu_seqlens: Tensor, max_seqlen: int, page: int, table: Tensor) -> tuple[Tensor, Tensor]:
    """The block, and the position in it, of each key of all sequences one behind the other."""
    batches = table.shape[0]
    numbers = torch.arange(batches * max_seqlen, device=table.device)
    sequence = (numbers[:, None] >= cu_seqlens[1:]).sum(1).clamp(max=batches - 1)
    position = (numbers - cu_seqlens[sequence]).clamp(max=table.shape[1] * page - 1)
    return table[sequence, position // page], position % page


def _rotated(x: Tensor, cosines: Tensor, sines: Tensor, positions: Tensor, interleaved: bool) -> Tensor:
    at = positions.expand(x.shape[:2]).reshape(-1)
    turned = _ops.rope(x.flatten(0, 1), cosines, sines, at, interleaved=interleaved)
    return turned.unflatten(0, x.shape[:2])
