"""Reductions and indexed elements by the library's kernels, against the CPU."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

pytestmark = pytest.mark.usefixtures("by_kernels")


SHAPES = ((5, 7, 3), (64, 300), (2, 9000), (9000, 2), (1,), ())


@pytest.mark.representative
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "var", "std", "any", "all", "count_nonzero"])
def test_along_dimensions(name: str) -> None:
    function = getattr(torch, name)
    for shape in SHAPES:
        x = torch.randn(shape) + 1
        choices = [(), (0,), (-1,), (0, -1)] if len(shape) > 1 else [()]
        for dims in choices:
            if name in ("var", "std") and x.numel() < 2:
                continue
            arguments = (dims,) if dims else ()
            torch.testing.assert_close(
                function(x.to("wavesmith"), *arguments).cpu(), function(x, *arguments), rtol=2e-5, atol=2e-4
            )


def test_types() -> None:
    for dtype in (torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int8, torch.bool):
        x = torch.randint(0, 3, (40, 50)).to(dtype)
        for dim in (0, 1):
            assert torch.equal(x.to("wavesmith").sum(dim).cpu(), x.sum(dim))
            assert torch.equal(x.to("wavesmith").amax(dim).cpu(), x.amax(dim))


@pytest.mark.representative
def test_extremes_and_their_places() -> None:
    x = torch.randn(33, 500)
    x[4, 7] = float("nan")
    ours = x.to("wavesmith")
    for dim in (0, 1):
        for name in ("max", "min"):
            values, places = getattr(ours, name)(dim)
            theirs = getattr(x, name)(dim)
            torch.testing.assert_close(values.cpu(), theirs.values, equal_nan=True)
            assert torch.equal(places.cpu(), theirs.indices)
        assert torch.equal(ours.argmax(dim).cpu(), x.argmax(dim))
    assert ours.argmin().item() == x.argmin().item()
    torch.testing.assert_close(ours[5:].max().cpu(), x[5:].max())


def test_norms() -> None:
    x = torch.randn(20, 30)
    for order in (0, 1, 2, 3, float("inf"), -float("inf")):
        for dim in (None, 0, 1):
            torch.testing.assert_close(
                torch.linalg.vector_norm(x.to("wavesmith"), order, dim).cpu(), torch.linalg.vector_norm(x, order, dim)
            )
    for order in (0, 1, 2, 3.5):
        assert torch.linalg.vector_norm(x[:0].to("wavesmith"), order).item() == 0
    assert x[:0].to("wavesmith").mean().isnan().item()
    torch.testing.assert_close(torch.logsumexp(x.to("wavesmith"), 1).cpu(), torch.logsumexp(x, 1))


@pytest.mark.representative
def test_indices() -> None:
    x, index = torch.randn(11, 16), torch.randint(-11, 11, (40,))
    ours, there = x.to("wavesmith"), index.to("wavesmith")
    assert torch.equal(ours[there].cpu(), x[index])
    assert torch.equal(ours[:, there % 16][3].cpu(), x[:, index % 16][3])
    assert torch.equal(ours[there, there % 16].cpu(), x[index, index % 16])
    assert torch.equal(ours.index_select(1, there % 16).cpu(), x.index_select(1, index % 16))
    along = torch.randint(0, 11, (5, 16))
    assert torch.equal(ours.gather(0, along.to("wavesmith")).cpu(), x.gather(0, along))
    for dtype in (torch.float32, torch.bfloat16, torch.int32):
        source = torch.randint(0, 3, (5, 16)).to(dtype)
        expected = torch.zeros(11, 16, dtype=dtype).scatter_add(0, along, source)
        result = torch.zeros(11, 16, dtype=dtype, device="wavesmith").scatter_add(
            0, along.to("wavesmith"), source.to("wavesmith")
        )
        assert torch.equal(result.cpu(), expected)
    put, theirs = ours.clone(), x.clone()
    put[there[:1]] = 5
    theirs[index[:1]] = 5
    put.index_put_((there,), torch.ones(40, 16, device="wavesmith"), accumulate=True)
    theirs.index_put_((index,), torch.ones(40, 16), accumulate=True)
    torch.testing.assert_close(put.cpu(), theirs)


def test_joined_mirrored_and_cut() -> None:
    x = torch.randn(6, 7)
    ours = x.to("wavesmith")
    assert torch.equal(torch.cat((ours, ours * 2, ours[:0]), 0).cpu(), torch.cat((x, x * 2), 0))
    assert torch.equal(torch.stack((ours, ours), 1).cpu(), torch.stack((x, x), 1))
    assert torch.equal(ours.flip(0, 1).cpu(), x.flip(0, 1))
    assert torch.equal(ours.roll(2, 1).cpu(), x.roll(2, 1))


def test_triangles() -> None:
    """Of any type and strides, with diagonals far outside, in place and over the memory of what is cut."""
    x = torch.randn(2, 6, 7)
    x[0, 0, 6] = x[1, 5, 0] = float("nan")
    for given in (x, x.mT, x[..., :1], (x > 0), (x * 100).nan_to_num().long(), x.to(torch.complex64), x[:0]):
        ours = given.to("wavesmith")
        for diagonal in (-1 << 40, -6, -2, 0, 3, 7, 1 << 40):
            lower, upper = ours.tril(diagonal), ours.triu(diagonal)
            in_place, over = ours.clone().tril_(diagonal), ours.clone()
            torch.triu(over, diagonal, out=over)
            torch.testing.assert_close(lower.cpu(), given.tril(diagonal), rtol=0, atol=0, equal_nan=True)
            torch.testing.assert_close(upper.cpu(), given.triu(diagonal), rtol=0, atol=0, equal_nan=True)
            torch.testing.assert_close(in_place.cpu(), given.tril(diagonal), rtol=0, atol=0, equal_nan=True)
            torch.testing.assert_close(over.cpu(), given.triu(diagonal), rtol=0, atol=0, equal_nan=True)


@pytest.mark.representative
def test_embeddings_and_losses_have_gradients() -> None:
    table, words, classes = torch.randn(50, 24), torch.randint(0, 50, (3, 9)), torch.randint(0, 24, (27,))
    classes[4] = -100
    results = []
    for device in ("cpu", "wavesmith"):
        weight = table.clone().to(device).requires_grad_()
        loss = functional.cross_entropy(
            functional.embedding(words.to(device), weight).flatten(0, 1), classes.to(device)
        )
        loss.backward()
        assert weight.grad is not None
        results.append((loss.detach().cpu(), weight.grad.cpu()))
    torch.testing.assert_close(results[1], results[0])


def test_sums_of_complex_numbers() -> None:
    for dtype, allowed in ((torch.complex32, 0.2), (torch.complex64, 1e-4), (torch.complex128, 1e-12)):
        x = torch.randn(3, 4, 5, dtype=torch.complex128).to(dtype)
        for arguments in ((), (0,), ((0, 2),), ((-1,), True), ((0, 1, 2), True)):
            exact = x.to(torch.complex128).sum(*arguments)
            ours = x.to("wavesmith")
            assert ours.sum(*arguments).dtype == dtype
            for made, expected in ((ours.sum(*arguments), exact), (ours.conj().sum(*arguments), exact.conj())):
                torch.testing.assert_close(made.cpu().to(torch.complex128), expected, rtol=0, atol=allowed)
        assert ours[0, 0, 0].sum().item() == x[0, 0, 0].item()
        assert ours[:, :0].sum(1).tolist() == [[0] * 5] * 3
