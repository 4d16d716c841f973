"""The worker: a device, a model runner, and how much memory its cache gets."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from vllm.platforms import current_platform
from vllm.utils.torch_utils import set_random_seed
from vllm.v1.worker.gpu_worker import Worker, init_worker_distributed_environment
from vllm.v1.worker.worker_base import CompilationTimes


class WavesmithWorker(Worker):
    """vLLM's worker of GPUs, without what is CUDA's: memory pools, graphs, warming up."""

    def init_device(self) -> None:
        if self.use_v2_model_runner:
            raise ValueError("wavesmith has vLLM's model runner V1; unset VLLM_USE_V2_MODEL_RUNNER")
        self.device = torch.device("wavesmith", self.local_rank)
        current_platform.set_device(self.device)
        current_platform.check_if_supports_dtype(self.model_config.dtype)
        init_worker_distributed_environment(
            self.vllm_config, self.rank, self.distributed_init_method, self.local_rank, current_platform.dist_backend
        )
        set_random_seed(self.model_config.seed)
        self._init_workspace_and_model_runner()

    def determine_available_memory(self) -> int:
        """What was asked for: emulated memory is the host's, of which the rest of the machine needs some."""
        return int(self.cache_config.kv_cache_memory_bytes)

    def compile_or_warm_up_model(self) -> CompilationTimes:
        set_random_seed(self.model_config.seed)
        return CompilationTimes(language_model=0.0, encoder=0.0)

    def _maybe_get_memory_pool_context(self, tag: str) -> AbstractContextManager[Any]:
        return nullcontext()
