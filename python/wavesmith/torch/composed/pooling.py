"""Averages of windows of one size, which it sees as a view of its input; given results of `native/layers`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from wavesmith.torch._outputs import given_results, with_out
from wavesmith.torch.composed.results import served, wide
from wavesmith.torch.composed.sparse import Matrix, products, rows_of


class _Windows:
    """How a window moves over the last dimensions of an input, as PyTorch's pooling counts it.

    What it needs on a device is made there once.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        ceil: bool,
    ) -> None:
        count = len(kernel) if len(kernel) > 1 else len(sizes)
        self.kernel, self.padding = _each(kernel, count), _each(padding, count)
        self.stride = _each(stride, count) if stride else self.kernel
        self.sizes = list(sizes)
        self.out = []
        for size, window, step, pad in zip(self.sizes, self.kernel, self.stride, self.padding, strict=True):
            served(0 <= 2 * pad <= window and step > 0)
            room = size + 2 * pad - window
            places = (-(-room // step) if ceil else room // step) + 1
            if ceil and (places - 1) * step >= size + pad:  # no window begins in the zeros behind
                places -= 1
            served(places > 0)
            self.out.append(places)
        self.divisors = functools.cache(self._divisors)
        self.shares = functools.cache(self._shares)

    def padded(self, x: torch.Tensor, value: float) -> torch.Tensor:
        """The input with `value` around it, as far as windows reach."""
        around = []
        for size, window, step, pad, places in reversed(list(self._all())):
            reach = (places - 1) * step + window
            around += [pad, max(0, reach - pad - size)]
        return torch.constant_pad_nd(x, around, value) if any(around) else x

    def _all(self) -> Iterator[tuple[int, ...]]:
        return zip(self.sizes, self.kernel, self.stride, self.padding, self.out, strict=True)

    def of(self, padded: torch.Tensor) -> torch.Tensor:
        """A view of the padded input: its first dimensions, the places, the windows' elements."""
        first = padded.dim() - len(self.out)
        strides = padded.stride()[first:]
        return padded.as_strided(
            (*padded.shape[:first], *self.out, *self.kernel),
            (
                *padded.stride()[:first],
                *(a * b for a, b in zip(strides, self.stride, strict=True)),
                *strides,
            ),
        )

    def _divisors(
        self, padding_counts: bool, override: int | None, dtype: torch.dtype, device: torch.device
    ) -> torch.Tensor | int:
        """How many elements each window's sum is divided by."""
        if override is not None:
            return override
        counts = torch.ones((), dtype=torch.float64)
        for size, window, step, pad, places in self._all():
            begin = torch.arange(places) * step - pad
            end = (begin + window).clamp(max=size + pad)
            if not padding_counts:
                begin, end = begin.clamp(min=0), end.clamp(max=size)
            counts = counts[..., None] * (end - begin)
        if bool((counts == counts.flatten()[:1]).all()):
            return int(counts.flatten()[0])
        return counts.to(dtype if dtype == torch.float64 else torch.float32).to(device)

    def _shares(self, device: torch.device, dtype: torch.dtype) -> list[Matrix]:
        """For each dimension, from windows to all elements of theirs."""
        made = []
        for size, window, step, pad, places in self._all():
            at = (torch.arange(places) * step - pad)[:, None] + torch.arange(window)
            at = torch.where((at >= 0) & (at < size), at, -1)
            made.append(rows_of(at, None, size).transposed().on(device, dtype))
        return made


def _each(given: Sequence[int], count: int) -> list[int]:
    return list(given) if len(given) == count else [given[0]] * count


@functools.lru_cache(64)
def _kept(*given: Any) -> _Windows:
    return _Windows(*given)


def _windows(*given: Any) -> _Windows:
    """The windows of one kind of call."""
    return _kept(*(each if isinstance(each, bool) else tuple(each) for each in given))


def _check_sizes(x: torch.Tensor, dimensions: int) -> None:
    """That there are channels and something to see in each; there may be none of them."""
    served(x.dim() in (dimensions + 1, dimensions + 2) and 0 not in x.shape[-dimensions - 1 :])


def average_pool(dimensions: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The averages of windows, and their gradient."""

    def forward(
        x: torch.Tensor,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0,),
        ceil: bool = False,
        padding_counts: bool = True,
        divisor: int | None = None,
    ) -> torch.Tensor:
        _check_sizes(x, dimensions)
        windows = _windows(x.shape[-dimensions:], kernel, stride, padding, ceil)
        seen = windows.of(windows.padded(x, 0))
        total = seen.sum(tuple(range(-dimensions, 0)), dtype=wide(x.dtype))
        return (total / windows.divisors(padding_counts, divisor, x.dtype, x.device)).to(x.dtype)

    def backward(
        grad: torch.Tensor,
        x: torch.Tensor,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        ceil: bool,
        padding_counts: bool,
        divisor: int | None,
    ) -> torch.Tensor:
        windows = _windows(x.shape[-dimensions:], kernel, stride, padding, ceil)
        share = grad / windows.divisors(padding_counts, divisor, x.dtype, x.device)
        served(x.is_floating_point())
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        matrices = windows.shares(x.device, wide(x.dtype))
        return products(list(enumerate(matrices, -dimensions)), share, y) if y.numel() else y

    return forward, backward


for _dimensions in (2, 3):
    _average = average_pool(_dimensions)
    with_out(f"avg_pool{_dimensions}d")(_average[0])
    with_out(f"avg_pool{_dimensions}d_backward", "grad_input")(_average[1])
given_results("max_pool3d_with_indices", "out", "indices")
for _name in ("max_pool3d_with_indices_backward", "fractional_max_pool3d_backward"):
    given_results(_name, "grad_input")
for _name in ("max_unpool2d", "max_unpool3d"):
    given_results(_name)
