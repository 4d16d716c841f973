"""How a library's test program is asked for its tests, told which to run, and understood.

Two kinds of programs: `gtest`, GoogleTest's, and `thrust`, rocThrust's own driver. A kind knows the arguments and
reads the output while the program writes it, so that a program that dies has told what it did before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

# What the system takes as one argument, less a little (MAX_ARG_STRLEN is 128 KiB).
_LONGEST_ARGUMENT = 100_000


@dataclass
class Outcome:
    """What became of one test: passed, failed, skipped, or how it ended its process: died, hung, long, memory."""

    test: str
    outcome: str
    why: str = ""


@dataclass
class Output:
    """What a program has written so far."""

    outcomes: list[Outcome] = field(default_factory=list)
    now: str | None = None
    said: list[str] = field(default_factory=list)

    def _ended(self, test: str, outcome: str) -> None:
        self.outcomes.append(Outcome(test, outcome, "\n".join(self.said)[:2000] if outcome == "failed" else ""))
        self.now, self.said = None, []


class GTest(Output):
    """GoogleTest. Tests print in the middle of its lines, so a mark counts wherever it stands."""

    _MARK = re.compile(r"\[( RUN      |       OK |  FAILED  |  SKIPPED )\] (\S+)")
    _OUTCOMES: ClassVar = {"       OK ": "passed", "  FAILED  ": "failed", "  SKIPPED ": "skipped"}

    def line(self, text: str) -> None:
        mark = self._MARK.search(text)
        if mark and mark[1] == " RUN      ":
            self.now, self.said = mark[2], []
        elif (
            mark and self.now is not None and mark[2].rstrip(",") == self.now
        ):  # not the list of failed tests at the end
            self._ended(self.now, self._OUTCOMES[mark[1]])
        elif self.now is not None and text.strip() and len(self.said) < 40:
            self.said.append(text.rstrip())

    @staticmethod
    def list_arguments(chosen: str) -> list[str]:
        return ["--gtest_list_tests"] + ([f"--gtest_filter={chosen}"] if chosen else [])

    @staticmethod
    def listed(lines: Iterable[str]) -> Iterator[str]:
        """The names of the tests in a list: a suite's line ends in a dot, and its tests are indented."""
        suite = ""
        for line in lines:
            name = line.partition("#")[0].rstrip()
            if name.startswith("  ") and suite:
                if "DISABLED_" not in suite + name:  # what GoogleTest doesn't run unasked
                    yield suite + name.strip()
            else:
                suite = name if name.endswith(".") and " " not in name else ""

    @staticmethod
    def run_arguments(tests: list[str]) -> list[str]:
        # A hyphen would begin the list of what is left out.
        return ["--gtest_filter=" + ":".join(test.replace("-", "?") for test in tests)]


class Thrust(Output):
    """rocThrust's own driver."""

    _BEGIN = re.compile(r"Running (\w+)\.\.\.")
    _END = re.compile(r"\[(PASS|FAIL|ERROR|KNOWN FAILURE)\]")
    _OUTCOMES: ClassVar = {"PASS": "passed", "FAIL": "failed", "ERROR": "failed", "KNOWN FAILURE": "skipped"}

    def line(self, text: str) -> None:
        if begin := self._BEGIN.search(text):
            self.now, self.said = begin[1], []
        if self.now is None:
            return
        if end := self._END.search(text):
            self.said.append(text.rstrip())
            self._ended(self.now, self._OUTCOMES[end[1]])

    @staticmethod
    def list_arguments(chosen: str) -> list[str]:
        return ["--list"]

    @staticmethod
    def listed(lines: Iterable[str]) -> Iterator[str]:
        return (line.strip() for line in lines if re.fullmatch(r"\s*Test\w+\s*", line))

    @staticmethod
    def run_arguments(tests: list[str]) -> list[str]:
        return ["--verbose", *tests]


KINDS: dict[str, type[GTest] | type[Thrust]] = {"gtest": GTest, "thrust": Thrust}


def batches(tests: list[str], most: int) -> Iterator[list[str]]:
    """Tests by so many, and by what one argument can name."""
    batch: list[str] = []
    length = 0
    for test in tests:
        if batch and (len(batch) == most or length + len(test) + 1 > _LONGEST_ARGUMENT):
            yield batch
            batch, length = [], 0
        batch.append(test)
        length += len(test) + 1
    if batch:
        yield batch
