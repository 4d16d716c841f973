"""Products of matrices by the kernel library's linear algebra, `kernels/wavesmith_linalg.h`."""

from __future__ import annotations

import ctypes
import math

import torch

from wavesmith.torch import _library
from wavesmith.torch._name import DEVICE

_SUBTRACT_PRODUCT = 10  # wavesmith_linalg_operation
_ADD = 64  # its flag


class _Matrix(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("row", ctypes.c_int64),
        ("column", ctypes.c_int64),
        ("batch", ctypes.c_int64),
    )


class _Description(ctypes.Structure):
    _fields_ = (
        ("operation", ctypes.c_int),
        ("type", ctypes.c_int),
        ("flags", ctypes.c_int32),
        ("batch", ctypes.c_int64),
        ("rows", ctypes.c_int64),
        ("columns", ctypes.c_int64),
        ("inner", ctypes.c_int64),
        ("a", _Matrix),
        ("b", _Matrix),
        ("c", _Matrix),
        ("vector", ctypes.c_void_p),
        ("vector_batch", ctypes.c_int64),
        ("pivots", ctypes.c_void_p),
        ("pivots_batch", ctypes.c_int64),
        ("info", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
    )


def _batch_stride(sizes: torch.Size, strides: tuple[int, ...]) -> int | None:
    """The one stride of all dimensions before the last two, if there is one."""
    stride, count = 0, 1
    for size, step in zip(reversed(sizes[:-2]), reversed(strides[:-2]), strict=True):
        if size == 1:
            continue
        if count == 1:
            stride = step
        elif step != stride * count:
            return None
        count *= size
    return stride


def _matrices(tensor: torch.Tensor) -> tuple[torch.Tensor, _Matrix]:
    """Matrices of a tensor with any strides, of a copy if there is not one stride between them."""
    batch = _batch_stride(tensor.shape, tensor.stride())
    if batch is None:
        tensor = tensor.contiguous()
        batch = tensor.shape[-2] * tensor.shape[-1]
    return tensor, _Matrix(tensor.data_ptr(), *tensor.stride()[-2:], batch)


def served(*tensors: torch.Tensor) -> None:
    """Leaves to the fallback what is elsewhere, or has numbers that the library's linear algebra has not.

    Raises:
        NotServed: such a tensor.
    """
    for tensor in tensors:
        if tensor.device.type != DEVICE or tensor.dtype not in _TYPES:
            raise _library.NotServed


_TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of matrices of any type: of floats the library's GEMM, which has no longer numbers."""
    if a.dtype == torch.float32:
        return a @ b
    made = torch.zeros((*a.shape[:-1], b.shape[-1]), dtype=a.dtype, device=a.device)
    rows, columns = made.shape[-2:]
    count, inner = math.prod(made.shape[:-2]), a.shape[-1]
    if not (count and rows and columns):
        return made
    one = _Description(_SUBTRACT_PRODUCT, _library.TYPES[a.dtype], _ADD, count, rows, columns, inner)
    # The copies, if there are any, live until the launch.
    (left, one.a), (right, one.b), (_, one.c) = _matrices(a), _matrices(b), _matrices(made)
    _library.call("wavesmith_kernels_linalg", a.device, one)
    del left, right
    return made
