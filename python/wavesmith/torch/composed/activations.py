"""The gradient of ELU."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide


@with_out("elu_backward", "grad_input")
def _elu_backward(
    grad: torch.Tensor, alpha: float, scale: float, input_scale: float, is_result: bool, x: torch.Tensor
) -> torch.Tensor:
    served(grad.dtype == x.dtype and grad.device == x.device and x.is_floating_point())
    served(not is_result or alpha >= 0)
    of, above = x.to(wide(x.dtype)), grad.to(wide(x.dtype))
    least = alpha * scale
    slope = (of + least) * input_scale if is_result else input_scale * least * (of * input_scale).exp()
    return (above * torch.where(of <= 0, slope, scale)).to(x.dtype)
