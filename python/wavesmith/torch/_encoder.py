"""The inference form of `nn.TransformerEncoderLayer`, which PyTorch asks for as one operator, of others."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from wavesmith.torch._library import NotServed, operator

#: What a mask is for, by its number: elements of queries and keys, keys of each batch, or both of each head.
_OF_ALL, _OF_KEYS, _OF_HEADS = range(3)


def _as_attention_takes_it(mask: torch.Tensor, kind: int | None) -> torch.Tensor:
    """A mask that hides what is true as one that shows it; one of numbers is added as it is."""
    if kind not in (_OF_ALL, _OF_KEYS, _OF_HEADS) or mask.is_nested:
        raise NotServed
    mask = mask[:, None, None, :] if kind == _OF_KEYS else mask
    return mask.logical_not() if mask.dtype == torch.bool else mask


@operator("_transformer_encoder_layer_fwd")
def _layer(
    src: torch.Tensor,
    size: int,
    heads: int,
    qkv_weight: torch.Tensor,
    qkv_bias: torch.Tensor,
    out_weight: torch.Tensor,
    out_bias: torch.Tensor,
    use_gelu: bool,
    norm_first: bool,
    epsilon: float,
    norm_weight_1: torch.Tensor,
    norm_bias_1: torch.Tensor,
    norm_weight_2: torch.Tensor,
    norm_bias_2: torch.Tensor,
    weight_1: torch.Tensor,
    bias_1: torch.Tensor,
    weight_2: torch.Tensor,
    bias_2: torch.Tensor,
    mask: Any = None,
    mask_type: int | None = None,
) -> torch.Tensor:
    if src.is_nested or src.dim() != 3:
        raise NotServed
    shown = None if mask is None else _as_attention_takes_it(mask, mask_type)
    batch, length, _ = src.shape
    sizes = batch, length, 3, heads, size // heads

    def attention(x: torch.Tensor) -> torch.Tensor:
        q, k, v = functional.linear(x, qkv_weight, qkv_bias).view(sizes).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v, shown).transpose(1, 2).reshape(batch, length, size)
        return functional.linear(mixed, out_weight, out_bias)

    def network(x: torch.Tensor) -> torch.Tensor:
        inner = functional.linear(x, weight_1, bias_1)
        return functional.linear(functional.gelu(inner) if use_gelu else functional.relu(inner), weight_2, bias_2)

    def norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, (size,), weight, bias, epsilon)

    if norm_first:
        x = src + attention(norm(src, norm_weight_1, norm_bias_1))
        return x + network(norm(x, norm_weight_2, norm_bias_2))
    x = norm(src + attention(src), norm_weight_1, norm_bias_1)
    return norm(x + network(x), norm_weight_2, norm_bias_2)
