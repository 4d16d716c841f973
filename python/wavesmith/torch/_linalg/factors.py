"""Factorisations: Cholesky, LDL; LU in place, of which `native/operators/factorisations.cc` has the operators."""

from __future__ import annotations

import torch

from wavesmith.torch._library import NotServed
from wavesmith.torch._linalg.call import CHOLESKY, LDL, LU, Matrices, run, served
from wavesmith.torch._linalg.outputs import check_info, copied, made
from wavesmith.torch._outputs import with_out

_aten = torch.ops.aten


def _cholesky_in_place(matrix: torch.Tensor, upper: bool, info: torch.Tensor) -> None:
    info.zero_()
    a, n = Matrices.of(matrix), matrix.shape[-1]
    run(CHOLESKY, n, n, a=a.turned() if upper else a, info=info)


@with_out("linalg_cholesky_ex", "L", "info")
def linalg_cholesky_ex(
    self: torch.Tensor, *, upper: bool = False, check_errors: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """The factor of positive definite matrices, and what is wrong with others."""
    result, info = made(_aten.linalg_cholesky_ex.default, self, upper=upper)
    served(result)
    result.copy_(self.triu() if upper else self.tril())
    _cholesky_in_place(result, upper, info)
    if check_errors:
        check_info(info, "linalg.cholesky_ex", self)
    return result, info


@with_out("cholesky", casts=True)
def cholesky(self: torch.Tensor, upper: bool = False) -> torch.Tensor:
    """As torch.linalg.cholesky, which took its place."""
    (result,) = made(_aten.cholesky.default, self, upper)
    served(result)
    result = copied(self.triu() if upper else self.tril())
    info = torch.empty(self.shape[:-2], dtype=torch.int32, device=self.device)
    _cholesky_in_place(result, upper, info)
    if result.numel():
        check_info(info, "cholesky", self)
    return result


def lu_in_place(matrix: torch.Tensor, pivots: torch.Tensor, info: torch.Tensor) -> None:
    """Factors matrices, which lie column by column."""
    info.zero_()
    rows, columns = matrix.shape[-2:]
    run(LU, rows, columns, a=Matrices.of(matrix), pivots=pivots, info=info)


def fill_identity(matrix: torch.Tensor) -> torch.Tensor:
    """1 on the diagonals, 0 elsewhere."""
    matrix.zero_()
    matrix.diagonal(dim1=-2, dim2=-1).fill_(1)
    return matrix


@with_out("linalg_ldl_factor_ex", "LD", "pivots", "info", overload="out")
def linalg_ldl_factor_ex(
    self: torch.Tensor, *, hermitian: bool = False, check_errors: bool = False
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A symmetric matrix as L D L^T."""
    result, pivots, info = made(_aten.linalg_ldl_factor_ex.default, self, hermitian=hermitian)
    served(result)
    if hermitian and self.is_complex():
        raise NotServed
    result.copy_(self.tril())
    info.zero_()
    n = self.shape[-1]
    run(LDL, n, n, a=Matrices.of(result), pivots=pivots, info=info)
    if check_errors:
        check_info(info, "torch.linalg.ldl_factor_ex", self)
    return result, pivots, info
