"""What the checkers of `wavesmith check` found in the processes of a run, folded over all of them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEVERITIES = ("error", "warning", "hint")
# Names of templates are as long as pages, and their ends say which instance it is.
_NAME = 120


def settings(checkers: str, folder: str) -> dict[str, str]:
    """The environment of a program that is checked; folder: where it finds room for reports."""
    return {"WAVESMITH_CHECK": checkers, "WAVESMITH_CHECK_REPORT": folder}


@dataclass(frozen=True)
class Fault:
    """The same instructions of the same kernels doing the same thing."""

    severity: str
    rule: str  # with its checker: race/lds-read-write
    parties: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.severity} {self.rule}: " + "; ".join(self.parties)


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME // 2]} ... {name[-_NAME // 2 :]}"


def _party(one: dict[str, Any]) -> str:
    sign = "-" if one["offset"] < 0 else "+"
    where = f"{_short(one['kernel'])} {sign} {abs(one['offset']):#x}" if one["kernel"] else "the host"
    return " ".join(word for word in (one["role"], one["instruction"], "at", where) if word)


def fault(finding: dict[str, Any]) -> Fault:
    parties = tuple(_party(one) for one in finding["parties"])
    return Fault(finding["severity"], f"{finding['checker']}/{finding['rule']}", parties)


@dataclass
class Found:
    launches: int
    times: Counter[Fault]

    def count(self, severity: str) -> int:
        return sum(fault.severity == severity for fault in self.times)

    def __str__(self) -> str:
        counts = (f"{self.count(severity)} {severity}s" for severity in SEVERITIES)
        return f"{self.launches} launches, {', '.join(counts)}"

    def lines(self) -> list[str]:
        """Errors and warnings, the worst and most frequent first."""
        told = [(fault, times) for fault, times in self.times.items() if fault.severity != "hint"]
        told.sort(key=lambda each: (SEVERITIES.index(each[0].severity), -each[1], str(each[0])))
        return [f"{fault} ({times} times)" for fault, times in told]


def found(folder: Path) -> Found:
    """All that the processes have reported there."""
    result = Found(0, Counter())
    for file in sorted(folder.glob("*.json")):
        try:
            report = json.loads(file.read_text())
        except ValueError:  # the process was ended while it wrote
            continue
        result.launches += report["launches"]
        for finding in report["findings"]:
            result.times[fault(finding)] += finding["count"]
    return result
