"""What `torch.amp.GradScaler` asks of gradients and of its scale, without waiting for the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served


def _is_number(tensor: torch.Tensor, like: torch.Tensor, dtype: torch.dtype) -> bool:
    return tensor.numel() == 1 and tensor.dtype == dtype and tensor.device == like.device


@operator("_amp_foreach_non_finite_check_and_unscale_")
def _unscale(gradients: Sequence[torch.Tensor], found_inf: torch.Tensor, inv_scale: torch.Tensor) -> None:
    """Multiplies gradients by 1 / scale, and notes in `found_inf` whether an element of them is not finite."""
    for number in (found_inf, inv_scale):
        served(_is_number(number, found_inf, torch.float32))
    for each in gradients:
        served(each.is_floating_point() and each.layout is torch.strided and each.device == found_inf.device)
    for each in gradients:
        found_inf.masked_fill_(each.isfinite().all().logical_not_(), 1)
        each.mul_(inv_scale.reshape([1] * each.dim()))  # of as many dimensions, so that halves are computed in float32


@operator("_amp_update_scale_")
def _update_scale(
    scale: torch.Tensor,
    growth_tracker: torch.Tensor,
    found_inf: torch.Tensor,
    growth_factor: float,
    backoff_factor: float,
    growth_interval: int,
) -> torch.Tensor:
    """Lets the scale grow after so many steps, unless beyond what is finite, or shrink after one with infinity."""
    served(_is_number(scale, found_inf, torch.float32) and _is_number(found_inf, found_inf, torch.float32))
    served(_is_number(growth_tracker, found_inf, torch.int32))
    found = found_inf.reshape(scale.shape) != 0
    steps = growth_tracker.reshape(scale.shape) + 1
    grows = steps == growth_interval
    grown = scale * growth_factor
    grown = torch.where(grows & grown.isfinite(), grown, scale)
    growth_tracker.copy_(steps.masked_fill_(found | grows, 0).reshape(growth_tracker.shape))
    return scale.copy_(torch.where(found, scale * backoff_factor, grown))
