#!/usr/bin/env python3
"""Runs kernels of rocBLAS and hipBLASLt under `wavesmith profile` at sizes whose times their tuning measured.

    measure.py --wavesmith build/release/bin/wavesmith --out validate/data/tensile_kernels.csv.gz \\
        --rocblas /usr/lib/x86_64-linux-gnu/rocblas/5/library --hipblaslt /usr/lib/x86_64-linux-gnu/hipblaslt/library

Runs where the libraries are installed (Debian: librocblas5, libhipblaslt1, python3-msgpack), with no GPU. Of each GPU
and type of tensile_gemm.csv.gz it takes --each rows that name a kernel of the library, of up to MOST_WORK
multiplications: sorted by work, in as many equal parts, of each part the first by a hash of the row. The library is
asked to multiply such matrices, and has to launch the very kernel. A line of the result has the row as it stands, and
what the cycle model says of the kernel: modelled, all of it.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import gemm
import gemm_hipblaslt
from library import Library, Match, sizes_of

HERE = Path(__file__).resolve().parent
ROWS = HERE.parent / "data/tensile_gemm.csv.gz"
# The GPUs that may stand for each of the table's: which one does, validate/gemm/chips.cc tells from the row, with the
# reason, and no other is judged.
GPUS = {
    "MI250X GCD": ("gfx90a", ("mi250x",)),
    "MI210/MI250": ("gfx90a", ("mi210",)),
    "MI300A": ("gfx942", ("mi300a", "mi300x")),
    "MI300X": ("gfx942", ("mi300x",)),
    "RX 7900 XTX": ("gfx1100", ("rx7900xtx",)),
}
F32_ON_RX7900 = "rx7900xtx+compute.units=72"
MODELLED = ["chip", "library", "kernel", "kernels", "cycles", "clock_mhz", "bound"]
MOST_BYTES = 3 << 30  # of the operands and the result
MOST_WORK = 50_000_000_000  # real multiplications: more take minutes here


def gpus_of(row: dict[str, str]) -> tuple[str, tuple[str, ...]] | None:
    """Target and GPUs; None: one that is not run."""
    for begins, (target, gpus) in GPUS.items():
        if row["gpu"].startswith(begins):
            return target, (F32_ON_RX7900,) if target == "gfx1100" and row["typestr"].startswith("SB") else gpus
    return None


def types_of(row: dict[str, str]) -> tuple[int, int, int] | None:
    """Of operands, result and arithmetic; None: a type that is not run."""
    if row["repo"] == "ROCm+hipBLASLt":
        return gemm_hipblaslt.types_of(row["typestr"])
    return gemm.TYPES.get(row["typestr"])


def work(row: dict[str, str]) -> int:
    """Real multiplications."""
    complex_ones = 4 if types_of(row)[0] in (gemm.C32, gemm.C64) else 1
    return int(row["M"]) * int(row["N"]) * int(row["K"]) * int(row["B"]) * complex_ones


def bytes_of(row: dict[str, str]) -> int:
    operand, result, _ = types_of(row)
    m, n, k, batch = (int(row[name]) for name in ("M", "N", "K", "B"))
    return batch * ((m * k + k * n) * gemm.BYTES[operand] + m * n * gemm.BYTES[result])


def order(row: dict[str, str]) -> bytes:
    """Of rows that are alike: by nothing that has to do with their times."""
    return hashlib.sha256(label_of(row).encode()).digest()


def label_of(row: dict[str, str]) -> str:
    return " ".join(row[name] for name in ("gpu", "typestr", "layout", "M", "N", "B", "K"))


def candidates(rows: list[dict[str, str]], folders: dict[str, Path | None]) -> list[tuple[dict[str, str], Match]]:
    """Rows that mean one kernel of a library, tuned in the same measurement."""
    wanted = {sizes_of(row) for row in rows}
    libraries: dict[tuple[str, str], Library] = {}
    found = []
    for row in rows:
        place, folder = gpus_of(row), folders.get(row["repo"])
        if place is None or folder is None or types_of(row) is None or not float(row["value"]) > 0:
            continue
        if not 0 < bytes_of(row) <= MOST_BYTES or work(row) > MOST_WORK:
            continue
        key = row["repo"], place[0]
        if key not in libraries:
            libraries[key] = Library(folder, place[0], wanted)
        matches = libraries[key].match(row)
        if len(matches) == 1 and matches[0].speed_equal is not False:
            found.append((row, matches[0]))
    return found


def choose(found: list[tuple[dict[str, str], Match]], each: int) -> list[tuple[dict[str, str], Match]]:
    groups = defaultdict(list)
    for row, match in found:
        groups[row["gpu"], row["repo"], row["typestr"]].append((row, match))
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


def run(options: argparse.Namespace, row: dict[str, str], match: Match, gpu: str) -> dict | str:
    """The profile of the row's product, or why there is none."""
    inner = [row["typestr"], row["layout"], row["M"], row["N"], row["B"], row["K"]]
    if row["repo"] == "ROCm+hipBLASLt":
        inner = [sys.executable, HERE / "gemm_hipblaslt.py", *inner, str(match.record.solution)]
    else:
        inner = [sys.executable, HERE / "gemm.py", *inner]
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


def line_of(row: dict[str, str], match: Match, gpu: str, got: dict, library: str) -> dict[str, str] | str:
    """A line of the result; a text where the library took another kernel."""
    names = [kernel["name"].removesuffix(".kd") for kernel in got["kernels"]]
    if match.record.launched not in names:
        return "the library takes another kernel"
    calls = max(kernel["launches"] for kernel in got["kernels"])
    main = max(got["kernels"], key=lambda kernel: kernel["seconds"])
    return row | {
        "chip": gpu,
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
    parser.add_argument("--rocblas", type=Path, help="folder of rocBLAS's TensileLibrary_*.dat")
    parser.add_argument("--hipblaslt", type=Path, help="the same of hipBLASLt")
    parser.add_argument("--out", type=Path, required=True, help="CSV, packed by gzip; lines that it has are kept")
    parser.add_argument("--each", type=int, default=8, help="rows of each GPU and type (default: 8)")
    parser.add_argument("--only", default="", help="rows whose gpu and type have this: 'MI300X (304CU) SB'")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a row may take (default: 120)")
    options = parser.parse_args()
    with gzip.open(ROWS, "rt") as file:
        reader = csv.DictReader(file)
        names = [*(reader.fieldnames or []), *MODELLED]
        rows = [row for row in reader if options.only in label_of(row)]
    folders = {"ROCm+rocBLAS": options.rocblas, "ROCm+hipBLASLt": options.hipblaslt}
    found = candidates(rows, folders)
    chosen = choose(found, options.each)
    known = {}
    if options.out.exists():
        with gzip.open(options.out, "rt") as file:
            known = {(order(line), line["chip"]): {name: line[name] for name in names} for line in csv.DictReader(file)}
    versions = {"ROCm+rocBLAS": version_of("librocblas5"), "ROCm+hipBLASLt": version_of("libhipblaslt1")}
    wanted = {order(row) for row, _ in chosen}
    lines = [line for key, line in known.items() if key[0] in wanted or options.only not in label_of(line)]
    print(f"{len(found)} rows mean one kernel of a library; {len(chosen)} chosen", flush=True)
    for number, (row, match) in enumerate(chosen, 1):
        for gpu in gpus_of(row)[1]:
            if (order(row), gpu) in known:
                continue
            got = run(options, row, match, gpu)
            line = got if isinstance(got, str) else line_of(row, match, gpu, got, versions[row["repo"]])
            told = line if isinstance(line, str) else f"{line['cycles']} cycles"
            print(f"{number} of {len(chosen)}: {label_of(row)} on {gpu}: {told}", flush=True)
            if not isinstance(line, str):
                lines.append(line)
                options.out.write_bytes(written(lines, names))


if __name__ == "__main__":
    main()
