"""Shapes and types of the operators' results, from which `torch.compile` and fake tensors work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_MX_BLOCK = 32
_RESULTS = {torch.int8: torch.int32, torch.float32: torch.float32, torch.float16: torch.float16}


def _check(holds: Any, message: Callable[[], str]) -> None:
    torch._check(holds, message)


def _ceil_div(count: Any, size: int) -> Any:
    return (count + size - 1) // size


def _gemm(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None = None,
    residual: Tensor | None = None,
    scale_a: Tensor | None = None,
    scale_b: Tensor | None = None,
    scale_d: Tensor | None = None,
    block_scale_a: Tensor | None = None,
    block_scale_b: Tensor | None = None,
    zero_point_b: Tensor | None = None,
    group_offsets: Tensor | None = None,
    *,
    gated: bool = False,
    groups_along_k: bool = False,
    dtype: torch.dtype | None = None,
    **_: Any,
) -> Tensor:
    _check(
        a.dim() in (2, 3) and b.dim() in (2, 3),
        lambda: (
            f"wavesmith::gemm: expected a and b to be matrices or batches of them, but got shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        ),
    )
    weights = b.dtype == torch.uint8 and a.dtype != torch.uint8
    _check(
        a.shape[-1] == (2 if weights else 1) * b.shape[-2],
        lambda: (
            f"wavesmith::gemm: expected a and b to have shapes (m, k) and (k, n), but got {list(a.shape)} and "
            f"{list(b.shape)}"
        ),
    )
    columns = b.shape[-1] // 2 if gated else b.shape[-1]
    batch: list[Any] = []
    if group_offsets is None and (a.dim() == 3 or b.dim() == 3):
        counts = [one.shape[0] for one in (a, b) if one.dim() == 3]
        batch = [counts[0] if len(counts) == 1 or counts[1] == 1 else counts[1]]
    if group_offsets is not None and groups_along_k:
        batch = [group_offsets.shape[0] - 1]
    return a.new_empty(
        [*batch, a.shape[-2], columns], dtype=_RESULTS.get(a.dtype, torch.bfloat16) if dtype is None else dtype
    )


def _attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    alibi_slopes: Tensor | None = None,
    sinks: Tensor | None = None,
    cu_seqlens_q: Tensor | None = None,
    cu_seqlens_k: Tensor | None = None,
    **_: Any,
) -> Any:
    dimensions = 4 if cu_seqlens_q is None else 3
    for name, one in (("q", q), ("k", k), ("v", v)):
        _check(
            one.dim() == dimensions,
            lambda name=name, one=one: (  # type: ignore[misc]
                f"wavesmith::attention: expected {name} to have {dimensions} dimensions, but got {list(one.shape)}"
            ),
        )
    lse = (*q.shape[:-3], q.shape[-2], q.shape[-3])
    return q.new_empty([*q.shape[:-1], v.shape[-1]]), q.new_empty(lse, dtype=torch.float32)


def _paged_attention(q: Tensor, k_cache: Tensor, v_cache: Tensor, context_lengths: Tensor, *_: Any, **__: Any) -> Any:
    return _of_last_tokens(q, q.shape[-1])


def _latent_attention(
    q: Tensor, latents: Tensor, context_lengths: Tensor, *_: Any, value_size: int = 512, **__: Any
) -> Any:
    return _of_last_tokens(q, value_size)


def _of_last_tokens(q: Tensor, size: int) -> tuple[Tensor, Tensor]:
    heads = q.shape[-2]
    lse = (q.shape[0], heads) if q.dim() == 3 else (q.shape[0], heads, q.shape[1])
    return q.new_empty([*q.shape[:-1], size]), q.new_empty(lse, dtype=torch.float32)


def _written(*_: Any, **__: Any) -> None:
    """Of operators that write into what they are given."""


def _scales(x: Tensor, shape: Any, scaling: str, block: int) -> Tensor:
    if scaling == "matrix":
        return x.new_empty([1], dtype=torch.float32)
    if scaling == "mx":
        return x.new_empty([*shape[:-1], _ceil_div(shape[-1], _MX_BLOCK)], dtype=torch.uint8)
    return x.new_empty([*shape[:-1], _ceil_div(shape[-1], block) if scaling == "block" else 1], dtype=torch.float32)


def _norm(x: Tensor, *_: Any, dtype: torch.dtype | None = None, **__: Any) -> Tensor:
    return x.new_empty(x.shape, dtype=dtype)


def _add_norm(x: Tensor, residual: Tensor, *_: Any, dtype: torch.dtype | None = None, **__: Any) -> Any:
    return x.new_empty(x.shape, dtype=dtype), x.new_empty(x.shape, dtype=residual.dtype)


def _norm_quantise(x: Tensor, *_: Any, dtype: torch.dtype, scaling: str = "row", block: int = 128, **__: Any) -> Any:
    return x.new_empty(x.shape, dtype=dtype), _scales(x, x.shape, scaling, block)


def _add_norm_quantise(
    x: Tensor, residual: Tensor, *_: Any, dtype: torch.dtype, scaling: str = "row", block: int = 128, **__: Any
) -> Any:
    summed = x.new_empty(x.shape, dtype=residual.dtype)
    return x.new_empty(x.shape, dtype=dtype), summed, _scales(x, x.shape, scaling, block)


def _rope(x: Tensor, cosines: Tensor, sines: Tensor, *_: Any, dtype: torch.dtype | None = None, **__: Any) -> Tensor:
    return x.new_empty(x.shape, dtype=dtype)


def _gated_shape(gate: Tensor, up: Tensor | None) -> list[Any]:
    return [*gate.shape[:-1], gate.shape[-1] // 2 if up is None else gate.shape[-1]]


def _gated(
    gate: Tensor, up: Tensor | None = None, scale: Tensor | None = None, *, dtype: torch.dtype | None = None, **_: Any
) -> Tensor:
    return gate.new_empty(_gated_shape(gate, up), dtype=dtype)


def _gated_quantise(
    gate: Tensor,
    up: Tensor | None = None,
    *,
    dtype: torch.dtype,
    scaling: str = "row",
    block: int = 128,
    **_: Any,
) -> Any:
    shape = _gated_shape(gate, up)
    return gate.new_empty(shape, dtype=dtype), _scales(gate, shape, scaling, block)


def _quantised(x: Tensor, dtype: torch.dtype) -> Tensor:
    last = _ceil_div(x.shape[-1], 2) if dtype == torch.uint8 else x.shape[-1]
    return x.new_empty([*x.shape[:-1], last], dtype=dtype)


def _quantise(x: Tensor, *, dtype: torch.dtype, scaling: str = "row", block: int = 128) -> Any:
    return _quantised(x, dtype), _scales(x, x.shape, scaling, block)


def _quantise_with(x: Tensor, scale: Tensor | None = None, *, dtype: torch.dtype) -> Tensor:
    return _quantised(x, dtype)


def _dequantise(
    q: Tensor, scales: Tensor | None = None, *, block: int = 128, columns: int | None = None, dtype: torch.dtype
) -> Tensor:
    count = (2 if q.dtype == torch.uint8 else 1) * q.shape[-1] if columns is None else columns
    return q.new_empty([*q.shape[:-1], count], dtype=dtype)


def _same(x: Tensor, *_: Any, dtype: torch.dtype | None = None, **__: Any) -> Tensor:
    return x.new_empty(x.shape, dtype=dtype)


def _reduce(x: Tensor, *, reduction: str = "sum", dim: int | None = -1, dtype: torch.dtype | None = None) -> Tensor:
    if dim is None:
        return x.new_empty([], dtype=dtype)
    return x.new_empty(x.shape[:-1] if dim in (-1, x.dim() - 1) else x.shape[1:], dtype=dtype)


def _transpose(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    return x.new_empty([*x.shape[:-2], x.shape[-1], x.shape[-2]], dtype=dtype)


def _attention_backward(
    grad_out: Tensor, out: Tensor, lse: Tensor, q: Tensor, k: Tensor, v: Tensor, *_: Any, **__: Any
) -> Any:
    return tuple(one.new_empty(one.shape) for one in (q, k, v))


def _norm_backward(
    grad_out: Tensor,
    x: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    *_: Any,
    dtype: torch.dtype | None = None,
    **__: Any,
) -> Any:
    vectors = (
        x.new_empty([0], dtype=torch.float32) if one is None else one.new_empty(one.shape) for one in (weight, bias)
    )
    return x.new_empty(x.shape, dtype=dtype), *vectors


def _softmax_backward(grad_out: Tensor, y: Tensor, *, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
    return y.new_empty(y.shape, dtype=dtype)


def _gated_backward(grad_out: Tensor, gate: Tensor, up: Tensor | None = None, **_: Any) -> Any:
    return gate.new_empty(gate.shape), gate.new_empty([0], dtype=torch.float32) if up is None else up.new_empty(
        up.shape
    )


def _sample(logits: Tensor, *_: Any) -> Tensor:
    return logits.new_empty(logits.shape[:-1], dtype=torch.int32)


def _sample_log_probabilities(logits: Tensor, *_: Any) -> Any:
    return _sample(logits), logits.new_empty(logits.shape[:-1], dtype=torch.float32)


def _sampling_probabilities(logits: Tensor, *_: Any) -> Tensor:
    return logits.new_empty(logits.shape, dtype=torch.float32)


def _verify(draft_tokens: Tensor, *_: Any) -> Any:
    batch, drafts = draft_tokens.shape
    return draft_tokens.new_empty([batch, drafts + 1]), draft_tokens.new_empty([batch])


_BACKWARD: dict[str, Callable[..., Any]] = {
    "_attention_backward": _attention_backward,
    "_norm_backward": _norm_backward,
    "_softmax_backward": _softmax_backward,
    "_gated_backward": _gated_backward,
}

_FAKES: dict[str, Callable[..., Any]] = {
    "gemm": _gemm,
    "attention": _attention,
    "paged_attention": _paged_attention,
    "latent_attention": _latent_attention,
    "cache_write": _written,
    "rms_norm": _norm,
    "layer_norm": _norm,
    "add_rms_norm": _add_norm,
    "add_layer_norm": _add_norm,
    "rms_norm_quantise": _norm_quantise,
    "layer_norm_quantise": _norm_quantise,
    "add_rms_norm_quantise": _add_norm_quantise,
    "add_layer_norm_quantise": _add_norm_quantise,
    "softmax": _same,
    "rope": _rope,
    "gated": _gated,
    "gated_quantise": _gated_quantise,
    "quantise": _quantise,
    "quantise_with": _quantise_with,
    "dequantise": _dequantise,
    "elementwise": _same,
    "reduce": _reduce,
    "transpose": _transpose,
    "copy": _same,
    "sample": _sample,
    "sample_log_probabilities": _sample_log_probabilities,
    "sampling_probabilities": _sampling_probabilities,
    "verify_drafts": _verify,
    "verify_drafts_greedily": _verify,
}


def register(library: torch.library.Library) -> None:
    """Registers them."""
    for name, fake in _FAKES.items():
        torch.library.register_fake(f"wavesmith::{name}", fake, lib=library)
        if name != "cache_write":
            torch.library.register_fake(f"wavesmith::{name}.out", _written, lib=library)
    for name, fake in _BACKWARD.items():
        torch.library.register_fake(f"wavesmith::{name}", fake, lib=library)
