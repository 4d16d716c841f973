"""What `wavesmith.profile_kernel` finds out: the parts of a `KernelProfile`. All of it is modelled."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PipeUse:
    """What a pipe of the compute unit did."""

    pipe: str
    """"matrix", "VALU", "LDS", ..."""
    issued: int
    """Instructions."""
    utilisation: float
    """Share of the cycles in which it was busy."""


@dataclass(frozen=True)
class Stall:
    """Cycles that waves waited for one cause."""

    cause: str
    wave_cycles: float
    exposed: float
    """No other wave of the SIMD issued meanwhile."""
    hidden: float
    """One did."""
    exposed_share: float
    """Of the SIMDs' cycles."""


@dataclass(frozen=True)
class LdsUse:
    """What LDS did."""

    cycles: int
    conflict_cycles: int
    """Of them those that bank conflicts added."""
    conflict_share: float


@dataclass(frozen=True)
class MemoryUse:
    """What memory did: lines and requests of the workgroups that were replayed, bytes of the grid."""

    l1_hit_rate: float
    l2_hit_rate: float
    infinity_cache_lines: float
    memory_lines: float
    l1_requests: float
    l2_requests: float
    line_bytes: int
    grid_bytes: float
    """Each byte counted once."""
    grid_bytes_per_second: float
    peak_bytes_per_second: float


@dataclass(frozen=True)
class KernelProfile:
    """One launch of a kernel under the cycle model; `wavesmith profile --json` prints the same of its kernel."""

    name: str
    gpu: str
    """Its id: "mi300x"."""
    grid: tuple[int, int, int]
    """Workgroups."""
    block: tuple[int, int, int]
    """Work-items of a workgroup."""
    seconds: float
    cycles: float
    """From the grid's first wave to its last."""
    clock_mhz: float
    clock_kind: str
    """How the clock is known."""
    bound: str
    """What bounds it: "matrix", "HBM", "latency", ..."""
    bound_why: str
    units: int
    """Compute units at work."""
    instructions_per_cycle: float
    """Of a compute unit."""
    matrix_flops: float
    """Of the whole grid."""
    exposed_share: float
    """Share of the SIMDs' cycles in which nothing issued."""
    pipes: tuple[PipeUse, ...] = field(repr=False)
    stalls: tuple[Stall, ...] = field(repr=False)
    """The most exposed first."""
    lds: LdsUse = field(repr=False)
    memory: MemoryUse = field(repr=False)
    sample: str = field(repr=False)
    """Which workgroups were replayed."""
    notes: tuple[str, ...] = field(repr=False)
    _said: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def matrix_flops_per_second(self) -> float:
        """The rate that the seconds give."""
        return self.matrix_flops / self.seconds if self.seconds > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """All of it, with every instruction and its stalls, as `wavesmith profile --json` prints it."""
        return copy.deepcopy(dict(self._said))

    def to_row(self) -> dict[str, Any]:
        """One row of a table.

        Returns:
            `kernel`, `gpu`, `grid`, `block`, `seconds`, `cycles`, `clock_mhz`, `bound`, `matrix_flops_per_second`,
            `memory_bytes_per_second`, `exposed_share`, `lds_conflict_share` and `top_stall`.
        """
        return {
            "kernel": self.name,
            "gpu": self.gpu,
            "grid": self.grid,
            "block": self.block,
            "seconds": self.seconds,
            "cycles": self.cycles,
            "clock_mhz": self.clock_mhz,
            "bound": self.bound,
            "matrix_flops_per_second": self.matrix_flops_per_second,
            "memory_bytes_per_second": self.memory.grid_bytes_per_second,
            "exposed_share": self.exposed_share,
            "lds_conflict_share": self.lds.conflict_share,
            "top_stall": self.stalls[0].cause if self.stalls else None,
        }
