#!/usr/bin/env python3
"""Keeps the launches of a program of kernels/peers, so that replay.py makes them again without what compiled them.

    wavesmith run --gpu mi300x -- capture.py FOLDER PREFIX kernels/peers/triton_gemm.py 64 64 512 --check

For each kernel its first launch: FOLDER/PREFIX_KERNEL.co, the code object; .json, how it is launched; .bin, what the
memory holds that the program has allocated.
"""

from __future__ import annotations

import ctypes
import json
import re
import runpy
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernels/peers"))
import hip

allocate = hip.memory
BUFFERS: list[tuple[int, int]] = []  # addresses and sizes


def memory(size: int) -> ctypes.c_void_p:
    pointer = allocate(size)
    BUFFERS.append((pointer.value or 0, size))
    return pointer


class Recorded(hip.Kernel):
    """A kernel whose first launch is kept."""

    folder = Path()
    prefix = ""

    def __init__(self, code: Path | bytes, symbol: str) -> None:
        super().__init__(code, symbol)
        self.code = code if isinstance(code, bytes) else code.read_bytes()

    def launch(self, grid: tuple[int, int, int], threads: int, arguments: bytes, shared: int = 0) -> None:
        name = f"{self.prefix}_{short(self.symbol)}"
        if not (self.folder / f"{name}.co").exists():
            self.keep(self.folder / name, grid, threads, arguments, shared)
        super().launch(grid, threads, arguments, shared)

    def keep(self, at: Path, grid: tuple[int, int, int], threads: int, arguments: bytes, shared: int) -> None:
        used, pointers = [], []
        for place in range(0, len(arguments) - 7, 4):
            (value,) = struct.unpack_from("<Q", arguments, place)
            for address, size in BUFFERS:
                if address <= value < address + size:
                    if (address, size) not in used:
                        used.append((address, size))
                    pointers.append((place, used.index((address, size)), value - address))
        contents = b""
        for address, size in used:
            bytes_of = ctypes.create_string_buffer(size)
            hip.call("hipMemcpy", bytes_of, ctypes.c_void_p(address), ctypes.c_size_t(size), 2)
            contents += bytes_of.raw
        launch = {
            "symbol": self.symbol,
            "grid": grid,
            "threads": threads,
            "shared": shared,
            "arguments": arguments.hex(),
            "sizes": [size for _, size in used],
            "pointers": pointers,
        }
        at.with_suffix(".json").write_text(json.dumps(launch))
        at.with_suffix(".bin").write_bytes(contents)
        at.with_suffix(".co").write_bytes(self.code)
        print(f"kept {at.name}")


def short(symbol: str) -> str:
    """A mangled name of one space and one name without the rest."""
    found = re.fullmatch(r"_ZN5aiter\d+(\w+)E", symbol)
    return found[1] if found else symbol


def main(folder: str, prefix: str, program: str, *words: str) -> None:
    import numpy as np

    random = np.random.default_rng
    np.random.default_rng = lambda seed=1: random(seed)
    Recorded.folder, Recorded.prefix = Path(folder), prefix
    Recorded.folder.mkdir(parents=True, exist_ok=True)
    hip.memory, hip.Kernel = memory, Recorded  # type: ignore[misc]
    sys.argv = [program, *words]
    sys.path.insert(0, str(Path(program).parent))
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
