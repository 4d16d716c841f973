"""What attention is told of a step's requests, in parts that one launch serves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

import torch
from torch import Tensor
from vllm.v1.attention.backend import AttentionMetadata, AttentionMetadataBuilder, CommonAttentionMetadata

from wavesmith._errors import UnsupportedError


@dataclass
class Part:
    """Requests that follow each other, and are alike in having something in the cache or nothing."""

    is_new: bool
    """Nothing of them is in the cache yet: all their keys are the step's own."""
    tokens: slice
    longest: int
    longest_context: int
    starts: Tensor
    """int32, one more than there are requests: where their tokens begin, counted from the part's first."""
    equal: list[tuple[slice, slice, int]]
    """Requests with equally many tokens: which, their tokens, and how many each has."""


@dataclass
class Batch(AttentionMetadata):
    """A step's requests."""

    parts: list[Part]
    contexts: Tensor
    """int32: the keys of each request, those of its tokens included."""
    blocks: Tensor
    """int32, (requests, blocks): where each request's pages are."""


def parts_of(starts: list[int], contexts: list[int]) -> Iterator[tuple[bool, slice, list[tuple[slice, int]]]]:
    """Parts, as whether they are new, which requests they are, and runs of these with equally many tokens.

    Args:
        starts: where each request's tokens begin, and the end of the last.
        contexts: the keys of each.
    """
    lengths = [end - begin for begin, end in pairwise(starts)]

    def is_new(request: int) -> bool:
        return lengths[request] == contexts[request]

    for new, group in groupby(range(len(lengths)), is_new):
        members = list(group)
        runs = []
        for length, run in groupby(members, lengths.__getitem__):
            equal = list(run)
            runs.append((slice(equal[0], equal[-1] + 1), length))
        yield new, slice(members[0], members[-1] + 1), runs


class BatchBuilder(AttentionMetadataBuilder[Batch]):
    """Makes a `Batch` of what vLLM says about a step."""

    reorder_batch_threshold = 1  # requests with one token come first: one launch serves them

    def __init__(self, *args: object) -> None:
        super().__init__(*args)

    def build(
        self, common_prefix_len: int, common_attn_metadata: CommonAttentionMetadata, fast_build: bool = False
    ) -> Batch:
        common = common_attn_metadata
        if common.causal is not True:
            raise UnsupportedError("attention that is not causal is not served")
        starts = common.query_start_loc_cpu.tolist()
        known = common.seq_lens_cpu_upper_bound
        contexts = (common.seq_lens if known is None else known).tolist()[: common.num_reqs]
        parts = []
        for is_new, requests, runs in parts_of(starts[: common.num_reqs + 1], contexts):
            begin = starts[requests.start]
            own = torch.tensor(
                [start - begin for start in starts[requests.start : requests.stop + 1]], dtype=torch.int32
            )
            equal = [(run, slice(starts[run.start], starts[run.stop]), length) for run, length in runs if length > 0]
            parts.append(
                Part(
                    is_new,
                    slice(begin, starts[requests.stop]),
                    max(length for _, length in runs),
                    max(contexts[requests]),
                    own.to(self.device),
                    equal,
                )
            )
        return Batch(parts, common.seq_lens[: common.num_reqs], common.block_table_tensor[: common.num_reqs])
