"""The loss of connectionist temporal classification: a step of the recursion for all sequences at once.

States are the labels with blanks around them. What is not reached has the logarithm of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from wavesmith.torch._library import operator
from wavesmith.torch.composed.results import served

_NOTHING = float("-inf")


class _States(NamedTuple):
    """Of each sequence its states, and from which of them a step leads over a blank."""

    labels: torch.Tensor
    """(sequences, states)"""
    over_blank: torch.Tensor
    """0 where the state may follow that two before, minus infinity elsewhere."""
    inputs: torch.Tensor
    """The lengths."""
    last: torch.Tensor
    """The states in which a sequence may end: the last two, or the only one twice."""

    @classmethod
    def of(
        cls, probs: torch.Tensor, targets: torch.Tensor, inputs: Sequence[int], lengths: Sequence[int], blank: int
    ) -> _States:
        device, count = probs.device, len(lengths)
        most = targets.shape[1] if targets.dim() == 2 else max(lengths, default=0)
        places = torch.arange(most).expand(count, most)
        counted = places < torch.tensor(lengths, dtype=torch.int64)[:, None]
        if targets.dim() == 2:
            places = places + torch.arange(count)[:, None] * most
        else:
            begins = torch.tensor([0, *lengths[:-1]], dtype=torch.int64).cumsum(0)
            places = places + begins[:, None]
        places = torch.where(counted, places, 0).to(device)
        labels = torch.full((count, 2 * most + 1), blank, dtype=torch.int64, device=device)
        if most and targets.numel():
            taken = targets.to(device).reshape(-1).long()[places]
            labels[:, 1::2] = torch.where(counted.to(device), taken, blank)
        over_blank = torch.full(labels.shape, _NOTHING, dtype=probs.dtype, device=device)
        if most > 1:
            differs = labels[:, 3::2] != labels[:, 1:-2:2]
            over_blank[:, 3::2] = torch.where(differs, 0.0, _NOTHING).to(probs.dtype)
        ends = 2 * torch.tensor(lengths, dtype=torch.int64)
        last = torch.stack((ends, (ends - 1).clamp(min=0)), 1)
        return cls(labels, over_blank, torch.tensor(inputs, dtype=torch.int64).to(device), last.to(device))

    def probabilities(self, probs: torch.Tensor) -> torch.Tensor:
        """The states' logarithms of probability at each time."""
        return probs.gather(2, self.labels.expand(probs.shape[0], *self.labels.shape))


def _served(
    probs: torch.Tensor, targets: torch.Tensor, inputs: Sequence[int], lengths: Sequence[int], blank: int
) -> None:
    served(probs.dim() == 3 and probs.dtype in (torch.float32, torch.float64) and probs.numel() > 0)
    served(targets.dtype in (torch.int32, torch.int64) and targets.dim() in (1, 2) and 0 <= blank < probs.shape[2])
    served(len(inputs) == len(lengths) == probs.shape[1] and all(0 <= each <= probs.shape[0] for each in inputs))
    served(min(lengths) >= 0)
    if targets.dim() == 1:
        served(targets.numel() == sum(lengths))
    else:
        served(targets.shape[0] == probs.shape[1] and max(lengths) <= targets.shape[1])


@operator("_ctc_loss")
def _loss(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int = 0,
    zero_infinity: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    _served(log_probs, targets, input_lengths, target_lengths, blank)
    states = _States.of(log_probs, targets, input_lengths, target_lengths, blank)
    at = states.probabilities(log_probs)
    times, count, width = at.shape
    # Two states before the first, which are never reached.
    alpha = torch.full((times, count, width + 2), _NOTHING, dtype=at.dtype, device=at.device)
    begins = min(2, width)
    alpha[0, :, 2 : 2 + begins] = at[0, :, :begins]
    empty = torch.tensor([not each for each in target_lengths]).to(at.device)
    if width > 1:
        alpha[0, :, 3].masked_fill_(empty, _NOTHING)
    for time in range(1, times):
        before = alpha[time - 1]
        reached = torch.logaddexp(before[:, 2:], before[:, 1:-1])
        reached = torch.logaddexp(reached, before[:, :-2] + states.over_blank)
        torch.add(reached, at[time], out=alpha[time, :, 2:])
    ends = alpha[(states.inputs - 1).clamp(min=0), torch.arange(count, device=at.device), 2:].gather(1, states.last)
    ends[:, 1].masked_fill_(empty, _NOTHING)
    loss = -torch.logaddexp(ends[:, 0], ends[:, 1])
    loss = torch.where(states.inputs > 0, loss, torch.where(empty, 0.0, float("inf")).to(loss.dtype))
    return loss, alpha[:, :, 2:].transpose(0, 1)


@operator("_ctc_loss_backward")
def _gradient(
    grad: torch.Tensor,
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    neg_log_likelihood: torch.Tensor,
    log_alpha: torch.Tensor,
    blank: int,
    zero_infinity: bool = False,
) -> torch.Tensor:
    _served(log_probs, targets, input_lengths, target_lengths, blank)
    states = _States.of(log_probs, targets, input_lengths, target_lengths, blank)
    at = states.probabilities(log_probs)
    times, count, width = at.shape
    ends = torch.full((count, width), _NOTHING, dtype=at.dtype, device=at.device).scatter_(1, states.last, 0.0)
    # Two states behind the last, and a time behind the last.
    beta = torch.full((times + 1, count, width + 2), _NOTHING, dtype=at.dtype, device=at.device)
    over_blank = torch.full((count, width + 2), _NOTHING, dtype=at.dtype, device=at.device)
    over_blank[:, :width] = states.over_blank
    for time in reversed(range(times)):
        after = beta[time + 1]
        reached = torch.logaddexp(after[:, :-2], after[:, 1:-1])
        reached = torch.logaddexp(reached, after[:, 2:] + over_blank[:, 2:])
        reached = torch.where((states.inputs == time + 1)[:, None], ends, reached)
        torch.add(reached, at[time], out=beta[time, :, :width])
    loss = neg_log_likelihood[:, None]
    shares = (log_alpha.transpose(0, 1) + beta[:times, :, :width] - at + loss).exp()
    of_labels = torch.zeros(log_probs.shape, dtype=at.dtype, device=at.device)
    of_labels.scatter_add_(2, states.labels.expand(at.shape), shares)
    result = (log_probs.exp() - of_labels) * grad[:, None]
    impossible = torch.isinf(loss)
    result = torch.where(impossible, 0.0 if zero_infinity else float("nan"), result)
    return torch.where(torch.arange(times, device=at.device)[:, None, None] < states.inputs[:, None], result, 0.0)


@operator("_ctc_loss.Tensor")
def _loss_of_tensors(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    blank: int = 0,
    zero_infinity: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    return _loss(log_probs, targets, input_lengths.tolist(), target_lengths.tolist(), blank, zero_infinity)


@operator("_ctc_loss_backward.Tensor")
def _gradient_of_tensors(
    grad: torch.Tensor,
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor,
    target_lengths: torch.Tensor,
    neg_log_likelihood: torch.Tensor,
    log_alpha: torch.Tensor,
    blank: int,
    zero_infinity: bool = False,
) -> torch.Tensor:
    lengths = input_lengths.tolist(), target_lengths.tolist()
    return _gradient(grad, log_probs, targets, *lengths, neg_log_likelihood, log_alpha, blank, zero_infinity)


@operator("_use_cudnn_ctc_loss", "_use_cudnn_ctc_loss.Tensor", "_use_miopen_ctc_loss", "_use_miopen_ctc_loss.Tensor")
def _use_a_library(*_: object) -> bool:
    """Asked where the device is called "cuda"."""
    return False
