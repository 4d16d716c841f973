"""hash_tensor: all elements' bits combined by exclusive or."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from wavesmith.torch._library import NotServed
from wavesmith.torch._outputs import with_out


@with_out("hash_tensor")
def _hash_tensor(x: torch.Tensor, dim: Sequence[int] = (), *, keepdim: bool = False, mode: int = 0) -> torch.Tensor:
    """By halves: each launch combines the second half with the first."""
    if mode or x.is_complex() or any(not -max(x.dim(), 1) <= each < max(x.dim(), 1) for each in dim):
        raise NotServed
    reduced = {each % max(x.dim(), 1) for each in dim} or set(range(x.dim()))
    kept = [each for each in range(x.dim()) if each not in reduced]
    bits = x.double().view(torch.int64) if x.is_floating_point() else x.to(torch.int64)
    order = (*kept, *(each for each in range(x.dim()) if each in reduced))
    sizes = [x.shape[each] for each in kept]
    bits = bits.permute(order).reshape(math.prod(sizes), -1) if x.numel() else bits.new_zeros(math.prod(sizes), 1)
    while bits.shape[1] > 1:
        half = bits.shape[1] // 2
        last = bits[:, 2 * half :]
        bits = bits[:, :half] ^ bits[:, half : 2 * half]
        if last.shape[1]:
            bits[:, :1] ^= last
    shape = [1 if each in reduced else x.shape[each] for each in range(x.dim())] if keepdim else sizes
    return bits.reshape(shape).view(torch.uint64)
