#!/usr/bin/env python3
"""Turns a library's thread traces into tables of issue cycles, which `wavesmith validate issue --data` judges."""

import argparse
import csv
import json
import re
from pathlib import Path

# What depends on memory or on other waves. Where one stood, addresses have a gap, behind which time is given.
_GIVEN = re.compile(r"s_(waitcnt|nop|barrier|sleep|setprio|sethalt)")
_WAVE = re.compile(r"se(\d+)_sm(\d+)_sl(\d+)_wv(\d+)\.json")
# Cycles from a compute unit's first instruction on.
_WINDOW = 20_000

COLUMNS = ("kernel", "se", "exec", "simd", "wave", "pc", "inst", "issue_cycle", "packet")


def rows_of(kernel: str, code: list[list], waves: dict[str, list[list[int]]]) -> list[tuple]:
    """The rows of one compute unit.

    `code`: lines of the viewer's code.json, whose third number is the line's and whose sixth its address. `waves`: by
    the file's name each instruction's cycle, kind, stall, duration and line; it issues when the stall ends.
    """
    lines = {line[2]: (line[0], line[5]) for line in code}
    first = min(wave[0][0] + wave[0][2] for wave in waves.values() if wave)
    rows = []
    for name, instructions in waves.items():
        place = _WAVE.fullmatch(name)
        if not place or any(instruction[4] not in lines for instruction in instructions):
            continue
        engine, simd, slot, number = map(int, place.groups())
        for cycle, kind, stall, _, line in instructions:
            text, address = lines[line]
            if _GIVEN.match(text) or cycle + stall > first + _WINDOW:
                continue
            packet = "SALU_" if kind == 2 else "VALU_"  # tells the generation
            rows.append((kernel, engine, 1, simd, slot * 1000 + number, hex(address), text, cycle + stall, packet))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True, help="the library")
    parser.add_argument("--tables", type=Path, required=True, help="the folder to write")
    arguments = parser.parse_args()
    arguments.tables.mkdir(parents=True, exist_ok=True)
    for code in sorted(arguments.traces.glob("examples/*/att_viewer/big/*/code.json")):
        kernel = code.parts[-5]
        files = sorted(path for path in code.parent.iterdir() if _WAVE.fullmatch(path.name))
        engine = files[0].name.split("_")[0] + "_"
        waves = {
            path.name: json.loads(path.read_text())["wave"]["instructions"]
            for path in files
            if path.name.startswith(engine)
        }
        rows = rows_of(kernel, json.loads(code.read_text())["code"], waves)
        with (arguments.tables / f"{kernel}.csv").open("w", newline="") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow(COLUMNS)
            table.writerows(rows)


if __name__ == "__main__":
    main()
