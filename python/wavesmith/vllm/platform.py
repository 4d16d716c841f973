"""The platform: what vLLM asks about the device, and the classes that it takes for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch
from vllm.platforms.interface import Platform, PlatformEnum
from vllm.v1.attention.backends.registry import AttentionBackendEnum

if TYPE_CHECKING:
    from vllm.config import VllmConfig
    from vllm.config.kernel import IrOpPriorityConfig
    from vllm.v1.attention.selector import AttentionSelectorConfig

_PAGE = 16
_CACHE_BYTES = 1 << 30


class WavesmithPlatform(Platform):
    """Emulated AMD GPUs, as PyTorch's device "wavesmith"."""

    _enum = PlatformEnum.OOT
    device_name = "wavesmith"
    device_type = "wavesmith"
    dispatch_key = "PrivateUse1"
    dist_backend = "gloo"
    device_control_env_var = "WAVESMITH_VLLM_DEVICES"
    simple_compile_backend = "eager"

    @classmethod
    def get_device_name(cls, device_id: int = 0) -> str:
        from wavesmith._use import used

        return f"wavesmith {used()}"

    @classmethod
    def get_device_total_memory(cls, device_id: int = 0) -> int:
        return int(torch.accelerator.get_memory_info(torch.device("wavesmith", device_id))[1])

    @classmethod
    def get_current_memory_usage(cls, device: Any = None) -> float:
        free, total = torch.accelerator.get_memory_info(device)
        return float(total - free)

    @classmethod
    def get_device_capability(cls, device_id: int = 0) -> None:
        """None: capabilities are CUDA's."""
        return

    @classmethod
    def set_device(cls, device: torch.device) -> None:
        torch.accelerator.set_device_index(device)

    @classmethod
    def manual_seed_all(cls, seed: int) -> None:
        torch.get_device_module("wavesmith").manual_seed_all(seed)

    @classmethod
    def current_stream(cls) -> Any:
        return torch.accelerator.current_stream()

    @classmethod
    def check_if_supports_dtype(cls, dtype: torch.dtype) -> None:
        if dtype not in (torch.bfloat16, torch.float16):
            raise ValueError(f"{cls.device_name} computes in bfloat16 and float16, not in {dtype}")

    @property
    def supported_dtypes(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]

    @classmethod
    def is_pin_memory_available(cls) -> bool:
        return False

    @classmethod
    def support_hybrid_kv_cache(cls) -> bool:
        return True

    @classmethod
    def is_fp8_fnuz(cls) -> bool:
        from wavesmith import kernels

        return bool(kernels.gemm_tiles("e4m3fnuz"))

    @classmethod
    def supports_fp8(cls) -> bool:
        from wavesmith import kernels

        return cls.is_fp8_fnuz() or bool(kernels.gemm_tiles("e4m3"))

    @classmethod
    def fp8_dtype(cls) -> torch.dtype:
        return torch.float8_e4m3fnuz if cls.is_fp8_fnuz() else torch.float8_e4m3fn

    @classmethod
    def num_compute_units(cls, device_id: int = 0) -> int:
        from wavesmith.triton.hip import hip

        return int(hip().properties(device_id)["multiprocessor_count"])

    @classmethod
    def import_kernels(cls) -> None:
        """The host's operators of vLLM's build for the CPU, which compute what has no kernel here."""
        from vllm.platforms.cpu import CpuPlatform

        CpuPlatform.import_kernels()

    @classmethod
    def import_ir_kernels(cls) -> None:
        super().import_ir_kernels()
        from wavesmith.vllm import norm

        norm.register()

    @classmethod
    def register_triton_kernel_overrides(cls) -> None:
        from wavesmith.vllm import _slots

        _slots.register()

    @classmethod
    def get_default_ir_op_priority(cls, vllm_config: VllmConfig) -> IrOpPriorityConfig:
        from vllm.config.kernel import IrOpPriorityConfig

        return IrOpPriorityConfig.with_default(["native"], rms_norm=["wavesmith"], fused_add_rms_norm=["wavesmith"])

    @classmethod
    def get_attn_backend_cls(
        cls,
        selected_backend: AttentionBackendEnum | None,
        attn_selector_config: AttentionSelectorConfig,
        num_heads: int | None = None,
    ) -> str:
        from wavesmith.vllm.attention import WavesmithAttentionBackend

        if selected_backend not in (None, AttentionBackendEnum.CUSTOM):
            raise ValueError(f"{cls.device_name} has the attention backend CUSTOM, not {selected_backend.name}")
        reasons = WavesmithAttentionBackend.validate_configuration(
            device_capability=None, **attn_selector_config._asdict()
        )
        if reasons:
            raise ValueError(f"{cls.device_name} has no attention for {attn_selector_config}: {', '.join(reasons)}")
        return AttentionBackendEnum.CUSTOM.get_path()

    @classmethod
    def check_and_update_config(cls, vllm_config: VllmConfig) -> None:
        """Settles what the platform has one way of: no compilation, no graphs, processes that are not forked."""
        from vllm.config import CompilationMode, CUDAGraphMode

        os.environ.setdefault("VLLM_WORKER_MULTIPROC_METHOD", "spawn")
        parallel, cache = vllm_config.parallel_config, vllm_config.cache_config
        if parallel.world_size > 1:
            raise ValueError(f"{cls.device_name} runs on one device, and world_size is {parallel.world_size}")
        if parallel.worker_cls == "auto":
            parallel.worker_cls = "wavesmith.vllm.worker.WavesmithWorker"
        if not cache.user_specified_block_size:
            cache.block_size = _PAGE
        if cache.kv_cache_memory_bytes is None:
            cache.kv_cache_memory_bytes = _CACHE_BYTES
        vllm_config.scheduler_config.async_scheduling = False
        compilation = vllm_config.compilation_config
        compilation.mode = CompilationMode.NONE
        compilation.cudagraph_mode = CUDAGraphMode.NONE
        compilation.cudagraph_capture_sizes = []
        compilation.custom_ops = [op for op in compilation.custom_ops if op not in ("all", "none")] + ["all"]
