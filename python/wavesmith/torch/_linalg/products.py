"""Products of what the library's GEMM has not: doubles and complex numbers, nothing at all; of vectors integers too.

The device's own kernels have checked the operands, given results their sizes, and leave these calls.
"""

from __future__ import annotations

import torch

from wavesmith.torch._library import NotServed, Refused, operator
from wavesmith.torch._linalg.call import product, served


def _written(
    out: torch.Tensor, made: torch.Tensor, addend: torch.Tensor, beta: complex, alpha: complex
) -> torch.Tensor:
    """Writes `beta addend + alpha made`; an addend times 0 is not read, whatever it holds."""
    if alpha != 1:
        made = made * alpha
    return out.copy_(made if beta == 0 else torch.add(made, addend, alpha=beta))


def _multiplied(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    if a.dtype != b.dtype or a.dtype != out.dtype:
        raise Refused
    if not (a.numel() and b.numel()):
        return torch.zeros_like(out)
    served(a, b, out)
    if a.dtype == torch.float32:
        raise NotServed
    return product(a.resolve_conj(), b.resolve_conj())


@operator("mm.out", "bmm.out", left_by_native=True)
def _product_out(a: torch.Tensor, b: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(_multiplied(a, b, out))


@operator("addmm.out", "baddbmm.out", left_by_native=True)
def _product_added_out(
    self: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    *,
    beta: complex = 1,
    alpha: complex = 1,
    out: torch.Tensor,
) -> torch.Tensor:
    return _written(out, _multiplied(a, b, out), self, beta, alpha)


def _sum_of_terms(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The sums along the last dimension, of the operands' type."""
    terms = a * b
    return terms.sum(-1, dtype=terms.dtype)


@operator("addmv.out", left_by_native=True)
def _vector_added_out(
    self: torch.Tensor,
    matrix: torch.Tensor,
    vector: torch.Tensor,
    *,
    beta: complex = 1,
    alpha: complex = 1,
    out: torch.Tensor,
) -> torch.Tensor:
    if matrix.dtype != vector.dtype or matrix.dtype != out.dtype or matrix.dtype == torch.bool:
        raise Refused
    return _written(out, _sum_of_terms(matrix, vector), self, beta, alpha)
