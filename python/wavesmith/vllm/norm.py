"""RMSNorm as vLLM's intermediate representation has it, and LayerNorm."""

from __future__ import annotations

import torch
from torch import Tensor
from vllm import ir
from vllm.model_executor.layers.layernorm import LayerNorm

from wavesmith._errors import UnsupportedError
from wavesmith.vllm._registry import once, replace


def rms_norm(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None = None) -> Tensor:
    """The norm of each row."""
    _check(variance_size)
    if x.ndim > 2:  # heads of a larger array, whose rows are not equally apart
        x = x.contiguous()
    return torch.ops.wavesmith.rms_norm(x, weight, epsilon=epsilon)


def fused_add_rms_norm(
    x: Tensor, x_residual: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None = None
) -> tuple[Tensor, Tensor]:
    """The norm of the sum, and the sum."""
    _check(variance_size)
    return torch.ops.wavesmith.add_rms_norm(x, x_residual, weight, epsilon=epsilon)


def _check(variance_size: int | None) -> None:
    if variance_size is not None:
        raise UnsupportedError(f"rms_norm with a variance of the first {variance_size} columns has no kernel")


class WavesmithLayerNorm(LayerNorm):  # noqa: D101
    def forward_oot(self, x: Tensor) -> Tensor:
        return torch.ops.wavesmith.layer_norm(x, self.weight, self.bias, epsilon=self.eps)


@once
def register() -> None:
    """Registers both."""
    ir.ops.rms_norm.register_impl("wavesmith")(rms_norm)
    ir.ops.fused_add_rms_norm.register_impl("wavesmith")(fused_add_rms_norm)
    replace(WavesmithLayerNorm)
