"""Linear layers and the projection onto the vocabulary, without quantisation."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from vllm.model_executor.layers import linear
from vllm.model_executor.layers.linear import UnquantizedLinearMethod
from vllm.model_executor.layers.vocab_parallel_embedding import (
    ParallelLMHead,
    UnquantizedEmbeddingMethod,
    VocabParallelEmbedding,
)

from wavesmith.vllm._registry import once, replace


def product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """X weight^T + bias; the weight has a row per column of the result."""
    rows = x.reshape(-1, x.shape[-1])
    return torch.ops.wavesmith.gemm(rows, weight.t(), bias).view(*x.shape[:-1], weight.shape[0])


class WavesmithLinearMethod(UnquantizedLinearMethod):
    """Products by the kernel library."""

    def apply(self, layer: Any, x: Tensor, bias: Tensor | None = None) -> Tensor:
        return product(x, layer.weight, bias)


class WavesmithEmbeddingMethod(UnquantizedEmbeddingMethod):
    """The same for the projection onto the vocabulary."""

    def apply(self, layer: Any, x: Tensor, bias: Tensor | None = None) -> Tensor:
        return product(x, layer.weight, bias)


_METHODS = {UnquantizedLinearMethod: WavesmithLinearMethod, UnquantizedEmbeddingMethod: WavesmithEmbeddingMethod}


class _Layer:
    """A layer that multiplies by the kernel library unless a quantisation says how it multiplies."""

    quant_method: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if ours := _METHODS.get(type(self.quant_method)):
            self.quant_method = ours()


#: Each asks its quantisation for its method, and creates its weights with that.
LAYERS = (
    linear.ReplicatedLinear,
    linear.ColumnParallelLinear,
    linear.MergedColumnParallelLinear,
    linear.QKVParallelLinear,
    linear.RowParallelLinear,
    VocabParallelEmbedding,  # the projection, too, where both have one weight
    ParallelLMHead,
)


@once
def register() -> None:
    """Registers one of each."""
    for theirs in LAYERS:
        replace(type(f"Wavesmith{theirs.__name__}", (_Layer, theirs), {"__module__": __name__}))
