"""A fault that Triton's compiler leaves in kernels: waves of a workgroup that meet in device memory without a barrier.

The second loop reads what other waves wrote in the first one (triton-lang/triton#9887). Triton's analysis of barriers
sees shared memory alone, so that a kernel that goes through device memory needs `tl.debug_barrier()`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

import wavesmith


@triton.jit
def turned(x, between, y, n, BLOCK: tl.constexpr, BARRIER: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for k in range(n):
        tl.store(between + k * BLOCK + at, 2 * tl.load(x + k * BLOCK + at))
    if BARRIER:
        tl.debug_barrier()
    for k in range(n):
        tl.store(y + k * BLOCK + at, tl.load(between + k * BLOCK + BLOCK - 1 - at) + 1)


def run(barrier: bool) -> bool:
    x = torch.rand(4, 1024)
    between, y = torch.full_like(x, torch.nan), torch.full_like(x, torch.nan)
    turned[(1,)](x, between, y, 4, BLOCK=1024, BARRIER=barrier, num_warps=8)
    return torch.equal(y, 2 * x.flip(1) + 1)


@pytest.mark.representative
def test_waves_that_meet_in_memory_without_a_barrier_are_told_by_line():
    checked = wavesmith.check(run, False, checks="race")
    assert {fault.rule for fault in checked.faults} == {"wave-read-write"}
    text = Path(__file__).read_text().splitlines()
    for fault in checked.faults:
        places = {party.role: int(party.source.rsplit(":", 1)[1]) for party in fault.parties}
        assert "tl.store(between" in text[places["writes"] - 1]
        assert "tl.load(between" in text[places["reads"] - 1]
    checked = wavesmith.check(run, True, checks="race")
    assert checked.ok, checked
    assert checked.result
