"""What the models say of an operation on a GPU, and the question that `wavesmith.predict` puts to them."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypedDict

Size: TypeAlias = int | str
"""A count, or a text with a unit: 4096, "64KiB"."""

DType: TypeAlias = Any
"""A number type as any package names it: "bf16", numpy.float16, torch.bfloat16, ml_dtypes.float8_e4m3fn."""

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
class Judged:
    """What the error of a prediction was judged on: measurements that no constant of the model was fitted to."""

    model: str
    """"gemm", or "gemm, kernel not told" where the model had to find the tile itself, "attention", "norm", ..."""
    architecture: str
    """The generation of the GPUs that were measured: "CDNA3"."""
    rows: int
    """Measurements."""


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
    judged: Judged | None
    """What that was judged on."""
    parts: tuple[Part, ...] = field(repr=False)
    levels: tuple[Level, ...] = field(repr=False)
    facts: Mapping[str, str] = field(repr=False)
    """What belongs to this operation: "tile", "workgroups", ..."""
    notes: tuple[str, ...] = field(repr=False)
    """Why, what would help, what is unknown: sentences."""
    _said: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def flops_per_second(self) -> float:
        """The rate that the seconds give."""
        return self.flops / self.seconds if self.seconds > 0 else 0.0

    @property
    def bytes_per_second(self) -> float:
        """Useful bytes, each operand once, in the seconds."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def flops_per_byte(self) -> float:
        """The arithmetic intensity of the operation's definition: a roofline's x."""
        return self.flops / self.bytes if self.bytes > 0 else 0.0

    def level(self, name: str) -> Level:
        """The level of memory of that name.

        Raises:
            NotFoundError: the GPU or the prediction has none; the text names those that there are.
        """
        from wavesmith._errors import NotFoundError

        for level in self.levels:
            if level.name == name:
                return level
        raise NotFoundError(f"no level '{name}'", hint=f"there are {', '.join(one.name for one in self.levels)}")

    def to_dict(self) -> dict[str, Any]:
        """All of it, as `wavesmith predict --json` prints it."""
        return copy.deepcopy(dict(self._said))

    def to_row(self) -> dict[str, Any]:
        """One row of a table: the arguments, each by its keyword, and the figures.

        >>> row = wavesmith.predict.copy("1GiB").to_row()
        >>> row["operation"], row["gpu"], row["bytes"], row["bound"]
        ('copy', 'mi300x', 1073741824, 'HBM')

        Returns:
            `operation`, `gpu`, the arguments (sizes as integers), `seconds`, `bound`, `flops`,
            `memory_bytes` (the prediction's `bytes`), `flops_per_second`, `bytes_per_second`, `flops_per_byte`,
            `clock_mhz`, `confidence`, `expected_error` and `judged_rows` (None: never judged).
        """
        return {
            "operation": self.operation,
            "gpu": self.gpu,
            **{_keyword(name): _number(text) for name, text in self.arguments.items()},
            "seconds": self.seconds,
            "bound": self.bound,
            "flops": self.flops,
            "memory_bytes": self.bytes,
            "flops_per_second": self.flops_per_second,
            "bytes_per_second": self.bytes_per_second,
            "flops_per_byte": self.flops_per_byte,
            "clock_mhz": self.clock_mhz,
            "confidence": self.confidence,
            "expected_error": self.expected_error,
            "judged_rows": self.judged.rows if self.judged else None,
        }


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
    """The operations that `predict` knows, with their parameters.

    >>> [one.name for one in wavesmith.operations()][:3]
    ['gemm', 'moe', 'conv']
    """
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


class Conditions(TypedDict, total=False):
    """Under which conditions an operation is timed; every prediction takes these keywords."""

    set: Mapping[str, object] | None
    """Numbers of the GPU to change: {"memory.bandwidth": "8TB/s"}."""
    clock: float | None
    """The engine clock held there, in MHz; None: what the power limit leaves."""
    timing: Timing
    """How the time would be taken; "profiler" if it is not said."""
    warm: bool
    """The operands were touched just before: they stand in the caches that hold them."""


def ask(operation: str, gpu: str, conditions: Conditions, parameters: Mapping[str, object]) -> Prediction:
    """Predicts one point.

    Args:
        operation: one of `operations()`.
        gpu: its id or a data file, also with changes.
        conditions: of the timing.
        parameters: the operation's by keyword; None: not given.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict` says.
    """
    from wavesmith import _native

    given = {name.replace("_", "-"): _word(value) for name, value in parameters.items() if value is not None}
    changes = [f"{key}={value}" for key, value in (conditions.get("set") or {}).items()]
    said = json.loads(
        _native.predict(
            operation,
            gpu,
            changes,
            given,
            conditions.get("clock") or 0.0,
            conditions.get("timing", "profiler"),
            conditions.get("warm", False),
        )
    )
    judged = said["judged"]
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
        Judged(**judged) if judged else None,
        tuple(Part(**part) for part in said["parts"]),
        tuple(Level(**level) for level in said["levels"]),
        said["facts"],
        tuple(said["notes"]),
        said,
    )


def _keyword(name: str) -> str:
    return name.replace("-", "_")


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def _word(value: object) -> str:
    """As it would be typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "+".join(str(one) for one in value)
    if isinstance(value, str | int | float):
        return str(value)
    from wavesmith.kernels._arrays import short_name

    return short_name(value)
