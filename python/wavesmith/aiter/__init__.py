"""AITER's operators by their names and arguments, over Wavesmith's kernels: `import wavesmith.aiter as aiter`.

Tensors are of a GPU in PyTorch for ROCm, or of the device `wavesmith`. Arguments that choose between AITER's own
kernels (`splitK`, `partition_size`, ...) are taken and not looked at. Weights and caches lie as PyTorch has them:
AITER's shuffled layouts are refused.
"""

from __future__ import annotations

from wavesmith.aiter._attention import (
    flash_attn_func,
    flash_attn_varlen_func,
    mla_decode_fwd,
    paged_attention_v1,
    reshape_and_cache_flash,
)
from wavesmith.aiter._products import (
    batched_gemm_a8w8,
    batched_gemm_bf16,
    batched_gemm_bf16_CK,
    gemm_a4w4,
    gemm_a8w8,
    gemm_a8w8_blockscale,
    gemm_a8w8_CK,
)
from wavesmith.aiter._quantising import (
    dynamic_per_group_scaled_quant_fp4,
    dynamic_per_tensor_quant,
    dynamic_per_token_scaled_quant,
    per_1x32_f4_quant_hip,
    per_group_quant_hip,
    per_tensor_quant_hip,
    per_token_quant_hip,
    static_per_tensor_quant,
)
from wavesmith.aiter._rope import (
    rope_cached_fwd,
    rope_cached_positions_2c_fwd_inplace,
    rope_cached_positions_fwd,
    rope_fwd,
    rotary_embedding_fwd,
)
from wavesmith.aiter._rows import (
    add,
    div,
    fused_add_rms_norm_cu,
    gelu_and_mul,
    gelu_tanh_and_mul,
    layer_norm,
    layernorm2d_fwd,
    layernorm2d_fwd_with_add,
    mul,
    rms_norm,
    rms_norm_cu,
    rmsnorm2d_fwd,
    rmsnorm2d_fwd_with_add,
    rmsnorm2d_fwd_with_add_dynamicquant,
    rmsnorm2d_fwd_with_dynamicquant,
    sigmoid,
    silu_and_mul,
    sub,
    tanh,
)

__all__ = [
    "add",
    "batched_gemm_a8w8",
    "batched_gemm_bf16",
    "batched_gemm_bf16_CK",
    "div",
    "dynamic_per_group_scaled_quant_fp4",
    "dynamic_per_tensor_quant",
    "dynamic_per_token_scaled_quant",
    "flash_attn_func",
    "flash_attn_varlen_func",
    "fused_add_rms_norm_cu",
    "gelu_and_mul",
    "gelu_tanh_and_mul",
    "gemm_a4w4",
    "gemm_a8w8",
    "gemm_a8w8_CK",
    "gemm_a8w8_blockscale",
    "layer_norm",
    "layernorm2d_fwd",
    "layernorm2d_fwd_with_add",
    "mla_decode_fwd",
    "mul",
    "paged_attention_v1",
    "per_1x32_f4_quant_hip",
    "per_group_quant_hip",
    "per_tensor_quant_hip",
    "per_token_quant_hip",
    "reshape_and_cache_flash",
    "rms_norm",
    "rms_norm_cu",
    "rmsnorm2d_fwd",
    "rmsnorm2d_fwd_with_add",
    "rmsnorm2d_fwd_with_add_dynamicquant",
    "rmsnorm2d_fwd_with_dynamicquant",
    "rope_cached_fwd",
    "rope_cached_positions_2c_fwd_inplace",
    "rope_cached_positions_fwd",
    "rope_fwd",
    "rotary_embedding_fwd",
    "sigmoid",
    "silu_and_mul",
    "static_per_tensor_quant",
    "sub",
    "tanh",
]
