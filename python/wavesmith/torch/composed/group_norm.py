"""GroupNorm: each group is a row of a LayerNorm."""

from __future__ import annotations

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import wide


@operator("native_group_norm")
def group_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    batch: int,
    channels: int,
    inner: int,
    groups: int,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The norm, and each group's mean and reciprocal deviation."""
    if batch * channels * inner == 0:
        none = x.new_zeros(batch, groups)
        return torch.empty_like(x, memory_format=torch.contiguous_format), none, none.clone()
    computed = wide(x.dtype)
    rows = x.to(computed).contiguous().view(batch * groups, -1)
    out, mean, rstd = torch.native_layer_norm(rows, [rows.shape[1]], None, None, eps)
    out = out.view(batch, channels, inner)
    if weight is not None:
        out = out * weight.to(computed).view(channels, 1)
    if bias is not None:
        out = out + bias.to(computed).view(channels, 1)
    statistics = (weight if weight is not None else x).dtype
    mean, rstd = (each.view(batch, groups).to(statistics) for each in (mean, rstd))
    return out.view(x.shape).to(x.dtype), mean, rstd
