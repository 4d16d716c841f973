"""The gradients of EmbeddingBag (`native/layers/bags.cc`), and rows of embeddings with norms that are too large."""

from __future__ import annotations

from typing import Any

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served, wide

_SUM, _MEAN, _MAXIMUM = 0, 1, 2


@operator("_embedding_bag_dense_backward")
def _dense_backward(
    grad: torch.Tensor,
    indices: torch.Tensor,
    offset2bag: torch.Tensor,
    bag_size: torch.Tensor,
    maximum_indices: torch.Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: torch.Tensor | None,
    padding_idx: int = -1,
) -> torch.Tensor:
    served(grad.is_floating_point() and grad.dim() == 2)
    sums = torch.zeros((num_weights + 1, grad.shape[1]), dtype=wide(grad.dtype), device=grad.device)
    if not grad.numel() or not indices.numel():
        return sums[:num_weights].to(grad.dtype)
    if mode == _MAXIMUM:
        places = torch.where(maximum_indices < 0, num_weights, maximum_indices)  # of no entry: the row behind
        return sums.scatter_add_(0, places, grad.to(sums.dtype))[:num_weights].to(grad.dtype)
    indices = indices.long()
    places = indices if padding_idx < 0 else torch.where(indices == padding_idx, num_weights, indices)
    shares: Any = per_sample_weights
    if mode == _MEAN:
        shares = bag_size.clamp(min=1).to(sums.dtype).reciprocal()[offset2bag]
    if scale_grad_by_freq:
        counts = torch.zeros(num_weights + 1, dtype=sums.dtype, device=grad.device)
        ones = torch.ones((), dtype=sums.dtype, device=grad.device).expand(places.shape)
        frequency = counts.index_add_(0, places, ones)[places]
        shares = frequency.reciprocal() if shares is None else shares / frequency
    rows = grad.to(sums.dtype)[offset2bag]
    if shares is not None:
        rows = rows * shares.to(sums.dtype)[:, None]
    return sums.index_add_(0, places, rows)[:num_weights].to(grad.dtype)


@operator("_embedding_bag_backward")
def _backward(
    grad: torch.Tensor,
    indices: torch.Tensor,
    offsets: torch.Tensor,
    offset2bag: torch.Tensor,
    bag_size: torch.Tensor,
    maximum_indices: torch.Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: torch.Tensor | None,
    padding_idx: int = -1,
) -> torch.Tensor:
    if sparse:
        served(mode != _MAXIMUM)
        made: torch.Tensor = torch.ops.aten._embedding_bag_sparse_backward(
            grad, indices, offsets, offset2bag, bag_size, num_weights, scale_grad_by_freq, mode, per_sample_weights,
            padding_idx,
        )  # fmt: skip
        return made
    return _dense_backward(
        grad, indices, offset2bag, bag_size, maximum_indices, num_weights, scale_grad_by_freq, mode,
        per_sample_weights, padding_idx,
    )  # fmt: skip


@operator("_embedding_bag_per_sample_weights_backward")
def _weights_backward(
    grad: torch.Tensor,
    weight: torch.Tensor,
    indices: torch.Tensor,
    offsets: torch.Tensor,
    offset2bag: torch.Tensor,
    mode: int,
    padding_idx: int = -1,
) -> torch.Tensor:
    served(mode == _SUM and grad.is_floating_point())
    products = grad[offset2bag] * weight[indices]
    shares = products.sum(1, dtype=wide(grad.dtype)).to(grad.dtype)
    return shares if padding_idx < 0 else torch.where(indices == padding_idx, 0, shares)


@operator("embedding_renorm_")
def _renorm(weight: torch.Tensor, indices: torch.Tensor, max_norm: float, norm_type: float) -> torch.Tensor:
    served(weight.dim() == 2 and weight.is_floating_point() and indices.dtype in (torch.int32, torch.int64))
    if indices.numel():
        named = indices.reshape(-1).long()
        rows = weight[named]
        norms = torch.linalg.vector_norm(rows, norm_type, 1, True, dtype=wide(weight.dtype))
        scales = torch.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
        weight.index_put_((named,), (rows * scales).to(weight.dtype))  # one that is named twice gets the same twice
    return weight
