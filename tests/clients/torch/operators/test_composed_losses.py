"""Losses that are composed: of differences, of probabilities, and with margins."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as functional
from comparison import PIECES, on_both, same_error

pytestmark = pytest.mark.representative

TOLERANCE = 1e-5
HOST = (*PIECES, "aten.clamp")
REDUCTIONS = ("mean", "sum", "none")


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(
    "loss",
    (
        functional.mse_loss,
        functional.smooth_l1_loss,
        lambda x, y, reduction: functional.smooth_l1_loss(x, y, beta=0.3, reduction=reduction),
        functional.huber_loss,
        lambda x, y, reduction: functional.huber_loss(x, y, delta=0.6, reduction=reduction),
    ),
    ids=("square", "smooth_l1", "smooth_l1_beta", "huber", "huber_delta"),
)
def test_differences(loss: object, reduction: str) -> None:
    x, target = torch.randn(5, 7), torch.randn(5, 7)
    target[0, :3] = x[0, :3] + torch.tensor([0.3, -0.6, 0.0])
    on_both(lambda x, y: loss(x, y, reduction=reduction), x, target, tolerance=TOLERANCE, host=HOST)  # type: ignore[operator]


def test_differences_of_halves() -> None:
    for dtype, tolerance in ((torch.float16, 2e-3), (torch.bfloat16, 1.6e-2)):
        x, target = torch.randn(5, 7).to(dtype), torch.randn(5, 7).to(dtype)
        for loss in (functional.mse_loss, functional.smooth_l1_loss, functional.huber_loss):
            on_both(loss, x, target, tolerance=tolerance, host=HOST)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_probabilities(reduction: str) -> None:
    x, target, weight = torch.rand(5, 7), torch.rand(5, 7), torch.rand(7)
    x[0, :2] = torch.tensor([0.0, 1.0])  # whose logarithms are limited

    def call(x: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
        given = weight if weight is None else weight.detach()
        return functional.binary_cross_entropy(x, target.to(x.device, x.dtype), given, reduction=reduction)

    within = x.clamp(0.05, 0.95)
    on_both(call, within, tolerance=TOLERANCE, host=HOST)
    on_both(call, within, weight, tolerance=TOLERANCE, host=HOST)
    on_both(call, x, tolerance=TOLERANCE, gradients=False, host=HOST)
    same_error(lambda x: functional.binary_cross_entropy(x, x[1:].detach()), x)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_margins(reduction: str) -> None:
    target, weight = torch.tensor([3, 0, 2, 2]), torch.rand(5)

    def call(x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None = None, p: int = 1) -> torch.Tensor:
        given = weight if weight is None else weight.detach()
        return functional.multi_margin_loss(x, target, p=p, margin=0.7, weight=given, reduction=reduction)

    x = torch.randn(4, 5)
    for p in (1, 2):
        on_both(lambda x, y, p=p: call(x, y, p=p), x, target, tolerance=TOLERANCE)
        on_both(lambda x, y, w, p=p: call(x, y, w, p), x, target, weight, tolerance=TOLERANCE)
    on_both(call, x[0], target[0], tolerance=TOLERANCE)
