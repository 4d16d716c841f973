"""Products by AITER's names: weights are (n, k)."""

from __future__ import annotations

import torch
from torch import Tensor

from wavesmith import ops
from wavesmith.aiter._refusals import none, refuse

_ops = torch.ops.wavesmith


def gemm_a8w8(
    XQ: Tensor,  # noqa: N803  AITER's names
    WQ: Tensor,  # noqa: N803
    x_scale: Tensor,
    w_scale: Tensor,
    bias: Tensor | None = None,
    dtype: torch.dtype = torch.bfloat16,
    splitK: int | None = None,  # noqa: N803
) -> Tensor:
    """(x_scale * XQ) @ (w_scale * WQ).t() + bias of int8 or float8: x_scale one or (m, 1), w_scale one or (1, n)."""
    product = {"dtype": dtype, "bias": None if bias is None else bias.view(-1)}
    return ops.gemm(XQ, WQ.t(), scale_a=x_scale.float(), scale_b=w_scale.float(), **product)  # type: ignore[arg-type]


gemm_a8w8_CK = gemm_a8w8  # noqa: N816


def gemm_a8w8_blockscale(
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    x_scale: Tensor,
    w_scale: Tensor,
    dtype: torch.dtype = torch.bfloat16,
    isBpreshuffled: bool = False,  # noqa: N803
) -> Tensor:
    """The product of float8 with x_scale per row and 128 numbers, and w_scale per square of 128."""
    none("gemm_a8w8_blockscale", isBpreshuffled=isBpreshuffled)
    return ops.gemm(XQ, WQ.t(), block_scale_a=x_scale, block_scale_b=w_scale, dtype=dtype)


def gemm_a4w4(
    A: Tensor,  # noqa: N803
    B: Tensor,  # noqa: N803
    A_scale: Tensor,  # noqa: N803
    B_scale: Tensor,  # noqa: N803
    out: Tensor,
    bias: Tensor | None = None,
    alpha: float | None = 1.0,
    beta: float | None = 0.0,
    bpreshuffle: bool | None = True,
) -> Tensor:
    """The product of MXFP4 (CDNA4), into `out`: scales of e8m0, (m, k / 32) and (n, k / 32), not shuffled."""
    none("gemm_a4w4", bpreshuffle=bpreshuffle)
    if beta:
        refuse("gemm_a4w4 with beta is not supported")
    bias = None if bias is None else bias.view(-1)
    scales = [ops.transpose(one.view(torch.int8)).view(torch.uint8).t() for one in (A_scale, B_scale)]  # k apart
    words = {"alpha": 1.0 if alpha is None else alpha, "out": out}
    _ops.gemm.out(
        A.view(torch.uint8), B.view(torch.uint8).t(), bias, block_scale_a=scales[0], block_scale_b=scales[1], **words
    )
    return out


def batched_gemm_bf16(
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    out: Tensor,
    bias: Tensor | None = None,
    splitK: int = 0,  # noqa: N803
) -> Tensor:
    """(batch, m, k) times (batch, n, k) transposed, into `out`."""
    none("batched_gemm_bf16", bias=bias)
    _ops.gemm.out(XQ, WQ.mT, out=out)
    return out


def batched_gemm_a8w8(
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    x_scale: Tensor,
    w_scale: Tensor,
    out: Tensor,
    bias: Tensor | None = None,
    splitK: int = 0,  # noqa: N803
) -> Tensor:
    """The same of 8 bits, with a scale per row of each matrix: (batch, m, 1) and (batch, 1, n)."""
    none("batched_gemm_a8w8", bias=bias)
    for x, w, of_x, of_w, into in zip(XQ, WQ, x_scale, w_scale, out, strict=True):
        _ops.gemm.out(x, w.t(), scale_a=of_x.contiguous(), scale_b=of_w.contiguous(), out=into)
    return out


def batched_gemm_bf16_CK(  # noqa: N802
    XQ: Tensor,  # noqa: N803
    WQ: Tensor,  # noqa: N803
    bias: Tensor | None = None,
    dtype: torch.dtype = torch.bfloat16,
    splitK: int | None = None,  # noqa: N803
) -> Tensor:
    """(batch, m, k) times (batch, n, k) transposed."""
    none("batched_gemm_bf16_CK", bias=bias)
    return ops.gemm(XQ, WQ.mT, dtype=dtype)
