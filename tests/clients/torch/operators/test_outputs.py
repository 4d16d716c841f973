"""Overloads with `out=` of operators that are registered from Python: as on the CPU, or refused in its words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

from wavesmith.torch import _compiled

DEVICE = "wavesmith"
pytestmark = pytest.mark.representative


def _matrix() -> torch.Tensor:
    return torch.randn(4, 4) + 4 * torch.eye(4)


def _mask() -> torch.Tensor:
    return torch.arange(16).view(4, 4) % 3 == 0


def _places() -> torch.Tensor:
    return torch.tensor([3, 0, 9])


#: Operators, and what they take beside a matrix.
OPERATORS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "nonzero": (torch.nonzero, ()),
    "masked_select": (torch.masked_select, (_mask,)),
    "take": (torch.take, (_places,)),
    "isin": (torch.isin, (_matrix,)),
    "histc": (torch.histc, (5, -1, 9)),
    "bucketize": (torch.bucketize, (lambda: torch.arange(4.0),)),
    "logcumsumexp": (torch.logcumsumexp, (1,)),
    "aminmax": (torch.aminmax, ()),
    "mode": (torch.mode, ()),
    "average pool": (lambda x, **out: torch._C._nn.avg_pool2d(x[None], 2, **out), ()),
    "inv": (torch.linalg.inv, ()),
    "cholesky_ex": (lambda x, **out: torch.linalg.cholesky_ex(x @ x.mT, **out), ()),
    "lu_factor": (torch.linalg.lu_factor, ()),
    "qr": (torch.linalg.qr, ()),
    "fft": (torch.fft.fft, ()),
}
#: Those that PyTorch refuses to write to what they read.
ALONE = ("nonzero", "masked_select", "take")


def _both(name: str) -> tuple[Callable[..., Any], list[list[Any]]]:
    function, others = OPERATORS[name]
    args = [_matrix(), *(other() if callable(other) else other for other in others)]
    there = [each.to(DEVICE) if isinstance(each, torch.Tensor) else each for each in args]
    return function, [args, there]


def _tuple(results: Any) -> tuple[torch.Tensor, ...]:
    return tuple(results) if isinstance(results, tuple) else (results,)


def _given(results: tuple[torch.Tensor, ...]) -> Any:
    return results if len(results) > 1 else results[0]


@pytest.mark.parametrize("name", OPERATORS)
def test_results_are_written_and_resized(name: str) -> None:
    function, (args, there) = _both(name)
    made = _tuple(function(*args))
    for sizes in (None, (0,), (3,)):
        outs = [
            tuple(torch.empty(each.shape if sizes is None else sizes, dtype=each.dtype, device=device) for each in made)
            for device in ("cpu", DEVICE)
        ]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "An output with one or more elements was resized")
            function(*args, out=_given(outs[0]))
            function(*there, out=_given(outs[1]))
        for theirs, ours in zip(*outs, strict=True):
            assert ours.stride() == theirs.stride()
            torch.testing.assert_close(ours.cpu(), theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.parametrize("name", OPERATORS)
def test_types_are_refused_as_on_the_cpu(name: str, compiles: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where compiled code would convert."""
    monkeypatch.setattr(_compiled, "enabled", compiles)
    function, (args, there) = _both(name)
    made = _tuple(function(*args))
    words = []
    for values, device in ((args, "cpu"), (there, DEVICE)):
        outs = tuple(torch.empty(each.shape, dtype=torch.bfloat16, device=device) for each in made)
        with pytest.raises(RuntimeError) as raised:
            function(*values, out=_given(outs))
        words.append(str(raised.value).splitlines()[0])
    assert words[1] == words[0]


@pytest.mark.parametrize("name", ALONE)
def test_memory_of_arguments_is_refused(name: str) -> None:
    function, (_, (x, *others)) = _both(name)
    if name == "nonzero":
        x = x.to(torch.int64)
    with pytest.raises(RuntimeError, match="unsupported operation"):
        function(x, *others, out=x)


def test_another_device_is_refused() -> None:
    function, (_, there) = _both("inv")
    with pytest.raises(RuntimeError, match=re.escape("device wavesmith:0, but got cpu instead")):
        function(*there, out=torch.empty(4, 4))


def test_averages_are_written_where_the_tensor_lies() -> None:
    """PyTorch for the CPU writes them as if it were contiguous."""
    x = torch.randn(2, 3, 6, 5, 4, device=DEVICE)
    wanted = torch.nn.functional.avg_pool3d(x, 2)
    out = torch.empty(wanted.mT.shape, device=DEVICE).mT
    torch._C._nn.avg_pool3d(x, 2, out=out)
    assert torch.equal(out, wanted)


def test_statistics_are_given_as_they_are_returned() -> None:
    x, mean, variance = torch.randn(2, 3, 4, device=DEVICE), torch.zeros(3, device=DEVICE), torch.ones(3, device=DEVICE)
    operator, rest = torch.ops.aten._native_batch_norm_legit, (None, None, mean, variance, False, 0.1, 1e-5)
    outs = [torch.empty(0, device=DEVICE) for _ in range(3)]
    operator.out(x, *rest, out=outs[0], save_mean=outs[1], save_invstd=outs[2])
    for out, wanted in zip(outs, operator(x, *rest), strict=True):
        assert torch.equal(out, wanted)
