"""Attention and its cache by AITER's names."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from wavesmith import flash_attn
from wavesmith.aiter._refusals import none, refuse

_ops = torch.ops.wavesmith


def flash_attn_func(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    bias: Tensor | None = None,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = True,
    return_lse: bool = False,
    return_attn_probs: bool = False,
    how_v3_bf16_cvt: int = 1,
    cu_seqlens_q: Tensor | None = None,
    cu_seqlens_kv: Tensor | None = None,
) -> Any:
    """As `wavesmith.flash_attn.flash_attn_func`, without the weights; `return_lse` returns the log-sum-exp, too."""
    none(
        "flash_attn_func",
        bias=bias,
        return_attn_probs=return_attn_probs,
        cu_seqlens_q=cu_seqlens_q,
        cu_seqlens_kv=cu_seqlens_kv,
    )
    out, lse, _ = flash_attn.flash_attn_func(
        q, k, v, dropout_p, softmax_scale, causal, window_size, 0.0, alibi_slopes, return_attn_probs=True
    )
    return (out, lse) if return_lse else out


def flash_attn_varlen_func(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    min_seqlen_q: int = 0,
    dropout_p: float = 0.0,
    softmax_scale: float | None = None,
    logits_soft_cap: float = 0.0,
    causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    bias: Tensor | None = None,
    alibi_slopes: Tensor | None = None,
    deterministic: bool = False,
    return_lse: bool = False,
    return_attn_probs: bool = False,
    how_v3_bf16_cvt: int = 1,
    block_table: Tensor | None = None,
    out: Tensor | None = None,
    cu_seqlens_q_padded: Tensor | None = None,
    cu_seqlens_k_padded: Tensor | None = None,
) -> Any:
    """As `wavesmith.flash_attn.flash_attn_varlen_func`, into `out` where that is given."""
    none(
        "flash_attn_varlen_func",
        bias=bias,
        return_attn_probs=return_attn_probs,
        cu_seqlens_q_padded=cu_seqlens_q_padded,
        cu_seqlens_k_padded=cu_seqlens_k_padded,
    )
    result, lse, _ = flash_attn.flash_attn_varlen_func(
        q,
        k,
        v,
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        dropout_p,
        softmax_scale,
        causal,
        window_size,
        logits_soft_cap,
        alibi_slopes,
        return_attn_probs=True,
        block_table=block_table,
    )
    if out is not None:
        result = out.copy_(result)
    return (result, lse) if return_lse else result


def paged_attention_v1(
    out: Tensor,
    workspace_buffer: Tensor,
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    scale: float,
    block_tables: Tensor,
    cu_query_lens: Tensor | None,
    context_lens: Tensor,
    max_context_len: int,
    alibi_slopes: Tensor | None,
    kv_cache_dtype: str,
    kv_cache_layout: str,
    logits_soft_cap: float,
    k_scale: Tensor,
    v_scale: Tensor,
    fp8_out_scale: Tensor | None = None,
    partition_size: int = 256,
    mtp: int = 1,
    sliding_window: int = 0,
) -> Tensor:
    """One token of each sequence, (batch, heads, size), over a cache in pages with the layout "NHD" or "HND"."""
    none("paged_attention_v1", cu_query_lens=cu_query_lens, fp8_out_scale=fp8_out_scale)
    if mtp != 1:
        refuse("paged_attention_v1 has one token of each sequence (mtp = 1)")
    if kv_cache_layout == "HND":
        key_cache, value_cache = key_cache.transpose(1, 2), value_cache.transpose(1, 2)
    _ops.paged_attention.out(
        query,
        key_cache,
        value_cache,
        context_lens,
        block_tables,
        k_scale.float(),
        v_scale.float(),
        alibi_slopes,
        softmax_scale=scale,
        window_left=sliding_window - 1 if sliding_window > 0 else -1,
        softcap=logits_soft_cap,
        max_context=min(max_context_len, block_tables.shape[1] * key_cache.shape[1]),
        out=out,
        lse=query.new_empty(query.shape[:2], dtype=torch.float32),
    )
    return out


def mla_decode_fwd(
    q: Tensor,
    kv_buffer: Tensor,
    o: Tensor,
    qo_indptr: Tensor,
    kv_indptr: Tensor,
    kv_indices: Tensor,
    kv_last_page_lens: Tensor,
    max_seqlen_q: int,
    page_size: int = 1,
    nhead_kv: int = 1,
    sm_scale: float | None = None,
    logit_cap: float = 0.0,
    num_kv_splits: int | None = None,
    num_kv_splits_indptr: Tensor | None = None,
    q_scale: Tensor | None = None,
    kv_scale: Tensor | None = None,
    return_lse: bool = False,
) -> tuple[None, Tensor | None]:
    """The last `max_seqlen_q` tokens of each sequence over latents in pages (`wavesmith.ops.latent_attention`).

    Writes `o`, (tokens, heads, 512), of q, (tokens, heads, 576), and kv_buffer, (pages, page_size, 1, 576). How a
    context is divided is the library's affair. Waits for the device, since it asks for the longest context.
    """
    none("mla_decode_fwd", q_scale=q_scale)
    if nhead_kv != 1 or logit_cap > 0:
        refuse("mla_decode_fwd has one head of latents (nhead_kv = 1) and no logit_cap")
    batch = kv_indptr.shape[0] - 1
    if q.shape[0] != batch * max_seqlen_q:
        refuse(
            f"mla_decode_fwd has max_seqlen_q tokens of each sequence: {batch} * {max_seqlen_q} instead of {q.shape[0]}"
        )
    latents = kv_buffer.view(-1, page_size, kv_buffer.shape[-1])
    pages = kv_indptr.diff()
    places = kv_indptr[:-1, None] + torch.arange(max(int(pages.max()), 1), device=q.device, dtype=kv_indptr.dtype)
    table = kv_indices[places.clamp(max=kv_indices.shape[0] - 1)]
    contexts = (pages - 1) * page_size + kv_last_page_lens
    lse = q.new_empty((batch, q.shape[1], max_seqlen_q), dtype=torch.float32)
    _ops.latent_attention.out(
        q.view(batch, max_seqlen_q, *q.shape[1:]),
        latents,
        contexts,
        table,
        None if kv_scale is None else kv_scale.float(),
        softmax_scale=q.shape[-1] ** -0.5 if sm_scale is None else sm_scale,
        value_size=o.shape[-1],
        out=o.view(batch, max_seqlen_q, *o.shape[1:]),
        lse=lse,
    )
    return None, lse.transpose(1, 2).reshape(q.shape[:2]) if return_lse else None


def reshape_and_cache_flash(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    slot_mapping: Tensor,
    kv_cache_dtype: str,
    k_scale: Tensor,
    v_scale: Tensor,
) -> None:
    """Writes keys and values, (tokens, heads, size), into a cache of (blocks, page, heads, size)."""
    _ops.cache_write(key, value, key_cache, value_cache, slot_mapping, k_scale.float(), v_scale.float())
