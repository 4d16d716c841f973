"""Products of float8 in vLLM's own methods, those for checkpoints that are in float8 among them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from vllm.model_executor.kernels.linear import register_linear_kernel
from vllm.model_executor.kernels.linear.scaled_mm.ScaledMMLinearKernel import FP8ScaledMMLinearKernel
from vllm.model_executor.layers.quantization.input_quant_fp8 import QuantFP8
from vllm.platforms import current_platform
from vllm.platforms.interface import PlatformEnum

from wavesmith._errors import UnsupportedError
from wavesmith.vllm._registry import once, replace


class WavesmithFp8Kernel(FP8ScaledMMLinearKernel):
    """A scale per token or one, times a scale per channel or one."""

    @classmethod
    def is_supported(cls, compute_capability: int | None = None) -> tuple[bool, str | None]:
        return current_platform.supports_fp8(), "the GPU has no products of float8"

    @classmethod
    def can_implement(cls, c: Any) -> tuple[bool, str | None]:
        shapes = [key.scale.group_shape for key in (c.activation_quant_key, c.weight_quant_key)]
        whole = all(shape.is_per_tensor() or shape.is_per_token() or shape.is_per_channel() for shape in shapes)
        return whole, "scales are of tokens, channels or the whole"

    def apply_scaled_mm(
        self,
        *,
        A: Tensor,  # noqa: N803  # vLLM gives arguments by these names
        B: Tensor,  # noqa: N803
        out_dtype: torch.dtype,
        As: Tensor,  # noqa: N803
        Bs: Tensor,  # noqa: N803
        bias: Tensor | None,
        output_shape: list[int],
    ) -> Tensor:
        scales = {"scale_a": As.float().view(-1), "scale_b": Bs.float().view(-1)}
        return torch.ops.wavesmith.gemm(A, B, bias, **scales, dtype=out_dtype).view(output_shape)


class WavesmithQuantFP8(QuantFP8):  # noqa: D101
    def forward_oot(
        self, x: Tensor, scale: Tensor | None = None, scale_ub: Tensor | None = None, use_triton: bool = False
    ) -> tuple[Tensor, Tensor]:
        if self.is_group_quant or scale_ub is not None or (scale is not None and scale.numel() > 1):
            raise UnsupportedError("quant_fp8 has kernels for a scale per token and one for all, without a bound")
        kind = current_platform.fp8_dtype()
        if scale is not None:
            return torch.ops.wavesmith.quantise_with(x, scale.float().view(-1), dtype=kind), scale
        scaling = "row" if self.use_per_token_if_dynamic else "matrix"
        return torch.ops.wavesmith.quantise(x, dtype=kind, scaling=scaling)


@once
def register() -> None:
    """Offers the products to vLLM's methods, and takes its quantisation's place."""
    register_linear_kernel(WavesmithFp8Kernel, PlatformEnum.OOT, "fp8")
    replace(WavesmithQuantFP8)
