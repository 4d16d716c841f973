"""The instructions of a kernel, at their places in the file that holds them."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

BRANCH = re.compile(r"s_(c?branch|call)\w*\b")
#: Whose meaning depends on where they stand, or behind which nothing comes.
FIXED = re.compile(r"s_(c?branch|call|getpc|setpc|swappc|endpgm|rfe|trap)")


@dataclass(frozen=True)
class Instruction:
    offset: int  # from the kernel's first instruction
    text: str
    data: bytes

    @property
    def mnemonic(self) -> str:
        return self.text.split(" ", 1)[0]

    @property
    def operands(self) -> list[str]:
        return [word.strip() for word in self.text.partition(" ")[2].split(",")]

    @property
    def word(self) -> int:
        """The first dword."""
        return int(struct.unpack_from("<I", self.data)[0])

    @property
    def target(self) -> int | None:
        """Where a branch leads to."""
        if not BRANCH.match(self.text):
            return None
        distance: int = struct.unpack_from("<h", self.data)[0]
        return self.offset + len(self.data) + 4 * distance


@dataclass(frozen=True)
class KernelCode:
    name: str
    target: str  # "gfx942"
    lanes: int
    instructions: list[Instruction]
    positions: list[int]  # in the file, of each copy of the kernel

    @cached_property
    def targets(self) -> set[int]:
        """Offsets that branches lead to."""
        return {one.target for one in self.instructions if one.target is not None}

    @property
    def is_cdna(self) -> bool:
        return self.target.startswith("gfx9")


def bytes_of(words: str) -> bytes:
    """The bytes of an instruction that is printed in dwords."""
    return b"".join(struct.pack("<I", int(word, 16)) for word in words.split())


def kernels_of(wavesmith: Path, file: Path, kernel: str = "", target: str = "") -> list[KernelCode]:
    """The kernels of a code object or program; of that name alone, and for that target alone, where one is given."""
    command = [str(wavesmith), "disasm", str(file), "--json"]
    command += ["--kernel", kernel] if kernel else []
    command += ["--target", target] if target else []
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    data = file.read_bytes()
    made = []
    for code in json.loads(listing):
        for one in code["kernels"]:
            first = one["instructions"][0]["pc"]
            instructions = [
                Instruction(each["pc"] - first, each["text"], bytes_of(each["bytes"])) for each in one["instructions"]
            ]
            whole = b"".join(each.data for each in instructions)
            positions = [found.start() for found in re.finditer(re.escape(whole), data)]
            if not positions:
                raise SystemExit(f"the code of {one['name']} is not in {file} as it is: is its bundle compressed?")
            made.append(KernelCode(one["name"], code["target"], one["wave_size"], instructions, positions))
    return made
