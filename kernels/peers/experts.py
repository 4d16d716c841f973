"""A layer of experts for the peers' programs: which tokens are whose."""

from __future__ import annotations

import numpy as np


def experts_of(tokens: int, experts: int, top: int) -> np.ndarray:
    """Each token's, as in kernels/bench/experts.cc: all experts serve as many."""
    return (np.arange(tokens * top) * 5 % experts).astype(np.int32).reshape(tokens, top)


def padded(chosen: np.ndarray, experts: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The places in `chosen` by experts, each padded to whole tiles of rows with a number that is no place, and
    each tile's expert."""
    places, owners = [], []
    for expert in range(experts):
        mine = np.flatnonzero(chosen.ravel() == expert)
        tiles = -(-len(mine) // rows)
        places.append(np.pad(mine, (0, tiles * rows - len(mine)), constant_values=chosen.size))
        owners += [expert] * tiles
    return np.concatenate(places).astype(np.int32), np.array(owners, np.int32)
