"""How long an operation takes, in closed form: what `wavesmith predict` asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Timing = Literal["profiler", "events", "back-to-back"]
"""How the time would be taken: a profiler's kernel time, events round one launch, the average of many launches."""

Confidence = Literal["low", "medium", "high"]

ParameterKind = Literal["size", "type", "choice", "switch", "text"]


@dataclass(frozen=True)
class Part:
    """A part of the time. Parts overlap: what they expose adds up to the whole."""

    name: str
    seconds: float
    """What it would take alone."""
    exposed: float
    """What it adds to the time."""


@dataclass(frozen=True)
class Level:
    """One level of memory: the coordinates of a roofline."""

    name: str
    """"LDS", "L1", "L2", "Infinity Cache", "HBM", "link"."""
    bytes: float
    """That cross it, reads and writes."""
    seconds: float
    """They take at its bandwidth."""
    bytes_per_second: float
    """Its bandwidth, of the whole GPU."""
    flops_per_byte: float
    utilisation: float
    """Its seconds as a part of the prediction's."""


@dataclass(frozen=True)
class Prediction:
    """What a model says of one operation on one GPU; `wavesmith predict --json` prints the same."""

    operation: str
    gpu: str
    """Its id: "mi300x"."""
    arguments: Mapping[str, str]
    """The parameters that were given, by the names that the command line has for them."""
    seconds: float
    """Of the kernel or kernels, launch included: what a profiler shows. Modelled."""
    bound: str
    """What bounds it: "matrix", "vector", "HBM", "L2", "LDS", "latency", "launch", ..."""
    flops: float
    """As the operation's definition counts them."""
    bytes: float
    """The least that has to cross the memory: each operand once."""
    clock_mhz: float
    """The engine clock that was assumed, after the power limit."""
    clock_kind: str
    """How it is known: "read", "derived", "modelled" or "measured"."""
    confidence: Confidence
    expected_error: float | None
    """The median error that the model was judged to have for this operation on GPUs of this generation, as a
    fraction; None: it was never judged."""
    parts: tuple[Part, ...] = field(repr=False)
    levels: tuple[Level, ...] = field(repr=False)
    facts: Mapping[str, str] = field(repr=False)
    """What belongs to this operation: "tile", "workgroups", ..."""
    notes: tuple[str, ...] = field(repr=False)
    """Why, what would help, what is unknown: sentences."""

    @property
    def flops_per_second(self) -> float:
        return self.flops / self.seconds if self.seconds > 0 else 0.0

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation."""

    name: str
    """A keyword of `predict`."""
    about: str
    kind: ParameterKind
    """"size": a whole number, or a text with a unit ("64KiB"); "type": "bf16", "f8", ...; "switch": True or False."""
    default: str
    """Used when it is not given; empty for a switch or a text: without it, for others: it must be given."""
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Operation:
    """An operation that can be predicted."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]


def operations() -> list[Operation]:
    """The operations that `predict` knows, with their parameters."""
    from wavesmith import _native

    return [
        Operation(
            name,
            about,
            tuple(
                Parameter(_keyword(parameter), text, kind, default, tuple(choices))
                for parameter, text, kind, default, choices in parameters
            ),
        )
        for name, about, parameters in _native.operations()
    ]


def predict(
    operation: str,
    /,
    *,
    gpu: str = "mi300x",
    set: Mapping[str, object] | None = None,
    clock: float | None = None,
    timing: Timing = "profiler",
    warm: bool = False,
    **parameters: int | str | bool | Sequence[int],
) -> Prediction:
    """How long an operation takes on a GPU, and what bounds it; nothing is run, and no GPU is emulated.

    >>> got = wavesmith.predict("gemm", gpu="mi355x", m=4096, n=4096, k=4096, dtype="bf16")
    >>> got.bound, got.seconds, got.flops_per_second
    >>> wavesmith.predict("decode", batch=64, context=8192, kv_heads=8, set={"memory.bandwidth": "8TB/s"})

    Args:
        operation: one of `operations()`: "gemm", "attention", "norm", "copy", ...
        gpu: its id or a data file, also with changes: "mi355x", "./my.toml", "mi300x+l2.bytes=8388608".
        set: numbers of the GPU to change: {"memory.bandwidth": "8TB/s"}.
        clock: the engine clock held there, in MHz; otherwise what the power limit leaves.
        timing: how the time would be taken.
        warm: the operands were touched just before: they stand in the caches that hold them.
        parameters: the operation's, by the command line's names with _ for -: m=4096, dtype="bf16", causal=True,
            bytes="64MiB", groups=[128, 7, 512].

    Raises:
        NotFoundError: there is no such operation or GPU; the text names those that there are.
        BadInputError: a parameter is missing, unknown or does not fit.
        UnsupportedError: the GPU cannot do that: a type that it has no instructions for.
    """
    import json

    from wavesmith import _native

    given = {name.replace("_", "-"): _word(value) for name, value in parameters.items() if value is not None}
    changes = [f"{key}={value}" for key, value in (set or {}).items()]
    said = json.loads(_native.predict(operation, gpu, changes, given, clock or 0.0, timing, warm))
    return Prediction(
        said["operation"],
        said["gpu"],
        said["arguments"],
        said["seconds"]["value"],
        said["bound"],
        said["flops"]["value"],
        said["bytes"]["value"],
        said["clock_mhz"]["value"],
        said["clock_mhz"]["kind"],
        said["confidence"],
        said["expected_error"],
        tuple(Part(**part) for part in said["parts"]),
        tuple(Level(**level) for level in said["levels"]),
        said["facts"],
        tuple(said["notes"]),
    )


def _keyword(name: str) -> str:
    return name.replace("-", "_")


def _word(value: object) -> str:
    """As it would be typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "+".join(str(one) for one in value)
    return str(value)
