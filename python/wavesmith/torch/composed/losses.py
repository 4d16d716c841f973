"""Losses of the classes of images' elements; gradients of losses that have no decomposition."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import with_out
from wavesmith.torch.composed.results import served, wide

_NONE, _MEAN = 0, 1


def _as_rows(x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    """The classes of each element of images as a row."""
    served(x.dim() == 4 and x.is_floating_point() and target.dtype == torch.int64 and x.shape[1] > 0)
    served(target.shape == (x.shape[0], *x.shape[2:]) and (weight is None or weight.shape == x.shape[1:2]))
    return x.movedim(1, -1).flatten(0, -2)


@with_out("nll_loss2d_forward", "output", "total_weight", overload="output")
def _nll_loss_2d(
    x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None, reduction: int, ignored: int
) -> tuple[torch.Tensor, torch.Tensor]:
    rows = _as_rows(x, target, weight)
    loss, total = torch.ops.aten.nll_loss_forward(rows, target.reshape(-1), weight, reduction, ignored)
    return loss.view(target.shape) if reduction == _NONE else loss, total


@with_out("nll_loss2d_backward", "grad_input")
def _nll_loss_2d_backward(
    grad: torch.Tensor,
    x: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None,
    reduction: int,
    ignored: int,
    total: torch.Tensor,
) -> torch.Tensor:
    rows = _as_rows(x, target, weight)
    served(grad.shape == (target.shape if reduction == _NONE else ()))
    slopes = torch.ops.aten.nll_loss_backward(
        grad.reshape(-1) if reduction == _NONE else grad, rows, target.reshape(-1), weight, reduction, ignored, total
    )
    return slopes.view(*target.shape, x.shape[1]).movedim(-1, 1).contiguous()


def _averaged(losses: torch.Tensor, reduction: int, dtype: torch.dtype) -> torch.Tensor:
    """The rows' losses, their sum, or their mean, which is 0 of none."""
    if reduction != _NONE:
        losses = losses.sum() / (max(len(losses), 1) if reduction == _MEAN else 1)
    return losses.to(dtype)


@with_out("multi_margin_loss")
def _multi_margin(
    x: torch.Tensor,
    target: torch.Tensor,
    p: float = 1,
    margin: float = 1,
    weight: torch.Tensor | None = None,
    reduction: int = _MEAN,
) -> torch.Tensor:
    rows, targets = (x, target) if x.dim() == 2 else (x.reshape(1, -1), target.reshape(-1))
    served(x.dim() <= 2 and p in (1, 2) and rows.shape[1] > 0 and targets.shape == rows.shape[:1])
    served(x.is_floating_point() and target.dtype == torch.int64)
    served(weight is None or (weight.dtype == x.dtype and weight.shape == rows.shape[1:]))
    places, rows = targets[:, None], rows.to(wide(x.dtype))
    beyond = (rows - rows.gather(1, places) + margin).clamp(min=0).scatter(1, places, 0.0)
    losses = (beyond if p == 1 else beyond * beyond).sum(1) / rows.shape[1]
    if weight is not None:
        losses = losses * weight[targets]
    return _averaged(losses, reduction, x.dtype).view(target.shape if reduction == _NONE else ())


@with_out("multi_margin_loss_backward", "grad_input")
def _multi_margin_backward(
    grad: torch.Tensor,
    x: torch.Tensor,
    target: torch.Tensor,
    p: float,
    margin: float,
    weight: torch.Tensor | None = None,
    reduction: int = _MEAN,
) -> torch.Tensor:
    rows, targets = (x, target) if x.dim() == 2 else (x.reshape(1, -1), target.reshape(1))
    served(x.dim() <= 2 and p in (1, 2) and rows.shape[1] > 0 and targets.shape == rows.shape[:1])
    served(x.is_floating_point() and target.dtype == torch.int64)
    places = targets[:, None]
    beyond = rows - rows.gather(1, places) + margin
    slopes = torch.where(beyond > 0, 1.0 if p == 1 else 2 * beyond, 0.0).to(x.dtype)
    slopes = slopes.scatter(1, places, 0.0)
    if weight is not None:
        slopes *= weight[targets][:, None]
    slopes = slopes.scatter(1, places, -slopes.sum(1, keepdim=True))
    slopes /= rows.shape[1] * (rows.shape[0] if reduction == _MEAN else 1)
    return (slopes * (grad.reshape(-1, 1) if reduction == _NONE else grad)).view(x.shape)


_Pairs = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def _pairs(x: torch.Tensor, target: torch.Tensor) -> _Pairs:
    """Of rows: the classes' numbers, each target's class, whether it is one, and by how much pairs are too near.

    Targets are those before the first -1; a pair is a target and a class.
    """
    most = 1 << 24  # pairs, of which all are in memory
    classes = x.shape[-1] if x.dim() else 1
    served(x.dim() <= 2 and classes > 0 and target.shape == x.shape)
    served(x.is_floating_point() and target.dtype == torch.int64 and x.numel() * classes <= most)
    rows, targets = (one.reshape(-1, classes) for one in (x.to(wide(x.dtype)), target))
    is_one = (targets >= 0).long().cumprod(1) > 0
    places = targets.clamp(min=0)
    return rows, places, is_one, 1 - rows.gather(1, places)[:, :, None] + rows[:, None, :]


@with_out("multilabel_margin_loss_forward", "output", "is_target", overload="output")
def _multilabel_margin(x: torch.Tensor, target: torch.Tensor, reduction: int) -> tuple[torch.Tensor, torch.Tensor]:
    rows, places, is_one, near = _pairs(x, target)
    is_target = torch.zeros_like(rows).scatter_add(1, places, is_one.to(rows.dtype)).clamp(max=1)
    counts = is_one[:, :, None] & (is_target == 0)[:, None, :]
    losses = torch.where(counts, near.clamp(min=0), 0.0).sum((1, 2)) / rows.shape[1]
    averaged = _averaged(losses, reduction, x.dtype)
    return averaged.view(x.shape[:-1] if reduction == _NONE else ()), is_target.to(x.dtype).view(target.shape)


@with_out("multilabel_margin_loss_backward", "grad_input")
def _multilabel_margin_backward(
    grad: torch.Tensor, x: torch.Tensor, target: torch.Tensor, reduction: int, is_target: torch.Tensor
) -> torch.Tensor:
    """Each pair of a target and a class that is none, where too near, pushes both apart."""
    served(is_target.shape == x.shape)
    rows, places, is_one, near = _pairs(x, target)
    kept = is_target.reshape(rows.shape)
    pairs = ((near > 0) & is_one[:, :, None] & (kept == 0)[:, None, :]).to(rows.dtype)
    slopes = pairs.sum(1).scatter_add(1, places, -pairs.sum(2))
    slopes /= rows.shape[1] * (rows.shape[0] if reduction == _MEAN else 1)
    return (slopes * (grad.reshape(-1, 1) if reduction == _NONE else grad)).to(x.dtype).view(x.shape)
