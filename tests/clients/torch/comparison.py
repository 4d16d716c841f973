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


@contextmanager
def no_fallback(*, but: tuple[str, ...] = ()) -> Iterator[None]:
    """Fails where the host computed an operator, other than making and copying numbers."""
    before = wavesmith.torch.fallback_counts()
    yield
    after = wavesmith.torch.fallback_counts()
    host = {name: count for name, count in after.items() if count != before.get(name, 0)}
    assert not {name: count for name, count in host.items() if not name.startswith(but or ("none",))}


def bounded(result: torch.Tensor, exact: torch.Tensor, bound: torch.Tensor) -> None:
    """Compares with a result in double precision: the error of each element is at most its bound."""
    got = result.detach().cpu().double()
    assert got.shape == exact.shape
    assert torch.equal(got.isnan(), exact.isnan())
    error = (got - exact).abs()
    bad = (error > bound) & exact.isfinite()
    assert not bad.any(), f"{int(bad.sum())} beyond the bound; worst {(error / bound)[bad].max():.3g} of it"


def same_error(call: Callable[..., Any], *arguments: Any, but: str = "") -> None:
    """The device raises what the CPU does: the same exception, and the same first line with the device's name."""
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        call(*arguments)
    with pytest.raises(theirs.type) as ours:
        call(*(each.to("wavesmith") if isinstance(each, torch.Tensor) else each for each in arguments))
    if not but:
        assert str(ours.value).splitlines()[0] == str(theirs.value).splitlines()[0]
    else:
        assert but in str(ours.value)
