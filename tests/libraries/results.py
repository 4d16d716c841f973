"""What has been run, kept from run to run: docs/libraries.json.

Passed tests are counted, all others named. A new version of a library's package begins anew.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "docs/libraries.json"
# failed: the test says so; died: its process ended in it; hung: no processor time was used any more; not run: the
# program passed over it. long and memory are no failures: the test was stopped by the rule on time or memory. Nor is
# lacking: Debian's package has not got a file that the test needs.
FAILURES = ("failed", "died", "hung", "not run")
LEFT_OUT = ("long", "memory", "lacking")


@dataclass
class Run:
    """A library on a GPU."""

    passed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    rows: dict[str, list[int]] = field(default_factory=dict)  # by program: tests, those of them that were run
    # Each with row, first and count (of its chunk), test, outcome, why.
    others: list[dict[str, Any]] = field(default_factory=list)
    wavesmith: str = ""  # the commit that the last chunk ran with

    def count(self, outcomes: tuple[str, ...]) -> int:
        return sum(each["outcome"] in outcomes for each in self.others)

    @property
    def ran(self) -> int:
        """Tests that came to a verdict."""
        return self.passed + self.count(FAILURES)

    @property
    def share(self) -> float:
        """The part of the suite that was run, of 1."""
        tests = sum(tests for tests, _ in self.rows.values())
        return sum(done for _, done in self.rows.values()) / tests if tests else 0.0

    def add(self, row: str, chunk: tuple[int, int], test: str, outcome: str, why: str) -> None:
        if outcome == "passed":
            self.passed += 1
        elif outcome == "skipped":
            self.skipped += 1
        else:
            place = {"row": row, "first": chunk[0], "count": chunk[1]}
            self.others.append(place | {"test": test, "outcome": outcome, "why": why})


@dataclass
class Entry:
    """A library: the versions that were run, and the runs by GPU; note: why there are none."""

    packages: dict[str, str] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)  # by GPU


def read(file: Path = FILE) -> dict[str, Entry]:
    content = json.loads(file.read_text()) if file.exists() else {}
    return {
        id: Entry(entry["packages"], {gpu: Run(**run) for gpu, run in entry["runs"].items()}, entry["notes"])
        for id, entry in content.items()
    }


def write(entries: dict[str, Entry], file: Path = FILE) -> None:
    content = {id: asdict(entry) for id, entry in sorted(entries.items())}
    new = file.with_suffix(".new")
    text = re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", json.dumps(content, indent=1, ensure_ascii=False))
    new.write_text(text + "\n")
    new.replace(file)


def summary(run: Run) -> str:
    counts = Counter({"passed": run.passed, "skipped": run.skipped}) + Counter(each["outcome"] for each in run.others)
    text = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    return f"{text or 'nothing'}; {run.share:.2%} of the suite, {run.seconds:.0f} s"
