"""Solutions and inverses, by factorisations."""

from __future__ import annotations

import torch

from wavesmith.torch._library import NotServed
from wavesmith.torch._linalg.call import SOLVE_LDL, Matrices, exchange_rows, run, served, solve_triangle
from wavesmith.torch._linalg.factors import fill_identity, lu_in_place
from wavesmith.torch._linalg.outputs import by_columns, check_info, copied, made
from wavesmith.torch._outputs import with_out

_aten = torch.ops.aten


def _lu_solve(data: torch.Tensor, pivots: torch.Tensor, b: torch.Tensor, left: bool, adjoint: bool) -> None:
    """Solves in place, with factors of the same batch."""
    lower, upper = {"upper": False, "unit": True}, {"upper": True, "unit": False}
    turned = {"left": left, "transposed": adjoint, "conjugated": adjoint}
    if left != adjoint:
        exchange_rows(b, pivots, columns=not left)
        solve_triangle(data, b, **lower, **turned)
        solve_triangle(data, b, **upper, **turned)
    else:
        solve_triangle(data, b, **upper, **turned)
        solve_triangle(data, b, **lower, **turned)
        exchange_rows(b, pivots, backwards=True, columns=not left)


@with_out("linalg_lu_solve")
def linalg_lu_solve(
    LU: torch.Tensor,  # noqa: N803
    pivots: torch.Tensor,
    B: torch.Tensor,  # noqa: N803
    *,
    left: bool = True,
    adjoint: bool = False,
) -> torch.Tensor:
    """The solution with matrices that were factored."""
    (result,) = made(_aten.linalg_lu_solve.default, LU, pivots, B, left=left, adjoint=adjoint)
    served(result)
    solution = copied(B, result.shape)
    batch = result.shape[:-2]
    _lu_solve(LU.expand(*batch, *LU.shape[-2:]), pivots.expand(*batch, pivots.shape[-1]), solution, left, adjoint)
    return solution if solution.stride() == result.stride() else result.copy_(solution)


@with_out("_linalg_solve_ex", "result", "LU", "pivots", "info")
def linalg_solve_ex(
    A: torch.Tensor,  # noqa: N803
    B: torch.Tensor,  # noqa: N803
    *,
    left: bool = True,
    check_errors: bool = False,
) -> tuple[torch.Tensor, ...]:
    """The solution of a x = b or x a = b, and the factorisation that it comes from."""
    result, data, pivots, info = made(_aten._linalg_solve_ex.default, A, B, left=left)
    served(data)
    data.copy_(A)
    lu_in_place(data, pivots, info)
    if check_errors:
        check_info(info, "torch.linalg.solve_ex", A)
    is_vector = B.dim() == 1 or A.shape[:-1] == B.shape
    sizes = (*result.shape, 1) if is_vector else result.shape
    solution = copied(B.unsqueeze(-1) if is_vector else B, sizes)
    batch = sizes[:-2]
    factors, rows = data.expand(*batch, *data.shape[-2:]), pivots.expand(*batch, pivots.shape[-1])
    _lu_solve(factors, rows, solution, left, False)
    result.copy_(solution.squeeze(-1) if is_vector else solution)
    return result, data, pivots, info


@with_out("linalg_inv_ex", "inverse", "info")
def linalg_inv_ex(
    A: torch.Tensor,  # noqa: N803
    *,
    check_errors: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The inverse of matrices, and what is wrong with those that have none."""
    result, info = made(_aten.linalg_inv_ex.default, A)
    served(result)
    data = copied(A)
    pivots = torch.empty(A.shape[:-1], dtype=torch.int32, device=A.device)
    lu_in_place(data, pivots, info)
    _lu_solve(data, pivots, fill_identity(result), True, False)
    if check_errors:
        check_info(info, "linalg.inv_ex", A)
    return result, info


def _cholesky_solve(factor: torch.Tensor, b: torch.Tensor, upper: bool) -> None:
    solve_triangle(factor, b, upper=upper, transposed=upper, conjugated=upper)
    solve_triangle(factor, b, upper=upper, transposed=not upper, conjugated=not upper)


@with_out("_cholesky_solve_helper", casts=True)
def cholesky_solve_helper(self: torch.Tensor, A: torch.Tensor, upper: bool) -> torch.Tensor:  # noqa: N803
    """The solution with matrices of which a Cholesky factor is given."""
    served(self, A)
    solution = copied(self)
    _cholesky_solve(A, solution, upper)
    return solution


@with_out("cholesky_inverse", casts=True)
def cholesky_inverse(self: torch.Tensor, upper: bool = False) -> torch.Tensor:
    """The inverse of matrices of which a Cholesky factor is given."""
    made(_aten.cholesky_inverse.default, self, upper)
    served(self)
    result = fill_identity(by_columns(self.shape, self))
    _cholesky_solve(self, result, upper)
    return result


@with_out("linalg_solve_triangular")
def linalg_solve_triangular(
    self: torch.Tensor,
    B: torch.Tensor,  # noqa: N803
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> torch.Tensor:
    """The solution with a triangle of matrices."""
    (result,) = made(
        _aten.linalg_solve_triangular.default, self, B, upper=upper, left=left, unitriangular=unitriangular
    )
    served(result)
    solution = copied(B, result.shape)
    matrix = self.expand(*result.shape[:-2], *self.shape[-2:])
    solve_triangle(matrix, solution, upper=upper, left=left, unit=unitriangular)
    return solution


@with_out("triangular_solve", "X", "M")
def triangular_solve(
    self: torch.Tensor,
    A: torch.Tensor,  # noqa: N803
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    """As torch.linalg.solve_triangular, which took its place."""
    solution, matrix = made(_aten.triangular_solve.default, self, A, upper, transpose, unitriangular)
    served(solution)
    solution.copy_(self)
    matrix.copy_(A)
    solve_triangle(matrix, solution, upper=upper, transposed=transpose, unit=unitriangular)
    return solution, matrix


@with_out("linalg_ldl_solve")
def linalg_ldl_solve(
    LD: torch.Tensor,  # noqa: N803
    pivots: torch.Tensor,
    B: torch.Tensor,  # noqa: N803
    *,
    hermitian: bool = False,
) -> torch.Tensor:
    """The solution with matrices that `linalg_ldl_factor_ex` factored."""
    (result,) = made(_aten.linalg_ldl_solve.default, LD, pivots, B, hermitian=hermitian)
    served(result)
    if hermitian and LD.is_complex():
        raise NotServed
    solution = copied(B, result.shape)
    batch = result.shape[:-2]
    matrix, right = Matrices.of(LD.expand(*batch, *LD.shape[-2:])), Matrices.of(solution)
    run(
        SOLVE_LDL,
        right.rows,
        right.columns,
        a=matrix,
        b=right,
        pivots=pivots.to(torch.int32).expand(*batch, pivots.shape[-1]),
    )
    return solution if solution.stride() == result.stride() else result.copy_(solution)
