"""What `wavesmith.explain` finds out: the parts of an `Explanation`.

Cycles are clocks of the shader engine. A `Figure` says how it is known, or why it is not.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from wavesmith._errors import NotFoundError

Severity = Literal["note", "hint", "warning"]
"""A matter of taste; a change may gain; the code costs time."""


@dataclass(frozen=True)
class Figure:
    """A figure, or the reason why it cannot be known."""

    value: float | None
    kind: str
    """How it is known: "read", "derived", "modelled" or "measured"."""
    unknown_because: str = ""


@dataclass(frozen=True)
class Registers:
    """Registers by kind, of a wave's lane or of a wave."""

    vgprs: int
    agprs: int
    sgprs: int


@dataclass(frozen=True)
class Resources:
    """What the kernel's descriptor and metadata state. Read."""

    used: Registers
    allocated: Registers
    """Rounded as the descriptor has it; VGPRs without AGPRs."""
    vgprs_total: int
    """Of the register file: with AGPRs where that is one."""
    vgpr_spills: int
    sgpr_spills: int
    scratch_bytes: int
    """Private memory of a lane."""
    dynamic_stack: bool
    lds_bytes: int
    """Static LDS of a workgroup."""
    dynamic_lds: bool
    """More is asked for when it is launched."""
    workgroup: int
    """Work-items that were assumed."""
    max_workgroup: int
    wave_size: int
    kernarg_bytes: int
    code_bytes: int


@dataclass(frozen=True)
class OccupancyStep:
    """A reduction of one resource that makes room for another wave."""

    limiter: str
    now: int
    """VGPRs, SGPRs, bytes of LDS or work-items that it takes."""
    to: int
    """What it may take."""
    waves: int
    """Waves per SIMD then."""
    text: str
    """"12 VGPRs fewer: one more wave"."""


@dataclass(frozen=True)
class Occupancy:
    """How many waves a SIMD holds, and what limits them. Derived."""

    waves_per_simd: int
    """0: the kernel does not fit the GPU."""
    of: int | None
    """Waves that the GPU's SIMD has room for."""
    limited_by: str
    """"VGPRs", "LDS", "wave slots", ..."""
    workgroups: int
    """At once on a compute unit."""
    by_vgprs: int
    """Waves that this resource alone would allow, and the next ones."""
    by_sgprs: int
    by_lds: int
    by_workgroups: int
    compiler_waves: int
    """As the compiler counts."""
    next: tuple[OccupancyStep, ...]
    """All of these together give one wave more; one, usually."""
    note: str
    """What was assumed."""


@dataclass(frozen=True)
class Bound:
    """What decides the kernel's time: of a pass of its hot loop, or of a whole wave where it has no loop. Modelled."""

    by: str
    """"latency", "memory", or a pipe: "matrix", "VALU", "LDS", ..."""
    text: str
    """In words: "LDS, which 4 SIMDs share", "latency: 3 waves cannot hide it"."""
    cycles: float
    """Of a SIMD that the kernel's waves share, for one wave."""


@dataclass(frozen=True)
class Place:
    """An instruction, and the line of the source that it comes from."""

    text: str
    """"attention.hip:64"; "0x1c40" without line tables."""
    pc: int | None
    """Virtual address in the code object."""
    instruction: str
    """As the disassembler prints it."""
    loop: int | None
    """Index into `ExplainedKernel.loops`."""


@dataclass(frozen=True)
class Finding:
    """Something that may be changed, and what that would gain at most."""

    rule: str
    """Its name: "full-drain-in-loop"."""
    title: str
    """One line."""
    severity: Severity
    gain_percent: Figure
    """At most, of the time of the loop that it is in, or of the kernel's: `gain_of`."""
    gain_cycles: Figure
    """At most, of a pass of the loop, for one wave."""
    gain_of: str
    """The place of that loop; empty: of the kernel."""
    where: tuple[Place, ...] = field(repr=False)
    evidence: tuple[str, ...] = field(repr=False)
    """What was seen: sentences."""
    experiment: str = field(repr=False)
    """What would confirm it."""
    unknown_because: str = field(repr=False)
    """What keeps it from being certain; empty: nothing."""
    rank: float = field(repr=False)
    """Findings are sorted by it, the greatest first."""

    def to_row(self) -> dict[str, Any]:
        """One row of a table.

        Returns:
            `rule`, `title`, `severity`, `gain_percent` and `gain_cycles` (None: unknown), `gain_of` and `place`.
        """
        return {
            "rule": self.rule,
            "title": self.title,
            "severity": self.severity,
            "gain_percent": self.gain_percent.value,
            "gain_cycles": self.gain_cycles.value,
            "gain_of": self.gain_of,
            "place": self.where[0].text if self.where else "",
        }


@dataclass(frozen=True)
class Loop:
    """A loop, and what one pass through it takes."""

    place: str
    """"attention.hip:56-109"."""
    depth: int
    """1: outermost."""
    innermost: bool
    trips: Figure
    """How often its body runs each time that it is entered."""
    trips_formula: str
    """Of the arguments, where it is no number: "k / 64 (k: argument 5)"."""
    instructions: int
    code_bytes: int
    cycles: Figure
    """Of a SIMD that the kernel's waves share: of a pass of one wave."""
    bound: str
    """What decides them, in words; empty: unknown."""
    pipes: Mapping[str, float]
    """Busy cycles of each pipe in a pass, the busiest first."""
    matrix_operations: float
    """Multiplications and additions of matrix instructions, of one wave's pass."""
    load_bytes: float
    """Of vector memory but LDS, of one full wave's pass."""
    store_bytes: float
    live_peak: Registers
    """The most that is live in it."""


@dataclass(frozen=True)
class WholeWave:
    """Cycles of a SIMD that a wave takes from beginning to end. Modelled."""

    cycles: float | None
    formula: str
    """Where trips depend on arguments: "312 + 1024 * (k / 64)"."""
    unknown_because: str
    """Where neither is known."""


@dataclass(frozen=True)
class ExplainedKernel:
    """What is known of a kernel from its code."""

    name: str
    """As the code object has it."""
    readable_name: str
    target: str
    """What was decoded for: "gfx942"."""
    gpu: str
    served_by: Literal["l2", "memory"]
    """What passes and gains take to serve loads and stores."""
    resources: Resources
    occupancy: Occupancy
    bound: Bound | None
    """None: unknown."""
    findings: tuple[Finding, ...] = field(repr=False)
    """The greatest gain first; notes gain nothing by themselves, or cannot be weighed."""
    loops: tuple[Loop, ...] = field(repr=False)
    """Outer ones before inner ones."""
    hot_loop: Loop | None = field(repr=False)
    """The loop with most of the cycles."""
    whole_wave: WholeWave = field(repr=False)
    live_peak: Registers = field(repr=False)
    """The most that is live at once."""
    instructions: int
    _said: Mapping[str, Any] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All of it, with blocks, waits, accesses and instructions, as `wavesmith explain --json` prints it."""
        return copy.deepcopy(dict(self._said))

    def to_row(self) -> dict[str, Any]:
        """One row of a table.

        Returns:
            `kernel`, `gpu`, `vgprs`, `agprs`, `sgprs`, `vgpr_spills`, `scratch_bytes`, `lds_bytes`, `workgroup`,
            `waves_per_simd`, `limited_by`, `hot_loop`, `bound`, `cycles`, `findings` (without notes), `top_finding`,
            `top_gain_percent` and `top_gain_of`; None: unknown, or there is none.
        """
        found = [one for one in self.findings if one.severity != "note"]
        return {
            "kernel": self.readable_name,
            "gpu": self.gpu,
            "vgprs": self.resources.used.vgprs,
            "agprs": self.resources.used.agprs,
            "sgprs": self.resources.used.sgprs,
            "vgpr_spills": self.resources.vgpr_spills,
            "scratch_bytes": self.resources.scratch_bytes,
            "lds_bytes": self.resources.lds_bytes,
            "workgroup": self.resources.workgroup,
            "waves_per_simd": self.occupancy.waves_per_simd,
            "limited_by": self.occupancy.limited_by,
            "hot_loop": self.hot_loop.place if self.hot_loop else None,
            "bound": self.bound.by if self.bound else None,
            "cycles": self.bound.cycles if self.bound else None,
            "findings": len(found),
            "top_finding": found[0].title if found else None,
            "top_gain_percent": found[0].gain_percent.value if found else None,
            "top_gain_of": found[0].gain_of if found else None,
        }


@dataclass(frozen=True)
class Explanation:
    """What is known of the kernels of a file; `wavesmith explain --json` prints the same."""

    file: str
    """The path as it was given; "<bytes>"."""
    form: str
    """"HIP source", "a code object", ..."""
    gpu: str
    """The id of the GPU that it was explained for."""
    target: str
    """What the code is for."""
    command: tuple[str, ...]
    """That compiled it; empty: nothing was compiled."""
    compile_seconds: float
    """Measured on this machine."""
    kernels: tuple[ExplainedKernel, ...]
    refused: tuple[str, ...]
    """Why kernels were left out, where others could be analysed."""
    _said: Mapping[str, Any] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[ExplainedKernel]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)

    @property
    def kernel(self) -> ExplainedKernel:
        """The only kernel.

        Raises:
            NotFoundError: there are several; the text names them.
        """
        if len(self.kernels) != 1:
            names = "; ".join(one.readable_name for one in self.kernels[:8])
            raise NotFoundError(f"{len(self.kernels)} kernels are explained", hint=f"ask for one by kernel=: {names}")
        return self.kernels[0]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as `wavesmith explain --json` prints it."""
        return copy.deepcopy(dict(self._said))

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each kernel: `ExplainedKernel.to_row()`."""
        return [one.to_row() for one in self.kernels]
