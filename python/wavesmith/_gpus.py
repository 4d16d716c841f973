"""The GPUs that are described."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wavesmith._native import GpuDict, NumberValue


@dataclass(frozen=True)
class Number:
    """One number of a GPU, with where it stands."""

    value: NumberValue
    """None when nobody has published it."""
    unit: str
    """"MHz", "bytes"; empty for a count or a name."""
    kind: str
    """How it came to be known: "read", "derived", "modelled" or "measured"."""
    source: str


@dataclass(frozen=True)
class Gpu:
    """A GPU as HIP shows it (of a module with two dies: one die)."""

    id: str
    """What `use` and `--gpu` take: "mi300x"."""
    name: str
    """As HIP reports it: "AMD Instinct MI300X"."""
    architecture: str
    """"CDNA3"."""
    target: str
    """LLVM's processor: "gfx942"."""
    compute_units: int
    wave_sizes: tuple[int, ...]
    """The first one is HIP's warpSize."""
    lds_bytes: int
    """LDS of one compute unit."""
    memory_bytes: int
    numbers: Mapping[str, Number] = field(repr=False)
    """Every number by its path in the data file ("compute.units"), with unit and source."""


def gpus() -> list[Gpu]:
    """The GPUs that are built in, sorted by id."""
    from wavesmith import _native

    return [_gpu(one) for one in _native.gpus()]


def machine(devices: str) -> list[Gpu]:
    """The GPUs that a description names, one for each device: "mi300x:8", "mi300x:2,mi210", "./my.toml".

    Raises:
        NotFoundError: there is no such GPU; the text names those that there are.
        BadInputError: the description or a TOML file is malformed.
    """
    from wavesmith import _native

    return [_gpu(one) for one in _native.machine(devices)]


def _gpu(described: GpuDict) -> Gpu:
    numbers = {path: Number(*parts) for path, parts in described["numbers"].items()}

    def text(path: str) -> str:
        return str(numbers[path].value)

    def count(path: str) -> int:
        value = numbers[path].value
        assert isinstance(value, int)
        return value

    sizes = numbers["compute.wave_sizes"].value
    assert isinstance(sizes, list)
    return Gpu(
        described["id"],
        text("name"),
        text("architecture"),
        text("target"),
        count("compute.units"),
        tuple(sizes),
        count("lds.bytes"),
        count("memory.bytes"),
        numbers,
    )
