"""The gradient of matrix products: two more products, of the same kernels.

With D = activation(Z) and Z = alpha A B + beta C + bias, what comes from above times the activation's derivative at Z
is dZ; then dA = alpha dZ B^T and dB = alpha A^T dZ. Z is computed again, where there is an activation.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from wavesmith.torch.library._activations import derivative, value

_ops = torch.ops.wavesmith


def setup(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    """Keeps what the gradient needs."""
    a, b, bias, residual, *scales, offsets = inputs
    ctx.save_for_backward(a, b, bias, residual, offsets)
    ctx.words = keyword_only_inputs
    ctx.differentiable = all(scale is None for scale in scales) and a.dtype.itemsize > 1 and b.dtype.itemsize > 1


def backward(ctx: Any, gradient: Tensor) -> Any:
    """The gradients of a, b, the bias and the residual."""
    if not ctx.differentiable:
        raise RuntimeError("wavesmith: gemm has a gradient without scales and types of 8 bits only")
    a, b, bias, residual, offsets = ctx.saved_tensors
    words = ctx.words
    above = _above(gradient, (a, b, bias, residual, offsets), words)
    along_k = words["groups_along_k"]
    group = None if offsets is None or along_k else _groups(offsets, a.shape[0], b.shape[0])
    if group is not None:
        above = torch.where(group.any(0)[:, None], above, 0.0)
    low = above.to(a.dtype).contiguous()
    of_a = of_b = of_bias = of_residual = None
    if along_k:
        of_a, of_b = _of_groups_along_k(low, a, b, offsets, words["alpha"])
    elif ctx.needs_input_grad[0]:
        of_a = _of_a(low, a, b, offsets, words["alpha"])
        if group is not None:  # rows in no group are not written
            of_a = torch.where(group.any(0)[:, None], of_a, 0.0).to(a.dtype)
    if ctx.needs_input_grad[1] and not along_k:
        of_b = _of_b(low, a, b, offsets, words["alpha"])
    if bias is not None and ctx.needs_input_grad[2]:
        of_bias = above.sum([d for d in range(above.dim()) if d != above.dim() - (2 if words["bias_per_row"] else 1)])
        of_bias = of_bias.to(bias.dtype)
    if residual is not None and ctx.needs_input_grad[3]:
        of_residual = _summed(words["beta"] * above, residual)
    return (of_a, of_b, of_bias, of_residual, *[None] * 7)


def _above(gradient: Tensor, inputs: tuple[Any, ...], words: dict[str, Any]) -> Tensor:
    """The gradient of Z, in float32."""
    above = gradient.float()
    activation = words["activation"]
    if activation == "none" and not words["gated"]:
        return above
    a, b, bias, residual, offsets = inputs
    z = _ops.gemm(
        a,
        b,
        bias,
        residual,
        group_offsets=offsets,
        alpha=words["alpha"],
        beta=words["beta"],
        bias_per_row=words["bias_per_row"],
        groups_along_k=words["groups_along_k"],
        dtype=torch.float32,
    )
    if not words["gated"]:
        return above * derivative(activation, z)
    gate, up = z.chunk(2, -1)
    return torch.cat((above * up * derivative(activation, gate), above * value(activation, gate)), -1)


def _groups(offsets: Tensor, rows: int, groups: int) -> Tensor:
    """Which rows are of each group: (groups, rows)."""
    numbers = torch.arange(rows, device=offsets.device)
    return (numbers >= offsets[:-1, None]) & (numbers < offsets[1:, None])


def _of_a(above: Tensor, a: Tensor, b: Tensor, offsets: Tensor | None, alpha: float) -> Tensor:
    if offsets is not None:
        return _ops.gemm(above, b.mT, group_offsets=offsets, alpha=alpha, dtype=a.dtype)
    return _summed(_ops.gemm(above, b.mT, alpha=alpha, dtype=torch.float32), a)


def _of_b(above: Tensor, a: Tensor, b: Tensor, offsets: Tensor | None, alpha: float) -> Tensor:
    if offsets is not None:
        columns = a.contiguous().mT
        return _ops.gemm(columns, above, group_offsets=offsets, groups_along_k=True, alpha=alpha, dtype=b.dtype)
    return _summed(_ops.gemm(a.mT, above, alpha=alpha, dtype=torch.float32), b)


def _of_groups_along_k(above: Tensor, a: Tensor, b: Tensor, offsets: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """The gradients of a's columns and b's rows are grouped products, and 0 of those in no group."""
    is_of_one = _groups(offsets, b.shape[0], offsets.shape[0] - 1).any(0)[:, None]
    of_columns = _ops.gemm(b, above.mT, group_offsets=offsets, alpha=alpha, dtype=a.dtype)
    of_b = _ops.gemm(a.mT.contiguous(), above, group_offsets=offsets, alpha=alpha, dtype=b.dtype)
    return torch.where(is_of_one, of_columns, 0.0).to(a.dtype).mT, torch.where(is_of_one, of_b, 0.0).to(b.dtype)


def _summed(gradient: Tensor, like: Tensor) -> Tensor:
    """Over the batch, where one matrix served all of it."""
    return gradient.sum_to_size(like.shape).to(like.dtype)
