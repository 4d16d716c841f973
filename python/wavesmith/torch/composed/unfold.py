"""Windows as columns: copies of a view, and given back as a product with a matrix of ones."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import torch

from wavesmith.torch._library import operator
from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served
from wavesmith.torch.composed.sparse import Matrix, product, rows_of


def _places(size: int, kernel: int, dilation: int, padding: int, stride: int) -> int:
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _grid(
    sizes: Sequence[int], kernel: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]
) -> tuple[int, int]:
    """How many windows there are in each direction; what is not right is left to the host."""
    served(all(len(each) == 2 for each in (sizes, kernel, dilation, padding, stride)))
    served(all(min(each) > 0 for each in (kernel, dilation, stride)) and min(padding) >= 0)
    rows, columns = (_places(*each) for each in zip(sizes, kernel, dilation, padding, stride, strict=True))
    served(rows > 0 and columns > 0)
    return rows, columns


@functools.lru_cache(64)
def _gives_back(
    sizes: tuple[int, int], kernel: tuple[int, int], dilation: tuple[int, int], padding: tuple[int, int],
    stride: tuple[int, int], device: torch.device,
) -> Matrix:  # fmt: skip
    """From the elements of all windows to those that they were taken from."""
    places = []
    for size, window, apart, pad, step in zip(sizes, kernel, dilation, padding, stride, strict=True):
        count = _places(size, window, apart, pad, step)
        at = torch.arange(window)[:, None] * apart + torch.arange(count) * step - pad
        places.append(torch.where((at >= 0) & (at < size), at, -1))
    rows, columns = places[0][:, None, :, None], places[1][None, :, None, :]
    flat = torch.where((rows >= 0) & (columns >= 0), rows * sizes[1] + columns, -1)
    return rows_of(flat.reshape(-1, 1), None, sizes[0] * sizes[1]).transposed().on(device, torch.float32)


def _im2col(
    x: torch.Tensor, kernel_size: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]
) -> torch.Tensor:
    served(x.dim() in (3, 4) and all(x.shape[-3:]))
    rows, columns = _grid(x.shape[-2:], kernel_size, dilation, padding, stride)
    padded = torch.constant_pad_nd(x, [padding[1], padding[1], padding[0], padding[0]], 0) if any(padding) else x
    *first, down, right = padded.stride()
    view = padded.as_strided(
        (*x.shape[:-2], *kernel_size, rows, columns),
        (*first, down * dilation[0], right * dilation[1], down * stride[0], right * stride[1]),
    )
    taken = view.clone(memory_format=torch.contiguous_format)
    return taken.view(*x.shape[:-3], x.shape[-3] * kernel_size[0] * kernel_size[1], rows * columns)


def _col2im(
    x: torch.Tensor, output_size: Sequence[int], kernel_size: Sequence[int], dilation: Sequence[int],
    padding: Sequence[int], stride: Sequence[int],
) -> torch.Tensor:  # fmt: skip
    served(x.dim() in (2, 3) and len(output_size) == 2 and all(x.shape[-2:]) and min(output_size) > 0)
    rows, columns = _grid(output_size, kernel_size, dilation, padding, stride)
    area = kernel_size[0] * kernel_size[1]
    served(x.shape[-2] % area == 0 and x.shape[-1] == rows * columns)
    channels = x.shape[-2] // area
    if x.is_complex():
        parts = torch.view_as_real(x)
        both = [_col2im(parts[..., each], output_size, kernel_size, dilation, padding, stride) for each in (0, 1)]
        return torch.view_as_complex(torch.stack(both, -1))
    served(x.is_floating_point())
    y = torch.empty((*x.shape[:-2], channels, output_size[0] * output_size[1]), dtype=x.dtype, device=x.device)
    if y.numel():
        given = (tuple(each) for each in (output_size, kernel_size, dilation, padding, stride))
        product(_gives_back(*given, x.device), x.reshape(*x.shape[:-2], channels, -1), -1, y)
    return y.view(*y.shape[:-1], *output_size)


@functools.lru_cache(64)
def _adds_up(size: int, window: int, step: int, device: torch.device) -> Matrix:
    columns = (torch.arange((size - window) // step + 1) * step)[:, None] + torch.arange(window)
    return rows_of(columns.reshape(-1, 1), None, size).transposed().on(device, torch.float32)


@operator("unfold_backward")
def _unfold_backward(grad: torch.Tensor, input_sizes: Sequence[int], dim: int, size: int, step: int) -> torch.Tensor:
    if not input_sizes:
        return grad.sum().to(grad.dtype) if grad.numel() != 1 else grad.reshape(()).clone()
    dim %= len(input_sizes)
    if grad.is_complex():
        parts = torch.view_as_real(grad)
        both = [_unfold_backward(parts[..., each], input_sizes, dim, size, step) for each in (0, 1)]
        return torch.view_as_complex(torch.stack(both, -1))
    served(grad.is_floating_point() and size > 0 and input_sizes[dim] >= size)
    y = torch.empty(tuple(input_sizes), dtype=grad.dtype, device=grad.device)
    if not y.numel():
        return y
    columns = grad.movedim(-1, dim + 1).flatten(dim, dim + 1)
    return product(_adds_up(input_sizes[dim], size, step, grad.device), columns, dim, y)


with_out("im2col")(_im2col)
with_out("col2im")(_col2im)
