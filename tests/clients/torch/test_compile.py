"""torch.compile on the device: networks as on the CPU, tuned by modelled time, kept on disk."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from llama import Llama
from torch import Tensor, nn
from torch.nn import functional

pytest.importorskip("triton")


@pytest.fixture
def launched() -> Iterator[set[str]]:
    """The names of Triton's kernels that were launched."""
    from triton import knobs

    names: set[str] = set()

    def note(metadata: object) -> None:
        names.add(metadata.get()["name"])  # type: ignore[attr-defined]

    knobs.runtime.launch_enter_hook.add(note)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    yield names
    knobs.runtime.launch_enter_hook.remove(note)


def relative(ours: Tensor, theirs: Tensor) -> float:
    """The largest difference, as a share of the largest number."""
    return ((ours.cpu().float() - theirs.float()).abs().max() / theirs.float().abs().max()).item()


@pytest.mark.representative
def test_a_network_is_compiled_into_kernels(launched: set[str]) -> None:
    theirs = nn.Sequential(nn.Linear(12, 40), nn.GELU(), nn.Linear(40, 5))
    ours = copy.deepcopy(theirs).to("wavesmith")
    x = torch.randn(9, 12)
    there, here = torch.compile(ours, fullgraph=True)(x.to("wavesmith")), theirs(x)
    for each in (there, here):
        functional.softplus(each).sum().backward()
    assert relative(there, here) < 1e-5
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert mine.grad is not None and other.grad is not None and relative(mine.grad, other.grad) < 1e-5
    assert any("gelu" in name and "backward" not in name for name in launched)
    assert any("gelu_backward" in name for name in launched)


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-4), (torch.bfloat16, 6e-2)])
def test_llama_learns_as_on_the_cpu(dtype: torch.dtype, bound: float, launched: set[str]) -> None:
    """Bounds: a hundred roundings of f32; the gradients of bf16 are 3 of its digits' worth."""
    theirs = Llama().to(dtype).float()
    ours = copy.deepcopy(theirs).to(dtype).to("wavesmith")
    rate = 1e-3
    optimisers = [torch.optim.AdamW(each.parameters(), lr=rate) for each in (ours, theirs)]
    compiled = torch.compile(ours, fullgraph=True, dynamic=True)
    for length in (17, 17, 23):
        tokens, targets = (torch.randint(0, 97, (2, length)) for _ in range(2))
        losses = compiled(tokens.to("wavesmith"), targets.to("wavesmith")), theirs(tokens, targets)
        assert relative(*losses) < bound
        for loss in losses:
            loss.backward()
        for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            assert mine.grad is not None and other.grad is not None and relative(mine.grad, other.grad) < bound
        for optimiser in optimisers:
            optimiser.step()
            optimiser.zero_grad()
        with torch.no_grad():
            for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
                # A gradient near zero may have the other sign, and AdamW makes as much of it as of a large one.
                digits = other.abs() * torch.finfo(dtype).eps
                assert bool(((mine.cpu().float() - other).abs() <= 2.1 * rate + digits).all())
                other.copy_(mine.cpu())
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1  # for all lengths
    assert any("rsqrt" in name for name in launched) and any("silu" in name for name in launched)


def run(text: str, cache: Path, **variables: str) -> str:
    """What a process of its own prints."""
    variables |= {"WAVESMITH_QUIET": "1", "TORCHINDUCTOR_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", text], env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


TUNED = """
import torch, wavesmith.torch
from torch._inductor import config, select_algorithm
torch.manual_seed(3)
config.max_autotune_gemm_backends = "TRITON"
config.test_configs.max_mm_configs = 3
def tell(timings, name, nodes, choices, *rest):
    print(sorted((str(choice.description), time) for choice, time in timings.items()))
select_algorithm.add_feedback_saver(tell)
product = torch.compile(lambda a, b: torch.relu(a @ b), fullgraph=True, mode="max-autotune-no-cudagraphs")
a, b = torch.randn(64, 96).bfloat16(), torch.randn(96, 64).bfloat16()
ours = product(a.to("wavesmith"), b.to("wavesmith")).cpu().float()
assert (ours - torch.relu(a.float() @ b.float())).abs().max() < 0.2
"""


def test_products_are_tuned_by_modelled_time(tmp_path: Path) -> None:
    first, second = (run(TUNED, tmp_path / name, WAVESMITH_TIME="1") for name in ("first", "second"))
    assert "BLOCK_M" in first and first == second


CACHED = """
import torch, wavesmith.torch
from torch._dynamo.utils import counters
compiled = torch.compile(lambda x: torch.tanh(x) * 3 + x, fullgraph=True)
x = torch.randn(33)
assert torch.allclose(compiled(x.to("wavesmith")).cpu(), torch.tanh(x) * 3 + x, atol=1e-6)
print(counters["inductor"]["fxgraph_cache_hit"])
"""


def test_what_was_compiled_is_found_by_the_next_process(tmp_path: Path) -> None:
    assert [int(run(CACHED, tmp_path)) for _ in range(2)] == [0, 1]
