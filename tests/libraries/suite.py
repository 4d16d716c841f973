"""A library's tests as chunks: what a process is given.

A chunk holds so many tests of a program from one on, in the order of `selection`. Programs with a file of test
arguments have two rows of them: parts of that file, and the tests that don't come from it.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import tomllib
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bundles
import programs
import selection
from debian_root import DebianRoot

TABLE = Path(__file__).with_name("libraries.toml")


@dataclass
class Library:
    """A table of libraries.toml."""

    id: str
    name: str
    packages: list[str]
    programs: list[str]
    tools: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    kind: str = "gtest"
    data: str = ""
    chosen: str = ""
    chunk: int = 50
    counts: list[int] = field(default_factory=list)
    test_seconds: float = 0
    gigabytes: float = 0
    setting: dict[str, str] = field(default_factory=dict)
    setting_of_count: dict[str, dict[str, str]] = field(default_factory=dict)
    about: str = ""
    sample: dict[str, int] = field(default_factory=dict)
    explained: list[dict[str, Any]] = field(default_factory=list)
    lacks: dict[str, str] = field(default_factory=dict)

    def targets(self, root: Path) -> set[str] | None:
        """For which targets there is code; None: it is compiled when it is run."""
        if not self.code:
            return None
        found = [set().union(*map(_targets, root.glob(pattern))) for pattern in self.code]
        return set.intersection(*found)

    def machines(self, gpu: str) -> list[str]:
        """What `run --gpu` is given: the GPU, or so many of them as the library's tests are run on."""
        return [f"{gpu}:{count}" for count in self.counts if ":" not in gpu] or [gpu]

    def setting_of(self, machine: str) -> dict[str, str]:
        """The environment variables of a machine; "{count}" in them is its number of GPUs."""
        count = machine.partition(":")[2] or "1"
        setting = self.setting | self.setting_of_count.get(count, {})
        return {name: value.replace("{count}", count) for name, value in setting.items()}

    def verdict(self, outcome: str, why: str) -> str:
        """A test's outcome; "lacking" where what it says is that the package lacks a file."""
        said = self.lacks.get("said")
        return "lacking" if said and outcome in ("failed", "died") and re.search(said, why) else outcome

    def missing(self, root: DebianRoot) -> list[str]:
        """Packages that are not installed."""
        needed = self.packages + self.tools
        return sorted(set(needed) - set(root.versions(needed)))


def kind_of(machine: str) -> str:
    """The GPU of a machine with one kind of GPUs: mi300x of mi300x:4."""
    return machine.partition(":")[0]


def _targets(path: Path) -> set[str]:
    return bundles.named(path) if path.is_dir() else bundles.targets(path)


def libraries() -> dict[str, Library]:
    return {id: Library(id=id, **row) for id, row in tomllib.loads(TABLE.read_text()).items()}


@dataclass
class Chunk:
    """file: the part of the file of test arguments that the program finds, if it has one."""

    file: str
    tests: list[str]


class NotListedError(Exception):
    """A program can't say which tests it has; the message names it."""


class Row:
    """One program's chunks: its tests (`kind` "tests"), or the records of its file ("records")."""

    def __init__(self, suite: Suite, program: str, kind: str) -> None:
        self.suite, self.program, self.kind = suite, program, kind
        self.name = Path(program).name if kind == "tests" else f"{Path(program).name} records"
        if kind == "tests":
            self.file = suite.part([]) if suite.data else ""
            self.order = selection.order(suite.listed(program, self.file, keep=True))
        else:
            self.indices = suite.record_order()

    def __len__(self) -> int:
        """Tests, or records."""
        return len(self.order) if self.kind == "tests" else len(self.indices)

    def chunk(self, first: int, count: int) -> Chunk:
        last = first + count
        if self.kind == "tests":
            return Chunk(self.file, self.order[first:last])
        others = set(self.suite.listed(self.program, self.suite.part([]), keep=True))
        file = self.suite.part(self.indices[first:last])
        return Chunk(file, [test for test in self.suite.listed(self.program, file) if test not in others])


class Suite:
    """A library's programs in a Debian root, on one GPU."""

    def __init__(self, library: Library, root: DebianRoot, launcher: list[str]) -> None:
        self.library, self.root = library, root
        self.kind = programs.KINDS[library.kind]
        self.launcher = launcher
        self.version = root.versions(library.packages).get(library.packages[0], "none")
        self.data = next(root.path.glob(library.data), None) if library.data else None
        self._records: selection.Records | None = None
        paths = sorted(path for pattern in library.programs for path in root.path.glob(pattern))
        self.programs = ["/" + str(path.relative_to(root.path)) for path in paths if path.suffix != ".so"]

    def rows(self) -> list[Row]:
        kinds = ["tests", "records"] if self.data else ["tests"]
        rows = [Row(self, program, kind) for program in self.programs for kind in kinds]
        return [row for row in rows if len(row)]

    def command(self, program: str, file: str, arguments: list[str]) -> list[str]:
        """file: as a chunk's."""
        return self.root.command([*self.launcher, program, *arguments], self.data, file)

    @property
    def records(self) -> selection.Records:
        if self._records is None:
            assert self.data
            self._records = selection.Records(self.data)
        return self._records

    def _kept(self, what: str) -> Path:
        """A file beside the root, of this version of the library."""
        folder = self.root.work / "kept"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.library.id}-{self.version.replace('/', '_')}-{what}"

    def record_order(self) -> array[int]:
        kept = self._kept("records")
        indices = array("I")
        if kept.exists():
            indices.frombytes(kept.read_bytes())
        else:
            indices = self.records.order()
            kept.write_bytes(indices.tobytes())
        return indices

    def part(self, indices: array[int] | list[int]) -> str:
        """Writes a file of these records."""
        name = "none.data" if not indices else "part.data"
        path = self.root.work / f"{self.library.id}-{name}"
        path.write_bytes(self.records.part(indices))
        return path.name

    def listed(self, program: str, file: str, keep: bool = False) -> list[str]:
        """The tests that a program has; all GPUs have the same, so a list may be kept."""
        kept = self._kept(f"{Path(program).name}.gz")
        if keep and kept.exists():
            return gzip.decompress(kept.read_bytes()).decode().split()
        command = self.command(program, file, self.kind.list_arguments(self.library.chosen))
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
        ) as process:
            assert process.stdout
            tests = list(dict.fromkeys(self.kind.listed(process.stdout)))
        if process.returncode != 0:
            raise NotListedError(f"{program} did not list its tests; it ended with {process.returncode}")
        if keep:
            kept.write_bytes(gzip.compress("\n".join(tests).encode(), 1))
        return tests
