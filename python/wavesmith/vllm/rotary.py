"""Rotary position embeddings."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from vllm.model_executor.layers.rotary_embedding import (
    DynamicNTKScalingRotaryEmbedding,
    LinearScalingRotaryEmbedding,
    Llama3RotaryEmbedding,
    RotaryEmbedding,
    YaRNScalingRotaryEmbedding,
)

from wavesmith.vllm._registry import once, replace


class _Rotary:
    """Rotates queries and keys by the tables that vLLM made."""

    head_size: int
    is_neox_style: bool
    _match_cos_sin_cache_dtype: Callable[[Tensor], Tensor]

    def forward_oot(self, positions: Tensor, query: Tensor, key: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        cosines, sines = self._match_cos_sin_cache_dtype(query).chunk(2, dim=-1)
        positions = positions.flatten()

        def rotated(one: Tensor) -> Tensor:
            heads = one.view(positions.shape[0], -1, self.head_size)
            turned = torch.ops.wavesmith.rope(heads, cosines, sines, positions, interleaved=not self.is_neox_style)
            return turned.view(one.shape)

        return rotated(query), None if key is None else rotated(key)


#: Those whose tables differ alone.
ALIKE = (
    RotaryEmbedding,
    Llama3RotaryEmbedding,
    LinearScalingRotaryEmbedding,
    DynamicNTKScalingRotaryEmbedding,
    YaRNScalingRotaryEmbedding,
)


@once
def register() -> None:
    """Registers one of each."""
    for theirs in ALIKE:
        replace(type(f"Wavesmith{theirs.__name__}", (_Rotary, theirs), {"__module__": __name__}))
