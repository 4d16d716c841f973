#!/usr/bin/env python3
"""Litmus tests of the memory model: outcomes that it forbids, looked for in many tries (docs/MEMORY_MODEL.md).

    tests/litmus/litmus.py                        every shape at every scope, a GPU of each generation, 10^6 tries
    tests/litmus/litmus.py --gpu mi300x --tries 20000 --name SB
    tests/litmus/litmus.py --without-fences       plain accesses alone: has to see what is forbidden otherwise

Exit code 0: no forbidden outcome (--without-fences: some had one); 1: otherwise; 77: no compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import program
from shapes import SHAPES

PROJECT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("WAVESMITH_BUILD", PROJECT / "build/release"))
# A GPU of each memory model in LLVM's guide: gfx90a, gfx942, gfx11, gfx12.
GPUS = ["mi210", "mi300x", "rx7900xtx", "rx9070xt"]
SKIPPED = 77


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="append", help=f"several: several times; default: {', '.join(GPUS)}")
    parser.add_argument("--scope", action="append", choices=[*program.SCOPES], help="default: all")
    parser.add_argument("--name", default="", help="only tests with this in their names")
    parser.add_argument("--tries", type=int, default=1_000_000, help="of each test (1000000)")
    parser.add_argument("--delay", type=int, default=20, help="the longest delay before a try, in instructions (20)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30), help="of the delays")
    parser.add_argument("--without-fences", action="store_true", help="leave out all that orders accesses")
    parser.add_argument("--rounds", type=int, default=1, help="of --without-fences, until one was seen (1)")
    parser.add_argument("--json", type=Path, help="write the counts into this file")
    parser.add_argument("--cc", action="append", default=[], metavar="ARGUMENT", help="of the compiler")
    parser.add_argument("--emulator", nargs=argparse.REMAINDER, default=[], help="runs programs of another host; last")
    return parser.parse_args()


def compiled(options: argparse.Namespace, gpu: str, scopes: list[str], folder: Path) -> Path:
    shapes = [shape.plain() if options.without_fences else shape for shape in SHAPES]
    source, binary = folder / "litmus.hip", folder / f"litmus-{gpu}"
    source.write_text(program.program(shapes, scopes))
    compiler = [*options.emulator, BUILD / "bin/wavesmith", "cc", *options.cc]
    subprocess.run([*compiler, f"--gpu={gpu}", "-O2", source, "-o", binary], check=True)
    return binary


def run(options: argparse.Namespace, gpu: str, binary: Path) -> dict[str, dict[str, int]]:
    """Tries and forbidden outcomes by test."""
    tail = [str(options.tries), str(options.seed), str(options.delay)] + ([options.name] if options.name else [])
    before = [BUILD / "bin/wavesmith", "run", "--quiet", "--libraries", "stand-ins", "--gpu", gpu, "--"]
    # What an emulator starts is for it to start again: it gets the program itself, which knows where our libraries are.
    command = [*(options.emulator or before), binary, *tail]
    environment = {**os.environ, "WAVESMITH_GPU": gpu} if options.emulator else None
    counts = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        for line in process.stdout:
            name, tries, forbidden = line.split(maxsplit=2)
            if tries == "error":
                sys.exit(f"litmus: {name} on {gpu}: {forbidden.strip()}")
            counts[name] = {"tries": int(tries), "forbidden": int(forbidden)}
            if int(forbidden):
                print(f"{gpu} {name}: {int(forbidden)} forbidden outcomes of {int(tries)}", flush=True)
    if process.returncode:
        sys.exit(f"litmus: the program on {gpu} ended with {process.returncode}")
    return counts


def main() -> int:
    options = arguments()
    scopes = options.scope or [*program.SCOPES]
    found: dict[str, dict[str, dict[str, int]]] = {}
    print(f"litmus: seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for gpu in options.gpu or GPUS:
            binary = compiled(options, gpu, scopes, Path(name))
            for _ in range(options.rounds):
                found[gpu] = run(options, gpu, binary)
                if not options.without_fences or any(count["forbidden"] for count in found[gpu].values()):
                    break
                options.seed += 1
            counts = found[gpu].values()
            seen = sum(1 for count in counts if count["forbidden"])
            tries = sum(count["tries"] for count in counts)
            print(f"{gpu}: {len(counts)} tests, {tries:,} tries, forbidden outcomes in {seen}", flush=True)
    if options.json:
        written = {"seed": options.seed, "without_fences": options.without_fences, "gpus": found}
        options.json.write_text(json.dumps(written, indent=1))
    if not all(found.values()):
        sys.exit(f"litmus: no test has '{options.name}' in its name")
    seen = any(count["forbidden"] for counts in found.values() for count in counts.values())
    return int(seen != options.without_fences)


if __name__ == "__main__":
    sys.exit(main())
