"""Batch and group norms, and what LayerNorm's kernels leave: PyTorch's decompositions of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from wavesmith.torch._library import operator
from wavesmith.torch._outputs import with_out

#: Operators whose kernels are PyTorch's decompositions of them.
_DECOMPOSED = (
    "_native_batch_norm_legit_no_training",
    "_batch_norm_with_update",
    "_batch_norm_no_update",
    "batch_norm_backward",
    "native_batch_norm_backward",
    "native_group_norm_backward",
)
#: Those with overloads for given results, by their names.
_INTO_GIVEN = {
    "native_batch_norm": "out",
    "_native_batch_norm_legit": "out",
    "_native_batch_norm_legit.no_stats": "no_stats_out",
}


def _decomposed(name: str) -> Callable[..., Any]:
    """PyTorch's decomposition of an operator; all of them, which take a second to import, are when one is called."""
    packet, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, packet), overload or "default")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        from torch._decomp import decomposition_table

        return decomposition_table[op](*args, **kwargs)

    return kernel


for _name in _DECOMPOSED:
    operator(_name)(_decomposed(_name))
for _name in ("native_layer_norm", "native_layer_norm_backward"):  # of doubles, of nothing at all
    operator(_name, left_by_native=True)(_decomposed(_name))
for _name, _overload in _INTO_GIVEN.items():
    with_out(_name, "out", "save_mean", "save_invstd", overload=_overload)(_decomposed(_name))
