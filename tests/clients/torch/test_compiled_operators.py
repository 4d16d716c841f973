"""Operators without a kernel of ours: compiled for the GPU once per class of arguments, and kept on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from wavesmith.torch import _compiled

pytest.importorskip("triton")


@pytest.fixture(autouse=True)
def nothing_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing compiled before, in memory or on disk."""
    from wavesmith.torch import _compile_operator

    monkeypatch.setattr(_compile_operator, "_folder", lambda: tmp_path)
    monkeypatch.setattr(_compiled, "enabled", True)
    for known in (_compiled._exact, _compiled._classes, _compiled._variants, _compiled.counts):
        known.clear()
    yield
    for known in (_compiled._exact, _compiled._classes, _compiled._variants):
        known.clear()


def call(name: str, *args: object, **kwargs: object) -> object:
    """What an operator without a kernel gives: `name` is "overload packet.overload"."""
    packet, overload = name.split(".")
    return _compiled.run(getattr(getattr(torch.ops.aten, packet), overload), args, kwargs)


def compiled() -> int:
    return len(_compiled._variants) and sum(_compiled._variants.values())


@pytest.mark.representative
def test_one_compilation_serves_other_sizes_and_numbers() -> None:
    for rows, columns, number in ((5, 7, 1.5), (9, 4, -2.25), (3, 3, 0.5)):
        x, y, z = (torch.randn(rows, columns) for _ in range(3))
        ours = call("addcmul.default", x.to("wavesmith"), y.to("wavesmith"), z.to("wavesmith"), value=number)
        assert isinstance(ours, Tensor)
        torch.testing.assert_close(ours.cpu(), torch.addcmul(x, y, z, value=number))
    assert compiled() == 1 and _compiled.counts == {"aten.addcmul.default": 3}


def test_how_elements_lie_is_told_apart() -> None:
    """The first lies by columns; of the others, which repeat elements, the strides are like that one's order."""
    flat = torch.randn(120)
    for strides in ((1, 4, 20), (0, 1, 5), (0, 1, 7)):
        ours = call("atan.default", flat.to("wavesmith").as_strided((4, 5, 6), strides))
        assert isinstance(ours, Tensor)
        torch.testing.assert_close(ours.cpu(), flat.as_strided((4, 5, 6), strides).atan())


@pytest.mark.representative
def test_results_are_written_where_they_are_wanted() -> None:
    x = torch.randn(6, 5)
    ours, result = x.to("wavesmith"), torch.empty(6, 5, device="wavesmith")
    assert call("atan.out", ours, out=result) is result
    torch.testing.assert_close(result.cpu(), x.atan())
    assert call("atan_.default", ours) is ours
    torch.testing.assert_close(ours.cpu(), x.atan())
    # Memory that is read and written at once, by two tensors, is the host's.
    assert call("atan.out", result[:, 1:], out=result[:, :-1]) is NotImplemented


def test_what_cannot_be_compiled_is_the_hosts() -> None:
    x = torch.randn(4, 4, device="wavesmith")
    assert call("_linalg_eigh.default", x) is NotImplemented  # which Inductor leaves to PyTorch
    assert call("nonzero.default", x) is NotImplemented  # whose size depends on the data
    assert call("normal_.default", x) is NotImplemented  # random numbers
    assert call("atan.default", x[:0]) is NotImplemented  # nothing to do
    assert not _compiled.counts


def test_arguments_of_an_operator_that_raise_do_not_count_for_others() -> None:
    x, index = torch.randn(4, 6), torch.tensor([[0, 2]] * 4)
    with pytest.raises(RuntimeError):
        torch.gather(x.to("wavesmith"), 1, torch.zeros(9, 2, dtype=torch.int64, device="wavesmith"))
    ours = torch.gather(x.to("wavesmith"), 1, index.to("wavesmith"))
    torch.testing.assert_close(ours.cpu(), x.gather(1, index))


OPERATORS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "broadcast": lambda x, y: torch.atan2(x, y[0]),
    "transposed": lambda x, y: torch.hypot(x.t(), y.t()),
    "every other": lambda x, y: torch.lgamma(x[::2, 1::2].abs() + 1),
    "number first": lambda x, y: 2.5 - x,
    "power": lambda x, y: x.abs() ** 1.7,
    "running sum": lambda x, y: torch.logcumsumexp(x, 1),
    "norm": lambda x, y: torch.linalg.vector_norm(x, 3.0, dim=0),
    "sorted": lambda x, y: torch.sort(x, 1).values,
    "index": lambda x, y: x[torch.tensor([1, 0, 1], device=x.device)],
    "scatter": lambda x, y: x.scatter_add(0, torch.zeros(2, 8, dtype=torch.int64, device=x.device), y[:2]),
    "pool": lambda x, y: functional.avg_pool2d(x.view(1, 1, 6, 8), 2),
    "upsample": lambda x, y: functional.interpolate(x.view(1, 1, 6, 8), scale_factor=2.0, mode="bilinear"),
    "pad": lambda x, y: functional.pad(x.view(1, 6, 8), (1, 2), mode="reflect"),
    "loss": lambda x, y: functional.smooth_l1_loss(x, y),
    "signs": lambda x, y: torch.copysign(x.abs().sqrt(), y) + torch.signbit(y),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_agree_with_the_cpu(name: str, dtype: torch.dtype) -> None:
    """With the CPU's f32: within 8 roundings of the type."""
    x, y = (torch.randn(6, 8).to(dtype) for _ in range(2))
    ours = OPERATORS[name](x.to("wavesmith"), y.to("wavesmith"))
    theirs = OPERATORS[name](x.float(), y.float())
    bound = 8 * torch.finfo(dtype).eps
    torch.testing.assert_close(ours.cpu().float(), theirs, rtol=bound, atol=bound)


KEPT = """
import sys, torch, wavesmith.torch
x = torch.randn(5, 7)
assert torch.allclose(torch.erfinv(x.to("wavesmith")).cpu(), x.erfinv(), equal_nan=True)
assert torch.allclose(torch.special.i0e(x.to("wavesmith")).cpu(), torch.special.i0e(x))
print(sum(wavesmith.torch.compiled_counts().values()), "torch._inductor" in sys.modules)
"""


def test_what_was_compiled_is_launched_without_inductor(tmp_path: Path) -> None:
    """By a later process, which starts as fast as one that compiles nothing."""
    from wavesmith.torch import _build

    variables = {"WAVESMITH_QUIET": "1", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor")}
    said = []
    for switch in ("1", "1", "0"):
        variables["WAVESMITH_TORCH_COMPILE"] = switch
        done = subprocess.run([sys.executable, "-c", KEPT], env=os.environ | variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-4000:]
        said.append(done.stdout.split())
    assert said[1] == [said[0][0], "False"] and said[2] == ["0", "False"]
    assert _build.cache().exists()
