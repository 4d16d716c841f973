"""Losses of pairs of numbers, and the gradients of these, computed in F32 of halves.

PyTorch has one kernel for each, and no decomposition of its own that a device could use.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from wavesmith.torch._library import Refused
from wavesmith.torch._outputs import with_out
from wavesmith.torch._streams import is_current_stream_capturing
from wavesmith.torch.composed.results import served, wide

_MEAN, _SUM = 1, 2


def _pair(x: torch.Tensor, target: torch.Tensor, *others: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Both in the type that computes; the host has PyTorch's words for what does not go together."""
    served(x.is_floating_point() and x.dtype == target.dtype and x.shape == target.shape)
    served(all(each is None or (each.dtype == x.dtype and each.device == x.device) for each in (target, *others)))
    return x.to(wide(x.dtype)), target.to(wide(x.dtype))


def _reduced(loss: torch.Tensor, reduction: int, dtype: torch.dtype) -> torch.Tensor:
    reduced = loss.mean() if reduction == _MEAN else loss.sum() if reduction == _SUM else loss
    return reduced.to(dtype)


def _slope(
    slope: torch.Tensor, grad: torch.Tensor, reduction: int, dtype: torch.dtype, times: float = 1
) -> torch.Tensor:
    """The slope times the gradient, which is one number but where nothing was reduced, and `times`."""
    factor = times / slope.numel() if reduction == _MEAN and slope.numel() else times
    grad = grad.to(slope.dtype)
    return (slope * (grad if factor == 1 else grad * factor)).to(dtype)


@with_out("mse_loss_backward", "grad_input")
def _mean_square_backward(grad: torch.Tensor, x: torch.Tensor, target: torch.Tensor, reduction: int) -> torch.Tensor:
    a, b = _pair(x, target, grad)
    return _slope(a - b, grad, reduction, x.dtype, times=2)


def _bounded(name: str, out: str, least: Callable[[float], bool], of: Callable[..., torch.Tensor]) -> None:
    """A loss of a difference, with a parameter that decides where it is no more a square."""

    def forward(x: torch.Tensor, target: torch.Tensor, reduction: int = _MEAN, bound: float = 1.0) -> torch.Tensor:
        if not least(bound):
            raise Refused
        a, b = _pair(x, target)
        return _reduced(of(a - b, bound, False), reduction, x.dtype)

    def backward(
        grad: torch.Tensor, x: torch.Tensor, target: torch.Tensor, reduction: int, bound: float
    ) -> torch.Tensor:
        a, b = _pair(x, target, grad)
        return _slope(of(a - b, bound, True), grad, reduction, x.dtype)

    with_out(name)(forward)
    with_out(f"{name}_backward", "grad_input", overload=out)(backward)


def _smooth(difference: torch.Tensor, beta: float, slope: bool) -> torch.Tensor:
    if slope:
        beyond = torch.where(difference >= beta, 1.0, difference / beta if beta else difference)
        return torch.where(difference <= -beta, -1.0, beyond)
    size = difference.abs()
    return torch.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta) if beta else size


def _huber(difference: torch.Tensor, delta: float, slope: bool) -> torch.Tensor:
    if slope:
        return difference.clamp(-delta, delta)
    size = difference.abs()
    return torch.where(size <= delta, 0.5 * size * size, delta * (size - 0.5 * delta))


_bounded("smooth_l1_loss", "grad_input", lambda beta: beta >= 0, _smooth)
_bounded("huber_loss", "out", lambda delta: delta > 0, _huber)


@with_out("binary_cross_entropy")
def _binary_cross_entropy(
    x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, reduction: int = _MEAN
) -> torch.Tensor:
    a, b = _pair(x, target, weight)
    if not is_current_stream_capturing() and not bool(((a >= 0) & (a <= 1)).all()):
        raise Refused
    loss = (b - 1) * (-a).log1p().clamp(min=-100) - b * a.log().clamp(min=-100)
    return _reduced(loss if weight is None else loss * weight, reduction, x.dtype)


@with_out("binary_cross_entropy_backward", "grad_input")
def _binary_cross_entropy_backward(
    grad: torch.Tensor,
    x: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    reduction: int = _MEAN,
) -> torch.Tensor:
    a, b = _pair(x, target, weight, grad)
    slope = (a - b) / ((1 - a) * a).clamp(min=1e-12)
    return _slope(slope if weight is None else slope * weight, grad, reduction, x.dtype)
