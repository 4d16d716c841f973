"""Scatters that combine, distances of rows, and whether tensors are the same."""

from __future__ import annotations

import pytest
import torch
from comparison import no_fallback, on_both, same_error

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16, torch.int32, torch.uint8, torch.float64))
@pytest.mark.parametrize("reduce", ("sum", "prod", "mean", "amax", "amin"))
def test_scatters(reduce: str, dtype: torch.dtype) -> None:
    x, source = (torch.randint(1, 4, sizes).to(dtype) for sizes in ((5, 7), (9, 7)))
    index = torch.randint(0, 5, (9, 7))
    for include in (True, False):
        wanted = x.scatter_reduce(0, index, source, reduce, include_self=include)
        there = [each.to("wavesmith") for each in (x, index, source)]
        with no_fallback():
            ours = there[0].scatter_reduce(0, there[1], there[2], reduce, include_self=include)
            there[0].scatter_reduce_(0, there[1], there[2], reduce, include_self=include)
        torch.testing.assert_close(ours.cpu(), wanted)
        assert torch.equal(there[0].cpu(), ours.cpu())


def test_nan_is_an_extreme() -> None:
    source = torch.tensor([1.0, float("nan"), 3.0, 2.0])
    index = torch.tensor([0, 0, 1, 1])
    ours = torch.zeros(2).to("wavesmith").scatter_reduce(0, index.to("wavesmith"), source.to("wavesmith"), "amax")
    assert ours[0].isnan() and ours[1].item() == 3


def test_rows_are_reduced() -> None:
    x, source, index = torch.randn(4, 5), torch.randn(6, 5), torch.tensor([0, 3, 3, 1, 0, 3])
    for reduce in ("prod", "mean", "amax", "amin"):
        on_both(lambda x, s, i, r=reduce: x.index_reduce(0, i, s, r), x, source, index, tolerance=1e-5, gradients=False)
    same_error(lambda x, i, s: x.index_reduce(0, i, s, "other"), x, index, source)


@pytest.mark.parametrize("p", (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float("inf")))
def test_distances(p: float) -> None:
    x, other = torch.randn(2, 6, 4), torch.randn(5, 4)
    on_both(lambda x, o: torch.cdist(x, o, p), x, other, tolerance=1e-4)
    on_both(lambda x: torch.pdist(x, p), x[0], tolerance=1e-4)


def test_many_distances() -> None:
    x, other = torch.randn(40, 3), torch.randn(30, 3)
    on_both(lambda x, o: torch.cdist(x, o), x, other, tolerance=1e-3, gradients=False)
    on_both(
        lambda x, o: torch.cdist(x.expand(2, 40, 3), o), x.double(), other.double(), tolerance=1e-6, gradients=False
    )
    on_both(lambda x, o: torch.cdist(x[:, :0], o[:, :0]), x, other, tolerance=0, gradients=False)


def test_equal() -> None:
    x = torch.randn(3, 4)
    there = x.to("wavesmith")
    with no_fallback():
        assert torch.equal(there, there) and torch.equal(there, x.to("wavesmith"))
        assert not torch.equal(there, there + 1) and not torch.equal(there, there[:2])
        assert torch.equal(there, there.double()) and not torch.equal(there, there.half())


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.float16, torch.int64, torch.complex64))
def test_close(dtype: torch.dtype) -> None:
    x = torch.tensor([[1, 2, 3], [4, 5, 600]], dtype=dtype)
    there = x.to("wavesmith")
    with no_fallback():
        for rtol, atol in ((1e-5, 1e-8), (0.2, 0), (0, 0), (0, 1), (0, 200)):
            for other in (x, x[:1], x + 1, x * 1.125):
                for a, b in ((x, other.to(dtype)), (x.t(), other.to(dtype).t())):
                    close = torch.allclose(a, b, rtol, atol)
                    assert close == torch.allclose(a.to("wavesmith"), b.to("wavesmith"), rtol, atol)
        assert torch.allclose(there[:0], there[:0])
        if dtype.is_floating_point:
            for numbers in ((float("nan"), float("nan")), (float("inf"), float("inf")), (float("inf"), 1)):
                a, b = (torch.tensor([each], dtype=dtype) for each in numbers)
                for nan in (False, True):
                    close = torch.allclose(a, b, equal_nan=nan)
                    assert close == torch.allclose(a.to("wavesmith"), b.to("wavesmith"), equal_nan=nan)
    same_error(lambda x: torch.allclose(x, x, -1), x)
    same_error(lambda x: torch.allclose(x, x[:, :2]), x)
    same_error(lambda x: torch.allclose(x, x.short()), x)


def test_products_of_other_floats_of_8_bits() -> None:
    a, b = (torch.randn(sizes).to(torch.float8_e4m3fn) for sizes in ((16, 32), (16, 32)))
    scales = torch.tensor(0.5), torch.tensor(3.0)
    there = [each.to("wavesmith") for each in (a, b, *scales)]
    with no_fallback():
        ours = torch._scaled_mm(there[0], there[1].t(), there[2], there[3], out_dtype=torch.bfloat16)
    wanted = (a.float() @ b.float().t() * 1.5).bfloat16()
    torch.testing.assert_close(ours.cpu(), wanted)


@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64))
def test_rows_are_filled(dtype: torch.dtype) -> None:
    x, index = torch.randn(4, 5, 6).to(dtype), torch.tensor([3, 0, -1, 3])
    for dim in (0, 1, -1):
        for there in (x.to("wavesmith"), x.to("wavesmith").transpose(0, 2)):
            with no_fallback():
                ours = there.index_fill(dim, index.to("wavesmith"), 1)
            assert torch.equal(ours.cpu(), there.cpu().index_fill(dim, index, 1))
    with no_fallback():
        assert torch.tensor(2, device="wavesmith").index_fill(-1, torch.tensor([0], device="wavesmith"), 5).item() == 5
    if dtype == torch.int8:
        same_error(lambda x, index: x.index_fill(0, index, 300), x, index)
