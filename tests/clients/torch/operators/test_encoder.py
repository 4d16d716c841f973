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
