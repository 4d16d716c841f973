"""Weights and activations of float8: a scale per channel of a weight and per token, by Wavesmith's kernels."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from vllm.model_executor.layers.linear import LinearBase, UnquantizedLinearMethod
from vllm.model_executor.layers.quantization import register_quantization_config
from vllm.model_executor.layers.quantization.base_config import QuantizationConfig, QuantizeMethodBase
from vllm.model_executor.utils import replace_parameter
from vllm.platforms import current_platform

from wavesmith._errors import UnsupportedError
from wavesmith.vllm._registry import once

NAME = "wavesmith_fp8"


class WavesmithFp8Config(QuantizationConfig):
    """Quantises the weights of linear layers when they are loaded, and their inputs at each step."""

    def get_name(self) -> str:
        return NAME

    def get_supported_act_dtypes(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    @classmethod
    def get_min_capability(cls) -> int:
        """Capabilities are CUDA's."""
        return -1

    @staticmethod
    def get_config_filenames() -> list[str]:
        return []

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> WavesmithFp8Config:
        return cls()

    def get_quant_method(self, layer: torch.nn.Module, prefix: str) -> QuantizeMethodBase | None:
        return WavesmithFp8LinearMethod() if isinstance(layer, LinearBase) else None


class WavesmithFp8LinearMethod(UnquantizedLinearMethod):
    """Weights are loaded as they are, then quantised."""

    supports_pre_processed_weights = False

    def __init__(self) -> None:
        super().__init__()
        if not current_platform.supports_fp8():
            raise UnsupportedError(f"{current_platform.get_device_name()} has no products of float8")
        self._type = current_platform.fp8_dtype()

    def process_weights_after_loading(self, layer: Any) -> None:
        weight, scale = torch.ops.wavesmith.quantise(layer.weight, dtype=self._type)
        replace_parameter(layer, "weight", weight)
        replace_parameter(layer, "weight_scale", scale.view(-1))

    def apply(self, layer: Any, x: Tensor, bias: Tensor | None = None) -> Tensor:
        rows, scale = torch.ops.wavesmith.quantise(x.reshape(-1, x.shape[-1]), dtype=self._type)
        result = torch.ops.wavesmith.gemm(
            rows, layer.weight.t(), bias, scale_a=scale, scale_b=layer.weight_scale, dtype=x.dtype
        )
        return result.view(*x.shape[:-1], layer.weight.shape[0])


@once
def register() -> None:
    """Makes the name known: `quantization="wavesmith_fp8"`."""
    register_quantization_config(NAME)(WavesmithFp8Config)
