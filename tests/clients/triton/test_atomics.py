"""Atomics from many workgroups at once: nothing is lost."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def count(x, bins, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + at, mask=at < n, other=0), 1, mask=at < n)


@pytest.mark.representative
def test_histogram_by_atomic_add():
    x = torch.randint(0, 37, (10007,), dtype=torch.int32)
    bins = torch.zeros(37, dtype=torch.int32)
    count[(triton.cdiv(10007, 256),)](x, bins, 10007, BLOCK=256)
    assert torch.equal(bins, torch.bincount(x, minlength=37).int())


@triton.jit
def reduce(x, out, OPERATION: tl.constexpr, BLOCK: tl.constexpr):
    value = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    if OPERATION == "add":
        tl.atomic_add(out, tl.sum(value, 0))
    elif OPERATION == "max":
        tl.atomic_max(out, tl.max(value, 0))
    elif OPERATION == "min":
        tl.atomic_min(out, tl.min(value, 0))


@pytest.mark.parametrize("operation", ["add", "max", "min"])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
def test_reduction_by_atomics(operation, dtype):
    x = torch.randint(-1000, 1000, (4096,)).to(dtype)  # whole numbers: their sums are exact in any order
    out = torch.zeros(1, dtype=dtype)
    reduce[(16,)](x, out, OPERATION=operation, BLOCK=256)
    want = {"add": x.sum(), "max": x.max().clamp(min=0), "min": x.min().clamp(max=0)}[operation]
    assert out.item() == want.item()


@triton.jit
def under_lock(lock, total, visits):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.debug_barrier()
    tl.store(total, tl.load(total) + tl.program_id(0))
    tl.store(visits, tl.load(visits) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def test_lock_of_compare_and_swap_lets_one_workgroup_in():
    lock, total, visits = (torch.zeros(1, dtype=torch.int32) for _ in range(3))
    under_lock[(40,)](lock, total, visits)
    assert (lock.item(), total.item(), visits.item()) == (0, sum(range(40)), 40)
