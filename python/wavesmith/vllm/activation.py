"""Gated activations, and those of one array."""

from __future__ import annotations

import torch
from torch import Tensor
from vllm.model_executor.layers.activation import FastGELU, GeluAndMul, GELUTanh, NewGELU, SiluAndMul

from wavesmith._errors import UnsupportedError
from wavesmith.vllm._registry import once, replace


class WavesmithSiluAndMul(SiluAndMul):  # noqa: D101
    def forward_oot(self, x: Tensor) -> Tensor:
        return torch.ops.wavesmith.gated(x, activation="silu")


class WavesmithGeluAndMul(GeluAndMul):  # noqa: D101
    def forward_oot(self, x: Tensor) -> Tensor:
        if self.approximate != "tanh":
            raise UnsupportedError("gelu_and_mul has a kernel for the approximation by tanh alone")
        return torch.ops.wavesmith.gated(x, activation="gelu")


class _Gelu:
    def forward_oot(self, x: Tensor) -> Tensor:
        return torch.ops.wavesmith.elementwise(x, operation="gelu")


class WavesmithGELUTanh(_Gelu, GELUTanh):  # noqa: D101
    pass


class WavesmithNewGELU(_Gelu, NewGELU):  # noqa: D101
    pass


class WavesmithFastGELU(_Gelu, FastGELU):  # noqa: D101
    pass


@once
def register() -> None:
    """Registers all."""
    for ours in (WavesmithSiluAndMul, WavesmithGeluAndMul, WavesmithGELUTanh, WavesmithNewGELU, WavesmithFastGELU):
        replace(ours)
