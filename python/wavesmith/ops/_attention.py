"""Attention, its caches, and rotary positions."""

from __future__ import annotations

import torch
from torch import Tensor

from wavesmith.ops._common import OPS


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    cu_seqlens_q: Tensor | None = None,
    cu_seqlens_k: Tensor | None = None,
    max_seqlen_q: int | None = None,
    max_seqlen_k: int | None = None,
) -> tuple[Tensor, Tensor]:
    """softmax(q k^T * softmax_scale) v in each head, and the log-sum-exp of its scores.

    Queries and keys are aligned at their ends. A query that sees no key has the result 0.

    Args:
        q: (batch, length, heads, size), float16 or bfloat16; with `cu_seqlens_q` (positions, heads, size).
        k: as q, with a length of its own and heads that divide q's.
        v: shaped as k, but for the size of its heads.
        softmax_scale: None: 1 / sqrt(size).
        causal: a query sees no keys behind its own position.
        window_size: how many keys before and behind its position a query sees; -1: all.
        softcap: scores become softcap * tanh(score / softcap); 0: they do not.
        alibi_slopes: float32, (heads,) or (batch, heads).
        sinks: float32, (heads,): scores without a key.
        cu_seqlens_q: int32, (batch + 1,): where q's sequences begin, and the end of the last.
        cu_seqlens_k: the same of k.
        max_seqlen_q: an upper bound of the lengths. None: all positions.
        max_seqlen_k: the same of k.

    Returns:
        The result, and float32 of shape (batch, heads, length), or (heads, positions).
    """
    return OPS.attention(
        q,
        k,
        v,
        alibi_slopes,
        sinks,
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


def paged_attention(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    context_lengths: Tensor,
    block_table: Tensor | None = None,
    *,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
    softmax_scale: float | None = None,
    window_left: int = -1,
    softcap: float = 0.0,
    alibi_slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    max_context: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Attention of each sequence's last tokens over a cache in pages, and the log-sum-exp.

    Args:
        q: (batch, heads, size), or (batch, length, heads, size); float16 or bfloat16, size 64, 128, on CDNA 256.
        k_cache: (blocks, page, heads, size), of q's type, e4m3 as the GPU has it, or int8 with scales; without a table
            (batch, positions, heads, size).
        v_cache: shaped and typed as `k_cache`.
        context_lengths: int32, (batch,): keys, those of q's tokens included.
        block_table: int32, (batch, blocks).
        k_scale: float32, one or one per head of the cache; of e4m3 and int8 also one per position and head, (blocks,
            page, heads), as vLLM's int8_per_token_head has them.
        v_scale: the same of `v_cache`.
        softmax_scale: None: 1 / sqrt(size).
        window_left: how many keys before its own position a query sees; -1: all.
        softcap: as for `attention`.
        alibi_slopes: as for `attention`.
        sinks: as for `attention`.
        max_context: an upper bound of the contexts. None: what there is room for.

    Returns:
        The result, and float32 of shape (batch, heads), or (batch, heads, length).
    """
    return OPS.paged_attention(
        q,
        k_cache,
        v_cache,
        context_lengths,
        block_table,
        k_scale,
        v_scale,
        alibi_slopes,
        sinks,
        softmax_scale=softmax_scale,
        window_left=window_left,
        softcap=softcap,
        max_context=max_context,
    )


def latent_attention(
    q: Tensor,
    latents: Tensor,
    context_lengths: Tensor,
    block_table: Tensor | None = None,
    *,
    softmax_scale: float,
    scale: Tensor | None = None,
    value_size: int = 512,
    window_left: int = -1,
    sinks: Tensor | None = None,
    max_context: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Attention of each sequence's last tokens over latents in pages, and the log-sum-exp: MLA's decoding.

    A latent is a key of all heads, and its first elements are the value; the projections of keys and values are part
    of q and of what follows.

    Args:
        q: (batch, heads, 576), or (batch, length, heads, 576); float16 or bfloat16.
        latents: (blocks, page, 576), of q's type or e4m3 as the GPU has it, pages of any power of two; without a table
            (batch, positions, 576).
        context_lengths: int32, (batch,): latents, those of q's tokens included.
        block_table: int32, (batch, blocks).
        softmax_scale: of the heads before projections: 1 / sqrt(192) in DeepSeek's models.
        scale: float32, one, by which 8-bit latents are multiplied.
        value_size: of the results: 512.
        window_left: as for `paged_attention`.
        sinks: as for `attention`.
        max_context: an upper bound of the contexts. None: what there is room for.

    Returns:
        The result, (..., heads, value_size), and float32 of shape (batch, heads), or (batch, heads, length).
    """
    return OPS.latent_attention(
        q,
        latents,
        context_lengths,
        block_table,
        scale,
        sinks,
        softmax_scale=softmax_scale,
        value_size=value_size,
        window_left=window_left,
        max_context=max_context,
    )


def cache_write(
    k: Tensor,
    v: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    slots: Tensor,
    *,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
) -> None:
    """Writes the keys and values of tokens, (tokens, heads, size), into a cache, in its type.

    Token t goes to position slots[t] % page of block slots[t] / page (int64); one whose slot is negative or beyond the
    cache is left out. What is written is the quotient by the scale. In caches of 8 bits a scale (blocks, page, heads)
    is written, too: the largest magnitude of a token's head by the type's largest number, at least 1e-6.
    """
    OPS.cache_write(k, v, k_cache, v_cache, slots, k_scale, v_scale)


def rope(
    x: Tensor,
    cosines: Tensor,
    sines: Tensor,
    positions: Tensor | None = None,
    *,
    first_position: int = 0,
    interleaved: bool = False,
) -> Tensor:
    """Rotary position embedding: pairs (a, b) of a head become (a cos - b sin, b cos + a sin).

    Args:
        x: (tokens, heads, elements), or (batch, tokens, heads, elements).
        cosines: a row per position, a column per pair. Twice as many elements of a head are rotated.
        sines: the same.
        positions: int32 or int64, (tokens,), or for a batch also (batch, tokens). None: token i is at position i.
        first_position: added to each.
        interleaved: pairs are neighbours (GPT-J); otherwise half of what is rotated apart (GPT-NeoX, Llama).
    """
    if x.dim() == 4:
        batches, tokens = x.shape[:2]
        if positions is None:
            positions = torch.arange(tokens, device=x.device)
        positions = positions.expand(batches, tokens).reshape(-1)
        turned = rope(
            x.flatten(0, 1), cosines, sines, positions, first_position=first_position, interleaved=interleaved
        )
        return turned.unflatten(0, (batches, tokens))
    return OPS.rope(x, cosines, sines, positions, first_position=first_position, interleaved=interleaved)
