"""Triton's interpreter and the emulated GPU give the same results."""

from __future__ import annotations

import pytest
import torch


@pytest.mark.representative
def test_interpreter_and_emulated_gpu_agree(script, tmp_path):
    results = []
    for interpret in ("0", "1"):
        path = tmp_path / f"interpret{interpret}.pt"
        done = script("both_ways.py", str(path), TRITON_INTERPRET=interpret)
        assert done.returncode == 0, done.stderr
        results.append(torch.load(path))
    compiled, interpreted = results
    assert compiled.keys() == interpreted.keys()
    for name, value in compiled.items():
        assert torch.allclose(value.double(), interpreted[name].double(), rtol=1e-5, atol=1e-5), name
