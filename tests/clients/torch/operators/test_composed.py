"""Pooling, batch and group norms: composed of other operators; their gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as functional
from comparison import PIECES, no_fallback, on_both, same_error

TOLERANCE = 1e-5
HOST = (*PIECES, "aten.max.dim", "aten.index", "aten.var", "aten.squeeze", "aten.arange", "aten.ne", "aten.zeros")


@pytest.mark.representative
@pytest.mark.parametrize("dimensions", (1, 2, 3))
def test_max_pool(dimensions: int) -> None:
    pool = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)[dimensions - 1]
    x = torch.randn(2, 3, *(9, 7, 6)[:dimensions])
    for named in ({}, {"stride": 1, "padding": 1}, {"stride": 2, "dilation": 2}, {"stride": 2, "ceil_mode": True}):
        on_both(lambda x, n=named: pool(x, 3, **n), x, tolerance=TOLERANCE, host=HOST)


def test_places_of_maxima() -> None:
    x = torch.randn(2, 3, 8, 9)
    x[0, 0, 3, 3] = float("nan")
    for named in ({"kernel_size": (2, 3)}, {"kernel_size": 3, "stride": 2, "padding": 1}):
        ours = functional.max_pool2d(x.to("wavesmith"), return_indices=True, **named)
        theirs = functional.max_pool2d(x, return_indices=True, **named)
        torch.testing.assert_close(ours[0].cpu(), theirs[0], equal_nan=True)
        assert torch.equal(ours[1].cpu(), theirs[1])


def test_max_pool_lies_as_its_input() -> None:
    x = torch.randn(2, 3, 7, 6, 5)
    x[0, 0, 3, 3, :2] = float("nan")
    cases = (
        (functional.max_pool2d, x[..., 0].contiguous(memory_format=torch.channels_last)),
        (functional.max_pool3d, x.contiguous(memory_format=torch.channels_last_3d)),
        (functional.max_pool3d, x[0]),
    )
    for pool, image in cases:
        with no_fallback():
            ours = pool(image.to("wavesmith"), 2, 1, 1, 2, return_indices=True)
        for got, wanted in zip(ours, pool(image, 2, 1, 1, 2, return_indices=True), strict=True):
            torch.testing.assert_close(got.cpu(), wanted, equal_nan=True, atol=0, rtol=0)
            assert got.stride() == wanted.stride()
    same_error(lambda x: functional.max_pool3d(x, 3, padding=2), x)


@pytest.mark.representative
@pytest.mark.parametrize("dimensions", (2, 3))
def test_windows_at_random_places(dimensions: int) -> None:
    pool = getattr(torch.ops.aten, f"fractional_max_pool{dimensions}d")
    x, samples = torch.randn(2, 3, *(8, 9, 7)[:dimensions]), torch.rand(2, 3, dimensions)
    for window, out in ((2, 4), (1, 1), (3, 4)):
        sizes = [window] * dimensions, [out, out - out // 2, out][:dimensions]
        for image in (x, x[0]):

            def call(x: torch.Tensor, of: tuple[list[int], list[int]] = sizes) -> torch.Tensor:
                result: torch.Tensor = pool(x, *of, samples.to(x.device, x.dtype))[0]
                return result

            on_both(call, image, tolerance=TOLERANCE)
        with no_fallback():
            ours = pool(x.to("wavesmith"), *sizes, samples.to("wavesmith"))
        for got, wanted in zip(ours, pool(x, *sizes, samples), strict=True):
            assert torch.equal(got.cpu(), wanted)
    same_error(lambda x, s: pool(x, [7] * dimensions, [4] * dimensions, s), x, samples)


@pytest.mark.representative
def test_average_pool() -> None:
    x = torch.randn(2, 3, 9, 8)
    for named in (
        {"kernel_size": 2},
        {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False},
        {"kernel_size": (3, 2), "stride": 2, "ceil_mode": True},
        {"kernel_size": 2, "divisor_override": 3},
    ):
        on_both(lambda x, n=named: functional.avg_pool2d(x, **n), x, tolerance=TOLERANCE, host=HOST)
    for out in ((3, 4), (1, 1), (9, 2)):
        on_both(lambda x, o=out: functional.adaptive_avg_pool2d(x, o), x, tolerance=TOLERANCE, host=HOST)
    ours = functional.adaptive_avg_pool2d(x.to("wavesmith"), (4, 3))
    torch.testing.assert_close(ours.cpu(), functional.adaptive_avg_pool2d(x, (4, 3)))


@pytest.mark.representative
@pytest.mark.parametrize("training", (False, True))
@pytest.mark.parametrize("sizes", ((4, 5, 3, 7), (9, 5)))
def test_batch_norm(training: bool, sizes: tuple[int, ...]) -> None:
    x, weight, bias = torch.randn(sizes), torch.randn(5), torch.randn(5)
    mean, variance = torch.randn(5), torch.rand(5) + 0.5
    running: list[list[torch.Tensor]] = []

    def call(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        kept = [each.to(x.device, x.dtype) for each in (mean, variance)]
        result = functional.batch_norm(x, *kept, w, b, training, 0.3)
        running.append([each.cpu().double() for each in kept])
        return result

    on_both(call, x, weight, bias, tolerance=TOLERANCE, host=HOST)
    for ours, theirs in zip(*running, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_group_norm() -> None:
    x, weight, bias = torch.randn(3, 6, 5, 4), torch.randn(6), torch.randn(6)
    on_both(lambda x, w, b: functional.group_norm(x, 3, w, b), x, weight, bias, tolerance=TOLERANCE, host=HOST)


def test_halves() -> None:
    x = torch.randn(2, 4, 8, 8).to(torch.bfloat16)
    on_both(lambda x: functional.max_pool2d(x, 3, 1, 1), x, tolerance=2**-6, host=HOST)
    on_both(lambda x: functional.avg_pool2d(x, 2), x, tolerance=2**-6, host=HOST)
    layer = torch.nn.BatchNorm2d(4)
    wanted = layer(x.float())
    ours = torch.nn.BatchNorm2d(4).to("wavesmith")(x.to("wavesmith"))
    torch.testing.assert_close(ours.cpu().float(), wanted, atol=3e-2, rtol=3e-2)
