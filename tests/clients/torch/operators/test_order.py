"""Operators of order, selection and counting on the device, compared with the CPU; none is left to the host."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from comparison import same_error
from torch.utils import _pytree as pytree

import wavesmith.torch

pytestmark = pytest.mark.representative

Call = Callable[..., Any]
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@pytest.fixture(autouse=True)
def _by_kernels() -> Iterator[None]:
    before = wavesmith.torch.fallback_counts()
    yield
    assert wavesmith.torch.fallback_counts() == before


def random(*shape: int, dtype: torch.dtype = torch.float32, different: bool = False) -> torch.Tensor:
    """Numbers of which many are equal, some NaN or infinite; or different ones."""
    count = math.prod(shape)
    if different:
        return (torch.randperm(count) - count // 2).reshape(shape).to(dtype)
    x = torch.randint(0 if dtype in (torch.uint8, torch.bool) else -9, 9, shape).to(dtype)
    if dtype.is_floating_point:
        x[torch.rand(shape) < 0.05] = math.nan
        x[torch.rand(shape) < 0.05] = math.inf
    return x


def there(value: Any) -> Any:
    """The same on the device, with the same strides."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_contiguous():
        return value.to("wavesmith")
    flat = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage())
    return flat.to("wavesmith").as_strided(value.size(), value.stride(), value.storage_offset())


def compare(call: Call, *args: Any, close: float = 0.0) -> Any:
    """Computes the same on both."""
    theirs = call(*args)
    ours = pytree.tree_map(lambda each: each.cpu() if isinstance(each, torch.Tensor) else each, call(*map(there, args)))
    torch.testing.assert_close(ours, theirs, rtol=close, atol=close, equal_nan=True)
    return ours


@pytest.mark.parametrize("dtype", (*FLOATS, *INTEGERS, torch.bool))
def test_sort_of_any_type(dtype: torch.dtype) -> None:
    x = random(7, 65, dtype=dtype)
    for descending in (False, True):
        compare(lambda x, d=descending: torch.sort(x, dim=1, stable=True, descending=d), x)
        compare(lambda x, d=descending: torch.sort(x, dim=0, stable=True, descending=d), x.t())
    compare(lambda x: torch.sort(x[:, ::3], dim=1, stable=True), x)
    compare(lambda x: torch.sort(x.expand(2, 7, 65), dim=0, stable=True), x)


def test_sizes_and_outputs_of_sort() -> None:
    compare(torch.sort, torch.tensor(3.0))
    compare(torch.sort, torch.empty(0, 3))
    compare(lambda x: torch.sort(x, 1), torch.empty(3, 0))
    compare(lambda x: torch.sort(x, stable=True), random(1, 4100))
    x = random(5, 6)
    values, places = torch.empty(0, device="wavesmith"), torch.empty(0, dtype=torch.int64, device="wavesmith")
    torch.sort(x.to("wavesmith"), stable=True, dim=0, out=(values, places))
    torch.testing.assert_close((values.cpu(), places.cpu()), torch.sort(x, stable=True, dim=0), equal_nan=True)
    same = there(x)
    torch.sort(same, stable=True, dim=0, out=(same, places))
    torch.testing.assert_close(same.cpu(), x.sort(0).values, equal_nan=True)
    with pytest.raises(IndexError, match="Dimension out of range"):
        there(x).sort(2)


def test_top_k() -> None:
    for shape in ((4, 33), (3, 2500), (5, 4, 3)):
        x = random(*shape, different=True)
        for largest in (True, False):
            for k in (1, 3):
                compare(lambda x, k=k, g=largest: x.topk(k, -1, g), x)
        compare(lambda x: x.topk(x.shape[0], 0), x)
        compare(lambda x: x.topk(0), x)
    compare(lambda x: x.topk(1), torch.tensor(2))
    with pytest.raises(RuntimeError, match="selected index k out of range"):
        torch.zeros(3, device="wavesmith").topk(4)


@pytest.mark.parametrize("dtype", (torch.float32, torch.float16, torch.int64, torch.uint8))
def test_medians_and_ranks(dtype: torch.dtype) -> None:
    x = random(5, 9, 7, dtype=dtype, different=dtype is not torch.uint8)
    if dtype.is_floating_point:
        x[2, 3] = math.nan
    for dim in range(3):
        compare(lambda x, d=dim: x.median(d).values, x)
        compare(lambda x, d=dim: x.nanmedian(d, True).values, x)
        ours = there(x).kthvalue(3, dim)
        torch.testing.assert_close(ours.values.cpu(), x.kthvalue(3, dim).values, equal_nan=True)
        picked = there(x).gather(dim, ours.indices.unsqueeze(dim)).squeeze(dim)
        torch.testing.assert_close(picked, ours.values, equal_nan=True)
    compare(torch.median, x)
    compare(torch.nanmedian, x)
    compare(torch.median, x[0, 0, 0])
    compare(lambda x: x.median(-1, True).values, x[0, 0, 0])
    compare(lambda x: x.mode(1), x.nan_to_num() if dtype.is_floating_point else x)
    compare(lambda x: x.mode(1), random(6, 12).nan_to_num(posinf=3))


@pytest.mark.parametrize(
    "select", (lambda x, out: torch.kthvalue(x, 1, 0, out=out), lambda x, out: torch.median(x, 0, out=out))
)
def test_ranks_into_tensors_of_another_device(select: Call) -> None:
    x = torch.rand(4, 3, device="wavesmith")
    for values, indices in (("cpu", "wavesmith"), ("wavesmith", "cpu")):
        out = (torch.empty(3, device=values), torch.empty(3, dtype=torch.int64, device=indices))
        with pytest.raises(RuntimeError, match="all tensors to be on the same device.*wavesmith:0 and cpu"):
            select(x, out)


def test_cumulative_extremes_and_sums() -> None:
    for dtype in (torch.float32, torch.float16, torch.int32, torch.bool):
        x = random(6, 70, dtype=dtype)
        for dim in (0, 1):
            compare(lambda x, d=dim: x.cummax(d), x)
            compare(lambda x, d=dim: x.cummin(d), x)
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = torch.randn(5, 66).to(dtype)
        close = 1e-2 if dtype is torch.bfloat16 else 1e-5
        compare(lambda x: x.logcumsumexp(1), x, close=close)
        compare(lambda x: x.cumsum(0), x, close=close)
        compare(lambda x: x.cumprod(1), x, close=close)
    compare(lambda x: x.cumsum(1), random(3, 70, dtype=torch.int8))
    compare(lambda x: x.clone().cumsum_(0), torch.ones(9, 2))
    compare(lambda x: x.cumsum(0, dtype=torch.float64), torch.randn(9000), close=1e-9)
    compare(lambda x: x.logcumsumexp(0), torch.full((4,), -math.inf))


@pytest.mark.parametrize("dtype", (torch.float32, torch.int8, torch.bool, torch.complex64))
def test_what_is_not_zero(dtype: torch.dtype) -> None:
    x = torch.randint(0, 2, (6, 5, 4)).to(dtype)
    for each in (x, x.transpose(0, 2), x[:, ::2], x[:0], x[0, 0, 0], torch.zeros(0, 3, dtype=dtype)):
        compare(torch.nonzero, each)
        compare(torch.argwhere, each)
        for size in (0, 3, 200):
            compare(lambda x, n=size: torch.nonzero_static(x, size=n, fill_value=-7), each)
    mask = x.bool()
    compare(torch.masked_select, x, mask)
    compare(torch.masked_select, torch.arange(4.0), mask)
    compare(torch.masked_select, torch.arange(120.0).reshape(6, 5, 4), mask[:, :1])
    compare(lambda x, mask: x[mask], x, mask)


def test_what_is_different() -> None:
    for x in (random(4, 50).nan_to_num(), random(300, dtype=torch.uint8), random(6, dtype=torch.bool), torch.empty(0)):
        for inverse, counts in ((False, False), (True, True), (False, True)):
            compare(lambda x, i=inverse, c=counts: torch.unique(x, return_inverse=i, return_counts=c), x)
            if x.numel():
                compare(lambda x, i=inverse, c=counts: torch.unique_consecutive(x, i, c), x)
    rows = torch.randint(0, 2, (9, 2, 2))
    for dim in range(3):
        compare(lambda x, d=dim: torch.unique(x, return_inverse=True, return_counts=True, dim=d), rows)
        compare(lambda x, d=dim: torch.unique_consecutive(x, True, True, d), rows)


def test_places_in_sequences() -> None:
    sequence, x = torch.sort(torch.randn(3, 40)).values, torch.randn(3, 9)
    shuffled = torch.stack([torch.randperm(40) for _ in range(3)])
    unsorted = torch.empty_like(sequence).scatter_(1, shuffled, sequence)
    for right in (False, True):
        compare(lambda s, x, r=right: torch.searchsorted(s, x, right=r), sequence, x)
        compare(lambda s, x, r=right: torch.searchsorted(s[0], x, right=r, out_int32=True), sequence, x)
        compare(lambda s, x, i, r=right: torch.searchsorted(s, x, right=r, sorter=i), unsorted, x, shuffled)
        compare(lambda s, x, r=right: torch.bucketize(x.t(), s[1], right=r), sequence, x)
        compare(lambda s, r=right: torch.bucketize(2, s, right=r), torch.tensor([1, 2, 2, 3]))
    compare(lambda s: torch.searchsorted(s, 0.5), torch.empty(0))
    compare(lambda s, x: torch.searchsorted(s, x), torch.tensor([1.0, 2.5]), torch.tensor([[1, 2, 3]]))
    for many in (3, 30):
        tests = random(many)
        for elements in (random(5, 6), random(7, dtype=torch.int64), torch.tensor(2.0)):
            compare(torch.isin, elements, tests)
            compare(lambda e, t: torch.isin(e, t, invert=True), elements, tests)
    compare(lambda e: torch.isin(e, 3), random(9))
    compare(lambda t: torch.isin(3, t), random(9))


def test_counts() -> None:
    x = torch.randint(0, 12, (50,))
    compare(torch.bincount, x)
    compare(lambda x: torch.bincount(x, minlength=40), x.to(torch.uint8))
    compare(lambda x, w: torch.bincount(x, w), x, torch.randn(50), close=1e-5)
    compare(lambda x, w: torch.bincount(x, w), x, torch.arange(50))
    compare(torch.bincount, torch.empty(0, dtype=torch.int64))
    y = torch.randn(300)
    for args in ((), (10,), (7, -1, 1), (5, 2, 2)):
        compare(lambda x, a=args: torch.histc(x, *a), y)
    compare(lambda x: torch.histogram(x, 9), y, close=1e-6)
    compare(
        lambda x, w: torch.histogram(x, 9, range=(-1.0, 2.0), weight=w, density=True), y, torch.rand(300), close=1e-5
    )
    compare(lambda x, e: torch.histogram(x, e), y, torch.tensor([-1.0, 0.0, 0.25, 3.0]))
    compare(lambda x: torch.histogram(x, 3)[0], torch.tensor([2.0, 2.0]))
    compare(lambda x: torch.histogram(x, 4), torch.empty(0))
    with pytest.raises(RuntimeError, match="not finite"):
        torch.histogram(torch.tensor([1.0, math.nan], device="wavesmith"), 3)
    points = torch.randn(100, 3)
    compare(lambda x: torch.histogramdd(x, [3, 4, 2]), points, close=1e-6)
    compare(lambda x: torch.histogramdd(x, [3, 4, 2], density=True)[0], points, close=1e-5)
    weights, edges = (
        torch.rand(20, 5),
        [torch.tensor([-1.0, 0, 0, 0.5]), torch.linspace(-2, 2, 4), torch.arange(0.0, 10, 9)],
    )
    limits = (-1.0, 1, -3, 3, 0, 0)
    compare(lambda x, w: torch.histogramdd(x, [3, 1, 2], limits, weight=w), points.t().reshape(20, 5, 3),
            weights, close=1e-5)  # fmt: skip
    compare(lambda x, *e: torch.histogramdd(x, e)[0], points.double(), *(each.double() for each in edges))


def test_what_is_put_where_a_mask_or_indices_say() -> None:
    x = random(5, 6, different=True)
    mask, source = torch.rand(5, 6) < 0.5, torch.randn(30)
    for each in (x, x.t(), x[:, ::2]):
        here = mask[: each.shape[0], : each.shape[1]] if each.shape[0] == 5 else mask.t()
        compare(lambda x, m, s: x.clone().masked_scatter_(m, s), each, here, source)
        compare(lambda x, m, s: x.masked_scatter(m[0], s), each, here, source)
        for accumulate in (False, True):
            indices = torch.tensor([[1, -1], [3, 0]])
            compare(lambda x, i, s, a=accumulate: x.put(i, s[:4], a), each, indices, source)
            compare(lambda x, i, s, a=accumulate: x.put(i, s[:4], a), each * 1j, indices, source * (1 - 2j))
    compare(lambda x, i, s: x.put(i, s), x, torch.empty(0, dtype=torch.int64), torch.empty(0))
    strided = there(x)[:, ::2]
    strided.masked_scatter_(there(mask)[:, ::2], there(source))
    torch.testing.assert_close(strided.cpu(), x[:, ::2].masked_scatter(mask[:, ::2], source))


def test_what_a_mask_takes_of_a_gradient(by_kernels: None) -> None:
    def taken(grad: torch.Tensor, mask: torch.Tensor, sizes: list[int]) -> torch.Tensor:
        return torch.ops.aten.masked_scatter_backward(grad, mask, sizes)

    mask = torch.rand(5, 6) < 0.5
    count = int(mask.sum())
    for grad in (torch.randn(5, 6), torch.randn(6, 5).t(), torch.randn(5, 6).half()):
        for sizes in ([30], [4, 9], [count], [count + 1]):  # with room for all elements, and for those alone
            compare(lambda x, m, s=sizes: taken(x, m, s), grad, mask)
    compare(lambda x, m: taken(x, m, [2, 15]), torch.randn(5, 6), mask[0])
    compare(lambda x, m: taken(x, m, [0]), torch.randn(5, 6), torch.zeros(5, 6, dtype=torch.bool))


def test_taken_repeated_combined() -> None:
    x = random(5, 6, different=True)
    compare(torch.take, x.t(), torch.tensor([[3, -1], [29, 0]]))
    compare(torch.repeat_interleave, torch.tensor([2, 0, 3]))
    compare(torch.repeat_interleave, torch.tensor([0, 0], dtype=torch.int32))
    compare(lambda x, n: torch.repeat_interleave(x, n, 0), x, torch.tensor([1, 0, 2, 1, 4]))
    compare(torch.combinations, torch.arange(5.0))
    for each in (x, x[0, 0], torch.randint(0, 99, (33,)), x.half()):
        compare(lambda x: torch.hash_tensor(x).view(torch.int64), each)
        compare(lambda x: torch.hash_tensor(x, -1).view(torch.int64), each)
    compare(lambda x: torch.hash_tensor(x, 1, keepdim=True).view(torch.int64), x)


@pytest.mark.parametrize("reduce", ("sum", "mean", "max", "min", "prod"))
def test_segments(reduce: str) -> None:
    x = torch.randint(-2, 3, (7, 3)).float()
    for initial in (None, 1.5):
        for lengths in (torch.tensor([3, 0, 4]), torch.tensor([7])):

            def both(x: torch.Tensor, lengths: torch.Tensor, initial: float | None = initial) -> Any:
                x = x.detach().requires_grad_()
                y = torch.segment_reduce(x, reduce, lengths=lengths, initial=initial)
                return y.detach(), torch.autograd.grad(y[:1].sum() + y[-1:].sum(), x)[0]

            compare(both, x, lengths, close=1e-5)
    offsets = torch.tensor([[0, 2, 3], [0, 0, 3], [1, 2, 3]])
    compare(lambda x, o: torch.segment_reduce(x, reduce, offsets=o, axis=1, unsafe=True), x[:3], offsets, close=1e-5)
    strided = x[:6].reshape(3, 2, 3).transpose(0, 2).double()

    def weighted(x: torch.Tensor, offsets: torch.Tensor) -> Any:
        x = x.detach().requires_grad_()
        y = torch.segment_reduce(x, reduce, offsets=offsets.int())
        return y.detach(), torch.autograd.grad(y, x, torch.arange(-2.0, 4.0, dtype=x.dtype).view(1, 2, 3).to(x.device))[
            0
        ]

    compare(weighted, strided, torch.tensor([1, 3]), close=1e-12)
    for wrong in (torch.tensor([3, 3]), torch.tensor([-1, 8])):
        same_error(lambda x, n: torch.segment_reduce(x, reduce, lengths=n), x, wrong)
