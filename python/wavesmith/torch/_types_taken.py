"""Which types of elements an operator takes: of integers and complex numbers those that PyTorch's own kernels do.

Composed and compiled code would compute a softmax of integers, say, which PyTorch has no kernel for on any device. Its
kernel for the CPU is asked once for each operator and its types, with a copy of the first call's tensors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

_MOST = 1 << 20  # elements: more would take long to compute for an answer
#: What PyTorch has kernels for on a GPU alone.
_GPUS_ALONE = frozenset(("aten::abs", "aten::histc", "aten::nanmean", "aten::nansum", "aten::trace"))

_known: dict[tuple[Any, ...], bool] = {}


def taken(op: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether PyTorch has a kernel of the operator for these types, as far as that can be told."""
    if args and isinstance(args[0], torch.Tensor) and args[0].is_floating_point():
        return True
    tensors = [each for each in pytree.tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
    types = tuple([each.dtype for each in tensors])
    if not types or any(each.is_floating_point or each is torch.complex32 for each in types):
        return True
    key = (op, *types)
    if key not in _known:
        if (
            op._schema.name in _GPUS_ALONE
            or torch.Tag.nondeterministic_seeded in op.tags
            or sum(each.numel() for each in tensors) > _MOST
        ):
            return True
        _known[key] = _ask(op, args, kwargs)
    return _known[key]


def _ask(op: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    there, named = pytree.tree_map(_copied, (args, kwargs))
    try:
        with torch.no_grad():
            op(*there, **named)
    except NotImplementedError as error:
        return re.search(r"not implemented for '", str(error)) is None
    except Exception:  # of something else: whoever computes it will say
        return True
    return True


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().to("cpu", copy=True)
    return torch.device("cpu") if isinstance(value, torch.device) else value
