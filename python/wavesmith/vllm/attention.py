"""Attention over vLLM's paged cache: `AttentionBackendEnum.CUSTOM`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import torch
from torch import Tensor
from vllm.platforms import current_platform
from vllm.utils.torch_utils import is_quantized_kv_cache
from vllm.v1.attention.backend import AttentionBackend, AttentionImpl, AttentionType
from vllm.v1.attention.backends.registry import AttentionBackendEnum, register_backend
from vllm.v1.kv_cache_interface import AttentionSpec, KVCacheLayout, KVQuantMode

from wavesmith._errors import UnsupportedError
from wavesmith.vllm._batch import Batch, BatchBuilder
from wavesmith.vllm._registry import once

#: The cache of 8-bit integers with a float32 for each position and head, behind its keys and behind its values.
PER_TOKEN_HEAD = "int8_per_token_head"
SCALE_BYTES = 4


class WavesmithAttentionBackend(AttentionBackend):
    """Keys and values go into the cache by one kernel, and attention is another's."""

    supported_dtypes: ClassVar[list[torch.dtype]] = [torch.float16, torch.bfloat16]
    supported_kv_cache_dtypes: ClassVar[list[Any]] = ["auto", "float16", "bfloat16", "fp8", "fp8_e4m3", PER_TOKEN_HEAD]
    forward_includes_kv_cache_update = False

    @staticmethod
    def get_name() -> str:
        return "CUSTOM"

    @staticmethod
    def get_impl_cls() -> type[WavesmithAttention]:
        return WavesmithAttention

    @staticmethod
    def get_builder_cls() -> type[BatchBuilder]:
        return BatchBuilder

    @staticmethod
    def get_supported_kernel_block_sizes(kv_cache_spec: Any = None) -> list[Any]:
        return [8, 16, 32, 64, 128, 256]

    @classmethod
    def get_supported_head_sizes(cls) -> list[int]:
        return [64, 128, 256]

    @classmethod
    def supports_kv_cache_dtype(cls, kv_cache_dtype: Any) -> bool:
        float8 = kv_cache_dtype not in (None, PER_TOKEN_HEAD) and is_quantized_kv_cache(kv_cache_dtype)
        return super().supports_kv_cache_dtype(kv_cache_dtype) and (not float8 or current_platform.supports_fp8())

    @classmethod
    def customize_spec(cls, spec: AttentionSpec) -> AttentionSpec:
        if spec.state_content_bytes is not None or spec.kv_quant_mode != KVQuantMode.INT8_PER_TOKEN_HEAD:
            return spec
        return replace(spec, state_content_bytes=spec.head_size + spec.head_size_v + 2 * SCALE_BYTES)

    @classmethod
    def supported_kv_cache_layouts(cls) -> tuple[KVCacheLayout, ...]:
        return KVCacheLayout.LBNHC, KVCacheLayout.LBHNC

    @classmethod
    def supports_sliding_window(cls) -> bool:
        return True

    @classmethod
    def supports_sink(cls) -> bool:
        return True


class WavesmithAttention(AttentionImpl[Batch]):
    """The attention of one layer."""

    def __init__(
        self,
        num_heads: int,
        head_size: int,
        scale: float,
        num_kv_heads: int | None = None,
        alibi_slopes: list[float] | None = None,
        sliding_window: int | None = None,
        kv_cache_dtype: str = "auto",
        logits_soft_cap: float | None = None,
        attn_type: str = AttentionType.DECODER,
        kv_sharing_target_layer_name: str | None = None,
        sinks: Tensor | None = None,
    ) -> None:
        if attn_type != AttentionType.DECODER:
            raise UnsupportedError(f"attention of type {attn_type} is not served, only that of decoders")
        self.num_heads, self.head_size, self.scale = num_heads, head_size, scale
        self.num_kv_heads = num_kv_heads or num_heads
        self.kv_cache_dtype = kv_cache_dtype
        self._is_shared = kv_sharing_target_layer_name is not None
        self._is_quantised = is_quantized_kv_cache(kv_cache_dtype)
        self._slopes: Any = alibi_slopes
        self._sinks = sinks
        # vLLM counts the query's own key.
        self._left = -1 if sliding_window is None else sliding_window - 1
        self._soft_cap = logits_soft_cap or 0.0

    def process_weights_after_loading(self, act_dtype: torch.dtype) -> None:
        if self._slopes is not None:
            self._slopes = torch.tensor(self._slopes, dtype=torch.float32, device=current_platform.device_type)
        if self._sinks is not None:
            self._sinks = self._sinks.data.float()

    def _caches(self, kv_cache: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of vLLM's (blocks, heads, page, 2 * size), as the kernels name the dimensions."""
        if self.kv_cache_dtype == PER_TOKEN_HEAD:
            keys, values = kv_cache.view(torch.int8).transpose(1, 2).split(self.head_size + SCALE_BYTES, dim=-1)
            return keys[..., : self.head_size], values[..., : self.head_size]
        if self._is_quantised:
            kv_cache = kv_cache.view(current_platform.fp8_dtype())
        keys, values = kv_cache.transpose(1, 2).split(self.head_size, dim=-1)
        return keys, values

    def do_kv_cache_update(
        self, layer: Any, key: Tensor, value: Tensor, kv_cache: Tensor, slot_mapping: Tensor
    ) -> None:
        """Writes the step's keys and values to the cache."""
        tokens = slot_mapping.shape[0]
        keys, values = self._caches(kv_cache)
        torch.ops.wavesmith.cache_write(
            key[:tokens], value[:tokens], keys, values, slot_mapping, **self._scales(layer, kv_cache)
        )

    def _scales(self, layer: Any, kv_cache: Tensor) -> dict[str, Any]:
        if self.kv_cache_dtype == PER_TOKEN_HEAD:
            numbers = kv_cache.view(torch.float32).transpose(1, 2)
            return {"k_scale": numbers[..., self.head_size // SCALE_BYTES], "v_scale": numbers[..., -1]}
        return {"k_scale": layer._k_scale, "v_scale": layer._v_scale} if self._is_quantised else {}

    def forward(
        self,
        layer: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        kv_cache: Tensor,
        attn_metadata: Batch | None,
        output: Tensor,
        output_scale: Tensor | None = None,
        output_block_scale: Tensor | None = None,
    ) -> Tensor:
        if output_scale is not None or output_block_scale is not None:
            raise UnsupportedError("attention does not quantise its result")
        if attn_metadata is None:  # vLLM measures how much memory a step takes.
            return output.zero_()
        how: dict[str, Any] = {
            "softmax_scale": self.scale,
            "window_left": self._left,
            "softcap": self._soft_cap,
            "alibi_slopes": self._slopes,
            "sinks": self._sinks,
        }
        keys, values = self._caches(kv_cache)
        for part in attn_metadata.parts:
            if part.is_new and not self._is_shared and not self._is_quantised:
                output[part.tokens], _ = torch.ops.wavesmith.attention(
                    query[part.tokens],
                    key[part.tokens],
                    value[part.tokens],
                    causal=True,
                    cu_seqlens_q=part.starts,
                    cu_seqlens_k=part.starts,
                    max_seqlen_q=part.longest,
                    max_seqlen_k=part.longest,
                    **how,
                )
                continue
            for requests, tokens, length in part.equal:
                shape = (-1, length, self.num_heads, self.head_size)
                output[tokens].view(shape)[:], _ = torch.ops.wavesmith.paged_attention(
                    query[tokens].view(shape),
                    keys,
                    values,
                    attn_metadata.contexts[requests],
                    attn_metadata.blocks[requests],
                    max_context=part.longest_context,
                    **self._scales(layer, kv_cache),
                    **how,
                )
        return output


@once
def register() -> None:
    """Names it to vLLM as CUSTOM."""
    name = f"{WavesmithAttentionBackend.__module__}.{WavesmithAttentionBackend.__qualname__}"
    register_backend(AttentionBackendEnum.CUSTOM, name)
