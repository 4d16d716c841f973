"""Small models on the device: forward, backward and three steps of AdamW, against float32 on the CPU."""

from __future__ import annotations

import copy

import pytest
import torch
from models import CASES, Case

import wavesmith.torch

DEVICE = "wavesmith"

#: How far losses and weights may be from the CPU's float32, by type: a sum of about 1,000 products rounds to 2**-24 and
#: 2**-8 of its terms' size. AdamW with a large epsilon, so that a step follows a small gradient and not its sign.
LOSS = {torch.float32: 1e-4, torch.bfloat16: 4e-2}
STEP = 1e-3
STEPS = 3


def _train(case: Case, model: torch.nn.Module, batch: tuple[torch.Tensor, ...], autocast: bool) -> list[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=STEP, eps=1e-2)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast(DEVICE, torch.bfloat16, enabled=autocast):
            loss = case.loss(model(*batch), batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["f32", "bf16", "autocast"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_training(case: Case, kind: str) -> None:
    dtype = torch.bfloat16 if kind == "bf16" else torch.float32
    model, batch = case.model(), case.batch()
    ours = copy.deepcopy(model).to(DEVICE, dtype)
    there = tuple(each.to(DEVICE, dtype) if each.is_floating_point() else each.to(DEVICE) for each in batch)
    theirs = _train(case, model, batch, autocast=False)
    before = wavesmith.torch.fallback_counts()
    losses = _train(case, ours, there, kind == "autocast")
    after = wavesmith.torch.fallback_counts()
    print("the host computed", {name: count - before.get(name, 0) for name, count in after.items()})
    bound = LOSS[torch.float32 if kind == "f32" else torch.bfloat16]
    for mine, its in zip(losses, theirs, strict=True):
        assert abs(mine - its) <= bound * (1 + abs(its)), (losses, theirs)
    assert losses[-1] < losses[0]
    for (name, mine), its in zip(ours.named_parameters(), model.parameters(), strict=True):
        far = (mine.detach().float().cpu() - its.detach()).abs()
        assert far.max() <= 2 * STEPS * STEP * 1.1 + bound, name
        if kind == "f32":
            assert far.mean() <= STEP / 20, name
