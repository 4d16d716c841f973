"""Convolutions of one, two and three dimensions by products; their gradients."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from comparison import on_both

FLOATS = {torch.float32: 1e-5, torch.float16: 2**-8, torch.bfloat16: 2**-5}
CASES: tuple[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ((2, 3, 9, 11), (4, 3, 3, 3), {"padding": 1}),
    ((2, 3, 9, 11), (4, 3, 3, 2), {"stride": (2, 3), "padding": (2, 0), "dilation": (1, 2)}),
    ((2, 5, 7, 6), (3, 5, 1, 1), {}),
    ((1, 6, 8, 8), (4, 3, 3, 3), {"groups": 2, "padding": 1, "stride": 2}),
    ((2, 4, 7, 9), (8, 1, 3, 3), {"groups": 4, "padding": 1}),
    ((2, 3, 14), (5, 3, 4), {"stride": 3, "padding": 2}),
    ((1, 2, 5, 6, 7), (3, 2, 2, 3, 3), {"padding": 1, "stride": (1, 2, 1)}),
)


@pytest.mark.representative
@pytest.mark.parametrize("case", range(len(CASES)))
def test_convolution(case: int) -> None:
    sizes, weights, named = CASES[case]
    convolve = (functional.conv1d, functional.conv2d, functional.conv3d)[len(sizes) - 3]
    x, w, b = torch.randn(sizes), torch.randn(weights), torch.randn(weights[0])
    on_both(lambda x, w, b: convolve(x, w, b, **named), x, w, b, tolerance=FLOATS[torch.float32])


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_halves(dtype: torch.dtype) -> None:
    for sizes, weights, named in CASES[:5]:
        x, w = torch.randn(sizes).to(dtype), torch.randn(weights).to(dtype)
        on_both(lambda x, w, n=named: functional.conv2d(x, w, **n), x, w, tolerance=FLOATS[dtype])


@pytest.mark.parametrize("case", range(5))
def test_channels_last(case: int) -> None:
    sizes, weights, named = CASES[case]
    x, w, b = torch.randn(sizes), torch.randn(weights), torch.randn(weights[0])

    def call(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        result = functional.conv2d(x.contiguous(memory_format=torch.channels_last), w, b, **named)
        assert x.device.type == "cpu" or result.is_contiguous(memory_format=torch.channels_last)
        return result

    on_both(call, x, w, b, tolerance=FLOATS[torch.float32])


@pytest.mark.representative
def test_transposed() -> None:
    for sizes, weights, named in (
        ((2, 4, 5, 6), (4, 3, 3, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
        ((2, 4, 5, 6), (4, 2, 2, 3), {"groups": 2, "dilation": 2, "padding": (0, 3)}),
        ((1, 3, 7), (3, 2, 4), {"stride": 3}),
    ):
        convolve = functional.conv_transpose1d if len(sizes) == 3 else functional.conv_transpose2d
        x, w = torch.randn(sizes), torch.randn(weights)
        b = torch.randn(weights[1] * int(named.get("groups", 1)))  # type: ignore[call-overload]
        on_both(lambda x, w, b, c=convolve, n=named: c(x, w, b, **n), x, w, b, tolerance=FLOATS[torch.float32])


def test_double_and_no_images() -> None:
    x, w = torch.randn(1, 2, 5, 5, dtype=torch.double), torch.randn(3, 2, 3, 3, dtype=torch.double)
    ours = functional.conv2d(x.to("wavesmith"), w.to("wavesmith"))
    torch.testing.assert_close(ours.cpu(), functional.conv2d(x, w))
    assert functional.conv2d(x[:0].to("wavesmith"), w.to("wavesmith")).shape == (0, 3, 3, 3)


@pytest.mark.representative
def test_errors() -> None:
    x, w = torch.randn(1, 2, 5, 5), torch.randn(3, 2, 3, 3)
    with pytest.raises(RuntimeError, match="to have 2 channels, but got 1 channels instead"):
        functional.conv2d(x[:, :1].to("wavesmith"), w.to("wavesmith"))
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        functional.conv2d(x.to("wavesmith"), w)
