"""Scaled products of floats of 8 bits that the GPU has no instructions for: products of the same numbers in F32."""

from __future__ import annotations

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served


def _factor(scale: torch.Tensor, shape: tuple[int, int]) -> torch.Tensor:
    """One scale, or one for each row or column."""
    served(scale.dtype == torch.float32 and (scale.numel() == 1 or tuple(scale.shape) == shape))
    return scale.reshape(()) if scale.numel() == 1 else scale


@operator("_scaled_mm.out", left_by_native=True)
def _scaled_mm(
    x: torch.Tensor,
    mat2: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    bias: torch.Tensor | None = None,
    scale_result: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    use_fast_accum: bool = False,
    *,
    out: torch.Tensor,
) -> torch.Tensor:
    served(x.itemsize == mat2.itemsize == 1 and x.is_floating_point() and mat2.is_floating_point())
    factors = _factor(scale_a, (x.shape[0], 1)), _factor(scale_b, (1, mat2.shape[1]))
    product = x.float() @ mat2.float()
    for factor in factors:
        product *= factor
    if bias is not None:
        product += bias
    if scale_result is not None and out.itemsize == 1:
        product *= scale_result
    return out.copy_(product)
