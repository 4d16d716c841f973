"""AITER's operators by their names and arguments, over Wavesmith's kernels: `import wavesmith.aiter as aiter`.

Tensors are of a GPU in PyTorch for ROCm, or of the device `wavesmith`. Arguments that choose between AITER's own
kernels (`splitK`, `partition_size`, ...) are taken and not looked at. Weights and caches lie as PyTorch has them: AITER's
shuffled layouts are refused.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from wavesmith import flash_attn as _flash
from wavesmith import ops as _own

_ops = torch.ops.wavesmith

__all__ = [
    "add",
    "batched_gemm_a8w8",
    "batched_gemm_bf16",
    "div",
    "dynamic_per_group_scaled_quant_fp4",
    "dynamic_per_tensor_quant",
    "dynamic_per_token_scaled_quant",
    "flash_attn_func",
    "flash_attn_varlen_func",
    "fused_add_rms_norm_cu",
    "gelu_and_mul",
    "gelu_tanh_and_mul",
    "gemm_a4w4",
    "gemm_a8w8",
    "gemm_a8w8_CK",
    "gemm_a8w8_blockscale",
    "layer_norm",
    "layernorm2d_fwd",
    "layernorm2d_fwd_with_add",
    "mul",
    "paged_attention_v1",
    "per_group_quant_hip",
    "per_tensor_quant_hip",
    "per_token_quant_hip",
    "reshape_and_cache_flash",
    "rms_norm",
    "rms_norm_cu",
    "rmsnorm2d_fwd",
    "rmsnorm2d_fwd_with_add",
    "rmsnorm2d_fwd_with_add_dynamicquant",
    "rmsnorm2d_fwd_with_dynamicquant",
    "rope_cached_fwd",
    "rope_cached_positions_2c_fwd_inplace",
    "rope_cached_positions_fwd",
    "rope_fwd",
    "sigmoid",
    "silu_and_mul",
    "static_per_tensor_quant",
    "sub",
    "tanh",
]


def _refuse(what: str) -> None:
    raise NotImplementedError(f"wavesmith.aiter: {what}")


def _none(function: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None and value is not False:
            _refuse(f"{function} with {name} is not supported")


# Norms.


def rms_norm(input: Tensor, weight: Tensor, epsilon: float, use_model_sensitive_rmsnorm: int = 0) -> Tensor:
    """RMSNorm over the last dimension."""
    return _ops.rms_norm(input, weight, epsilon=epsilon)  # type: ignore[no-any-return]


rmsnorm2d_fwd = rms_norm


def rms_norm_cu(out: Tensor, input: Tensor, weight: Tensor, epsilon: float) -> None:
    """`rms_norm` into `out`."""
    _ops.rms_norm.out(input, weight, epsilon=epsilon, out=out)


def rmsnorm2d_fwd_with_add(
    out: Tensor,
    input: Tensor,
    residual_in: Tensor,
    residual_out: Tensor,
    weight: Tensor,
    epsilon: float,
    use_model_sensitive_rmsnorm: int = 0,
) -> None:
    """RMSNorm of input + residual_in, which becomes residual_out."""
    _ops.add_rms_norm.out(input, residual_in, weight, epsilon=epsilon, out=out, sum=residual_out)


def fused_add_rms_norm_cu(input: Tensor, residual_in: Tensor, weight: Tensor, epsilon: float) -> None:
    """`rmsnorm2d_fwd_with_add` in place of the input and the residual."""
    _ops.add_rms_norm.out(input, residual_in, weight, epsilon=epsilon, out=input, sum=residual_in)


def rmsnorm2d_fwd_with_dynamicquant(
    out: Tensor, input: Tensor, yscale: Tensor, weight: Tensor, epsilon: float, use_model_sensitive_rmsnorm: int = 0
) -> None:
    """RMSNorm, quantised with a scale per row."""
    _ops.rms_norm_quantise.out(
        input, weight, epsilon=epsilon, dtype=out.dtype, out=out, scales=yscale.view(*input.shape[:-1], 1)
    )


def rmsnorm2d_fwd_with_add_dynamicquant(
    out: Tensor,
    input: Tensor,
    residual_in: Tensor,
    residual_out: Tensor,
    yscale: Tensor,
    weight: Tensor,
    epsilon: float,
    use_model_sensitive_rmsnorm: int = 0,
) -> None:
    """RMSNorm of input + residual_in, quantised with a scale per row."""
    _ops.add_rms_norm_quantise.out(
        input,
        residual_in,
        weight,
        epsilon=epsilon,
        dtype=out.dtype,
        out=out,
        sum=residual_out,
        scales=yscale.view(*input.shape[:-1], 1),
    )


def layer_norm(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-5,
    x_bias: Tensor | None = None,
) -> Tensor:
    """LayerNorm over the last dimension."""
    _none("layer_norm", x_bias=x_bias)
    return _ops.layer_norm(input, weight, bias, epsilon=epsilon)  # type: ignore[no-any-return]


layernorm2d_fwd = layer_norm


def layernorm2d_fwd_with_add(
    out: Tensor,
    input: Tensor,
    residual_in: Tensor,
    residual_out: Tensor,
    weight: Tensor,
    bias: Tensor,
    epsilon: float,
    x_bias: Tensor | None = None,
) -> None:
    """LayerNorm of input + residual_in, which becomes residual_out."""
    _none("layernorm2d_fwd_with_add", x_bias=x_bias)
    _ops.add_layer_norm.out(input, residual_in, weight, bias, epsilon=epsilon, out=out, sum=residual_out)


# Activations.


def silu_and_mul(out: Tensor, input: Tensor) -> None:
    """silu(the first half of the last dimension) * the second."""
    _ops.gated.out(input, activation="silu", out=out)


def gelu_tanh_and_mul(out: Tensor, input: Tensor) -> None:
    """The same with gelu's approximation by tanh."""
    _ops.gated.out(input, activation="gelu", out=out)


def gelu_and_mul(out: Tensor, input: Tensor) -> None:
    """The same with gelu itself, by PyTorch's operator."""
    gate, up = input.chunk(2, -1)
    _ops.gated.out(torch.nn.functional.gelu(gate), up, activation="none", out=out)


# Elementwise functions.


def add(input: Tensor, other: Tensor) -> Tensor:
    """The sum."""
    return _own.elementwise("add", input, other)


def sub(input: Tensor, other: Tensor) -> Tensor:
    """The difference."""
    return _own.elementwise("subtract", input, other)


def mul(input: Tensor, other: Tensor) -> Tensor:
    """The product."""
    return _own.elementwise("multiply", input, other)


def div(input: Tensor, other: Tensor) -> Tensor:
    """The quotient."""
    return _own.elementwise("divide", input, other)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return _own.elementwise("sigmoid", input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return _own.elementwise("tanh", input)


# Quantising.


def static_per_tensor_quant(out: Tensor, input: Tensor, scale: Tensor) -> None:
    """The input divided by one scale."""
    _ops.quantise_with.out(input, scale, dtype=out.dtype, out=out)


def dynamic_per_tensor_quant(out: Tensor, input: Tensor, scale: Tensor) -> None:
    """One scale for all, which is written."""
    _ops.quantise.out(input, dtype=out.dtype, scaling="matrix", out=out, scales=scale.view(1))


def dynamic_per_token_scaled_quant(
    out: Tensor,
    input: Tensor,
    scales: Tensor,
    scale_ub: Tensor | None = None,
    shuffle_scale: bool = False,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> None:
    """A scale per row, which is written."""
    _none("dynamic_per_token_scaled_quant", scale_ub=scale_ub, shuffle_scale=shuffle_scale, num_rows=num_rows)
    scales = scales.view(*input.shape[:-1], 1)
    _ops.quantise.out(input, dtype=out.dtype, scaling="row", out=out.view(input.shape), scales=scales)


def dynamic_per_group_scaled_quant_fp4(
    out: Tensor,
    input: Tensor,
    scales: Tensor,
    group_size: int | None = 32,
    shuffle_scale: bool = True,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> None:
    """MXFP4: a scale of e8m0 per 32 numbers."""
    _none("dynamic_per_group_scaled_quant_fp4", shuffle_scale=shuffle_scale, num_rows=num_rows)
    if group_size != 32:
        _refuse("dynamic_per_group_scaled_quant_fp4 has groups of 32")
    _ops.quantise.out(
        input, dtype=torch.uint8, scaling="mx", out=out.view(torch.uint8), scales=scales.view(torch.uint8)
    )


def per_token_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.int8,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """The quantised tensor, and a scale per row."""
    _none("per_token_quant_hip", scale=scale, num_rows=num_rows)
    return _ops.quantise(x, dtype=quant_dtype, scaling="row")  # type: ignore[no-any-return]


def per_group_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.int8,
    group_size: int = 128,
    transpose_scale: bool = False,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """The quantised tensor, and a scale per group of a row."""
    _none("per_group_quant_hip", scale=scale, transpose_scale=transpose_scale, num_rows=num_rows)
    return _ops.quantise(x, dtype=quant_dtype, scaling="block", block=group_size)  # type: ignore[no-any-return]


def per_tensor_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.int8,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """The quantised tensor, and its scale: the one that is given, or one that is computed."""
    _none("per_tensor_quant_hip", num_rows=num_rows)
    if scale is not None:
        return _ops.quantise_with(x, scale, dtype=quant_dtype), scale.view(1)
    return _ops.quantise(x, dtype=quant_dtype, scaling="matrix")  # type: ignore[no-any-return]


# Products. Weights are (n, k).


def gemm_a8w8(
    XQ: Tensor,  # noqa: N803  AITER's names
    WQ: Tensor,  # noqa: N803
    x_scale: Tensor,
    w_scale: Tensor,
    bias: Tensor | None = None,
    dtype: torch.dtype = torch.bfloat16,
    splitK: int | None = None,  # noqa: N803
) -> Tensor:
    """(x_scale * XQ) @ (w_scale * WQ).t() + bias of int8 or float8: x_scale one or (m, 1), w_scale one or (1, n)."""
    product = {"dtype": dtype, "bias": None if bias is None else bias.view(-1)}
    return _own.gemm(XQ, WQ.t(), scale_a=x_scale.float(), scale_b=w_scale.float(), **product)  # type: ignore[arg-type]


gemm_a8w8_CK = gemm_a8w8  # noqa: N816


def gemm_a8w8_blockscale(
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    x_scale: Tensor,
    w_scale: Tensor,
    dtype: torch.dtype = torch.bfloat16,
    isBpreshuffled: bool = False,  # noqa: N803
) -> Tensor:
    """The product of float8 with x_scale per row and 128 numbers, and w_scale per square of 128."""
    _none("gemm_a8w8_blockscale", isBpreshuffled=isBpreshuffled)
    return _own.gemm(XQ, WQ.t(), block_scale_a=x_scale, block_scale_b=w_scale, dtype=dtype)


def gemm_a4w4(
    A: Tensor,  # noqa: N803
    B: Tensor,  # noqa: N803
    A_scale: Tensor,  # noqa: N803
    B_scale: Tensor,  # noqa: N803
    out: Tensor,
    bias: Tensor | None = None,
    alpha: float | None = 1.0,
    beta: float | None = 0.0,
    bpreshuffle: bool | None = True,
) -> Tensor:
    """The product of MXFP4 (CDNA4), into `out`: scales of e8m0, (m, k / 32) and (n, k / 32), not shuffled."""
    _none("gemm_a4w4", bpreshuffle=bpreshuffle)
    if beta:
        _refuse("gemm_a4w4 with beta is not supported")
    bias = None if bias is None else bias.view(-1)
    scales = [_own.transpose(one.view(torch.int8)).view(torch.uint8).t() for one in (A_scale, B_scale)]  # k apart
    words = {"alpha": 1.0 if alpha is None else alpha, "out": out}
    _ops.gemm.out(
        A.view(torch.uint8), B.view(torch.uint8).t(), bias, block_scale_a=scales[0], block_scale_b=scales[1], **words
    )
    return out


def batched_gemm_bf16(
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    out: Tensor,
    bias: Tensor | None = None,
    splitK: int = 0,  # noqa: N803
) -> Tensor:
    """(batch, m, k) times (batch, n, k) transposed, into `out`."""
    _none("batched_gemm_bf16", bias=bias)
    _ops.gemm.out(XQ, WQ.mT, out=out)
    return out


def batched_gemm_a8w8(
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    x_scale: Tensor,
    w_scale: Tensor,
    out: Tensor,
    bias: Tensor | None = None,
    splitK: int = 0,  # noqa: N803
) -> Tensor:
    """The same of 8 bits, with a scale per row of each matrix: (batch, m, 1) and (batch, 1, n)."""
    _none("batched_gemm_a8w8", bias=bias)
    for x, w, of_x, of_w, into in zip(XQ, WQ, x_scale, w_scale, out, strict=True):
        _ops.gemm.out(x, w.t(), scale_a=of_x.contiguous(), scale_b=of_w.contiguous(), out=into)
    return out


# Rotary embedding of (length, batch, heads, size).


def _turned(
    input: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor | None,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    length, batches, heads, size = input.shape
    cos, sin = (one.reshape(-1, one.shape[-1]) for one in (cos, sin))
    if not reuse_freqs_front_part:  # each of a pair has its own, equal to the other's
        cos, sin = (one[:, 0::2] if rotate_style == 1 else one[:, : one.shape[1] // 2] for one in (cos, sin))
    cos, sin = cos.contiguous(), sin.contiguous()
    if nope_first and 2 * cos.shape[1] != size:
        _refuse("what is not rotated lies behind what is (nope_first)")
    if positions is None:
        positions = torch.arange(length, device=input.device)[:, None].expand(length, batches)
    heads_of = input.reshape(length * batches, heads, size)
    result = _ops.rope(heads_of, cos, sin, positions.reshape(-1).contiguous(), interleaved=rotate_style == 1)
    result = result.view(input.shape)
    return result.transpose(0, 1).contiguous().transpose(0, 1) if transpose_output else result


def rope_fwd(
    input: Tensor,
    freqs: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    """By angles of shape (length, 1, 1, size / 2), or size; rotate_style 0 is GPT-NeoX's, 1 GPT-J's."""
    words = (rotate_style, reuse_freqs_front_part, nope_first, transpose_output)
    return _turned(input, freqs.float().cos(), freqs.float().sin(), None, *words)


def rope_cached_fwd(
    input: Tensor,
    cos: Tensor,
    sin: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    """By cosines and sines of shape (length, 1, 1, size / 2), or size."""
    return _turned(input, cos, sin, None, rotate_style, reuse_freqs_front_part, nope_first, transpose_output)


def rope_cached_positions_fwd(
    input: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    """By the rows that positions, (length, batch), name."""
    return _turned(input, cos, sin, positions, rotate_style, reuse_freqs_front_part, nope_first, transpose_output)


def rope_cached_positions_2c_fwd_inplace(
    input_x: Tensor,
    input_y: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
) -> None:
    """The same of two tensors, in their places."""
    for one in (input_x, input_y):
        one.copy_(_turned(one, cos, sin, positions, rotate_style, reuse_freqs_front_part, nope_first))


# Attention.


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
    _none(
        "flash_attn_func",
        bias=bias,
        return_attn_probs=return_attn_probs,
        cu_seqlens_q=cu_seqlens_q,
        cu_seqlens_kv=cu_seqlens_kv,
    )
    out, lse, _ = _flash.flash_attn_func(
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
    _none(
        "flash_attn_varlen_func",
        bias=bias,
        return_attn_probs=return_attn_probs,
        cu_seqlens_q_padded=cu_seqlens_q_padded,
        cu_seqlens_k_padded=cu_seqlens_k_padded,
    )
    lengths = (cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k)
    words = (dropout_p, softmax_scale, causal, window_size, logits_soft_cap, alibi_slopes)
    result, lse, _ = _flash.flash_attn_varlen_func(
        q, k, v, *lengths, *words, return_attn_probs=True, block_table=block_table
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
    _none("paged_attention_v1", cu_query_lens=cu_query_lens, fp8_out_scale=fp8_out_scale)
    if mtp != 1:
        _refuse("paged_attention_v1 has one token of each sequence (mtp = 1)")
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
