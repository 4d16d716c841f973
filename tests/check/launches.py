#!/usr/bin/env python3
"""Keeps the launches that corpus.tsv names, for corpus.py.

    tests/check/launches.py --build build/release --launches FOLDER --only ours
    build/clients/venv/bin/python tests/check/launches.py --build build/release --launches FOLDER --aiter WHEEL

Those of Triton and AITER need a Python that has Triton and NumPy, and AITER's wheel unpacked in a folder
(kernels/peers/aiter_gemm.py). What is there already is left as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from table import TARGETS, Row, code_of, launch_of, prefix_of, rows_of

HERE = Path(__file__).resolve().parent


def of_library(rows: list[Row], arguments: argparse.Namespace) -> None:
    """All launches of our library on one GPU, in one run of its tests."""
    tests = sorted({row.how.split()[1] for row in rows})
    build = arguments.build.resolve()
    environment = dict(
        os.environ,
        LD_PRELOAD=str(build / "lib/libwavesmith_capture.so"),
        WAVESMITH_CAPTURE=str(arguments.launches / prefix_of(rows[0])),
        WAVESMITH_SEED="1",
    )
    names = ":".join(f"On/{test}/{rows[0].gpu}" for test in tests)
    command = [build / "bin/kernels_test", f"--gtest_filter={names}", "--gtest_brief=1"]
    subprocess.run(command, env=environment, check=True)


def of_program(rows: list[Row], arguments: argparse.Namespace) -> None:
    """Launches of one HIP program's own kernels, in one run, and its code object."""
    build, target = arguments.build.resolve(), TARGETS[rows[0].gpu]
    name, *words = shlex.split(rows[0].how)[1:]
    command = [build / "bin/wavesmith", "disasm", build / name, "--json", "--target", target]
    listing = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    kernels = {one["name"]: one["arguments"] for code in listing for one in code["kernels"]}
    code_of(rows[0], arguments.launches).write_bytes(unbundled((build / name).read_bytes(), target))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        for row in rows:
            for symbol in filter(re.compile(row.kernel).search, kernels):
                places = [
                    f"{one['offset']}:{one['size']}" for one in kernels[symbol] if not one["kind"].startswith("hidden_")
                ]
                print(row.kernel, symbol, *places, file=wanted)
        wanted.flush()
        environment = {
            "LD_PRELOAD": str(build / "lib/libwavesmith_capture.so"),
            "WAVESMITH_CAPTURE": str(arguments.launches / prefix_of(rows[0])),
            "WAVESMITH_CAPTURE_KERNELS": wanted.name,
        }
        settings = [f"{key}={value}" for key, value in environment.items()]
        command = [build / "bin/wavesmith", "run", "--quiet", "--gpu", rows[0].gpu, "--", "env", *settings]
        subprocess.run([*command, build / name, *words], check=True, stdout=subprocess.DEVNULL)


def unbundled(file: bytes, target: str) -> bytes:
    """The code object for a target in a file with a bundle. Source: LLVM, "Clang Offload Bundler"."""
    for found in re.finditer(b"__CLANG_OFFLOAD_BUNDLE__", file):
        begin, at = found.start(), found.end() + 8
        for _ in range(struct.unpack_from("<Q", file, found.end())[0]):
            offset, size, length = struct.unpack_from("<QQQ", file, at)
            name = file[at + 24 : at + 24 + length].decode()
            if name.endswith(f"--{target}"):
                return file[begin + offset : begin + offset + size]
            at += 24 + length
    raise SystemExit(f"there is no code for {target}")


def of_peer(row: Row, arguments: argparse.Namespace) -> None:
    words = [word.replace("{aiter}", str(arguments.aiter)) for word in shlex.split(row.how)[1:]]
    program = next(i for i, word in enumerate(words) if word.endswith(".py"))
    words[program] = str(HERE.parents[1] / words[program])
    command = [arguments.build.resolve() / "bin/wavesmith", "run", "--quiet", "--gpu", row.gpu, *words[:program], "--"]
    command += [sys.executable, HERE / "capture.py", arguments.launches, prefix_of(row), *words[program:]]
    subprocess.run(command, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--launches", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=HERE / "corpus.tsv")
    parser.add_argument("--only", default="", help="a regular expression: rows 'source gpu kernel' that it is found in")
    parser.add_argument("--aiter", type=Path, default=Path("/nowhere"), help="where AITER's wheel is unpacked")
    arguments = parser.parse_args()
    arguments.launches.mkdir(parents=True, exist_ok=True)
    rows = [row for row in rows_of(arguments.table) if re.search(arguments.only, str(row))]
    rows = [row for row in rows if not launch_of(row, arguments.launches).exists()]
    for gpu in dict.fromkeys(row.gpu for row in rows):
        of_gpu = [row for row in rows if row.gpu == gpu and row.how.startswith("library ")]
        if of_gpu:
            of_library(of_gpu, arguments)
    for how in dict.fromkeys(row.how for row in rows if row.how.startswith("hip ")):
        of_program([row for row in rows if row.how == how], arguments)
    for row in rows:
        if row.how.startswith("peer ") and not launch_of(row, arguments.launches).exists():
            of_peer(row, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
