"""Rotary embedding of (length, batch, heads, size) by AITER's names."""

from __future__ import annotations

import torch
from torch import Tensor

import wavesmith.ops  # noqa: F401  whose operators are called
from wavesmith.aiter._refusals import refuse

_ops = torch.ops.wavesmith


def _turned(
    input: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor | None,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    length, batches, heads, size = input.shape
    cos, sin = (one.reshape(-1, one.shape[-1]) for one in (cos, sin))
    if not reuse_freqs_front_part:  # each of a pair has its own, equal to the other's
        cos, sin = (one[:, 0::2] if rotate_style == 1 else one[:, : one.shape[1] // 2] for one in (cos, sin))
    cos, sin = cos.contiguous(), sin.contiguous()
    if nope_first and 2 * cos.shape[1] != size:
        refuse("what is not rotated lies behind what is (nope_first)")
    if positions is None:
        positions = torch.arange(length, device=input.device)[:, None].expand(length, batches)
    heads_of = input.reshape(length * batches, heads, size)
    result = _ops.rope(heads_of, cos, sin, positions.reshape(-1).contiguous(), interleaved=rotate_style == 1)
    result = result.view(input.shape)
    return result.transpose(0, 1).contiguous().transpose(0, 1) if transpose_output else result


def rope_fwd(
    input: Tensor,
    freqs: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    """By angles of shape (length, 1, 1, size / 2), or size; rotate_style 0 is GPT-NeoX's, 1 GPT-J's."""
    words = (rotate_style, reuse_freqs_front_part, nope_first, transpose_output)
    return _turned(input, freqs.float().cos(), freqs.float().sin(), None, *words)


def rope_cached_fwd(
    input: Tensor,
    cos: Tensor,
    sin: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    """By cosines and sines of shape (length, 1, 1, size / 2), or size."""
    return _turned(input, cos, sin, None, rotate_style, reuse_freqs_front_part, nope_first, transpose_output)


def rope_cached_positions_fwd(
    input: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
    transpose_output: bool = False,
) -> Tensor:
    """By the rows that positions, (length, batch), name."""
    return _turned(input, cos, sin, positions, rotate_style, reuse_freqs_front_part, nope_first, transpose_output)


def rope_cached_positions_2c_fwd_inplace(
    input_x: Tensor,
    input_y: Tensor,
    cos: Tensor,
    sin: Tensor,
    positions: Tensor,
    rotate_style: int,
    reuse_freqs_front_part: bool,
    nope_first: bool,
) -> None:
    """The same of two tensors, in their places."""
    for one in (input_x, input_y):
        one.copy_(_turned(one, cos, sin, positions, rotate_style, reuse_freqs_front_part, nope_first))


def rotary_embedding_fwd(
    positions: Tensor,
    query: Tensor,
    key: Tensor,
    head_size: int,
    cos_cache: Tensor,
    sin_cache: Tensor,
    is_neox: bool,
    is_nope_first: bool,
) -> None:
    """Of tokens with the positions given, (..., heads * head_size), in the places of query and key."""
    for one in (query, key):
        heads = one.view(positions.numel(), 1, -1, head_size)
        at = positions.reshape(-1, 1)
        heads.copy_(_turned(heads, cos_cache, sin_cache, at, 0 if is_neox else 1, True, is_nope_first))
