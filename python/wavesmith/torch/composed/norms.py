"""What kernels of LayerNorm leave: PyTorch's decompositions; given results of batch norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from wavesmith.torch._library import operator
from wavesmith.torch._outputs import given_results


def _decomposed(name: str) -> Callable[..., Any]:
    """PyTorch's decomposition of an operator; all of them, which take a second to import, are when one is called."""
    packet, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, packet), overload or "default")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        from torch._decomp import decomposition_table

        return decomposition_table[op](*args, **kwargs)

    return kernel


for _name in ("native_layer_norm", "native_layer_norm_backward", "native_group_norm_backward"):
    operator(_name, left_by_native=True)(_decomposed(_name))  # of doubles, of nothing at all
for _name in ("native_batch_norm", "_native_batch_norm_legit"):
    given_results(_name, "out", "save_mean", "save_invstd")
given_results("_native_batch_norm_legit.no_stats", "out", "save_mean", "save_invstd", overload="no_stats_out")
