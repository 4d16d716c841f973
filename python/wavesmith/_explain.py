"""`wavesmith.explain`: the static analysis of kernels, from their code alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from wavesmith.explanation import (
    Bound,
    ExplainedKernel,
    Explanation,
    Figure,
    Finding,
    Loop,
    Occupancy,
    OccupancyStep,
    Place,
    Registers,
    Resources,
    WholeWave,
)

_Said = Mapping[str, Any]


def explain(
    code: str | os.PathLike[str] | bytes,
    kernel: str | None = None,
    *,
    gpu: str | None = None,
    workgroup: int | None = None,
    dynamic_lds: int = 0,
    served_by: Literal["l2", "memory"] = "l2",
    options: Sequence[str] = (),
) -> Explanation:
    """Finds what bounds kernels and what to change, from their code alone; nothing is run, no GPU is emulated.

    >>> code = wavesmith.cc(source, gpu="mi300x")
    >>> kernel = wavesmith.explain(code, "axpy").kernel
    >>> kernel.resources.used.vgprs, kernel.occupancy.waves_per_simd, kernel.bound.by
    (6, 8, 'memory')
    >>> for finding in kernel.findings:                       # the greatest gain first
    ...     print(finding.title, finding.gain_percent.value, finding.where[0].text)

    Args:
        code: the path of a file, or the contents of one: HIP source, LLVM IR, assembly, a code object, a bundle, a
            program or library with GPU code; also what Triton compiled (`compiled.asm["hsaco"]`).
        kernel: only kernels of this name, or with it in their names; None: all.
        gpu: the GPU to explain for; None: that of `wavesmith.use`, else one that the file has code for.
        workgroup: work-items of a workgroup, 1 to 1024, where the kernel leaves it open; None: the most it allows.
        dynamic_lds: bytes of LDS requested at launch.
        served_by: what serves loads and stores for passes and gains: L2, or the memory behind all caches, for a
            kernel that streams.
        options: for the compiler of source: ["-DTILE=64", "-ffast-math"].

    Returns:
        Registers, occupancy, bound, loops and findings of each kernel. docs/EXPLAIN.md says what the figures mean.

    Raises:
        NotFoundError: no such file, kernel or GPU, or no GPU code in the file; the hint names what there is.
        WrongTargetError: the code is for other GPUs; the hint names them.
        BadInputError: the file is damaged, has no known form or does not compile, or a number does not fit.
        UnsupportedError: code of that form or target is not read.
    """
    from wavesmith import _native

    contents = bytes(code) if isinstance(code, bytes | bytearray | memoryview) else None
    said = json.loads(
        _native.explain(
            "<bytes>" if contents is not None else os.fspath(code),  # type: ignore[arg-type]
            contents,
            kernel or "",
            gpu or "",
            workgroup or 0,
            dynamic_lds,
            served_by,
            list(options),
        )
    )
    return Explanation(
        said["file"],
        said["form"],
        said["gpu"],
        said["target"],
        tuple(said["command"]),
        said["compile_seconds"],
        tuple(_kernel(one) for one in said["kernels"]),
        tuple(said["refused"]),
        said,
    )


def _kernel(said: _Said) -> ExplainedKernel:
    loops = tuple(_loop(one) for one in said["loops"])
    bound, wave, hot = said["bound"], said["whole_wave"], said["hot_loop"]
    return ExplainedKernel(
        said["name"],
        said["readable_name"],
        said["target"],
        said["gpu"],
        said["served_by"],
        _resources(said["resources"]),
        _occupancy(said["occupancy"]),
        Bound(bound["by"], bound["text"], bound["cycles"]) if bound else None,
        tuple(_finding(one, said["instructions"], loops) for one in said["findings"]),
        loops,
        loops[hot] if hot is not None else None,
        WholeWave(wave["cycles"], wave.get("formula", ""), wave.get("unknown_because", "")),
        Registers(**said["live_peak"]),
        said["mix"]["total"],
        said,
    )


def _resources(said: _Said) -> Resources:
    plain = {name: value for name, value in said.items() if name not in ("tag", "used", "allocated")}
    return Resources(Registers(**said["used"]), Registers(**said["allocated"]), **plain)


def _occupancy(said: _Said) -> Occupancy:
    plain = {name: value for name, value in said.items() if name not in ("tag", "next", "of")}
    steps = (OccupancyStep(one["limiter"], one["from"], one["to"], one["waves"], one["text"]) for one in said["next"])
    return Occupancy(**plain, of=said.get("of"), next=tuple(steps))


def _figure(said: _Said) -> Figure:
    return Figure(said["value"], said["tag"], said.get("unknown_because", ""))


def _finding(said: _Said, instructions: Sequence[_Said], loops: Sequence[Loop]) -> Finding:
    def place(at: _Said) -> Place:
        first: _Said = instructions[at["first"]] if at["first"] is not None else {"pc": None, "text": ""}
        return Place(at["place"], first["pc"], first["text"], at["loop"])

    where = tuple(place(at) for at in said["where"])
    loop = where[0].loop if where else None
    return Finding(
        said["rule"],
        said["title"],
        said["severity"],
        _figure(said["gain_percent"]),
        _figure(said["gain_cycles"]),
        loops[loop].place if loop is not None else "",
        where,
        tuple(said["evidence"]),
        said["experiment"],
        said["unknown_because"],
        said["rank"],
    )


def _loop(said: _Said) -> Loop:
    cycles, mix = said["cycles"], said["mix"]
    return Loop(
        said["place"],
        said["depth"],
        said["innermost"],
        _figure(said["trips"]),
        said["trips_formula"],
        mix["total"],
        said["bytes"],
        Figure(cycles.get("at_this_occupancy"), cycles["tag"], cycles.get("unknown_because", "")),
        cycles.get("bound_text", ""),
        cycles.get("pipes", {}),
        mix["matrix_operations"],
        mix["load_bytes"],
        mix["store_bytes"],
        Registers(**said["live_peak"]),
    )
