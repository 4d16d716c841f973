"""Fourier transforms by the kernel library: one call of it for each dimension.

Their results lie as PyTorch's meta functions say: the dimensions of the batch in the order in which they lay, then
those that are transformed.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

import torch

from wavesmith.torch._library import Operand, call, give_workspace, operand, operator
from wavesmith.torch._outputs import with_out

Tensor = torch.Tensor

_COMPLEX, _FROM_REAL, _TO_REAL = range(3)  # wavesmith_fft_kind


class _Fft(ctypes.Structure):
    """wavesmith_fft_description."""

    _fields_ = (
        ("kind", ctypes.c_int),
        ("backward", ctypes.c_int),
        ("dimensions", ctypes.c_int32),
        ("along", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * 8),
        ("x", Operand),
        ("y", Operand),
        ("scale", ctypes.c_double),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
    )


def _transform(kind: int, x: Tensor, y: Tensor, along: int, backward: bool, scale: float) -> None:
    sizes = tuple(y.shape if kind == _TO_REAL else x.shape)
    one = _Fft(kind, backward, x.dim(), along, (), operand(x), operand(y), scale)
    one.sizes[: len(sizes)] = sizes
    give_workspace("wavesmith_kernels_fft_workspace", one, x.device)
    call("wavesmith_kernels_fft", x.device, one)


def _scale(normalization: int, lengths: Sequence[int]) -> float:
    """Of PyTorch's fft_norm_mode: none, by the root of how many numbers there are, by their number."""
    if not normalization:
        return 1.0
    count = math.prod(lengths)
    return 1.0 / math.sqrt(count) if normalization == 1 else 1.0 / count


def _result(x: Tensor, sizes: Sequence[int], dims: Sequence[int], dtype: torch.dtype) -> Tensor:
    """A new tensor in which `dims` lie behind the others, and those as in `x`."""
    strides = x.stride()
    order = sorted((d for d in range(x.dim()) if d not in dims), key=lambda d: -strides[d]) + list(dims)
    made, step = [0] * x.dim(), 1
    for d in reversed(order):
        made[d] = step
        step *= max(sizes[d], 1)
    return torch.empty_strided(tuple(sizes), tuple(made), dtype=dtype, device=x.device)


def _by_stride(x: Tensor, dims: Sequence[int]) -> list[int]:
    strides = x.stride()
    return sorted(dims, key=lambda d: -strides[d])


def _wrapped(x: Tensor, dims: Sequence[int]) -> list[int]:
    return [d % x.dim() for d in dims]


def c2c(x: Tensor, dims: Sequence[int], normalization: int, forward: bool) -> Tensor:
    """Of complex numbers."""
    if not dims:
        return x.clone()
    dims = _by_stride(x, _wrapped(x, dims))
    y = _result(x, x.shape, dims, x.dtype)
    if not y.numel():
        return y
    scale = _scale(normalization, [x.shape[d] for d in dims])
    for number, d in enumerate(reversed(dims)):
        _transform(_COMPLEX, y if number else x, y, d, not forward, 1.0 if number else scale)
    return y


def r2c(x: Tensor, dims: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    """Of real numbers; the last dimension is halved if it is one-sided."""
    dims = _wrapped(x, dims)
    last = dims[-1]
    dims = [*_by_stride(x, dims[:-1]), last]
    sizes = list(x.shape)
    if onesided:
        sizes[last] = sizes[last] // 2 + 1
    y = _result(x, sizes, dims, x.dtype.to_complex())
    if not y.numel():
        return y
    scale = _scale(normalization, [x.shape[d] for d in dims])
    _transform(_FROM_REAL if onesided else _COMPLEX, x, y, last, False, scale)
    for d in reversed(dims[:-1]):
        _transform(_COMPLEX, y, y, d, False, 1.0)
    return y


def c2r(x: Tensor, dims: Sequence[int], normalization: int, last_size: int) -> Tensor:
    """To real numbers, of which the last dimension has as many."""
    dims = _wrapped(x, dims)
    last = dims[-1]
    if len(dims) > 1:
        x = c2c(x, dims[:-1], 0, False)
    sizes = list(x.shape)
    sizes[last] = last_size
    y = _result(x, sizes, [last], x.dtype.to_real())
    if y.numel():
        _transform(_TO_REAL, x, y, last, True, _scale(normalization, [sizes[d] for d in dims]))
    return y


for _name, _function in (("_fft_c2c", c2c), ("_fft_r2c", r2c), ("_fft_c2r", c2r)):
    with_out(_name)(_function)


@operator("unfold_backward")
def unfold_backward(grad: Tensor, sizes: Sequence[int], dim: int, size: int, step: int) -> Tensor:
    """Overlapping windows added up, as the inverse of the short-time transform does: a window's step at a time."""
    if not sizes:
        return grad.reshape(())
    dim %= len(sizes)
    windows, pieces = grad.shape[dim], -(-size // step)
    reach = list(sizes)
    reach[dim] = max(sizes[dim], (windows + pieces - 1) * step)
    total = torch.zeros(reach, dtype=grad.dtype, device=grad.device)
    for piece in range(pieces):
        begin, width = piece * step, min(step, size - piece * step)
        seen = total.narrow(dim, begin, windows * step).unflatten(dim, (windows, step))
        seen.narrow(dim + 1, 0, width).movedim(dim + 1, -1).add_(grad.narrow(-1, begin, width))
    return total.narrow(dim, 0, sizes[dim]).contiguous()
