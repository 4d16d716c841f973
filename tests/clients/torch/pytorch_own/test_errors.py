"""What the device refuses, with PyTorch's words: of PyTorch's own list, and types that no kernel of PyTorch's takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

pytest.importorskip("expecttest", reason="PyTorch's test library needs it")

from opinfos import operators, wrong_errors

from wavesmith.torch import _compiled

DEVICE = "wavesmith"


@pytest.mark.filterwarnings("ignore")
def test_pytorchs_own_list() -> None:
    tried, wrong = 0, {}
    for op in operators():
        count, differ = wrong_errors(op)
        tried += count
        if differ:
            wrong[op.full_name] = differ
    assert tried > 600
    assert not wrong


def _ints() -> torch.Tensor:
    return torch.arange(6, device=DEVICE).view(2, 3)


@pytest.mark.representative
@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.softmax(-1),
        lambda x: functional.gelu(x),
        lambda x: torch.logaddexp(x, x),
        lambda x: functional.nll_loss(x, x[:, 0]),
        lambda x: functional.layer_norm(x, (3,), None, None),
        lambda x: torch.fmod(x > 2, x > 1),
        lambda x: torch.clamp(x > 2, x > 1, x > 0),
        lambda x: (x > 2) << (x > 1),
        lambda x: torch.addcmul(x > 2, x > 1, x > 0),
    ],
)
def test_types_that_no_kernel_takes(call: Callable[[torch.Tensor], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """With compiled code, which could compute them; twice, the second time by what is known of the operator."""
    monkeypatch.setattr(_compiled, "enabled", True)
    for _ in range(2):
        with pytest.raises(NotImplementedError, match="not implemented for '(Long|Bool)'"):
            call(_ints())


@pytest.mark.representative
def test_values_and_memory() -> None:
    x, rows = torch.ones(2, 3, device=DEVICE), torch.tensor([0, 1], device=DEVICE)
    for call, text in (
        (lambda: x.masked_fill(x > 0, 1j), "value cannot be converted to type float without overflow"),
        (lambda: x.byte().masked_fill(x > 0, 300), "value cannot be converted to type uint8_t without overflow"),
        (lambda: torch.full((), 300, dtype=torch.int8, device=DEVICE), "type int8_t without overflow"),
        (lambda: x.half().fill_(1e6), "type c10::Half without overflow"),
        (lambda: torch._C._nn.log_sigmoid(x, out=torch.empty_like(x).long()), "type Float but found Long"),
        (lambda: torch.addbmm(x[:, :2], x[None, :, :2], x[None, :, :2], out=torch.ones(2, 2)), "on the same device"),
        (lambda: torch.addr(x, x[:, 0], x[0], out=torch.ones(2, 3)), "to have device"),
        (lambda: functional.gelu(x, approximate="tan"), "approximate argument must be either none or tanh"),
        (lambda: torch.index_select(x, 0, rows, out=x[:1].expand(2, 3)), "unsupported operation"),
        (lambda: torch.index_select(x, 0, rows, out=x), "unsupported operation"),
    ):
        with pytest.raises(RuntimeError, match=re.escape(text)):
            call()


@pytest.mark.representative
def test_types_that_are_taken_still_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compiled, "enabled", True)
    x = _ints()
    assert x.sort(descending=True).values[0].tolist() == [2, 1, 0]
    assert x.cumsum(1)[1].tolist() == [3, 7, 12]
    assert torch.trace(x[:, :2] > 0).item() == 1
    assert x.clamp(1, 4).sum().item() == 15
