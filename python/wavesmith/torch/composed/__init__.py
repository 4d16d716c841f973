"""Operators that are composed of others on the device, or of products with small sparse matrices."""

from wavesmith.torch.composed import (
    adaptive,
    bags,
    ctc,
    distances,
    equal,
    fractional,
    grid,
    group_norm,
    norms,
    pads,
    pooling,
    resize,
    scaled,
    scatter,
    unfold,
)

__all__ = (
    "adaptive",
    "bags",
    "ctc",
    "distances",
    "equal",
    "fractional",
    "grid",
    "group_norm",
    "norms",
    "pads",
    "pooling",
    "resize",
    "scaled",
    "scatter",
    "unfold",
)
