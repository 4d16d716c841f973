"""The activations of gates and products, and their derivatives, in float32."""

from __future__ import annotations

import math

import torch
from torch import Tensor

_ROOT = math.sqrt(2 / math.pi)
_CUBE = 0.044715


def value(name: str, x: Tensor) -> Tensor:
    """The activation of x; "gelu" is the approximation by tanh."""
    if name == "relu":
        return torch.relu(x)
    if name == "silu":
        return x * torch.sigmoid(x)
    if name == "gelu":
        return 0.5 * x * (1 + torch.tanh(_ROOT * (x + _CUBE * x * x * x)))
    return x


def derivative(name: str, x: Tensor) -> Tensor:
    """Its derivative at x."""
    if name == "relu":
        return (x > 0).to(x.dtype)
    if name == "silu":
        share = torch.sigmoid(x)
        return share * (1 + x * (1 - share))
    if name == "gelu":
        bent = torch.tanh(_ROOT * (x + _CUBE * x * x * x))
        return 0.5 * (1 + bent) + 0.5 * x * (1 - bent * bent) * _ROOT * (1 + 3 * _CUBE * x * x)
    return torch.ones_like(x)
