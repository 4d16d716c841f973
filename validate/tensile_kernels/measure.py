#!/usr/bin/env python3
"""Runs rocBLAS's own kernels under `wavesmith profile` at sizes whose times its tuning measured.

    measure.py --wavesmith build/release/bin/wavesmith --library /usr/lib/x86_64-linux-gnu/rocblas/5/library \\
        --out validate/data/tensile_kernels.csv.gz

Runs where rocBLAS is installed (Debian: librocblas5, python3-msgpack), with no GPU. Of each GPU and type of
tensile_gemm.csv.gz it takes --each rows that name a kernel of the library, of up to MOST_WORK multiplications: sorted
by work, in as many equal parts, of each part the first by a hash of the row. rocBLAS is asked to multiply such
matrices, and has to launch the very kernel. A line of the result has the row as it stands, and what the cycle model
says of the kernel: modelled, all of it.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import gemm
from library import Library, Match

HERE = Path(__file__).resolve().parent
ROWS = HERE.parent / "data/tensile_gemm.csv.gz"
# The GPU that stands for each of the table's: that of validate/gemm_chips.cc, which says why, and judges no row of
# another.
GPUS = {
    "MI250X GCD": ("gfx90a", "mi250x"),
    "MI210/MI250": ("gfx90a", "mi210"),
    "MI300A": ("gfx942", "mi300a"),
    "MI300X": ("gfx942", "mi300x"),
    "RX 7900 XTX": ("gfx1100", "rx7900xtx"),
}
F32_ON_RX7900 = "rx7900xtx+compute.units=72"
MODELLED = ["chip", "library", "kernel", "kernels", "cycles", "clock_mhz", "bound"]
MOST_BYTES = 3 << 30  # of the operands and the result
MOST_WORK = 50_000_000_000  # real multiplications: more take minutes here


def gpu_of(row: dict[str, str]) -> tuple[str, str] | None:
    """Target and GPU; None: one that is not run."""
    for begins, (target, gpu) in GPUS.items():
        if row["gpu"].startswith(begins):
            return target, F32_ON_RX7900 if gpu == "rx7900xtx" and row["typestr"].startswith("SB") else gpu
    return None


def work(row: dict[str, str]) -> int:
    """Real multiplications."""
    complex_ones = 4 if gemm.TYPES[row["typestr"]][0] in (gemm.C32, gemm.C64) else 1
    return int(row["M"]) * int(row["N"]) * int(row["K"]) * int(row["B"]) * complex_ones


def bytes_of(row: dict[str, str]) -> int:
    operand, result, _ = gemm.TYPES[row["typestr"]]
    m, n, k, batch = (int(row[name]) for name in ("M", "N", "K", "B"))
    return batch * ((m * k + k * n) * gemm.BYTES[operand] + m * n * gemm.BYTES[result])


def order(row: dict[str, str]) -> bytes:
    """Of rows that are alike: by nothing that has to do with their times."""
    return hashlib.sha256(label_of(row).encode()).digest()


def label_of(row: dict[str, str]) -> str:
    return " ".join(row[name] for name in ("gpu", "typestr", "layout", "M", "N", "B", "K"))


def candidates(rows: list[dict[str, str]], folder: Path) -> list[tuple[dict[str, str], Match]]:
    """Rows that mean one kernel of the library, tuned in the same measurement."""
    libraries: dict[str, Library] = {}
    found = []
    for row in rows:
        place = gpu_of(row)
        if place is None or row["repo"] != "ROCm+rocBLAS" or row["typestr"] not in gemm.TYPES:
            continue
        if not float(row["value"]) > 0 or not 0 < bytes_of(row) <= MOST_BYTES or work(row) > MOST_WORK:
            continue
        if place[0] not in libraries:
            libraries[place[0]] = Library(folder, place[0])
        matches = libraries[place[0]].match(row)
        if len(matches) == 1 and matches[0].speed_equal is not False:
            found.append((row, matches[0]))
    return found


def choose(found: list[tuple[dict[str, str], Match]], each: int) -> list[tuple[dict[str, str], Match]]:
    groups = defaultdict(list)
    for row, match in found:
        groups[row["gpu"], row["typestr"]].append((row, match))
    chosen = []
    for _, group in sorted(groups.items()):
        group.sort(key=lambda pair: (work(pair[0]), order(pair[0])))
        parts = min(each, len(group))
        for part in range(parts):
            of_part = group[part * len(group) // parts : (part + 1) * len(group) // parts]
            chosen.append(min(of_part, key=lambda pair: order(pair[0])))
    return chosen


def version_of(package: str) -> str:
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=False)
    return f"{package} {done.stdout}" if done.returncode == 0 else package


def run(options: argparse.Namespace, row: dict[str, str]) -> dict | str:
    """The profile of the row's product, or why there is none."""
    gpu = gpu_of(row)[1]
    inner = [sys.executable, HERE / "gemm.py", row["typestr"], row["layout"], row["M"], row["N"], row["B"], row["K"]]
    if options.runtime:  # before AMD's own libamdhip64, and nothing else
        inner = ["env", f"LD_LIBRARY_PATH={options.runtime}", *inner]
    command = [options.wavesmith, "profile", "--gpu", gpu, "--sampled", "--json", "--threads", "1", "--"]
    try:
        done = subprocess.run([*command, *inner], capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"not at its end after {options.timeout} s"
    start = re.search(r"^\{$", done.stdout, re.MULTILINE)
    if done.returncode or not start:
        return f"exit code {done.returncode}: " + " ".join((done.stderr or done.stdout).split()[-40:])
    profile, _ = json.JSONDecoder().raw_decode(done.stdout[start.start() :])
    refused = [kernel["refused"] for kernel in profile["kernels"] if kernel.get("refused")]
    if refused:
        return "refused: " + refused[0]
    return profile


def line_of(row: dict[str, str], match: Match, got: dict, library: str) -> dict[str, str] | str:
    """A line of the result; a text where rocBLAS took another kernel."""
    names = [kernel["name"].removesuffix(".kd") for kernel in got["kernels"]]
    if match.record.kernel not in names:
        return "rocBLAS takes another kernel"
    calls = max(kernel["launches"] for kernel in got["kernels"])
    main = max(got["kernels"], key=lambda kernel: kernel["seconds"])
    return row | {
        "chip": gpu_of(row)[1],
        "library": library,
        "kernel": match.record.kernel,
        "kernels": str(len(names)),
        # Of one call, whatever number of kernels it launches.
        "cycles": f"{sum(kernel['cycles'] * kernel['launches'] for kernel in got['kernels']) / calls:.0f}",
        "clock_mhz": f"{main['clock_mhz']:g}",
        "bound": main["bound"],
    }


def written(lines: list[dict[str, str]], names: list[str]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, names, lineterminator="\n")
    table.writeheader()
    table.writerows(lines)
    return gzip.compress(text.getvalue().encode(), mtime=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wavesmith", type=Path, required=True, help="the command")
    parser.add_argument("--library", type=Path, required=True, help="folder of rocBLAS's TensileLibrary_*.dat")
    parser.add_argument("--runtime", help="folder with Wavesmith's libamdhip64 and no stand-ins")
    parser.add_argument("--out", type=Path, required=True, help="CSV, packed by gzip; lines that it has are kept")
    parser.add_argument("--each", type=int, default=8, help="rows of each GPU and type (default: 8)")
    parser.add_argument("--only", default="", help="rows whose gpu and type have this: 'MI300X (304CU) SB'")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a row may take (default: 120)")
    options = parser.parse_args()
    os.environ["HSA_NO_SCRATCH_RECLAIM"] = "1"
    with gzip.open(ROWS, "rt") as file:
        reader = csv.DictReader(file)
        names = [*(reader.fieldnames or []), *MODELLED]
        rows = [row for row in reader if options.only in label_of(row)]
    found = candidates(rows, options.library)
    chosen = choose(found, options.each)
    known = {}
    if options.out.exists():
        with gzip.open(options.out, "rt") as file:
            known = {order(line): {name: line[name] for name in names} for line in csv.DictReader(file)}
    library = version_of("librocblas5")
    wanted = {order(row) for row, _ in chosen}
    lines = [line for key, line in known.items() if key in wanted or options.only not in label_of(line)]
    print(f"{len(found)} rows mean one kernel of {library}; {len(chosen)} chosen", flush=True)
    for number, (row, match) in enumerate(chosen, 1):
        label = label_of(row)
        if order(row) in known:
            continue
        got = run(options, row)
        line = got if isinstance(got, str) else line_of(row, match, got, library)
        told = line if isinstance(line, str) else f"{line['cycles']} cycles"
        print(f"{number} of {len(chosen)}: {label}: {told}", flush=True)
        if not isinstance(line, str):
            lines.append(line)
            options.out.write_bytes(written(lines, names))


if __name__ == "__main__":
    main()
