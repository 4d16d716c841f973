"""Losses of pairs of numbers and of classes with margins, and their gradients, beside the CPU in double precision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from comparison import no_fallback, on_both, same_error

pytestmark = pytest.mark.representative

Tensor = torch.Tensor

PAIRS: dict[str, Callable[..., Tensor]] = {
    "mse_loss": functional.mse_loss,
    "smooth_l1_loss": lambda x, t, **named: functional.smooth_l1_loss(x, t, beta=0.7, **named),
    "smooth_l1_loss of 0": lambda x, t, **named: functional.smooth_l1_loss(x, t, beta=0.0, **named),
    "huber_loss": lambda x, t, **named: functional.huber_loss(x, t, delta=0.7, **named),
}
REDUCTIONS = ("none", "mean", "sum")


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", PAIRS)
def test_differences(name: str, reduction: str) -> None:
    for shape in ((6, 5), (), (0, 3)):
        if shape != (0, 3) or reduction != "mean":
            x, target = torch.randn(shape), torch.randn(shape)
            on_both(lambda *both: PAIRS[name](*both, reduction=reduction), x, target, tolerance=1e-6, host=())


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_binary_cross_entropy(reduction: str) -> None:
    """Of 0 and 1 too, whose logarithms are bounded."""
    x, target, weight = torch.rand(6, 5), torch.rand(6, 5), torch.rand(5)
    x[0, 0], x[1, 1] = 0.0, 1.0

    def loss(x: Tensor, weight: Tensor | None = None) -> Tensor:
        there = target.to(x.device, x.dtype)
        given = None if weight is None else weight.detach()
        return functional.binary_cross_entropy(x, there, given, reduction=reduction)

    on_both(loss, x, tolerance=1e-5, host=())
    on_both(loss, x, weight, tolerance=1e-5, host=())


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_margins_of_classes(reduction: str) -> None:
    x, weight, classes = torch.randn(6, 5), torch.rand(5), torch.randint(0, 5, (6,))
    several = torch.stack([torch.randperm(5) for _ in range(6)])
    several[:, 2], several[0, 0] = -1, -1

    def one(x: Tensor, classes: Tensor, p: int = 1, weighs: bool = False) -> Tensor:
        weights = weight.to(x.device, x.dtype) if weighs else None
        return functional.multi_margin_loss(x, classes, p, 0.7, weights, reduction=reduction)

    def many(x: Tensor, classes: Tensor) -> Tensor:
        return functional.multilabel_margin_loss(x, classes, reduction=reduction)

    on_both(one, x, classes, tolerance=1e-6, host=())
    on_both(lambda x, c: one(x, c, p=2, weighs=True), x, classes, tolerance=1e-6, host=())
    on_both(one, x[0], classes[0], tolerance=1e-6, host=())
    on_both(many, x, several, tolerance=1e-6, host=())
    on_both(many, x[1], several[1], tolerance=1e-6, host=())
    with no_fallback():
        for loss, target in ((one, classes[:0]), (many, several[:0])):
            none = x[:0].to("wavesmith").requires_grad_()
            made = loss(none, target.to("wavesmith"))
            made.sum().backward()
            assert not made.sum().item() and none.grad is not None and none.grad.shape == (0, 5)


def test_halves_are_computed_in_floats() -> None:
    x, target = torch.rand(64, 64).bfloat16(), torch.rand(64, 64).bfloat16()
    for loss in (functional.mse_loss, functional.binary_cross_entropy, functional.huber_loss):
        ours = loss(x.to("wavesmith"), target.to("wavesmith"))
        assert ours.dtype == torch.bfloat16
        torch.testing.assert_close(ours.cpu().double(), loss(x.double(), target.double()), rtol=2**-8, atol=0)


def test_what_is_refused() -> None:
    ones = torch.ones(2, 3)
    same_error(functional.binary_cross_entropy, ones * 1.5, ones)
    same_error(lambda x, t: functional.smooth_l1_loss(x, t, beta=-1), ones, ones)
    same_error(lambda x, t: functional.huber_loss(x, t, delta=0), ones, ones)
    same_error(functional.multi_margin_loss, ones, torch.ones(3, dtype=torch.int64))
    same_error(functional.multilabel_margin_loss, ones, torch.ones(2, 2, dtype=torch.int64))
