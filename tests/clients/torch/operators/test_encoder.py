"""nn.TransformerEncoderLayer at inference, by kernels alone."""

from __future__ import annotations

import copy

import pytest
import torch


@pytest.mark.representative
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize(("activation", "dtype"), [("relu", torch.float32), ("gelu", torch.bfloat16)])
def test_inference(by_kernels: None, norm_first: bool, activation: str, dtype: torch.dtype) -> None:
    theirs = torch.nn.TransformerEncoderLayer(
        64, 4, 128, 0.0, activation, batch_first=True, norm_first=norm_first
    ).eval()
    ours = copy.deepcopy(theirs).to("wavesmith", dtype)
    x = torch.randn(2, 9, 64).to(dtype).float()
    with torch.inference_mode():
        bound = 1e-5 if dtype == torch.float32 else 0.1
        torch.testing.assert_close(ours(x.to("wavesmith", dtype)).cpu().float(), theirs(x), rtol=bound, atol=bound)


@pytest.mark.parametrize("numbers", [False, True])
def test_masks(by_kernels: None, numbers: bool) -> None:
    """Of elements, of keys, and both; a row that sees nothing has no attention, as where PyTorch trains."""
    theirs = torch.nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True).train()
    ours = copy.deepcopy(theirs).to("wavesmith").eval()
    x = torch.randn(2, 9, 64)
    later, behind = torch.ones(9, 9).triu(1) > 0, torch.zeros(2, 9) > 0
    behind[0, 6:] = behind[1] = True
    if numbers:
        later, behind = (torch.zeros(each.shape).masked_fill(each, float("-inf")) for each in (later, behind))
    with torch.inference_mode():
        for mask, keys in ((later, None), (None, behind), (later, behind)):
            there = [None if each is None else each.to("wavesmith") for each in (mask, keys)]
            torch.testing.assert_close(
                ours(x.to("wavesmith"), *there).cpu(), theirs(x, mask, keys), rtol=1e-5, atol=1e-5
            )
