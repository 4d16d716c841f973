"""Sampling of tokens and verification of drafts: against a reference in float64, and one with the other."""

from __future__ import annotations

import pytest
import torch
from operators_data import DEVICE, HALF, on
from torch import Tensor

import wavesmith.ops as own


def _probabilities(logits: Tensor, temperature: float, top_k: int, top_p: float, min_p: float) -> Tensor:
    """As vLLM filters: min-p, top-k, top-p, each after the other, by sorting."""
    x = logits.double() / temperature
    p = x.softmax(-1)
    x = x.masked_fill(p < min_p * p.amax(-1, keepdim=True), -torch.inf)
    if top_k:
        x = x.masked_fill(x < x.topk(top_k).values[..., -1:], -torch.inf)
    p, order = x.softmax(-1).sort(descending=True)
    stay = p.cumsum(-1) - p < top_p
    return torch.zeros_like(p).scatter(-1, order, p * stay / (p * stay).sum(-1, keepdim=True))


@pytest.mark.representative
@pytest.mark.parametrize("dtype", list(HALF))
def test_probabilities(dtype: torch.dtype) -> None:
    x = torch.stack([torch.randperm(1000) for _ in range(6)]) / 128.0  # no equals, and exact in 16 bits
    x = x.to(dtype)
    for filters in ((1.0, 0, 1.0, 0.0), (0.7, 50, 1.0, 0.0), (1.5, 0, 0.85, 0.0), (1.0, 40, 0.83, 0.7)):
        temperature, top_k, top_p, min_p = filters
        if dtype == torch.bfloat16 and top_p < 1:
            continue  # has equals, which stay together here
        got = own.sampling_probabilities(on(x), temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
        torch.testing.assert_close(got.cpu().double(), _probabilities(x, *filters), rtol=2.0**-15, atol=2.0**-38)


@pytest.mark.representative
def test_tokens_come_as_often_as_they_should() -> None:
    """By the seeds given here, which give the same tokens everywhere."""
    count = 4096
    p = torch.tensor([0.5, 0.25, 0.125, 0.125])
    logits = on(p.log().expand(count, 4).contiguous())
    tokens, logs = own.sample(
        logits, torch.full((count,), 5, device=DEVICE), torch.arange(count, device=DEVICE), log_probabilities=True
    )
    often = torch.bincount(tokens.cpu(), minlength=4) / count
    assert ((often - p).abs() < 4 * (p * (1 - p) / count).sqrt()).all()
    torch.testing.assert_close(logs.cpu(), p.log()[tokens.cpu()], rtol=0, atol=2.0**-15)
    torch.testing.assert_close(own.sample(logits, tokens.long(), temperature=0.0).cpu(), torch.zeros(count).int())


@pytest.mark.representative
def test_few_rows_that_workgroups_share_have_the_tokens_of_many() -> None:
    few, seeds = torch.randn(2, 8192) * 3, torch.arange(2)
    many = 320  # times as many rows: more than there are compute units

    def sampled(logits: Tensor, seeds: Tensor) -> tuple[Tensor, Tensor]:
        tokens, logs = own.sample(on(logits), on(seeds), temperature=0.8, top_k=100, top_p=0.9, log_probabilities=True)
        return tokens.cpu(), logs.cpu()

    tokens, logs = sampled(few, seeds)
    all_tokens, all_logs = sampled(few.repeat(many, 1), seeds.repeat(many))
    assert torch.equal(all_tokens, tokens.repeat(many))
    assert torch.equal(all_logs, logs.repeat(many))


@pytest.mark.representative
def test_drafts() -> None:
    logits = on(torch.randn(3, 5, 100))
    best = own.sample(logits, torch.zeros(3, 5, dtype=torch.long, device=DEVICE), temperature=0.0)
    drafts = best[:, :4].contiguous()
    drafts[1, 2] += 1 - 2 * (drafts[1, 2] == 99)
    greedy = own.sampling_probabilities(logits, temperature=0.0)
    seeds = torch.arange(3, device=DEVICE)
    for target in (best, greedy):
        tokens, accepted = own.verify_drafts(drafts, target, seeds)
        assert accepted.tolist() == [4, 2, 4]
        want = best.clone()
        want[1, 3:] = -1
        assert torch.equal(tokens, want)
    p = own.sampling_probabilities(logits, top_k=20)
    tokens, accepted = own.verify_drafts(drafts, p, seeds, draft_probabilities=p[:, :4].contiguous())
    assert accepted.tolist()[::2] == [4, 4]  # drawn by what the model has itself
    with pytest.raises(TypeError, match="needs seeds"):
        own.verify_drafts(drafts, p)
