"""The operators of `wavesmith.ops` that end a step of serving: a token of each row of logits, and drafts verified."""

from __future__ import annotations

from typing import Literal, overload

import torch
from torch import Tensor

_ops = torch.ops.wavesmith


@overload
def sample(
    logits: Tensor,
    seeds: Tensor,
    offsets: Tensor | None = ...,
    *,
    temperature: float | Tensor | None = ...,
    top_k: int | Tensor | None = ...,
    top_p: float | Tensor | None = ...,
    min_p: float | Tensor | None = ...,
    log_probabilities: Literal[False] = ...,
) -> Tensor: ...


@overload
def sample(
    logits: Tensor,
    seeds: Tensor,
    offsets: Tensor | None = ...,
    *,
    temperature: float | Tensor | None = ...,
    top_k: int | Tensor | None = ...,
    top_p: float | Tensor | None = ...,
    min_p: float | Tensor | None = ...,
    log_probabilities: Literal[True],
) -> tuple[Tensor, Tensor]: ...


def sample(
    logits: Tensor,
    seeds: Tensor,
    offsets: Tensor | None = None,
    *,
    temperature: float | Tensor | None = None,
    top_k: int | Tensor | None = None,
    top_p: float | Tensor | None = None,
    min_p: float | Tensor | None = None,
    log_probabilities: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """A token of each row, int32, the same on every GPU: -1 of a row with NaN, or of minus infinity alone.

    Args:
        logits: (..., vocabulary); float32, float16 or bfloat16.
        seeds: int64, an element for each row.
        offsets: int64, an element for each row; rows with the same seed want different ones. None: 0.
        temperature: less than 10^-5 is greedy. This and the rest: one for all rows, or an element for each (float32,
            of top_k int32).
        top_k: how many of the likeliest stay, with equals of the last; 0: all.
        top_p: the likeliest stay above which others have less than that; 1: all.
        min_p: what is as likely as that share of the likeliest stays; it comes before top-k and top-p.
        log_probabilities: whether to return those of the tokens, too, without temperature and filters.
    """
    filters = _filters(logits, temperature, top_k, top_p, min_p)
    if log_probabilities:
        return _ops.sample_log_probabilities(logits, seeds, offsets, *filters)
    return _ops.sample(logits, seeds, offsets, *filters)


def sampling_probabilities(
    logits: Tensor,
    *,
    temperature: float | Tensor | None = None,
    top_k: int | Tensor | None = None,
    top_p: float | Tensor | None = None,
    min_p: float | Tensor | None = None,
) -> Tensor:
    """The probabilities by which `sample` draws, float32: of a greedy row 1 at its token."""
    return _ops.sampling_probabilities(logits, *_filters(logits, temperature, top_k, top_p, min_p))


def verify_drafts(
    draft_tokens: Tensor,
    target: Tensor,
    seeds: Tensor | None = None,
    offsets: Tensor | None = None,
    *,
    draft_probabilities: Tensor | None = None,
    draft_counts: Tensor | None = None,
    bonus_tokens: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Rejection sampling of speculative decoding: the drafts that are accepted, a token behind them, then -1.

    Args:
        draft_tokens: int32, (batch, drafts).
        target: float32, (batch, drafts + 1, vocabulary): the model's probabilities, as `sampling_probabilities` makes
            them. Or its tokens, int32, (batch, drafts + 1): drafts are accepted that equal them.
        seeds: int64, (batch,); with probabilities.
        offsets: int64, (batch,): a sequence takes drafts + 1. None: 0.
        draft_probabilities: float32, (batch, drafts, vocabulary), by which drafts were drawn. None: they were certain.
        draft_counts: int32, (batch,): how many drafts there are. None: all.
        bonus_tokens: int32, (batch,): what follows where all are accepted. None: a token of the target's last row.

    Returns:
        int32, (batch, drafts + 1), and int32, (batch,): how many were accepted.
    """
    if not target.is_floating_point():
        return _ops.verify_drafts_greedily(draft_tokens, target, draft_counts, bonus_tokens)
    if seeds is None:
        raise TypeError("verify_drafts() needs seeds where target has probabilities")
    return _ops.verify_drafts(draft_tokens, target, seeds, offsets, draft_probabilities, draft_counts, bonus_tokens)


def _filters(
    logits: Tensor,
    temperature: float | Tensor | None,
    top_k: int | Tensor | None,
    top_p: float | Tensor | None,
    min_p: float | Tensor | None,
) -> tuple[Tensor | None, ...]:
    """An element for each row."""

    def of_rows(given: float | Tensor | None, dtype: torch.dtype) -> Tensor | None:
        if given is None or isinstance(given, Tensor):
            return given
        return logits.new_full(logits.shape[:-1], given, dtype=dtype)

    return (
        of_rows(temperature, torch.float32),
        of_rows(top_k, torch.int32),
        of_rows(top_p, torch.float32),
        of_rows(min_p, torch.float32),
    )
