"""The kernel library's operators for PyTorch's tensors, of AMD's GPUs in PyTorch for ROCm and of `wavesmith`.

>>> import torch, wavesmith.ops
>>> x, weight = torch.randn(8, 4096, device="wavesmith"), torch.ones(4096, device="wavesmith")
>>> wavesmith.ops.rms_norm(x, weight)

Each is `torch.ops.wavesmith.NAME` with its arguments documented: work goes into the tensors' current stream, nothing is
copied, results are new. `torch.compile`, autograd, `torch.vmap` and autocast know them. What breaks a rule raises a
RuntimeError that names argument and rule; what `wavesmith_kernels.h` states of errors holds.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from wavesmith._sampling import sample, sampling_probabilities, verify_drafts
from wavesmith.torch.library import load

load()

__all__ = [
    "add",
    "attention",
    "cache_write",
    "copy",
    "dequantise",
    "elementwise",
    "gated",
    "gelu_and_mul",
    "gemm",
    "grouped_gemm",
    "latent_attention",
    "layer_norm",
    "linear",
    "log_softmax",
    "paged_attention",
    "quantise",
    "reduce",
    "rms_norm",
    "rope",
    "sample",
    "sampling_probabilities",
    "silu_and_mul",
    "softmax",
    "transpose",
    "verify_drafts",
]

Activation = Literal["none", "relu", "gelu", "silu"]
""""gelu" is the approximation by tanh."""
Scaling = Literal["matrix", "row", "block", "mx"]
"""What shares a scale: the whole tensor, a row, a block of a row's columns, or 32 columns in OCP's MX formats."""

_ops = torch.ops.wavesmith
_RAW = tuple(getattr(torch, name) for name in ("float4_e2m1fn_x2", "float8_e8m0fnu") if hasattr(torch, name))


def _raw(tensor: Any) -> Any:
    """Types that the operators take as bytes: two e2m1 in each, or e8m0."""
    return tensor.view(torch.uint8) if tensor is not None and tensor.dtype in _RAW else tensor


def gemm(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None = None,
    *,
    residual: Tensor | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    activation: Activation = "none",
    gated: bool = False,
    bias_per_row: bool = False,
    scale_a: Tensor | None = None,
    scale_b: Tensor | None = None,
    scale_d: Tensor | None = None,
    block_scale_a: Tensor | None = None,
    block_scale_b: Tensor | None = None,
    zero_point_b: Tensor | None = None,
    group_offsets: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The product activation(alpha * (scale_a * a) @ (b * scale_b) + beta * residual + bias) * scale_d.

    Args:
        a: (m, k), or (batch, m, k): float32, float16, bfloat16, int8, a float8 as the GPU has it, or uint8 whose bytes
            hold two e2m1. Rows or columns are contiguous; of 8 bits and less rows.
        b: (k, n), or (batch, k, n), of a's type, of 8 bits and less with contiguous columns (`weight.t()`); or uint8
            of shape (k / 2, n) whose bytes hold two integers of 4 bits, with `a` of float16 or bfloat16.
        bias: (n,), or with `bias_per_row` (m,); float32, float16 or bfloat16.
        residual: (m, n), or (batch, m, n).
        alpha: a factor.
        beta: the residual's.
        activation: what is applied last.
        gated: `b` has 2 * n columns, those of the gate first; the result is activation(gate) * up.
        bias_per_row: the bias has an element per row.
        scale_a: float32: one, or one per row of `a`.
        scale_b: float32: one, or one per column of `b`.
        scale_d: one float32.
        block_scale_a: of float8 float32 for blocks of 128 along k: (m, ceil(k / 128)), or (ceil(m / 128), ...) for
            squares; of e2m1 e8m0 of shape (m, k / 32), with contiguous columns.
        block_scale_b: the same of `b`, with n for m, columns contiguous but those of squares; of integers of 4 bits
            (n, ceil(k / group)) with groups of 32, 64 or 128.
        zero_point_b: as block_scale_b, of integers of 4 bits.
        group_offsets: int32, (groups + 1,): the rows of `a` from offset g to g + 1 are multiplied by b[g]. Rows of the
            result in no group are not written.
        dtype: the result's. None: a's; of int8 int32, of less than 16 bits otherwise bfloat16.

    The gradient of a, b, bias and residual is computed where there are no scales.
    """
    return _ops.gemm(
        _raw(a),
        _raw(b),
        bias,
        residual,
        scale_a,
        scale_b,
        scale_d,
        _raw(block_scale_a),
        _raw(block_scale_b),
        zero_point_b,
        group_offsets,
        alpha=alpha,
        beta=beta,
        activation=activation,
        gated=gated,
        bias_per_row=bias_per_row,
        dtype=dtype,
    )


def grouped_gemm(a: Tensor, b: Tensor, group_offsets: Tensor, **more: Any) -> Tensor:
    """`gemm` of groups of rows, each with a matrix of its own, as the experts of a mixture have."""
    return gemm(a, b, group_offsets=group_offsets, **more)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, activation: Activation = "none") -> Tensor:
    """activation(x @ weight.t() + bias), of x with any dimensions before the last and weight of shape (n, k)."""
    return gemm(x.reshape(-1, x.shape[-1]), weight.t(), bias, activation=activation).unflatten(0, x.shape[:-1])


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
    return _ops.attention(
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
        k_cache: (blocks, page, heads, size), of q's type or e4m3 as the GPU has it; without a table (batch, positions,
            heads, size).
        v_cache: shaped and typed as `k_cache`.
        context_lengths: int32, (batch,): keys, those of q's tokens included.
        block_table: int32, (batch, blocks).
        k_scale: float32, one or one per head of the cache.
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
    return _ops.paged_attention(
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
    return _ops.latent_attention(
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
    cache is left out. What is written is the quotient by the scale.
    """
    _ops.cache_write(k, v, k_cache, v_cache, slots, k_scale, v_scale)


def rms_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    residual: Tensor | None = None,
    epsilon: float = 1e-5,
    weight_offset: float = 0.0,
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
    dtype: torch.dtype | None = None,
) -> Any:
    """The norm x / sqrt(mean(x**2) + epsilon) * (weight + weight_offset) + bias over the last dimension.

    Args:
        x: float32, float16 or bfloat16; rows are contiguous and equally apart.
        weight: one element per column. None: 1.
        bias: one element per column.
        residual: shaped as x; it is added first, and the sum is returned, too.
        epsilon: what is added to the mean square.
        weight_offset: 1 for models that keep weight - 1.
        scaling: "row" or "block": the result is quantised to `dtype`, and its scales are returned, too.
        scale: one float32, by which a result of 8 bits is divided.
        block: columns that share a scale: 32, 64 or 128.
        dtype: the result's. None: x's.

    Returns:
        The result; with a residual or scaling a tuple of it, the sum and the scales, as they are asked for.
    """
    return _norm("rms_norm", x, weight, bias, residual, epsilon, weight_offset, (scaling, scale, block), dtype)


def layer_norm(
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    residual: Tensor | None = None,
    epsilon: float = 1e-5,
    weight_offset: float = 0.0,
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
    dtype: torch.dtype | None = None,
) -> Any:
    """(x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias over the last dimension; see `rms_norm`."""
    return _norm("layer_norm", x, weight, bias, residual, epsilon, weight_offset, (scaling, scale, block), dtype)


def _norm(
    name: str,
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    residual: Tensor | None,
    epsilon: float,
    weight_offset: float,
    quantised: tuple[Scaling | None, Tensor | None, int],
    dtype: torch.dtype | None,
) -> Any:
    scaling, scale, block = quantised
    rows = (x,) if residual is None else (x, residual)
    name = name if residual is None else f"add_{name}"
    words: dict[str, Any] = {"epsilon": epsilon, "weight_offset": weight_offset, "dtype": dtype}
    if scaling is None:
        return getattr(_ops, name)(*rows, weight, bias, scale, **words)
    return getattr(_ops, f"{name}_quantise")(*rows, weight, bias, scaling=scaling, block=block, **words)


def softmax(x: Tensor, *, scale: float = 1.0, dtype: torch.dtype | None = None) -> Tensor:
    """exp(scale * x) / sum(exp(scale * x)) over the last dimension."""
    return _ops.softmax(x, scale=scale, dtype=dtype)


def log_softmax(x: Tensor, *, scale: float = 1.0, dtype: torch.dtype | None = None) -> Tensor:
    """The logarithm of `softmax`."""
    return _ops.softmax(x, scale=scale, logarithm=True, dtype=dtype)


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
    return _ops.rope(x, cosines, sines, positions, first_position=first_position, interleaved=interleaved)


def gated(
    gate: Tensor,
    up: Tensor | None = None,
    *,
    activation: Activation = "silu",
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
    dtype: torch.dtype | None = None,
) -> Any:
    """activation(gate) * up. Without `up`, `gate` holds both side by side in its last dimension.

    `scaling`, `scale` and `block` are as in `rms_norm`: with `scaling` the result and its scales are returned.
    """
    if scaling is None:
        return _ops.gated(gate, up, scale, activation=activation, dtype=dtype)
    return _ops.gated_quantise(gate, up, activation=activation, dtype=dtype, scaling=scaling, block=block)


def silu_and_mul(x: Tensor) -> Tensor:
    """silu(the first half of x's last dimension) * the second."""
    return gated(x, activation="silu")


def gelu_and_mul(x: Tensor) -> Tensor:
    """gelu(the first half of x's last dimension) * the second, by the approximation by tanh."""
    return gated(x, activation="gelu")


def quantise(
    x: Tensor,
    dtype: torch.dtype,
    *,
    scaling: Scaling | None = None,
    scale: Tensor | None = None,
    block: int = 128,
) -> tuple[Tensor, Tensor | None]:
    """Quantises rows: x is about q * scale, with scale = max(abs(x)) / (the type's largest number).

    Args:
        x: float32, float16 or bfloat16.
        dtype: int8, or a float8 of any kind; with MX float8_e4m3fn, float8_e5m2, or float4_e2m1fn_x2 or uint8 for two
            e2m1 in a byte.
        scaling: what shares a scale. None: `scale` is taken.
        scale: one float32, positive. None: 1.
        block: 32, 64 or 128 columns.

    Returns:
        The quantised tensor and its scales: (1,), (..., 1), or (..., blocks) of float32; of MX e8m0 in uint8.
    """
    kind = torch.uint8 if dtype in _RAW else dtype
    if scaling is None:
        return _ops.quantise_with(x, scale, dtype=kind).view(dtype), scale
    q, scales = _ops.quantise(x, dtype=kind, scaling=scaling, block=block)
    return q.view(dtype), scales


def dequantise(
    q: Tensor,
    scales: Tensor | None = None,
    *,
    block: int = 128,
    columns: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """What `quantise` made, as floats again; `columns` numbers of a row of e2m1, where the last byte holds one."""
    return _ops.dequantise(_raw(q), _raw(scales), block=block, columns=columns, dtype=dtype)


def elementwise(
    operation: str,
    x: Tensor,
    z: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """f(alpha * x), or f(alpha * x, beta * z), element by element.

    Args:
        operation: "add", "subtract", "multiply", "divide", "minimum", "maximum"; of one number "negate", "absolute",
            "exp", "log", "sqrt", "reciprocal_root", "tanh", "sigmoid", "relu", "gelu", "silu", "square".
        x: float32, float16 or bfloat16.
        z: shaped as x, or with one row for all, one element for each, or one.
        alpha: a factor.
        beta: z's.
        dtype: the result's. None: x's.
    """
    return _ops.elementwise(x, z, operation=operation, alpha=alpha, beta=beta, dtype=dtype)


def add(x: Tensor, z: Tensor, *, alpha: float = 1.0) -> Tensor:
    """The sum x + alpha * z."""
    return elementwise("add", x, z, beta=alpha)


def reduce(
    x: Tensor,
    reduction: Literal["sum", "mean", "maximum", "minimum", "sum_of_squares"] = "sum",
    dim: int | None = -1,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The sum, ... over the last dimension, the first of two, or of all elements (None)."""
    return _ops.reduce(x, reduction=reduction, dim=dim, dtype=dtype)


def transpose(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """A contiguous copy of matrices with rows and columns exchanged, converted to `dtype`."""
    return _ops.transpose(x, dtype=dtype)


def copy(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """A contiguous copy of matrices whose rows or columns are contiguous, converted to `dtype`."""
    return _ops.copy(x, dtype=dtype)
