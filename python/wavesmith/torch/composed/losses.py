"""Losses of the classes of images' elements; results that are given to the losses of `native/losses`."""

from __future__ import annotations

import torch

from wavesmith.torch._outputs import given_results, with_out
from wavesmith.torch.composed.results import served

given_results("binary_cross_entropy")
given_results("binary_cross_entropy_backward", "grad_input")
given_results("multi_margin_loss")
given_results("multi_margin_loss_backward", "grad_input")
given_results("multilabel_margin_loss_forward", "output", "is_target", overload="output")
given_results("multilabel_margin_loss_backward", "grad_input")

_NONE = 0


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
