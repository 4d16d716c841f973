"""A part of PyTorch's own operator tests, another one in each run; `run_opinfos.py` runs all."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("expecttest", reason="PyTorch's test library needs it")

from opinfos import expected, operators, try_operator

_SEED = random.SystemRandom().randrange(1 << 31)
_CHOSEN = random.Random(_SEED).sample([op for op in operators() if op.full_name not in expected()], 25)


@pytest.mark.representative
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", _CHOSEN, ids=lambda op: op.full_name)
def test_operator(op: object) -> None:
    print(f"seed {_SEED}")
    outcome = try_operator(op, seed=_SEED, most=4)
    assert not outcome.error, outcome.error
