"""Maxima of windows that random numbers place, other windows in each plane: gathered."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.adaptive import given_back
from wavesmith.torch.composed.results import checked, new, served, wide


def _begins(samples: torch.Tensor, size: int, out: int, window: int) -> torch.Tensor:
    """Where the windows of each plane begin, along one dimension."""
    if out == 1:
        return torch.full((*samples.shape, 1), size - window, dtype=torch.int64, device=samples.device)
    apart = (size - window) / (out - 1)
    at = torch.arange(out, dtype=samples.dtype, device=samples.device)
    begins = ((at + samples[..., None]) * apart).long() - (samples[..., None] * apart).long()
    begins[..., -1] = size - window
    return begins


def _operators(dimensions: int) -> None:
    op = getattr(torch.ops.aten, f"fractional_max_pool{dimensions}d")

    def forward(
        x: torch.Tensor, kernel_size: Sequence[int], output_size: Sequence[int], random_samples: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = (
            new(like, x.device) for like in checked(op.default, x, kernel_size, output_size, random_samples)
        )
        served(x.is_floating_point() and len(kernel_size) == len(output_size) == dimensions)
        if not values.numel():
            return values, indices
        planes = x.shape[:-dimensions]
        samples = random_samples.to(wide(x.dtype))
        samples = samples[0] if x.dim() == dimensions + 1 else samples
        served(samples.shape == (*planes, dimensions))
        flat = torch.zeros((*planes, 1, 1), dtype=torch.int64, device=x.device)
        for each, (size, out, window) in enumerate(zip(x.shape[-dimensions:], output_size, kernel_size, strict=True)):
            # In two dimensions the first number is the columns'.
            begins = _begins(samples[..., dimensions - 1 - each if dimensions == 2 else each], size, out, window)
            places = begins[..., None] + torch.arange(window, device=x.device)
            flat = flat[..., :, None, :, None] * size + places[..., None, :, None, :]
            flat = flat.flatten(-2).flatten(-3, -2)
        taken = x.reshape(*planes, -1).gather(-1, flat.flatten(-2)).view(flat.shape)
        largest, element = taken.max(-1)
        values.copy_(largest.view(values.shape))
        indices.copy_(flat.gather(-1, element[..., None]).view(indices.shape))
        return values, indices

    def backward(
        grad: torch.Tensor,
        x: torch.Tensor,
        kernel_size: Sequence[int],
        output_size: Sequence[int],
        indices: torch.Tensor,
    ) -> torch.Tensor:
        served(grad.shape == indices.shape and grad.dtype == x.dtype)
        return given_back(grad, x, indices, dimensions)

    name = f"fractional_max_pool{dimensions}d"
    with_out(name, "output", "indices")(forward)
    with_out(f"{name}_backward", "grad_input")(backward)


for _dimensions in (2, 3):
    _operators(_dimensions)
