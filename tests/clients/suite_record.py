"""A pytest plugin for run_suite.py: a line of JSON for each test, and on with those that have none.

A test in which the process ends is `died`. After an error of the GPU, which is lost to the process then as a
real one is, the process ends with LOST, so that the next test has a new one.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

LOST = 86
_LOST_GPU = ("hipError", "HipError", "cudaError")


def read(results: Path) -> list[dict[str, Any]]:
    """What is recorded so far, a test once."""
    if not results.exists():
        return []
    lines = (json.loads(line) for line in results.read_text().splitlines())
    return list({each["test"]: each for each in lines}.values())


def under_way(results: Path) -> Path:
    """The file that names the test which runs at present."""
    return results.with_suffix(".now")


def part_of(test: str, parts: int) -> int:
    """Which of so many parts a test belongs to; no part depends on the order or on the other tests."""
    return int(hashlib.md5(test.encode()).hexdigest(), 16) % parts


class Record:
    """Set by the environment: SUITE_RESULTS a file, SUITE_PART "0/2", SUITE_LATER words in names, a line each."""

    def __init__(self) -> None:
        self.results = Path(os.environ["SUITE_RESULTS"])
        self.now = under_way(self.results)
        self.part, self.parts = map(int, os.environ.get("SUITE_PART", "0/1").split("/"))
        self.later = [word for word in os.environ.get("SUITE_LATER", "").split("\n") if word]
        self.begin = 0.0
        self.outcome, self.why = "passed", ""

    def write(self, test: str, outcome: str, seconds: float, why: str) -> None:
        with self.results.open("a") as file:
            file.write(json.dumps({"test": test, "outcome": outcome, "seconds": round(seconds, 2), "why": why}) + "\n")
        self.now.unlink(missing_ok=True)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.now.exists():
            self.write(self.now.read_text(), "died", 0, "the process ended, or the time was up")
        done = {each["test"] for each in read(self.results)}
        items[:] = [
            item
            for item in items
            if item.nodeid not in done
            and part_of(item.nodeid, self.parts) == self.part
            and not any(word in item.nodeid for word in self.later)
        ]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.now.write_text(nodeid)
        self.begin = time.monotonic()
        self.outcome, self.why = "passed", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.outcome != "failed":
            self.outcome, self.why = "failed", str(report.longrepr)[-2000:]
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.outcome = "xfailed" if hasattr(report, "wasxfail") else "skipped"
            self.why = reason

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.write(nodeid, self.outcome, time.monotonic() - self.begin, self.why)
        if self.outcome == "failed" and any(word in self.why for word in _LOST_GPU):
            os._exit(LOST)


def pytest_configure(config: pytest.Config) -> None:
    """Called by pytest."""
    config.pluginmanager.register(Record())
