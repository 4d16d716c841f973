#!/usr/bin/env python3
"""Computes every operator of PyTorch's own list on the device and compares with the CPU, into one table.

    build/release/bin/wavesmith run --gpu mi300x -- python tests/clients/torch/pytorch_own/run_opinfos.py --table FILE

Prints the counts, and what fails. Run again with the same table, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

os.environ.setdefault("WAVESMITH_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parent))

from opinfos import Outcome, expected, operators, try_operator

COLUMNS = ("operator", "status", "samples", "by the host", "error")


def _read(table: Path) -> dict[str, dict[str, str]]:
    if not table.exists():
        return {}
    with table.open(newline="") as file:
        return {row["operator"]: row for row in csv.DictReader(file, delimiter="\t")}


def _row(outcome: Outcome) -> dict[str, str]:
    host = " ".join(sorted(name.removeprefix("aten.") for name in outcome.host))
    values = (outcome.operator, outcome.status, str(outcome.samples), host, outcome.error)
    return dict(zip(COLUMNS, values, strict=True))


def summary(rows: dict[str, dict[str, str]]) -> str:
    """What the table says, in three lines."""
    reasons = expected()
    counts = Counter(row["status"] for name, row in rows.items() if not (row["status"] == "fails" and name in reasons))
    left_out = sum(row["status"] == "fails" and name in reasons for name, row in rows.items())
    judged = len(rows) - counts["no samples"] - left_out
    passed = counts["kernels"] + counts["host"]
    return (
        f"{len(rows)} operators: {passed} pass ({counts['kernels']} by kernels alone, {counts['host']} with operators "
        f"that the host computed), {counts['fails']} fail, {left_out} are left out with a reason, "
        f"{counts['no samples']} have no samples\n"
        f"of the {judged} judged, {100 * passed / max(judged, 1):.1f} % pass and "
        f"{100 * counts['kernels'] / max(judged, 1):.1f} % by kernels alone"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, required=True, help="the table, with tabs; what it has is not run again")
    parser.add_argument("--backward", action="store_true", help="gradients too")
    parser.add_argument("--most", type=int, help="samples per operator (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shard", default="1/1", help="I/N: every Nth operator, from the Ith on")
    parser.add_argument("--only", help="operators whose name contains this, also those in the table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = _read(options.table)
    index, count = map(int, options.shard.split("/"))
    chosen = [op for op in operators() if not options.only or options.only in op.full_name][index - 1 :: count]
    begin = time.monotonic()
    for number, op in enumerate(chosen, 1):
        if op.full_name in rows and not options.only:
            continue
        outcome = try_operator(op, seed=options.seed, backward=options.backward, most=options.most)
        rows[op.full_name] = _row(outcome)
        if outcome.error and op.full_name not in expected():
            print(f"{op.full_name}: {outcome.error}", flush=True)
        if number % 50 == 0:
            print(f"{number} of {len(chosen)}, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
        with options.table.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[name] for name in sorted(rows))
    print(summary(rows))
    return 1 if any(row["status"] == "fails" and name not in expected() for name, row in rows.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
