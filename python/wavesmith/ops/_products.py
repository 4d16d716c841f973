"""Products of matrices."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from wavesmith.ops._common import OPS, Activation, raw


def gemm(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None = None,
    *,
    residual: Tensor | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    activation: Activation = "none",
    gated: bool = False,
    bias_per_row: bool = False,
    scale_a: Tensor | None = None,
    scale_b: Tensor | None = None,
    scale_d: Tensor | None = None,
    block_scale_a: Tensor | None = None,
    block_scale_b: Tensor | None = None,
    zero_point_b: Tensor | None = None,
    group_offsets: Tensor | None = None,
    groups_along_k: bool = False,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The product activation(alpha * (scale_a * a) @ (b * scale_b) + beta * residual + bias) * scale_d.

    Args:
        a: (m, k), or (batch, m, k): float32, float16, bfloat16, int8, a float8 as the GPU has it, or uint8 whose bytes
            hold two e2m1. Rows or columns are contiguous; of 8 bits and less rows.
        b: (k, n), or (batch, k, n), of a's type, of 8 bits and less with contiguous columns (`weight.t()`); or uint8
            of shape (k / 2, n) whose bytes hold two integers of 4 bits, with `a` of float16 or bfloat16.
        bias: (n,), or with `bias_per_row` (m,); float32, float16 or bfloat16.
        residual: (m, n), or (batch, m, n).
        alpha: a factor.
        beta: the residual's.
        activation: what is applied last.
        gated: `b` has 2 * n columns, those of the gate first; the result is activation(gate) * up.
        bias_per_row: the bias has an element per row.
        scale_a: float32: one, or one per row of `a`.
        scale_b: float32: one, or one per column of `b`.
        scale_d: one float32.
        block_scale_a: of float8 float32 for blocks of 128 along k: (m, ceil(k / 128)), or (ceil(m / 128), ...) for
            squares; of e2m1 e8m0 of shape (m, k / 32), with contiguous columns.
        block_scale_b: the same of `b`, with n for m, columns contiguous but those of squares; of integers of 4 bits
            (n, ceil(k / group)) with groups of 32, 64 or 128.
        zero_point_b: as block_scale_b, of integers of 4 bits.
        group_offsets: int32, (groups + 1,): the rows of `a` from offset g to g + 1 are multiplied by b[g]. Rows of the
            result in no group are not written.
        groups_along_k: group_offsets are of k: the columns of `a` and rows of `b` from offset g to g + 1 make matrix g
            of the result, (groups, m, n), as the gradients of grouped weights are made. float16 and bfloat16, `a` with
            contiguous columns and `b` with contiguous rows (`x.t()` and `y`).
        dtype: the result's. None: a's; of int8 int32, of less than 16 bits otherwise bfloat16.

    The gradient of a, b, bias and residual is computed where there are no scales.
    """
    return OPS.gemm(
        raw(a),
        raw(b),
        bias,
        residual,
        scale_a,
        scale_b,
        scale_d,
        raw(block_scale_a),
        raw(block_scale_b),
        zero_point_b,
        group_offsets,
        alpha=alpha,
        beta=beta,
        activation=activation,
        gated=gated,
        bias_per_row=bias_per_row,
        groups_along_k=groups_along_k,
        dtype=dtype,
    )


def grouped_gemm(a: Tensor, b: Tensor, group_offsets: Tensor, **more: Any) -> Tensor:
    """`gemm` of groups of rows, each with a matrix of its own, as the experts of a mixture have."""
    return gemm(a, b, group_offsets=group_offsets, **more)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, activation: Activation = "none") -> Tensor:
    """activation(x @ weight.t() + bias), of x with any dimensions before the last and weight of shape (n, k)."""
    return gemm(x.reshape(-1, x.shape[-1]), weight.t(), bias, activation=activation).unflatten(0, x.shape[:-1])
