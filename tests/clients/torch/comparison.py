"""What the tests of operators share: the device's results beside those of the CPU in double precision."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import torch

import wavesmith.torch

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Half the distance of two neighbours at 1.
UNIT = {torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}


#: Operators that composed ones are made of, and that have tests of their own.
PIECES = tuple(
    f"aten.{name}"
    for name in (
        "add", "amax", "constant_pad_nd", "copy_", "div", "eq", "exp", "fill_", "logical_not", "masked_fill", "mean",
        "mul", "neg", "pow", "reciprocal", "rsqrt", "sqrt", "sub", "sum", "tril", "where", "zero_"
    )
)  # fmt: skip


@contextmanager
def no_fallback(*, but: tuple[str, ...] = ()) -> Iterator[None]:
    """Fails where the host computed an operator, other than making and copying numbers."""
    before = wavesmith.torch.fallback_counts()
    yield
    after = wavesmith.torch.fallback_counts()
    host = [name for name, count in after.items() if count != before.get(name, 0)]
    computed = [name for name in host if not name.startswith(but or ("none",))]
    assert not computed, f"the host computed {computed}"


def bounded(result: torch.Tensor, exact: torch.Tensor, bound: torch.Tensor) -> None:
    """Compares with a result in double precision: the error of each element is at most its bound."""
    got = result.detach().cpu().double()
    assert got.shape == exact.shape
    assert torch.equal(got.isnan(), exact.isnan())
    error = (got - exact).abs()
    bad = (error > bound) & exact.isfinite()
    assert not bad.any(), f"{int(bad.sum())} beyond the bound; worst {(error / bound)[bad].max():.3g} of it"


def same_error(call: Callable[..., Any], *arguments: Any) -> None:
    """The device raises what the CPU does: the same exception, and the same first line."""
    with pytest.raises(Exception) as theirs:
        call(*arguments)
    with pytest.raises(theirs.type) as ours:
        call(*(each.to("wavesmith") if isinstance(each, torch.Tensor) else each for each in arguments))
    assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]


def on_both(
    call: Callable[..., Any], *arguments: Any, tolerance: float, gradients: bool = True, host: tuple[str, ...] = PIECES
) -> None:
    """Compares a call's result, and its arguments' gradients, with the CPU's in double precision.

    The error is at most `tolerance` of the largest magnitude that the compared tensor has, or of 1. The host
    computes nothing, operators whose names begin with one of `host` aside.
    """
    floats = [isinstance(each, torch.Tensor) and each.is_floating_point() for each in arguments]
    exact, ours = [], []
    for each, is_float in zip(arguments, floats, strict=True):
        exact.append(each.double().requires_grad_(gradients) if is_float else each)
        there = each.to("wavesmith") if isinstance(each, torch.Tensor) else each
        ours.append(there.detach().requires_grad_(gradients) if is_float else there)
    wanted = call(*exact)
    upstream = torch.randn_like(wanted)
    with no_fallback(but=host):
        got = call(*ours)
        if gradients:
            got.backward(upstream.to(got.dtype).to("wavesmith"))
    pairs = [("result", got, wanted)]
    if gradients:
        wanted.backward(upstream.to(got.dtype).double())
        pairs += [
            (f"gradient {index}", our.grad, their.grad)
            for index, (our, their) in enumerate(zip(ours, exact, strict=True))
            if floats[index] and their.grad is not None
        ]
    for name, our, their in pairs:
        assert our is not None, name
        result = our.detach().cpu().double()
        assert result.shape == their.shape, name
        largest = max(1.0, float(their.detach().abs().max())) if their.numel() else 0.0
        error = float((result - their.detach()).abs().max()) if their.numel() else 0.0
        assert error <= tolerance * largest, f"{name}: {error:.3g}, of {largest:.3g} allowed {tolerance:.3g}"
