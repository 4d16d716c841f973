"""The cells of LSTMs and GRUs, which PyTorch asks of a GPU in one piece each: composed of other operators.

Gates lie side by side in the second dimension: input, forget, cell and output of an LSTM; reset, update and new of a
GRU.
"""

from __future__ import annotations

from typing import Any

import torch

from wavesmith.torch._name import KEY

Tensor = torch.Tensor


def _with(gates: Tensor, bias: Tensor | None) -> Tensor:
    return gates if bias is None else gates + bias


def lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The next hidden and cell state, and the gates for the gradient."""
    taken, kept, cell, out = (_with(input_gates, input_bias) + _with(hidden_gates, hidden_bias)).chunk(4, 1)
    taken, kept, cell, out = taken.sigmoid(), kept.sigmoid(), cell.tanh(), out.sigmoid()
    cy = kept * cx + taken * cell
    return out * cy.tanh(), cy, torch.cat((taken, kept, cell, out), 1)


def lstm_cell_backward(
    grad_hy: Tensor | None, grad_cy: Tensor | None, cx: Tensor, cy: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Gradients of the gates, the cell state and, if there is one, the bias."""
    if grad_hy is None and grad_cy is None:
        return None, None, None
    taken, kept, cell, out = workspace.chunk(4, 1)
    squashed = cy.tanh()
    of_hidden = torch.zeros_like(cy) if grad_hy is None else grad_hy
    of_cell = of_hidden * out * (1 - squashed * squashed)
    if grad_cy is not None:
        of_cell = of_cell + grad_cy
    gates = torch.cat(
        (
            of_cell * cell * taken * (1 - taken),
            of_cell * cx * kept * (1 - kept),
            of_cell * taken * (1 - cell * cell),
            of_hidden * squashed * out * (1 - out),
        ),
        1,
    )
    return gates, of_cell * kept, gates.sum(0) if has_bias else None


def gru_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    hx: Tensor,
    input_bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The next hidden state, and what the gradient needs."""
    input_reset, input_update, input_new = _with(input_gates, input_bias).chunk(3, 1)
    hidden_reset, hidden_update, hidden_new = _with(hidden_gates, hidden_bias).chunk(3, 1)
    reset, update = (input_reset + hidden_reset).sigmoid(), (input_update + hidden_update).sigmoid()
    new = (input_new + reset * hidden_new).tanh()
    return new + update * (hx - new), torch.cat((reset, update, new, hx, hidden_new), 1)


def gru_cell_backward(
    grad_hy: Tensor, workspace: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None]:
    """Gradients of both kinds of gates, the hidden state and, if there are some, both biases."""
    reset, update, new, hx, hidden_new = workspace.chunk(5, 1)
    of_new = grad_hy * (1 - update) * (1 - new * new)
    of_update = grad_hy * (hx - new) * update * (1 - update)
    of_reset = of_new * hidden_new * reset * (1 - reset)
    inputs = torch.cat((of_reset, of_update, of_new), 1)
    hidden = torch.cat((of_reset, of_update, of_new * reset), 1)
    return inputs, hidden, grad_hy * update, *((inputs.sum(0), hidden.sum(0)) if has_bias else (None, None))


def register() -> Any:
    """Registers them; they stay while the result is kept."""
    library = torch.library.Library("aten", "IMPL", KEY)
    for name, kernel in {
        "_thnn_fused_lstm_cell": lstm_cell,
        "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
        "_thnn_fused_gru_cell": gru_cell,
        "_thnn_fused_gru_cell_backward": gru_cell_backward,
    }.items():
        library.impl(name, kernel)
    return library
