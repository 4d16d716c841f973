"""Faults of Triton's kernels that are publicly known, on small kernels that have them, beside the same put right.

Waves of a workgroup that meet in device memory without a barrier (triton-lang/triton#9887): the second loop reads what
other waves wrote in the first one. Triton's analysis of barriers sees shared memory alone, so that a kernel that goes
through device memory needs `tl.debug_barrier()`.

A lock that the kernel itself clears (triton-lang/triton#10594, a product by stream-K): whoever waits for it may see
what the launch before left there, and read parts that are not there yet.
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


@triton.jit
def shared_sum(x, parts, locks, out, n, BLOCK: tl.constexpr, CLEARS: tl.constexpr):
    own = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    if CLEARS:
        tl.store(locks + own, 0)
    total = tl.load(x + own * BLOCK + at)
    if own != 0:
        tl.store(parts + own * BLOCK + at, total)
        tl.debug_barrier()
        tl.atomic_xchg(locks + own, 1)
    else:
        for other in range(1, n):
            while tl.atomic_cas(locks + other, 1, 1) != 1:
                pass
            total += tl.load(parts + other * BLOCK + at)
        tl.store(out + at, total)


def sum_twice(clears: bool) -> bool:
    x = torch.rand(8, 512)
    parts, out, locks = torch.full_like(x, torch.nan), torch.empty(512), torch.zeros(8, dtype=torch.int32)
    for _ in range(2):
        if not clears:
            locks.zero_()
        shared_sum[(8,)](x, parts, locks, out, 8, BLOCK=512, CLEARS=clears)
    return torch.allclose(out, x.sum(0))


@pytest.mark.representative
def test_a_lock_that_its_kernel_clears_is_told():
    checked = wavesmith.check(sum_twice, True, checks="race")
    # A plain store clears the lock; whether parts are read too early depends on the order of workgroups.
    assert not checked.ok, checked
    rules = {fault.rule for fault in checked.faults}
    assert rules & {"global-atomic-plain", "global-read-write"}, checked
    assert rules <= {"global-atomic-plain", "global-read-write", "insufficient-scope"}, checked
    text = Path(__file__).read_text().splitlines()
    for fault in checked.faults:
        if fault.rule == "global-read-write":
            places = {party.role: int(party.source.rsplit(":", 1)[1]) for party in fault.parties}
            assert "tl.store(parts" in text[places["writes"] - 1]
            assert "tl.load(parts" in text[places["reads"] - 1]
    # On RDNA Triton 3.8 lets one wave acquire for all (#11289): a warning of its own.
    checked = wavesmith.check(sum_twice, False, checks="race")
    assert {fault.rule for fault in checked.faults} <= {"insufficient-scope"}, checked
    assert checked.result
