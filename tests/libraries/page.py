"""docs/LIBRARIES.md: what the libraries' own tests give, from docs/libraries.json."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import results
from suite import Library, kind_of

FILE = Path(__file__).parents[2] / "docs/LIBRARIES.md"

_HEAD = """\
# AMD's own libraries and their own tests

Written by `tests/libraries/run_libraries.py`; its numbers are in [libraries.json](libraries.json).

Debian's unstable and experimental suites carry AMD's compiled libraries with their test programs. They run unmodified,
Tensile's machine code included, on emulated GPUs under `wavesmith run --libraries amd`: `libamdhip64`, `libhiprtc` and
`libhsa-runtime64` are Wavesmith's, everything else is AMD's.

    make test-libraries                                          all libraries, 10 minutes each on each GPU
    tests/libraries/run_libraries.py --gpu mi300x rocblas        one; `--seconds N` limits its processor time
    tests/libraries/run_libraries.py --again rocblas             what has not passed, once more

It needs root and `mmdebstrap`: the packages are installed in a Debian unstable of their own, `build/libraries/root`.

- **Which tests.** A complete suite takes days, so each runs in the order of a hash of its tests' names (or of the
  records in its file of test arguments), and every run resumes after the last one. So the share that was run is a fair
  sample. Of suites that consist of sets, those count that AMD's developers run before a change is merged (`quick`,
  `pre_checkin`, `checkin`), not the `nightly`, `daily`, `weekly` and `stress` ones, which take hours on a real GPU:
  `chosen` in `tests/libraries/libraries.toml`.
- **Left out:** tests that use more than 30 s of processor time or 6 GB of host memory (or the `test_seconds` and
  `gigabytes` that the table gives a library); they are stopped, and named in the data file. Also tests that need, and
  name, a file which Debian's package lacks; they are listed below. Neither kind counts as passed or failed.
- **Skipped:** by the test itself, which says so, for example because this GPU lacks a type or feature.
- **Failed:** a test that says so, ends its process, or hangs. A test that fails after others and passes without them
  (`--again`) has passed.
- Where a GPU is `mi300x:4`, the tests use four of them.
- A library without machine code for a GPU is not run there.
- The last column is the commit of Wavesmith of the latest run.

"""
_COLUMNS = ["library", "Debian's package", "GPU", "run", "passed", "failed", "pass rate", "left out", "skipped"]
_COLUMNS += ["of the suite", "processor time", "Wavesmith"]


def _percent(part: float) -> str:
    """Never rounded up to all, nor down to nothing."""
    text = f"{100 * part:.2f}"
    if part < 1 and text == "100.00":
        text = "99.99"
    if part > 0 and text == "0.00":
        return "< 0.01 %"
    return f"{text} %"


def _row(library: Library, entry: results.Entry, gpu: str, run: results.Run) -> str:
    failed = run.count(results.FAILURES)
    version = entry.packages.get(library.packages[0], "")
    share = _percent(run.passed / run.ran) if run.ran else ""
    cells = [library.name, f"{library.packages[0]} {version}", gpu, run.ran, run.passed, failed, share]
    cells += [run.count(results.LEFT_OUT), run.skipped, _percent(run.share), f"{run.seconds:.0f} s", run.wavesmith[:8]]
    return "| " + " | ".join(map(str, cells)) + " |"


def explained(library: Library, gpu: str, test: str) -> str:
    """Why a test fails, from the table of libraries; empty if unknown."""
    kind = kind_of(gpu)
    fitting = (
        each for each in library.explained if kind in each.get("gpus", [kind]) and re.search(each["tests"], test)
    )
    return next((each["why"] for each in fitting), "")


def text(table: Mapping[str, Library], entries: Mapping[str, results.Entry]) -> str:
    rows, missing, about, total = [], [], "", results.Run()
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    lacking: dict[tuple[str, str], list[str]] = defaultdict(list)
    for id, library in table.items():
        entry = entries.get(id, results.Entry())
        for gpu, run in sorted(entry.runs.items()):
            if not (run.ran or run.others or run.skipped):
                continue
            rows.append(_row(library, entry, gpu, run))
            total.passed, total.skipped = total.passed + run.passed, total.skipped + run.skipped
            total.others += run.others
            for each in run.others:
                name = f"{gpu}: `{each['row'].removesuffix(' records')}` `{each['test']}`"
                if each["outcome"] in results.FAILURES:
                    why = explained(library, gpu, each["test"]) or "Not explained yet."
                    reasons[library.name, why].append(f"{name} ({each['outcome']})")
                elif each["outcome"] == "lacking":
                    said = re.search(library.lacks["said"], each["why"])
                    lacking[library.name, library.lacks["why"]].append(f"{name} ({said[0] if said else ''})")
        for gpu, note in entry.notes.items():
            missing.append(f"- {library.name} on {gpu}: {note}")
        if library.about and entry.runs:
            about += textwrap.fill(f"**{library.name}.** {library.about.strip()}", 120, break_long_words=False) + "\n\n"
        if not entry.runs and not entry.notes:
            missing.append(f"- {library.name}: not run yet")
    head = ["| " + " | ".join(_COLUMNS) + " |", "|---" * 3 + "|---:" * (len(_COLUMNS) - 3) + "|"]
    page = _HEAD + "\n".join(head + rows) + "\n"
    if total.ran:
        page += f"\nIn all {total.ran:,} tests, {total.passed:,} passed ({_percent(total.passed / total.ran)}).\n"
    if about:
        page += "\n## How they are run\n\n" + about.rstrip() + "\n"
    if missing:
        page += "\n## Not run\n\n" + "\n".join(missing) + "\n"
    if lacking:
        page += "\n## What the packages lack\n\n" + _named(lacking)
    return page + "\n## What fails, and why\n\n" + (_named(reasons) or "Nothing.\n")


def _named(reasons: Mapping[tuple[str, str], list[str]]) -> str:
    """Tests by library and reason."""
    text = ""
    for (name, why), tests in sorted(reasons.items()):
        text += textwrap.fill(f"**{name}.** {why}", 120, break_long_words=False, break_on_hyphens=False)
        text += "\n\n" + "\n".join(f"- {test}" for test in sorted(tests)[:40])
        text += f"\n- and {len(tests) - 40} more in the data file\n\n" if len(tests) > 40 else "\n\n"
    return text


def write(table: Mapping[str, Library], entries: Mapping[str, results.Entry]) -> None:
    FILE.write_text(text(table, entries))
