"""GradScaler: gradients and the scale on the device alone, with the CPU's values to the last bit."""

from __future__ import annotations

import pytest
import torch
from comparison import no_fallback

DEVICE = "wavesmith"
pytestmark = pytest.mark.representative


@pytest.mark.parametrize("bad", (None, float("inf"), float("nan")))
def test_gradients_are_unscaled(bad: float | None) -> None:
    gradients = [torch.randn(3, 5), torch.randn(7).half(), torch.randn(()), torch.randn(0), torch.randn(4, 2).t()]
    if bad is not None:
        gradients[1][6] = bad
    found, inverse = torch.zeros(1), torch.full((1,), 2.0**-14 / 3)
    there = [each.to(DEVICE) for each in gradients]
    found_there = found.to(DEVICE)
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse)
    with no_fallback():
        torch._amp_foreach_non_finite_check_and_unscale_(there, found_there, inverse.to(DEVICE))
    assert found_there.item() == found.item() == float(bad is not None)
    for ours, theirs in zip(there, gradients, strict=True):
        torch.testing.assert_close(ours.cpu(), theirs, rtol=0, atol=0, equal_nan=True)


def test_the_scale_grows_and_shrinks() -> None:
    ours = (torch.full((1,), 4.0, device=DEVICE), torch.zeros(1, dtype=torch.int32, device=DEVICE))
    theirs = (torch.full((1,), 4.0), torch.zeros(1, dtype=torch.int32))
    for found, growth in ((0, 2.0), (0, 2.0), (0, 2.0), (1, 2.0), (0, 2.0), (0, 1e38), (0, 2.0), (0, 1e38), (1, 2.0)):
        torch._amp_update_scale_(*theirs, torch.full((1,), float(found)), growth, 0.5, 2)
        with no_fallback():
            torch._amp_update_scale_(*ours, torch.full((1,), float(found), device=DEVICE), growth, 0.5, 2)
        assert [each.item() for each in ours] == [each.item() for each in theirs]
