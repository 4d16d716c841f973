"""Calls of the kernel library's linear algebra, `kernels/wavesmith_linalg.h`."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, replace

import torch

from wavesmith.torch import _library
from wavesmith.torch._name import DEVICE

# wavesmith_linalg_operation
CHOLESKY, LU, SOLVE_LOWER, EXCHANGE_ROWS, QR, REFLECT, EIGENVALUES, SINGULAR_VALUES, LDL, SOLVE_LDL = range(10)
_PRODUCT = 10

# Flags.
UNIT, REVERSED, CONJUGATE, CONJUGATE_FACTORS, _, _, _ADD = (1 << bit for bit in range(7))


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


@dataclass(frozen=True)
class Matrices:
    """Matrices of a tensor of the device, seen with any strides; the tensor is kept."""

    tensor: torch.Tensor
    data: int
    rows: int
    columns: int
    row: int
    """Elements between rows."""
    column: int
    batch: int

    @staticmethod
    def of(tensor: torch.Tensor) -> Matrices:
        """The last two dimensions are a matrix; a copy, if those before do not have one stride."""
        batch = _batch_stride(tensor.shape, tensor.stride())
        if batch is None:
            tensor = tensor.contiguous()
            batch = tensor.shape[-2] * tensor.shape[-1]
        rows, columns = tensor.shape[-2:]
        row, column = tensor.stride()[-2:]
        return Matrices(tensor, tensor.data_ptr(), rows, columns, row, column, batch)

    def turned(self) -> Matrices:
        """Rows as columns."""
        return replace(self, rows=self.columns, columns=self.rows, row=self.column, column=self.row)

    def rows_reversed(self) -> Matrices:
        """From the last row on."""
        first = self.data + (self.rows - 1) * self.row * self.tensor.itemsize
        return replace(self, data=first, row=-self.row)

    def reversed(self) -> Matrices:
        """From the last row and column on."""
        return self.rows_reversed().turned().rows_reversed().turned()

    def described(self) -> _Matrix:
        return _Matrix(self.data, self.row, self.column, self.batch)


def served(*tensors: torch.Tensor) -> None:
    """Leaves to the fallback what is elsewhere, or has numbers that the library's linear algebra has not.

    Raises:
        NotServed: such a tensor.
    """
    for tensor in tensors:
        if tensor.device.type != DEVICE or tensor.dtype not in _TYPES:
            raise _library.NotServed


_TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def run(
    operation: int,
    rows: int,
    columns: int,
    a: Matrices | None = None,
    b: Matrices | None = None,
    c: Matrices | None = None,
    inner: int = 0,
    flags: int = 0,
    vector: torch.Tensor | None = None,
    pivots: torch.Tensor | None = None,
    info: torch.Tensor | None = None,
) -> None:
    """Launches an operation on all matrices of a batch; `vector` and `pivots` have one row per matrix."""
    given = a or b
    assert given is not None
    count = math.prod((b or given).tensor.shape[:-2])
    if not count or not rows or not columns:
        return
    one = _Description(operation=operation, type=_library.TYPES[given.tensor.dtype], flags=flags, batch=count)
    one.rows, one.columns, one.inner = rows, columns, inner
    if a is not None:
        one.a = a.described()
    if b is not None:
        one.b = b.described()
    if c is not None:
        one.c = c.described()
    if vector is not None:
        vector = _one_row_each(vector)
        one.vector, one.vector_batch = vector.data_ptr(), vector.shape[-1]
    if pivots is not None:
        pivots = _one_row_each(pivots)
        one.pivots, one.pivots_batch = pivots.data_ptr(), pivots.shape[-1]
    if info is not None:
        one.info = info.data_ptr()
    if operation in (EIGENVALUES, SINGULAR_VALUES):
        _library.give_workspace("wavesmith_kernels_linalg_workspace", one, given.tensor.device)
    _library.call("wavesmith_kernels_linalg", given.tensor.device, one)


def _one_row_each(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.is_contiguous() else tensor.contiguous()


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of matrices of any type: of floats the library's GEMM, which has no longer numbers."""
    if a.dtype == torch.float32:
        return a @ b
    made = torch.zeros((*a.shape[:-1], b.shape[-1]), dtype=a.dtype, device=a.device)
    left, c = Matrices.of(a), Matrices.of(made)
    run(_PRODUCT, c.rows, c.columns, a=left, b=Matrices.of(b), c=c, inner=left.columns, flags=_ADD)
    return made


def solve_triangle(
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    upper: bool,
    left: bool = True,
    transposed: bool = False,
    conjugated: bool = False,
    unit: bool = False,
) -> None:
    """Makes b a^-1 b, or b a^-1, with a triangle of a, which may be transposed and conjugated."""
    matrix, right = Matrices.of(a), Matrices.of(b)
    if transposed:
        matrix, upper = matrix.turned(), not upper
    if not left:
        matrix, upper, right = matrix.turned(), not upper, right.turned()
    if upper:
        matrix, right = matrix.reversed(), right.rows_reversed()
    flags = (UNIT if unit else 0) | (CONJUGATE if conjugated and a.is_complex() else 0)
    run(SOLVE_LOWER, right.rows, right.columns, a=matrix, b=right, flags=flags)


def exchange_rows(b: torch.Tensor, pivots: torch.Tensor, *, backwards: bool = False, columns: bool = False) -> None:
    """Exchanges rows, or columns, of b as the pivots of an LU factorisation say."""
    matrix = Matrices.of(b)
    if columns:
        matrix = matrix.turned()
    flags = REVERSED if backwards else 0
    run(EXCHANGE_ROWS, matrix.rows, matrix.columns, b=matrix, inner=pivots.shape[-1], flags=flags, pivots=pivots)
