"""Outer products that are added, into given tensors: PyTorch's composition does not look where these lie."""

from __future__ import annotations

import torch

from wavesmith.torch._library import operator
from wavesmith.torch._outputs import write


@operator("addr.out")
def _add_outer_product(
    x: torch.Tensor, vec1: torch.Tensor, vec2: torch.Tensor, *, beta: complex = 1, alpha: complex = 1, out: torch.Tensor
) -> torch.Tensor:
    return write(out, torch.addr(x, vec1, vec2, beta=beta, alpha=alpha), casts=True)
