"""Identities; given results of solutions in `native/linalg`."""

from __future__ import annotations

import torch

from wavesmith.torch import _library
from wavesmith.torch._outputs import given_results


def fill_identity(matrix: torch.Tensor) -> torch.Tensor:
    """1 on the diagonals, 0 elsewhere."""
    matrix.zero_()
    matrix.diagonal(dim1=-2, dim2=-1).fill_(1)
    return matrix


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


given_results("linalg_solve_triangular")
