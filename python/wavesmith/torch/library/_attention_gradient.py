"""The gradient of attention: a kernel's, which keeps no scores in memory.

What it does not take (gradients of the log-sum-exp, second gradients) is composed of PyTorch's operators: the weights
are computed again from the log-sum-exp, in float32 and all at once.

With P the weights, dP = dO V^T, and `own` d(lse) minus the sum of dO * O over a head's elements:

    dV = P^T dO      dS = P * (dP + own)      dQ = scale dS' K      dK = scale dS'^T Q

where dS' is dS times the derivative of the cap. A sink's weight exp(sink - lse) has no value: its gradient is the sum
over queries of that weight times `own`.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

_ops = torch.ops.wavesmith


def setup(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    """Keeps what the gradient needs."""
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*inputs, *output)
    ctx.words = keyword_only_inputs


def backward(ctx: Any, gradient: Tensor | None, of_lse: Tensor | None) -> Any:
    """The gradients of q, k, v and the sinks."""
    out, lse = ctx.saved_tensors[-2:]
    if gradient is None:
        gradient = torch.zeros_like(out)
    if of_lse is None and not torch.is_grad_enabled():
        return _by_kernel(ctx, gradient)
    return _composed(ctx, gradient, torch.zeros_like(lse) if of_lse is None else of_lse)


def _by_kernel(ctx: Any, gradient: Tensor) -> Any:
    q, k, v, slopes, sinks, ends_q, ends_k, out, lse = ctx.saved_tensors
    if gradient.stride(-1) != 1:
        gradient = gradient.contiguous()
    results = _ops._attention_backward(gradient, out, lse, q, k, v, slopes, sinks, ends_q, ends_k, **ctx.words)
    of_sinks = None
    if sinks is not None and ctx.needs_input_grad[4]:
        own = -(gradient.float() * out.float()).sum(-1).transpose(-1, -2)
        of_sinks = torch.exp(sinks[:, None] - lse) * own
        if ends_q is not None:  # queries in no sequence have no results
            of_sinks = torch.where(torch.arange(q.shape[0], device=q.device) < ends_q[-1], of_sinks, 0.0)
        of_sinks = of_sinks.sum([d for d in range(of_sinks.dim()) if d != of_sinks.dim() - 2])
    return (*results, None, of_sinks, None, None)


def _composed(ctx: Any, gradient: Tensor, of_lse: Tensor) -> Any:
    q, k, v, slopes, sinks, ends_q, ends_k, out, lse = ctx.saved_tensors
    words = ctx.words
    packed = ends_q is not None
    if packed:
        q, k, v, out, lse, gradient, of_lse = (one[None] for one in (q, k, v, out, lse, gradient, of_lse))
        ahead, visible = _packed(ends_q, ends_k, q.shape[1], k.shape[1])
        inside = torch.arange(q.shape[1], device=q.device) < ends_q[-1]
    else:
        ahead = torch.arange(q.shape[1], device=q.device)[:, None] - torch.arange(k.shape[1], device=q.device)
        ahead = ahead + (k.shape[1] - q.shape[1])
        visible = torch.ones_like(ahead, dtype=torch.bool)
        inside = torch.ones(q.shape[1], dtype=torch.bool, device=q.device)
    scale = words["softmax_scale"]
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    shared = q.shape[2] // k.shape[2]
    of_q, of_k, of_v, of_o, o = (one.float().transpose(1, 2) for one in (q, k, v, gradient, out))
    of_k, of_v = (one.repeat_interleave(shared, 1) for one in (of_k, of_v))

    raw = of_q @ of_k.mT * scale
    cap = words["softcap"]
    bend = torch.tanh(raw / cap) if cap else raw
    scores = cap * bend if cap else raw
    if slopes is not None:
        sequence = _sequence(ends_q, q.shape[1]) if packed else None
        scores = scores - _slopes(slopes, sequence) * ahead.abs()
    visible = visible & _window(ahead, words)
    # A query that sees no key has a log-sum-exp of minus infinity, or its sink.
    weights = torch.where(visible & lse.isfinite()[..., None], torch.exp(scores - lse[..., None]), 0.0)

    # Queries in no sequence have no results: what is there may be NaN.
    own = torch.where(inside, of_lse - (of_o * o).sum(-1), 0.0)
    below = weights * (of_o @ of_v.mT + own[..., None])
    inner = (below * (1 - bend * bend) if cap else below) * scale
    results = (
        inner @ of_k,
        _shared(inner.mT @ of_q, shared),
        _shared(weights.mT @ of_o, shared),
    )
    of_sinks = None
    if sinks is not None:
        of_sinks = (torch.where(inside, torch.exp(sinks[None, :, None] - lse), 0.0) * own).sum((0, 2))
    gradients = [one.transpose(1, 2).to(q.dtype) for one in results]
    return (*(one[0] if packed else one for one in gradients), None, of_sinks, None, None)


def _shared(gradient: Tensor, shared: int) -> Tensor:
    """The sum over the heads of queries that share one of keys."""
    batch, heads, *rest = gradient.shape
    return gradient.reshape(batch, heads // shared, shared, *rest).sum(2)


def _window(ahead: Tensor, words: dict[str, Any]) -> Tensor:
    """Which keys are in sight: `ahead` is how far a query is behind a key."""
    left, right = words["window_left"], words["window_right"]
    if words["causal"]:
        right = 0
    visible = torch.ones_like(ahead, dtype=torch.bool)
    if left >= 0:
        visible = visible & (ahead <= left)
    if right >= 0:
        visible = visible & (ahead >= -right)
    return visible


def _sequence(ends: Tensor, positions: int) -> Tensor:
    """The number of the sequence that each position is of."""
    numbers = torch.arange(positions, device=ends.device, dtype=ends.dtype)
    return (numbers[:, None] >= ends[1:]).sum(1).clamp(max=ends.shape[0] - 2)


def _packed(ends_q: Tensor, ends_k: Tensor, total_q: int, total_k: int) -> tuple[Tensor, Tensor]:
    """How far each query is behind each key, and whether both are of one sequence."""
    of_q, of_k = _sequence(ends_q, total_q), _sequence(ends_k, total_k)
    numbers_q = torch.arange(total_q, device=ends_q.device)
    numbers_k = torch.arange(total_k, device=ends_q.device)
    # Both ends of a sequence are aligned: positions are counted from there.
    behind_q, behind_k = numbers_q - ends_q[1:][of_q], numbers_k - ends_k[1:][of_k]
    same = (of_q[:, None] == of_k) & (numbers_q < ends_q[-1])[:, None] & (numbers_k < ends_k[-1])
    return behind_q[:, None] - behind_k, same


def _slopes(slopes: Tensor, sequence: Tensor | None) -> Tensor:
    """As they are multiplied with (batch, heads, queries, keys)."""
    if slopes.dim() == 1:
        return slopes[None, :, None, None]
    if sequence is None:
        return slopes[:, :, None, None]
    return slopes[sequence].t()[None, :, :, None]
