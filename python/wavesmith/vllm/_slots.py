"""Where in the cache a step's tokens go, in place of the kernel that vLLM wrote in Triton."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from wavesmith._errors import UnsupportedError
from wavesmith.vllm._registry import once


def slot_mapping(
    num_tokens: int,
    max_num_tokens: int,
    query_start_loc: Tensor,
    positions: Tensor,
    block_table: Tensor,
    block_table_stride: int,
    slot_mapping: Tensor,
    KV_CACHE_BLOCK_SIZE: int,  # noqa: N803  # vLLM gives arguments by these names
    TOTAL_CP_WORLD_SIZE: int = 1,  # noqa: N803
    TOTAL_CP_RANK: int = 0,  # noqa: N803
    CP_KV_CACHE_INTERLEAVE_SIZE: int = 1,  # noqa: N803
    PAD_ID: int = -1,  # noqa: N803
    BLOCK_SIZE: int = 0,  # noqa: N803
) -> None:
    """Writes block * page + position within it for each token, and `PAD_ID` behind the last."""
    if TOTAL_CP_WORLD_SIZE != 1:
        raise UnsupportedError("context parallelism is not served")
    page = KV_CACHE_BLOCK_SIZE
    requests = torch.repeat_interleave(query_start_loc.diff())
    own = positions[: requests.shape[0]]
    pages = own // page
    blocks = block_table[requests, pages].to(torch.int64)
    slot_mapping[: own.shape[0]] = own + (blocks - pages) * page
    slot_mapping[own.shape[0] :] = PAD_ID


@once
def register() -> None:
    """Puts it in the kernel's place."""
    from vllm.triton_utils.dispatcher import register_kernels

    overrides: dict[str, Any] = {"vllm.v1.worker.block_table.ComputeSlotMappingKernel.kernel": slot_mapping}
    register_kernels(overrides)
