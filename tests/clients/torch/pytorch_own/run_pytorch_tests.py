#!/usr/bin/env python3
"""Runs PyTorch's own tests, unmodified, on the device, and writes what each gave into a table.

    git clone --depth 1 -b v2.13.0 https://github.com/pytorch/pytorch
    build/release/bin/wavesmith run --gpu mi300x -- \\
        python tests/clients/torch/pytorch_own/run_pytorch_tests.py --tests pytorch/test --table FILE test_ops.py

Runs the tests of a file that are made for each kind of device ("device-generic"), those of this device alone. Each
test runs in a process that others share; when it ends the process or takes too long, the next gets a new one. With
the same table it goes on where it was stopped. Statuses: kernels and host (passed; host: some operator was computed by
the host), skipped, fails, crashes, too long, expected (fails with a reason in pytorch_tests.tsv).
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import os
import re
import selectors
import subprocess
import sys
import time
import unittest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILES = (
    "test_ops.py",
    "test_torch.py",
    "test_autograd.py",
    "test_nn.py",
    "test_optim.py",
    "test_accelerator.py",
)
COLUMNS = ("file", "test", "status", "by the host", "error")
_BAD = ("fails", "crashes", "too long")
_HERE = Path(__file__).resolve().parent


def reasons() -> list[tuple[re.Pattern[str], str]]:
    """Tests that cannot pass, as expressions that match the whole of "file Class.test", with the reason of each."""
    with (_HERE / "pytorch_tests.tsv").open(newline="") as file:
        return [(re.compile(row["tests"]), row["reason"]) for row in csv.DictReader(file, delimiter="\t")]


# What runs in the process of the tests.


def _load(path: Path) -> Any:
    """The file as a module, with the device as the only one for which it makes tests."""
    named_cuda = os.environ.get("WAVESMITH_TORCH") == "cuda"
    os.environ["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = "cuda" if named_cuda else "privateuse1"
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    import wavesmith.torch  # noqa: F401  the device, before PyTorch's test library looks for it

    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _cases(module: Any) -> Iterator[unittest.TestCase]:
    from torch.testing._internal.common_device_type import DeviceTypeTestBase

    def of(suite: Any) -> Iterator[Any]:
        for each in suite:
            yield from of(each) if isinstance(each, unittest.TestSuite) else (each,)

    for case in of(unittest.defaultTestLoader.loadTestsFromModule(module)):
        if isinstance(case, DeviceTypeTestBase):
            yield case


def _name(case: unittest.TestCase) -> str:
    return ".".join(case.id().split(".")[-2:])


def _list(path: Path) -> None:
    print(json.dumps([_name(case) for case in _cases(_load(path))]))


def _works() -> bool:
    """Whether the device still computes: after an access outside of memory it refuses everything."""
    import torch

    from wavesmith.torch._name import DEVICE

    try:
        return bool(torch.ones(1, device=DEVICE).item() == 1)
    except RuntimeError:
        return False


def _work(path: Path) -> None:
    """Runs the tests that standard input names, a line each, and tells each one's begin and end on a line."""
    told = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    import torch

    import wavesmith.torch

    module = _load(path)
    cases = {_name(case): case for case in _cases(module)}
    told.write(json.dumps({"ready": len(cases)}) + "\n")
    for line in sys.stdin:
        name = line.strip()
        before = wavesmith.torch.fallback_counts()
        result = unittest.TestResult()
        torch.manual_seed(0)
        cases[name].run(result)
        host = [key for key, count in wavesmith.torch.fallback_counts().items() if count != before.get(key, 0)]
        wrong = result.failures + result.errors
        status = "fails" if wrong or result.unexpectedSuccesses else "skipped" if result.skipped else "passed"
        error = wrong[0][1].strip().splitlines() if wrong else [why for _, why in result.skipped]
        if result.unexpectedSuccesses:
            error = ["passes where PyTorch expects a failure"]
        error = [text for text in error if text.strip()]
        if any(text.startswith("To execute this test") for text in error):
            error = error[: next(n for n, text in enumerate(error) if text.startswith("To execute this test"))]
        last = max((n for n, text in enumerate(error) if re.match(r"\w[\w.]*(Error|Exception)\b", text)), default=0)
        text = " ".join(" ".join(error[last:]).split())[:300]
        told.write(json.dumps({"test": name, "status": status, "host": host, "error": text}) + "\n")
        if wrong and not _works():
            return


# What asks for them.


class _Worker:
    """A process that runs tests of one file."""

    def __init__(self, path: Path, log: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--work", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            bufsize=1,
        )
        self.tests = 0
        self.answer(600)

    def answer(self, seconds: float) -> dict[str, Any]:
        """The next line that it tells; {"ended": how} when it ends, or does not in this time."""
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                self.end()
                return {"ended": "too long", "error": f"more than {seconds:.0f} s"}
        line = self.process.stdout.readline()
        if line:
            return dict(json.loads(line))
        return {"ended": "crashes", "error": f"the process ended with {self.process.wait()}"}

    def run(self, name: str, seconds: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"ended": "crashes", "error": "the process had ended"}
        answer = self.answer(seconds)
        self.tests += 1
        return answer

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def _read(table: Path) -> list[dict[str, str]]:
    if not table.exists():
        return []
    with table.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _judged(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows, of which those that cannot pass are expected."""
    known = [pattern for pattern, _ in reasons()]
    return [
        {**row, "status": "expected"}
        if row["status"] in _BAD and any(each.fullmatch(f"{row['file']} {row['test']}") for each in known)
        else row
        for row in rows
    ]


def summary(rows: list[dict[str, str]]) -> str:
    """How many tests of each file gave what."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["file"], Counter())[row["status"]] += 1
    columns = ("kernels", "host", "skipped", "expected", "fails", "crashes", "too long")
    lines = ["file\t" + "\t".join(columns)]
    lines += [name + "\t" + "\t".join(str(count[column]) for column in columns) for name, count in counts.items()]
    return "\n".join(lines)


def _run_file(path: Path, options: argparse.Namespace, writer: Any, done: set[tuple[str, str]]) -> None:
    listed = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--list", str(path)], stdout=subprocess.PIPE, check=True
    )
    index, count = map(int, options.shard.split("/"))
    names = json.loads(listed.stdout.decode().splitlines()[-1])
    names = [name for name in names if re.search(options.only, name)][index - 1 :: count]
    worker = None
    begin = time.monotonic()
    with (options.log or Path(os.devnull)).open("a") as log:
        for number, name in enumerate(names, 1):
            if (path.name, name) in done:
                continue
            worker = worker or _Worker(path, log)
            answer = worker.run(name, options.timeout)
            if answer.get("ended") == "crashes" and worker.tests > 1:  # it may have ended after the test before
                worker = _Worker(path, log)
                answer = worker.run(name, options.timeout)
            status = answer.get("ended") or answer["status"]
            host = answer.get("host", [])
            if status == "passed":
                status = "host" if host else "kernels"
            if "ended" in answer:
                worker.end()
                worker = None
            writer.writerow((path.name, name, status, " ".join(sorted(host)), answer["error"]))
            if number % 200 == 0:
                spent = time.monotonic() - begin
                print(f"{path.name}: {number} of {len(names)}, {spent:.0f} s", file=sys.stderr, flush=True)
    if worker:
        worker.end()


def main() -> int:
    if len(sys.argv) == 3 and sys.argv[1] in ("--work", "--list"):
        (_work if sys.argv[1] == "--work" else _list)(Path(sys.argv[2]).resolve())
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES, help=f"of the folder (default: {' '.join(FILES)})")
    parser.add_argument("--tests", type=Path, required=True, help="PyTorch's folder test, at the installed tag")
    parser.add_argument("--table", type=Path, required=True, help="the table, with tabs; what it has is not run again")
    parser.add_argument("--only", default="", help="tests whose Class.test matches this expression")
    parser.add_argument("--shard", default="1/1", help="I/N: every Nth test, from the Ith on")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one test (default: 60)")
    parser.add_argument("--log", type=Path, help="where what the tests print goes (default: nowhere)")
    options = parser.parse_args()
    os.environ.setdefault("WAVESMITH_QUIET", "1")
    rows = _read(options.table)
    with options.table.open("a", newline="", buffering=1) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        if not rows:
            writer.writerow(COLUMNS)
        for name in options.files:
            _run_file(options.tests / name, options, writer, {(row["file"], row["test"]) for row in rows})
    rows = _judged(_read(options.table))
    print(summary(rows))
    bad = [row for row in rows if row["status"] in _BAD]
    for row in bad[:50]:
        print(f"{row['file']} {row['test']}: {row['status']}: {row['error']}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
