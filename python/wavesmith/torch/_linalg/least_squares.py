"""Least squares: by QR for the driver "gels", by singular values for the others."""

from __future__ import annotations

import torch

from wavesmith.torch import _library
from wavesmith.torch._library import NotServed
from wavesmith.torch._linalg.call import product, served, solve_triangle
from wavesmith.torch._linalg.orthogonal import factored, reflect
from wavesmith.torch._linalg.outputs import copied
from wavesmith.torch._linalg.spectra import linalg_svd
from wavesmith.torch._outputs import write

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _check(a: torch.Tensor, b: torch.Tensor, driver: str) -> None:
    name = "torch.linalg.lstsq: "
    if a.dim() < 2:
        raise RuntimeError(name + "input must have at least 2 dimensions.")
    if b.dim() < 1:
        raise RuntimeError(name + "other must have at least 1 dimension.")
    if a.dtype != b.dtype:
        raise RuntimeError(
            name + f"Expected input and other to have the same dtype, but got input's dtype {a.dtype} and other's "
            f"dtype {b.dtype}"
        )
    if not 0 <= a.dim() - b.dim() <= 1:
        raise RuntimeError(
            name + "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    if driver not in _DRIVERS:
        raise RuntimeError(name + f"parameter `driver` should be one of ({', '.join(_DRIVERS)})")


def _by_qr(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """With matrices of full rank; of too few rows the shortest solution."""
    rows, columns = a.shape[-2:]
    if rows >= columns:
        data, tau = factored(a)
        right = copied(b)
        reflect(data, tau, right, adjoint=True)
        solution = copied(right[..., :columns, :])
        solve_triangle(data[..., :columns, :], solution, upper=True)
        return solution
    data, tau = factored(a.mH.resolve_conj())
    solution = copied(torch.zeros((*b.shape[:-2], columns, b.shape[-1]), dtype=b.dtype, device=b.device))
    inner = copied(b)
    solve_triangle(data[..., :rows, :], inner, upper=True, transposed=True, conjugated=True)
    solution[..., :rows, :].copy_(inner)
    reflect(data, tau, solution)
    return solution


def _by_singular_values(
    a: torch.Tensor, b: torch.Tensor, cutoff: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The shortest solution without singular values below a share of the largest; the rank; the values."""
    left, values, right = linalg_svd(a, False, True)
    counts = values > cutoff * values[..., :1]
    inverse = torch.where(counts, values.reciprocal(), 0)
    solution = product(right.mT, inverse[..., None] * product(left.mT, b))
    return solution, counts.sum(-1), values


def _residuals(a: torch.Tensor, b: torch.Tensor, solution: torch.Tensor) -> torch.Tensor:
    rest = product(a, solution) - b
    return (rest.abs() if rest.is_complex() else rest).square().sum(-2)


@_library.operator("linalg_lstsq.out")
def linalg_lstsq(
    self: torch.Tensor,
    b: torch.Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
    solution: torch.Tensor,
    residuals: torch.Tensor,
    rank: torch.Tensor,
    singular_values: torch.Tensor,
) -> tuple[torch.Tensor, ...]:
    """Solutions with the least squares, and what each driver tells beside."""
    driver = driver or "gelsy"
    _check(self, b, driver)
    served(self, b)
    if self.is_complex() and driver != "gels":
        raise NotServed
    is_vector = self.dim() - b.dim() == 1 and self.shape[:-1] == b.shape
    right = b.unsqueeze(-1) if is_vector or self.dim() - b.dim() == 1 else b
    rows, columns = self.shape[-2:]
    if right.shape[-2] != rows:
        last = "-1" if is_vector else "-2"
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({last})")
    batch = torch.broadcast_shapes(self.shape[:-2], right.shape[:-2])
    matrix, right = self.expand(*batch, rows, columns), right.expand(*batch, rows, right.shape[-1])
    nothing = torch.empty(0, dtype=values_type(self), device=self.device)
    found = nothing
    ranks = torch.empty(0, dtype=torch.int64, device=self.device)
    is_full = True
    if not matrix.numel() or not right.numel():
        made = torch.zeros((*batch, columns, right.shape[-1]), dtype=b.dtype, device=b.device)
    elif driver == "gels":
        made = _by_qr(matrix, right)
    else:
        share = torch.finfo(self.dtype).eps * max(rows, columns) if rcond is None else rcond
        made, ranks, values = _by_singular_values(matrix, right, max(share, 0.0))
        found = nothing if driver == "gelsy" else values
        is_full = driver != "gelsy" and rows > columns and bool((ranks == columns).all())
    rest = _residuals(matrix, right, made) if rows > columns and is_full and driver != "gelsy" else nothing
    write(solution, made.squeeze(-1) if is_vector else made, casts=True)
    write(residuals, rest, casts=True)
    write(rank, ranks, casts=True)
    write(singular_values, found, casts=True)
    return solution, residuals, rank, singular_values


def values_type(tensor: torch.Tensor) -> torch.dtype:
    """The type of a matrix's singular values."""
    return tensor.dtype.to_real() if tensor.is_complex() else tensor.dtype
