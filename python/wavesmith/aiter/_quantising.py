"""Quantising by AITER's names."""

from __future__ import annotations

import torch
from torch import Tensor

import wavesmith.ops  # noqa: F401  whose operators are called
from wavesmith.aiter._refusals import none, refuse

_ops = torch.ops.wavesmith


def static_per_tensor_quant(out: Tensor, input: Tensor, scale: Tensor) -> None:
    """The input divided by one scale."""
    _ops.quantise_with.out(input, scale, dtype=out.dtype, out=out)


def dynamic_per_tensor_quant(out: Tensor, input: Tensor, scale: Tensor) -> None:
    """One scale for all, which is written."""
    _ops.quantise.out(input, dtype=out.dtype, scaling="matrix", out=out, scales=scale.view(1))


def dynamic_per_token_scaled_quant(
    out: Tensor,
    input: Tensor,
    scales: Tensor,
    scale_ub: Tensor | None = None,
    shuffle_scale: bool = False,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> None:
    """A scale per row, which is written."""
    none("dynamic_per_token_scaled_quant", scale_ub=scale_ub, shuffle_scale=shuffle_scale, num_rows=num_rows)
    scales = scales.view(*input.shape[:-1], 1)
    _ops.quantise.out(input, dtype=out.dtype, scaling="row", out=out.view(input.shape), scales=scales)


def dynamic_per_group_scaled_quant_fp4(
    out: Tensor,
    input: Tensor,
    scales: Tensor,
    group_size: int | None = 32,
    shuffle_scale: bool = True,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> None:
    """MXFP4: a scale of e8m0 per 32 numbers."""
    none("dynamic_per_group_scaled_quant_fp4", shuffle_scale=shuffle_scale, num_rows=num_rows)
    if group_size != 32:
        refuse("dynamic_per_group_scaled_quant_fp4 has groups of 32")
    _ops.quantise.out(
        input, dtype=torch.uint8, scaling="mx", out=out.view(torch.uint8), scales=scales.view(torch.uint8)
    )


def per_token_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.int8,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """The quantised tensor, and a scale per row."""
    none("per_token_quant_hip", scale=scale, num_rows=num_rows)
    return _ops.quantise(x, dtype=quant_dtype, scaling="row")


def per_group_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.int8,
    group_size: int = 128,
    transpose_scale: bool = False,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """The quantised tensor, and a scale per group of a row."""
    none("per_group_quant_hip", scale=scale, transpose_scale=transpose_scale, num_rows=num_rows)
    return _ops.quantise(x, dtype=quant_dtype, scaling="block", block=group_size)


def per_tensor_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.int8,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """The quantised tensor, and its scale: the one that is given, or one that is computed."""
    none("per_tensor_quant_hip", num_rows=num_rows)
    if scale is not None:
        return _ops.quantise_with(x, scale, dtype=quant_dtype), scale.view(1)
    return _ops.quantise(x, dtype=quant_dtype, scaling="matrix")


def per_1x32_f4_quant_hip(
    x: Tensor,
    scale: Tensor | None = None,
    quant_dtype: torch.dtype = torch.float4_e2m1fn_x2,
    shuffle: bool = False,
    num_rows: Tensor | None = None,
    num_rows_factor: int = 1,
) -> tuple[Tensor, Tensor]:
    """MXFP4: two numbers in each byte, and their scales as float8_e8m0fnu."""
    none("per_1x32_f4_quant_hip", scale=scale, shuffle=shuffle, num_rows=num_rows)
    q, scales = _ops.quantise(x, dtype=torch.uint8, scaling="mx")
    return q.view(quant_dtype), scales.view(torch.float8_e8m0fnu)
