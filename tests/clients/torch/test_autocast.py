"""torch.autocast and GradScaler on the device: which operators compute in which type."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_products_are_lower_and_sums_are_not(dtype: torch.dtype) -> None:
    x, w = torch.randn(4, 8, device="wavesmith"), torch.randn(6, 8, device="wavesmith")
    with torch.autocast("wavesmith", dtype):
        assert torch.is_autocast_enabled("wavesmith") and torch.get_autocast_dtype("wavesmith") == dtype
        y = functional.linear(x, w, torch.zeros(6, device="wavesmith"))
        assert y.dtype == (x @ w.t()).dtype == torch.einsum("ij,kj->ik", x, w).dtype == dtype
        for result in (y.softmax(-1), y.sum(), functional.layer_norm(y, (6,)), y.exp(), y.norm(), y.log_softmax(-1)):
            assert result.dtype == torch.float32
        assert functional.cross_entropy(y, torch.tensor([0, 1, 2, 3], device="wavesmith")).dtype == torch.float32
        assert torch.cat([y, y.float()]).dtype == torch.addcmul(y, y, y.float()).dtype == torch.float32
        assert y.softmax(-1, dtype=torch.float64).dtype == torch.float64
        assert (x.double() @ w.t().double()).dtype == torch.float64
        assert (x.cpu() @ w.t().cpu()).dtype == torch.float32
        with torch.autocast("wavesmith", enabled=False):
            assert (x @ w.t()).dtype == torch.float32
        with pytest.raises(RuntimeError, match="binary_cross_entropy_with_logits"):
            functional.binary_cross_entropy(y.sigmoid(), torch.ones_like(y))
    torch.testing.assert_close(y.float().cpu(), functional.linear(x.cpu(), w.cpu()), rtol=0.05, atol=0.1)


def test_another_type_is_refused_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="not supported"), torch.autocast("wavesmith", torch.float64):
        assert not torch.is_autocast_enabled("wavesmith")


def test_gradients_are_scaled_and_steps_with_infinities_left_out() -> None:
    weight = torch.ones(4, device="wavesmith", requires_grad=True)
    optimizer, scaler = torch.optim.SGD([weight], lr=1.0), torch.amp.GradScaler("wavesmith", init_scale=1024.0)
    for factor, expected, scale in ((0.5, 0.5, 1024.0), (float("inf"), 0.5, 512.0)):
        optimizer.zero_grad()
        with torch.autocast("wavesmith", torch.float16):
            loss = (weight * factor).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        assert weight.tolist() == [expected] * 4 and scaler.get_scale() == scale


def test_weights_are_cast_once() -> None:
    weight = torch.randn(4, 4, device="wavesmith", requires_grad=True)
    x = torch.randn(2, 4, device="wavesmith")
    with torch.autocast("wavesmith", torch.bfloat16):
        (functional.linear(x, weight) + functional.linear(x, weight)).sum().backward()
    assert weight.grad is not None and weight.grad.dtype == torch.float32
    torch.testing.assert_close(weight.grad.cpu(), 2 * x.sum(0).cpu().expand(4, 4), rtol=0.05, atol=0.05)
