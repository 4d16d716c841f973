"""QR factorisations and what is made of their reflections; identities."""

from __future__ import annotations

import torch

from wavesmith.torch import _library
from wavesmith.torch._linalg.call import CONJUGATE, CONJUGATE_FACTORS, QR, REFLECT, REVERSED, Matrices, run, served
from wavesmith.torch._linalg.factors import fill_identity
from wavesmith.torch._linalg.outputs import by_columns, copied, made
from wavesmith.torch._outputs import with_out

_aten = torch.ops.aten


def factored(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A copy that becomes r and, below it, the reflections' vectors; and their factors."""
    data = copied(a)
    rows, columns = data.shape[-2:]
    tau = torch.empty((*a.shape[:-2], min(rows, columns)), dtype=a.dtype, device=a.device)
    run(QR, rows, columns, a=Matrices.of(data), vector=tau)
    return data, tau


def reflect(
    vectors: torch.Tensor, tau: torch.Tensor, c: torch.Tensor, *, left: bool = True, adjoint: bool = False
) -> None:
    """Multiplies c with q or q^H, in place."""
    matrix = Matrices.of(c)
    flags = CONJUGATE_FACTORS if adjoint else 0
    if not left:  # the transpose of q has the vectors conjugated, and the other order
        matrix, flags = matrix.turned(), flags | CONJUGATE
    if left != adjoint:
        flags |= REVERSED
    inner = tau.shape[-1]
    run(REFLECT, matrix.rows, matrix.columns, a=Matrices.of(vectors), b=matrix, inner=inner, flags=flags, vector=tau)


@with_out("geqrf", "a", "tau", casts=True)
def geqrf(self: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A QR factorisation as LAPACK gives it."""
    if self.dim() < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    served(self)
    return factored(self)


@with_out("linalg_householder_product", casts=True)
def linalg_householder_product(input: torch.Tensor, tau: torch.Tensor) -> torch.Tensor:
    """The first columns of the product of reflections."""
    made(_aten.linalg_householder_product.default, input, tau)
    served(input, tau)
    result = fill_identity(by_columns(input.shape, input))
    reflect(input, tau, result)
    return result


@with_out("ormqr", casts=True)
def ormqr(
    self: torch.Tensor, input2: torch.Tensor, input3: torch.Tensor, left: bool = True, transpose: bool = False
) -> torch.Tensor:
    """A matrix multiplied with a product of reflections."""
    made(_aten.ormqr.default, self, input2, input3, left, transpose)
    served(self, input2, input3)
    result = copied(input3)
    reflect(self, input2, result, left=left, adjoint=transpose)
    return result


@with_out("linalg_qr", "Q", "R", overload="out")
def linalg_qr(A: torch.Tensor, mode: str = "reduced") -> tuple[torch.Tensor, torch.Tensor]:  # noqa: N803
    """An orthonormal and a triangular matrix."""
    q, r = made(_aten.linalg_qr.default, A, mode)
    served(r)
    data, tau = factored(A)
    r.copy_(data[..., : r.shape[-2], :].triu())
    if mode != "r":
        fill_identity(q)
        reflect(data, tau, q)
    return q, r


def _eye(n: int, m: int, out: torch.Tensor) -> torch.Tensor:
    for name, size in (("n", n), ("m", m)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    return fill_identity(_library.resized(out, (n, m)))


@_library.operator("eye.out")
def eye(n: int, *, out: torch.Tensor) -> torch.Tensor:
    """The identity."""
    return _eye(n, n, out)


@_library.operator("eye.m_out")
def eye_m(n: int, m: int, *, out: torch.Tensor) -> torch.Tensor:
    """Its first rows or columns."""
    return _eye(n, m, out)
