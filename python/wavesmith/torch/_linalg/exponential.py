"""The exponential of matrices, by Taylor polynomials, scaling and squaring.

P. Bader, S. Blanes, F. Casas, "Computing the matrix exponential with an optimized Taylor polynomial approximation",
Mathematics 7 (2019); the polynomials are computed as M. S. Paterson and L. J. Stockmeyer do, by blocks of four terms.
"""

from __future__ import annotations

import math

import torch

from wavesmith.torch._library import NotServed, operator
from wavesmith.torch._linalg.call import product, served
from wavesmith.torch._linalg.identity import fill_identity

#: Degrees, and the norms up to which a polynomial's backward error is below half a unit in the last place, of float
#: and of double. Derived: where the sum of |c_k| x^(k-1) is 2^-24 or 2^-53, with log(e^-x T(x)) = sum of c_k x^k.
_DEGREES = ((8, 0.5800524627688768, 0.049912288711153226), (12, 1.4616615072090335, 0.299615891381158))
_LAST = (16, 2.4782808775219713, 0.7802874256626574)

#: Beyond that every power of two has overflowed.
_MOST_SQUARES = 1100


def _polynomial(a: torch.Tensor, degree: int) -> torch.Tensor:
    """1 + a + a^2/2! + ... of a degree that is a multiple of 4."""
    powers = [fill_identity(torch.empty_like(a)), a]
    powers.append(product(a, a))
    powers.append(product(powers[2], a))
    fourth = product(powers[2], powers[2])
    total = fourth / math.factorial(degree)
    for first in range(degree - 4, -1, -4):
        for offset in range(4):
            total = total.add(powers[offset], alpha=1 / math.factorial(first + offset))
        if first:
            total = product(fourth, total)
    return total


@operator("linalg_matrix_exp")
def linalg_matrix_exp(self: torch.Tensor) -> torch.Tensor:
    """Takes the exponential of matrices."""
    if self.dim() < 2 or self.shape[-1] != self.shape[-2]:
        torch.ops.aten.linalg_matrix_exp.default(self.to("meta"))  # which says what is wrong
    if self.dtype in (torch.float16, torch.bfloat16):
        raise NotServed
    served(self)
    if not self.numel():
        return torch.empty_like(self)
    if self.shape[-1] == 1:
        return self.exp()
    norms = self.abs().sum(-2).amax(-1)
    largest = float(norms.max())
    is_long = self.dtype in (torch.float64, torch.complex128)
    for degree, *limits in _DEGREES:
        if largest <= limits[is_long]:
            return _polynomial(self, degree)
    degree, limit = _LAST[0], _LAST[1 + is_long]
    if not math.isfinite(largest):
        return torch.full_like(self, math.nan) if self.dim() == 2 else _each(self, norms)
    squares = min(max(0, math.ceil(math.log2(largest / limit))), _MOST_SQUARES)
    if not squares:
        return _polynomial(self, degree)
    counts = (norms / limit).log2().ceil().clamp(0, squares)[..., None, None]
    result = _polynomial(self * torch.exp2(-counts), degree)
    for number in range(squares):
        result = torch.where(counts > number, product(result, result), result)
    return result


def _each(matrices: torch.Tensor, norms: torch.Tensor) -> torch.Tensor:
    """Of a batch in which some are not finite, which become NaN."""
    finite = (norms < math.inf)[..., None, None]
    return torch.where(finite, linalg_matrix_exp(torch.where(finite, matrices, 0)), math.nan)
