"""RMSNorm as vLLM's intermediate representation has it, and LayerNorm."""

from __future__ import annotations

import torch
from torch import Tensor
from vllm import ir
from vllm.model_executor.layers.layernorm import LayerNorm

from wavesmith import kernels
from wavesmith._errors import UnsupportedError
from wavesmith.vllm._registry import once, replace


def rms_norm(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None = None) -> Tensor:
    """The norm of each row."""
    _check(variance_size)
    return kernels.rms_norm(x, weight, eps=epsilon, out=torch.empty_like(x, memory_format=torch.contiguous_format))


def fused_add_rms_norm(
    x: Tensor, x_residual: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """The norm of the sum, over x, and the sum, over the residual."""
    _check(variance_size)
    kernels.rms_norm(x, weight, residual=x_residual, summed=x_residual, eps=epsilon, out=x)
    return x, x_residual


def _check(variance_size: int | None) -> None:
    if variance_size is not None:
        raise UnsupportedError(f"rms_norm with a variance of the first {variance_size} columns has no kernel")


class WavesmithLayerNorm(LayerNorm):  # noqa: D101
    def forward_oot(self, x: Tensor) -> Tensor:
        return kernels.layer_norm(x, self.weight, self.bias, eps=self.eps, out=torch.empty_like(x))


@once
def register() -> None:
    """Registers both."""
    ir.ops.rms_norm.register_impl("wavesmith")(rms_norm)
    ir.ops.fused_add_rms_norm.register_impl("wavesmith", inplace=True)(fused_add_rms_norm)
    replace(WavesmithLayerNorm)
