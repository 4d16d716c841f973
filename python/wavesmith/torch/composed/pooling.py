"""Pooling with windows of one size, which it sees as a view of its input."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide
from wavesmith.torch.composed.sparse import Matrix, product, products, rows_of


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
        dilation: Sequence[int],
        ceil: bool,
    ) -> None:
        count = len(kernel) if len(kernel) > 1 else len(sizes)
        self.kernel, self.padding, self.dilation = (_each(one, count) for one in (kernel, padding, dilation))
        self.stride = _each(stride, count) if stride else self.kernel
        self.sizes = list(sizes)
        self.out = []
        for size, window, step, pad, apart in zip(
            self.sizes, self.kernel, self.stride, self.padding, self.dilation, strict=True
        ):
            served(0 <= 2 * pad <= window and step > 0 and apart > 0)
            room = size + 2 * pad - apart * (window - 1) - 1
            places = (-(-room // step) if ceil else room // step) + 1
            if ceil and (places - 1) * step >= size + pad:  # no window begins in the zeros behind
                places -= 1
            served(places > 0)
            self.out.append(places)
        self.inputs = functools.cache(self._inputs)
        self.steps_on = functools.cache(lambda device: torch.tensor(self.steps()).to(device))
        self.divisors = functools.cache(self._divisors)
        self.returns, self.shares = functools.cache(self._returns), functools.cache(self._shares)

    def padded(self, x: torch.Tensor, value: float) -> torch.Tensor:
        """The input with `value` around it, as far as windows reach."""
        around = []
        for size, window, step, pad, apart, places in reversed(list(self._all())):
            reach = (places - 1) * step + apart * (window - 1) + 1
            around += [pad, max(0, reach - pad - size)]
        return torch.constant_pad_nd(x, around, value) if any(around) else x

    def _all(self) -> Iterator[tuple[int, ...]]:
        return zip(self.sizes, self.kernel, self.stride, self.padding, self.dilation, self.out, strict=True)

    def of(self, padded: torch.Tensor) -> torch.Tensor:
        """A view of the padded input: its first dimensions, the places, the windows' elements."""
        first = padded.dim() - len(self.out)
        strides = padded.stride()[first:]
        return padded.as_strided(
            (*padded.shape[:first], *self.out, *self.kernel),
            (
                *padded.stride()[:first],
                *(a * b for a, b in zip(strides, self.stride, strict=True)),
                *(a * b for a, b in zip(strides, self.dilation, strict=True)),
            ),
        )

    def elements(self) -> Iterator[tuple[int, ...]]:
        """The places in a window, in the order in which they lie."""
        return itertools.product(*(range(window) for window in self.kernel))

    def _inputs(self, device: torch.device) -> torch.Tensor:
        """For each place, the index in the input of its window's first element, were there no zeros around it."""
        index = torch.zeros((), dtype=torch.int64)
        for size, _, step, pad, _, places in self._all():
            index = index[..., None] * size + (torch.arange(places) * step - pad)
        return index.to(device)

    def steps(self) -> list[int]:
        """How far an input's index moves with each element of a window, in their order."""
        return [
            sum(
                at * apart * math.prod(self.sizes[dimension + 1 :])
                for dimension, (at, apart) in enumerate(zip(offsets, self.dilation, strict=True))
            )
            for offsets in self.elements()
        ]

    def _divisors(
        self, padding_counts: bool, override: int | None, dtype: torch.dtype, device: torch.device
    ) -> torch.Tensor | int:
        """How many elements each window's sum is divided by."""
        if override is not None:
            return override
        counts = torch.ones((), dtype=torch.float64)
        for size, window, step, pad, _, places in self._all():
            begin = torch.arange(places) * step - pad
            end = (begin + window).clamp(max=size + pad)
            if not padding_counts:
                begin, end = begin.clamp(min=0), end.clamp(max=size)
            counts = counts[..., None] * (end - begin)
        if bool((counts == counts.flatten()[:1]).all()):
            return int(counts.flatten()[0])
        return counts.to(dtype if dtype == torch.float64 else torch.float32).to(device)

    def _returns(self, device: torch.device) -> Matrix:
        """From the elements of all windows, of one place after the other, to those that they were taken from."""
        inside = torch.zeros((1, 1), dtype=torch.int64)
        for size, window, step, pad, apart, places in self._all():
            at = (torch.arange(places) * step - pad)[:, None] + torch.arange(window) * apart
            at = torch.where((at >= 0) & (at < size), at, -1)
            both = inside[:, None, :, None] * size + at[None, :, None, :]
            both = torch.where((inside[:, None, :, None] >= 0) & (at[None, :, None, :] >= 0), both, -1)
            inside = both.flatten(2).flatten(0, 1)
        return rows_of(inside.reshape(-1, 1), None, math.prod(self.sizes)).transposed().on(device, torch.float32)

    def _shares(self, device: torch.device, dtype: torch.dtype) -> list[Matrix]:
        """For each dimension, from windows to all elements of theirs."""
        made = []
        for size, window, step, pad, _, places in self._all():
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


def _max_pool(dimensions: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def forward(
        x: torch.Tensor,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: Sequence[int] = (0,),
        dilation: Sequence[int] = (1,),
        ceil: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        _check_sizes(x, dimensions)
        windows = _windows(x.shape[-dimensions:], kernel, stride, padding, dilation, ceil)
        least = float("-inf") if x.is_floating_point() else torch.iinfo(x.dtype).min
        seen = windows.of(windows.padded(x, least))
        values, elements = seen.reshape(*seen.shape[:-dimensions], math.prod(windows.kernel)).max(-1)
        return values, windows.steps_on(x.device)[elements] + windows.inputs(x.device)

    def backward(
        grad: torch.Tensor,
        x: torch.Tensor,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        ceil: bool,
        indices: torch.Tensor,
    ) -> torch.Tensor:
        windows = _windows(x.shape[-dimensions:], kernel, stride, padding, dilation, ceil)
        served(x.is_floating_point())
        element = (indices - windows.inputs(x.device)).unsqueeze(-1)
        grads = torch.where(element == windows.steps_on(x.device), grad.unsqueeze(-1), 0)
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        if y.numel():
            product(windows.returns(x.device), grads.flatten(-dimensions - 1), -1, y.flatten(-dimensions))
        return y

    return forward, backward


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
        windows = _windows(x.shape[-dimensions:], kernel, stride, padding, (1,), ceil)
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
        windows = _windows(x.shape[-dimensions:], kernel, stride, padding, (1,), ceil)
        share = grad / windows.divisors(padding_counts, divisor, x.dtype, x.device)
        served(x.is_floating_point())
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        matrices = windows.shares(x.device, wide(x.dtype))
        return products(list(enumerate(matrices, -dimensions)), share, y) if y.numel() else y

    return forward, backward


for _dimensions in (2, 3):
    _maximum, _average = _max_pool(_dimensions), average_pool(_dimensions)
    with_out(f"max_pool{_dimensions}d_with_indices", "out", "indices")(_maximum[0])
    with_out(f"max_pool{_dimensions}d_with_indices_backward", "grad_input")(_maximum[1])
    with_out(f"avg_pool{_dimensions}d")(_average[0])
    with_out(f"avg_pool{_dimensions}d_backward", "grad_input")(_average[1])
