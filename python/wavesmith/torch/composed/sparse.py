"""Products of sparse matrices with one dimension of a tensor (`kernels/wavesmith_sparse.h`)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from wavesmith.torch._library import NotServed
from wavesmith.torch.composed.results import wide

_multiply = torch.ops.wavesmith_device.multiply_sparse.default


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix in CSR; an entry with a negative column counts for nothing, and without weights each is 1."""

    begins: torch.Tensor
    columns_of: torch.Tensor
    weights: torch.Tensor | None
    columns: int

    @property
    def rows(self) -> int:
        """How many."""
        return self.begins.numel() - 1

    def transposed(self) -> Matrix:
        """The transposed matrix, of one on the host; its entries are in the order of this one's rows."""
        counts = self.begins.diff()
        row_of = torch.repeat_interleave(torch.arange(self.rows, dtype=self.columns_of.dtype), counts)
        counted = self.columns_of >= 0
        columns_of, order = torch.sort(self.columns_of[counted], stable=True)
        per_row = torch.bincount(columns_of, minlength=self.columns)
        begins = torch.zeros(self.columns + 1, dtype=self.begins.dtype)
        begins[1:] = per_row.cumsum(0)
        weights = None if self.weights is None else self.weights[counted][order]
        return Matrix(begins, row_of[counted][order], weights, self.rows)

    def merged(self) -> Matrix:
        """The same matrix, of one on the host with weights, with at most one entry for each row and column."""
        assert self.weights is not None
        rows = torch.repeat_interleave(torch.arange(self.rows), self.begins.diff())
        counted = self.columns_of >= 0
        places, entry = torch.unique((rows * self.columns + self.columns_of)[counted], return_inverse=True)
        weights = torch.zeros(len(places), dtype=self.weights.dtype).index_add_(0, entry, self.weights[counted])
        begins = torch.zeros_like(self.begins)
        begins[1:] = torch.bincount(places // self.columns, minlength=self.rows).cumsum(0)
        return Matrix(begins, places % self.columns, weights, self.columns)

    def on(self, device: torch.device, dtype: torch.dtype) -> Matrix:
        """The same on a device, with weights of a type."""
        weights = None if self.weights is None else self.weights.to(dtype).to(device)
        begins, columns_of = (each.to(torch.int32).to(device) for each in (self.begins, self.columns_of))
        return Matrix(begins, columns_of, weights, self.columns)


def rows_of(columns_of: torch.Tensor, weights: torch.Tensor | None, columns: int) -> Matrix:
    """A matrix each of whose rows has as many entries, given as rows."""
    rows, entries = columns_of.shape
    begins = torch.arange(rows + 1) * entries
    return Matrix(begins, columns_of.flatten(), None if weights is None else weights.flatten(), columns)


def computed_in(dtype: torch.dtype) -> torch.dtype:
    """The type in which elements of another are multiplied: bytes in that in which their sums are exact."""
    return torch.float64 if dtype == torch.uint8 else wide(dtype)


def product(matrix: Matrix, x: torch.Tensor, dim: int, y: torch.Tensor) -> torch.Tensor:
    """Writes to `y` the products of a matrix with `x` along a dimension.

    Raises:
        NotServed: there is no kernel for these.
    """
    if not _multiply(y, x, matrix.begins, matrix.columns_of, matrix.weights, matrix.columns, dim):
        raise NotServed
    return y


def products(matrices: list[tuple[int, Matrix]], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Writes to `y` the products of matrices with `x`, one after the other, each along a dimension."""
    for dim, matrix in matrices[:-1]:
        sizes = list(x.shape)
        sizes[dim] = matrix.rows
        x = product(matrix, x, dim, torch.empty(sizes, dtype=wide(x.dtype), device=x.device))
    return product(matrices[-1][1], x, matrices[-1][0], y) if matrices else y.copy_(x)
