"""Factorisations: Cholesky, LU, LDL; determinants."""

from __future__ import annotations

import torch

from wavesmith.torch._library import NotServed
from wavesmith.torch._linalg.call import CHOLESKY, IN_ORDER, LDL, LU, Matrices, exchange_rows, run, served
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


def lu_in_place(matrix: torch.Tensor, pivots: torch.Tensor, info: torch.Tensor, pivot: bool = True) -> None:
    """Factors matrices, which lie column by column."""
    info.zero_()
    rows, columns = matrix.shape[-2:]
    flags = 0 if pivot else IN_ORDER
    run(LU, rows, columns, a=Matrices.of(matrix), flags=flags, pivots=pivots, info=info)


def _lu_for_determinant(a: torch.Tensor, result: torch.Tensor, pivots: torch.Tensor) -> None:
    """Factors a copy of matrices, or of their transposes where autograd expects that (linalg_det_backward)."""
    served(result)
    result.copy_(a.mT if a.is_contiguous() and not a.is_complex() else a)
    lu_in_place(result, pivots, torch.empty(a.shape[:-2], dtype=torch.int32, device=a.device))


@with_out("linalg_lu_factor_ex", "LU", "pivots", "info", overload="out")
def linalg_lu_factor_ex(
    A: torch.Tensor,  # noqa: N803  the operator's name for it
    *,
    pivot: bool = True,
    check_errors: bool = False,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """L and U in one matrix, and the rows that were exchanged."""
    result, pivots, info = made(_aten.linalg_lu_factor_ex.default, A, pivot=pivot)
    served(result)
    result.copy_(A)
    lu_in_place(result, pivots, info, pivot)
    if check_errors:
        check_info(info, "torch.linalg.lu_factor_ex", A)
    return result, pivots, info


def _unpack(data: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> None:
    inner = min(data.shape[-2:])
    lower.copy_(data[..., :, :inner].tril(-1))
    lower.diagonal(dim1=-2, dim2=-1).fill_(1)
    upper.copy_(data[..., :inner, :].triu())


def _fill_permutation(permutation: torch.Tensor, pivots: torch.Tensor) -> None:
    fill_identity(permutation)
    exchange_rows(permutation, pivots, backwards=True)


def fill_identity(matrix: torch.Tensor) -> torch.Tensor:
    """1 on the diagonals, 0 elsewhere."""
    matrix.zero_()
    matrix.diagonal(dim1=-2, dim2=-1).fill_(1)
    return matrix


@with_out("lu_unpack", "P", "L", "U", overload="out")
def lu_unpack(
    LU_data: torch.Tensor,  # noqa: N803
    LU_pivots: torch.Tensor,  # noqa: N803
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> tuple[torch.Tensor, ...]:
    """The three matrices of an LU factorisation."""
    permutation, lower, upper = made(_aten.lu_unpack.default, LU_data, LU_pivots, unpack_data, unpack_pivots)
    served(permutation)
    if unpack_data:
        _unpack(LU_data, lower, upper)
    if unpack_pivots:
        _fill_permutation(permutation, LU_pivots)
    return permutation, lower, upper


@with_out("linalg_lu", "P", "L", "U", overload="out")
def linalg_lu(A: torch.Tensor, *, pivot: bool = True) -> tuple[torch.Tensor, ...]:  # noqa: N803
    """A as the product of a permutation and two triangles."""
    permutation, lower, upper = made(_aten.linalg_lu.default, A, pivot=pivot)
    served(lower)
    data = copied(A)
    pivots = torch.empty((*A.shape[:-2], min(A.shape[-2:])), dtype=torch.int32, device=A.device)
    lu_in_place(data, pivots, torch.empty(A.shape[:-2], dtype=torch.int32, device=A.device), pivot)
    _unpack(data, lower, upper)
    if pivot:
        _fill_permutation(permutation, pivots)
    return permutation, lower, upper


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


def _sign_of(pivots: torch.Tensor) -> torch.Tensor:
    """1 or -1: of the permutations."""
    in_order = torch.arange(1, pivots.shape[-1] + 1, dtype=pivots.dtype, device=pivots.device)
    return 1 - 2 * ((pivots != in_order).sum(-1) & 1)


@with_out("_linalg_det", "result", "LU", "pivots")
def linalg_det(A: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # noqa: N803
    """Determinants, and the factorisation that they come from."""
    result, data, pivots = made(_aten._linalg_det.default, A)
    _lu_for_determinant(A, data, pivots)
    result.copy_(data.diagonal(dim1=-2, dim2=-1).prod(-1) * _sign_of(pivots))
    return result, data, pivots


@with_out("_linalg_slogdet", "sign", "logabsdet", "LU", "pivots")
def linalg_slogdet(A: torch.Tensor) -> tuple[torch.Tensor, ...]:  # noqa: N803
    """Signs and logarithms of determinants, and the factorisation that they come from."""
    sign, logarithm, data, pivots = made(_aten._linalg_slogdet.default, A)
    _lu_for_determinant(A, data, pivots)
    diagonal = data.diagonal(dim1=-2, dim2=-1)
    sign.copy_(diagonal.sgn().prod(-1) * _sign_of(pivots))
    logarithm.copy_(diagonal.abs().log().sum(-1))
    return sign, logarithm, data, pivots
