"""Composed operators that few models call."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as functional
from comparison import PIECES, no_fallback, on_both, same_error

pytestmark = pytest.mark.representative

TOLERANCE = 1e-5


def test_rows_that_are_copied_by_their_indices() -> None:
    x = torch.randn(5, 7)
    for dim, index in (
        (0, torch.tensor([4, 0])),
        (-1, torch.tensor([2, 6, 3])),
        (0, torch.tensor([], dtype=torch.int64)),
    ):
        sizes = list(x.shape)
        sizes[dim] = index.numel()
        source = torch.randn(sizes)
        on_both(lambda x, s, d=dim, i=index: x.index_copy(d, i.to(x.device), s), x, source, tolerance=0)
        there = x.to("wavesmith")
        with no_fallback():
            given = there.clone().index_copy_(dim, index.to("wavesmith"), source.to("wavesmith"))
            out = torch.index_copy(
                there, dim, index.to("wavesmith"), source.to("wavesmith"), out=torch.empty_like(there)
            )
        assert torch.equal(given.cpu(), x.index_copy(dim, index, source))
        assert torch.equal(out.cpu(), given.cpu())
    bytes_ = torch.arange(6, dtype=torch.uint8)
    with no_fallback():
        ours = bytes_.to("wavesmith").index_copy(0, torch.tensor([1], device="wavesmith"), bytes_[5:].to("wavesmith"))
    assert ours.tolist() == [0, 5, 2, 3, 4, 5]
    same_error(lambda x, i, s: x.index_copy(0, i, s), x, torch.tensor([1, 2]), torch.randn(3, 7))


@pytest.mark.parametrize("dimensions", (1, 2, 3))
def test_max_pooling_undone(dimensions: int) -> None:
    pool = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)[dimensions - 1]
    undo = (functional.max_unpool1d, functional.max_unpool2d, functional.max_unpool3d)[dimensions - 1]
    x = torch.randn(2, 3, *(7, 5, 6)[:dimensions])
    pooled, indices = pool(x, 3, 2, return_indices=True)
    on_both(lambda p, i: undo(p, i, 3, 2, output_size=x.shape), pooled, indices, tolerance=0)
    on_both(lambda p, i: undo(p, i, 3, 2, output_size=x.shape[2:]), pooled[0], indices[0], tolerance=0)
    same_error(lambda p, i: undo(p, i, 3, 2, output_size=x.shape), pooled, indices[:1])
    same_error(lambda p, i: undo(p, i.int(), 3, 2, output_size=x.shape), pooled, indices)
    if dimensions > 1:
        op = getattr(torch.ops.aten, f"max_unpool{dimensions}d")
        moves = () if dimensions == 2 else ([2] * 3, [0] * 3)
        out = torch.empty(0, device="wavesmith")
        op.out(pooled.to("wavesmith"), indices.to("wavesmith"), x.shape[2:], *moves, out=out)
        assert torch.equal(out.cpu(), op(pooled, indices, x.shape[2:], *moves))


def test_cross_products() -> None:
    x, y = torch.randn(4, 3, 2), torch.randn(4, 3, 2)
    on_both(lambda x, y: torch.linalg.cross(x, y, dim=1), x, y, tolerance=TOLERANCE)
    on_both(torch.linalg.cross, torch.randn(5, 3), torch.randn(1, 3), tolerance=TOLERANCE)
    on_both(torch.linalg.cross, torch.randn(5, 3).half(), torch.randn(5, 3).half(), tolerance=2e-3)
    for a, b in (torch.randint(9, (2, 4, 3)), torch.randn(2, 4, 3, dtype=torch.complex64)):
        with no_fallback():
            ours = torch.linalg.cross(a.to("wavesmith"), b.to("wavesmith"))
        torch.testing.assert_close(ours.cpu(), torch.linalg.cross(a, b), atol=TOLERANCE, rtol=TOLERANCE)
    out = torch.empty(2, 3, 4).to("wavesmith").permute(2, 1, 0)
    torch.linalg.cross(x.to("wavesmith"), y.to("wavesmith"), dim=1, out=out)
    torch.testing.assert_close(out.cpu(), torch.linalg.cross(x, y, dim=1), atol=TOLERANCE, rtol=TOLERANCE)
    same_error(lambda x, y: torch.linalg.cross(x, y, dim=1, out=x), x, y)
    same_error(lambda x, y: torch.linalg.cross(x, y, dim=0), x, y)


@pytest.mark.parametrize("p", (1, 2, 2.5, float("inf")))
def test_norms_that_are_limited(p: float) -> None:
    x = torch.randn(4, 3, 5)
    for dim in (0, -1):
        on_both(
            lambda x, d=dim: torch.renorm(x, p, d, 1.5), x, tolerance=TOLERANCE, host=(*PIECES, "aten.abs", "aten.sgn")
        )
    there = x.to("wavesmith")
    with no_fallback():
        there.renorm_(p, 1, 0.5)
    torch.testing.assert_close(there.cpu(), x.renorm(p, 1, 0.5))
    same_error(lambda x: torch.renorm(x, -1, 0, 1), x)


def test_traces() -> None:
    for shape in ((5, 5), (3, 7), (0, 4)):
        on_both(torch.trace, torch.randn(shape), tolerance=TOLERANCE)
    with no_fallback():
        assert torch.trace(torch.arange(9, device="wavesmith", dtype=torch.int32).view(3, 3)).dtype == torch.int64
    same_error(torch.trace, torch.randn(3))


def test_ranges_of_powers() -> None:
    for start, end, steps, base in ((-2, 3, 7, 10.0), (0.5, 0.5, 1, 2.0), (3, -1.5, 4, 2.0), (1, 2, 0, 10.0)):
        with no_fallback():
            ours = torch.logspace(start, end, steps, base, device="wavesmith")
        theirs = torch.logspace(start, end, steps, base, dtype=torch.float64)
        torch.testing.assert_close(ours.cpu().double(), theirs, rtol=2**-23, atol=0)


def test_products_with_logarithms() -> None:
    x, y = torch.tensor([0.0, 0.0, 0.0, 2.0, -1.5]), torch.tensor([-1.0, float("nan"), -2.0, -1.0, 3.0])
    with no_fallback():
        ours = torch.special.xlog1py(x.to("wavesmith"), y.to("wavesmith")).cpu()
    torch.testing.assert_close(ours, torch.special.xlog1py(x, y), equal_nan=True)
    on_both(torch.special.xlog1py, torch.randn(4, 1), torch.rand(3), tolerance=TOLERANCE)
    on_both(lambda y: torch.special.xlog1py(0.5, y), torch.rand(3), tolerance=TOLERANCE)
    on_both(lambda x: torch.special.xlog1py(x, 2), torch.randn(3), tolerance=TOLERANCE)


def test_rows_that_are_filled_with_a_number_that_is_read() -> None:
    x, index = torch.randn(4, 3), torch.tensor([2, 0])
    with no_fallback():
        ours = x.to("wavesmith").index_fill_(0, index.to("wavesmith"), torch.tensor(3.5, device="wavesmith"))
    assert torch.equal(ours.cpu(), x.index_fill(0, index, torch.tensor(3.5)))
