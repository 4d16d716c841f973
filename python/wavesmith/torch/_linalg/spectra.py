"""Eigenvalues of symmetric matrices, and singular values."""

from __future__ import annotations

import torch

from wavesmith.torch._library import NotServed
from wavesmith.torch._linalg.call import EIGENVALUES, SINGULAR_VALUES, Matrices, run, served
from wavesmith.torch._linalg.factors import fill_identity
from wavesmith.torch._linalg.orthogonal import factored, reflect
from wavesmith.torch._linalg.outputs import by_columns, check_info, made
from wavesmith.torch._outputs import with_out

_aten = torch.ops.aten


def _info(a: torch.Tensor) -> torch.Tensor:
    return torch.zeros(a.shape[:-2], dtype=torch.int32, device=a.device)


@with_out("_linalg_eigh", "eigenvalues", "eigenvectors")
def linalg_eigh(
    A: torch.Tensor,  # noqa: N803
    UPLO: str = "L",  # noqa: N803
    compute_v: bool = True,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues in ascending order and, if wanted, vectors."""
    values, vectors = made(_aten._linalg_eigh.default, A, UPLO, compute_v)
    served(A)
    if A.is_complex():
        raise NotServed
    info, n = _info(A), A.shape[-1]
    a = Matrices.of(A)
    run(
        EIGENVALUES,
        n,
        n,
        a=a if UPLO in ("L", "l") else a.turned(),
        b=Matrices.of(vectors) if compute_v else None,
        vector=values,
        info=info,
    )
    check_info(info, "linalg.eigh", A)
    return values, vectors


def _of_tall(
    a: torch.Tensor, left: torch.Tensor | None, right: torch.Tensor | None, values: torch.Tensor, info: torch.Tensor
) -> None:
    """Singular values and vectors, as columns, of matrices with no fewer rows than columns, by their r."""
    rows, columns = a.shape[-2:]
    if rows == columns:
        _of_columns(a, left, right, values, info)
        return
    data, tau = factored(a)
    square = data[..., :columns, :].triu()
    if left is None or right is None:
        _of_columns(square, None, None, values, info)
        return
    inner = by_columns(square.shape, a)
    _of_columns(square, inner, right, values, info)
    fill_identity(left)
    left[..., :columns, :columns].copy_(inner)
    reflect(data, tau, left)


def _of_columns(
    a: torch.Tensor, left: torch.Tensor | None, right: torch.Tensor | None, values: torch.Tensor, info: torch.Tensor
) -> None:
    rows, columns = a.shape[-2:]
    run(
        SINGULAR_VALUES,
        rows,
        columns,
        a=Matrices.of(a),
        b=None if left is None else Matrices.of(left),
        c=None if right is None else Matrices.of(right),
        vector=values,
        info=info,
    )


@with_out("_linalg_svd", "U", "S", "Vh")
def linalg_svd(
    A: torch.Tensor,  # noqa: N803
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    driver: str | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Singular values in descending order and, if wanted, vectors. There is one driver, whatever is named."""
    left, values, right = made(_aten._linalg_svd.default, A, full_matrices, compute_uv)
    served(A)
    if A.is_complex():
        raise NotServed
    info = _info(A)
    if not A.numel():
        if compute_uv:
            fill_identity(left), fill_identity(right)
        return left, values, right
    is_tall = A.shape[-2] >= A.shape[-1]
    if not compute_uv:
        _of_tall(A if is_tall else A.mT, None, None, values, info)
    elif is_tall:
        _of_tall(A, left, right.mT, values, info)
    else:
        _of_tall(A.mT, right.mT, left, values, info)
    check_info(info, "linalg.svd", A)
    return left, values, right
