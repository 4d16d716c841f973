"""`wavesmith.check`: what is wrong with the kernels that a function launches, on the machine code."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from wavesmith._errors import BadInputError, UseError

#: A party's wave where the whole launch took part.
_ALL_WAVES = 2**32 - 1

#: What is checked when nobody says otherwise, as by `wavesmith check`.
DEFAULT_CHECKS = ("memory", "race", "wait", "hazard", "init", "sync")


@dataclass(frozen=True)
class Party:
    """One that took part in a fault: an instruction and who executed it, or a call of the host's."""

    role: str
    """"reads", "wrote": the sentence goes on with the rest."""
    kernel: str
    """"" for the host."""
    offset: int
    """Of the instruction, from the kernel's first one, in bytes; negative in a function that stands before it."""
    instruction: str
    source: str
    """"function 'f' + 0x10, file.hip:12"; "" where there is no debug information."""
    dispatch: int
    workgroup: tuple[int, int, int]
    wave: int
    """In its workgroup; 2**32 - 1: the launch as a whole."""
    lanes: int
    """A bit for each; 0: the wave as a whole."""

    def __str__(self) -> str:
        if not self.kernel:
            return f"{self.role}: {self.instruction} (host)"
        offset = f"{'-' if self.offset < 0 else '+'} {abs(self.offset):#x}"
        place = f"{self.kernel} {offset}" + (f" ({self.source})" if self.source else "")
        group = ",".join(str(one) for one in self.workgroup)
        who = "all of the launch" if self.wave == _ALL_WAVES else f"workgroup {group}, wave {self.wave}"
        return f"{self.role}: {self.instruction}\n      {place}\n      {who}"


@dataclass(frozen=True)
class Fault:
    """What a checker found."""

    checker: str
    rule: str
    severity: str
    """"error", "warning" or "hint"."""
    what: str
    address: str
    fix: str
    count: int
    """How often it was seen."""
    parties: tuple[Party, ...]

    def __str__(self) -> str:
        lines = [f"{self.severity} [{self.checker}/{self.rule}]: {self.what}"]
        lines[0] += f" ({self.address})" if self.address else ""
        lines += [f"  {party}" for party in self.parties]
        lines += [f"  fix: {self.fix}"] if self.fix else []
        lines += [f"  seen {self.count} times"] if self.count > 1 else []
        return "\n".join(lines)


@dataclass(frozen=True)
class Checked:
    """What `wavesmith.check` saw."""

    checks: tuple[str, ...]
    launches: int
    """Kernel launches that were checked."""
    faults: tuple[Fault, ...]
    """Errors and warnings."""
    hints: tuple[Fault, ...]
    result: Any = field(default=None, repr=False)
    """What the function returned."""

    @property
    def ok(self) -> bool:
        """Nothing was found, hints apart."""
        return not self.faults

    def rows(self) -> list[dict[str, Any]]:
        """A row per fault, for pandas.DataFrame."""
        return [
            {
                "checker": fault.checker,
                "rule": fault.rule,
                "severity": fault.severity,
                "kernel": fault.parties[0].kernel if fault.parties else "",
                "instruction": fault.parties[0].instruction if fault.parties else "",
                "source": fault.parties[0].source if fault.parties else "",
                "what": fault.what,
                "address": fault.address,
                "count": fault.count,
            }
            for fault in self.faults + self.hints
        ]

    def __str__(self) -> str:
        found = f"{len(self.faults)} found" if self.faults else "nothing found"
        summary = f"{found} in {self.launches} launches ({', '.join(self.checks)})"
        return "\n\n".join([*(str(fault) for fault in self.faults), summary])


def check(
    function: Callable[..., Any],
    *arguments: Any,
    checks: str | Iterable[str] = DEFAULT_CHECKS,
    equal_writes: bool = False,
) -> Checked:
    """Calls `function(*arguments)` and tells what is wrong with the kernels that it launches.

    Args:
        function: launches kernels on this process's emulated GPUs, by whatever package.
        arguments: given to it.
        checks: names of checkers, or "all": see `wavesmith check --help`.
        equal_writes: whether unordered writes of equal values to one place are races, too.

    Returns:
        What was found, with the function's result.

    Raises:
        BadInputError: there is no such checker.
        UseError: other checks are under way.

    Example:
        >>> checked = wavesmith.check(lambda: add[grid](x, y, out, n), checks="race,memory")
        >>> assert checked.ok, checked
    """
    with Checking(checks, equal_writes) as checking:
        result = function(*arguments)
    return checking.checked(result)


class Checking:
    """Checks while its block runs; `checked()` tells what was found."""

    def __init__(self, checks: str | Iterable[str] = DEFAULT_CHECKS, equal_writes: bool = False) -> None:
        self._names = checks if isinstance(checks, str) else ",".join(checks)
        self._equal_writes = equal_writes
        self._library: Any = None
        self._report = ""

    def __enter__(self) -> Checking:
        from wavesmith._use import use
        from wavesmith.triton.hip import hip

        use()
        library = hip().library
        if not hasattr(library, "wavesmith_check_begin"):
            raise UseError("this HIP library has no checkers", hint="a real GPU runs here: its library cannot check")
        library.wavesmith_check_begin.argtypes = [ctypes.c_char_p]
        library.wavesmith_check_end.restype = ctypes.c_size_t
        for function in (library.wavesmith_check_report, library.wavesmith_last_failure):
            function.restype = ctypes.c_size_t
            function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        with _asking_for_equal_writes(self._equal_writes):
            refused = library.wavesmith_check_begin(self._names.encode())
        if refused:
            why = _text(library.wavesmith_last_failure)
            raise (UseError if "under way" in why else BadInputError)(why)
        self._library = library
        return self

    def __exit__(self, *raised: object) -> None:
        if self._library.wavesmith_check_end():
            self._report = _text(self._library.wavesmith_check_report)

    def checked(self, result: Any = None) -> Checked:
        """What was found, after the block."""
        report = json.loads(self._report)
        faults = [_fault(one) for one in report["findings"]]
        return Checked(
            checks=tuple(report["checkers"]),
            launches=report["launches"],
            faults=tuple(one for one in faults if one.severity != "hint"),
            hints=tuple(one for one in faults if one.severity == "hint"),
            result=result,
        )


@contextmanager
def _asking_for_equal_writes(asked: bool) -> Iterator[None]:
    """The library reads it when checks begin."""
    name = "WAVESMITH_CHECK_RACE"
    before = os.environ.get(name)
    if asked:
        os.environ[name] = "equal-writes"
    try:
        yield
    finally:
        if asked and before is None:
            del os.environ[name]
        elif asked and before is not None:
            os.environ[name] = before


def _text(function: Any) -> str:
    """What a function says that copies a text and returns its length."""
    buffer = ctypes.create_string_buffer(function(None, 0) + 1)
    function(buffer, len(buffer))
    return buffer.value.decode(errors="replace")


def _fault(one: dict[str, Any]) -> Fault:
    parties = tuple(
        Party(**{**party, "workgroup": tuple(party["workgroup"]), "lanes": int(party["lanes"], 16)})
        for party in one["parties"]
    )
    return Fault(**{**one, "parties": parties})
