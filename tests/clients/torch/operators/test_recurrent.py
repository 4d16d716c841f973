"""LSTMs and GRUs on the device against the CPU, with their gradients."""

from __future__ import annotations

import copy

import pytest
import torch

pytestmark = pytest.mark.representative


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("bias", [True, False])
def test_layers_are_as_on_the_cpu(kind: type[torch.nn.Module], bias: bool) -> None:
    theirs = kind(5, 7, num_layers=2, bias=bias, bidirectional=True)
    ours = copy.deepcopy(theirs).to("wavesmith")
    x = torch.randn(4, 3, 5)
    outputs = []
    for module, device in ((theirs, "cpu"), (ours, "wavesmith")):
        given = x.to(device).detach().requires_grad_()
        y, state = module(given)
        (y.sin().sum() + (state[1] if isinstance(state, tuple) else state).cos().sum()).backward()
        outputs.append([y, given.grad, *(parameter.grad for parameter in module.parameters())])
    for expected, got in zip(*outputs, strict=True):
        torch.testing.assert_close(got.cpu(), expected, rtol=1e-4, atol=1e-5)


def test_cells_alone() -> None:
    for kind in (torch.nn.LSTMCell, torch.nn.GRUCell):
        cell = kind(3, 4)
        expected = cell(torch.ones(2, 3))
        got = cell.to("wavesmith")(torch.ones(2, 3, device="wavesmith"))
        pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
        for ours, theirs in pairs:
            torch.testing.assert_close(ours.cpu(), theirs)
