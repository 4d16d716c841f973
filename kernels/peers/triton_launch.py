"""Triton's kernels as peers: compiled here for the GPU that HIP names, launched through HIP."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Mapping
from ctypes import c_void_p
from pathlib import Path

import triton
import triton.language as tl
from hip import Kernel, attribute, target
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ALIGNED = [["tt.divisibility", 16]]
#: Pointers to less than 2 GiB, as Triton learns it of each tensor.
SMALL = [["tt.pointer_range", 32]]
#: Rows of tiles whose programs follow each other.
GROUP = 6


@triton.jit
def tile_of(down, across, GROUP: tl.constexpr):
    """The program's tile of `down` by `across`, as its row and column: GROUP rows of tiles go side by side."""
    program = tl.program_id(0)
    first = program // (GROUP * across) * GROUP
    height = min(down - first, GROUP)
    return first + program % (GROUP * across) % height, program % (GROUP * across) // height


class Compiled:
    def __init__(
        self,
        function: triton.JITFunction,
        constants: Mapping[str, object],
        types: Mapping[str, str] | None = None,
        **options: int,
    ) -> None:
        """Arguments whose names are upper-case are constants, "_of" ends the names of pointers, to bf16 or what `types`
        says; others are integers divisible by 16."""
        names = [name for name in function.arg_names if name not in constants]
        self.pointers = [name.endswith("_of") for name in names]
        kinds = dict(zip(names, self.pointers, strict=True))
        signature = {
            name: "constexpr" if name in constants else "*" + (types or {}).get(name, "bf16") if kinds[name] else "i32"
            for name in function.arg_names
        }
        attributes = {
            (function.arg_names.index(name),): ALIGNED + (SMALL if pointer else []) for name, pointer in kinds.items()
        }
        source = ASTSource(function, signature, dict(constants), attributes)
        here = target()
        lanes = 64 if here.startswith("gfx9") else 32
        made = triton.compile(source, target=GPUTarget("hip", here, lanes), options=options)
        with tempfile.TemporaryDirectory() as folder:
            code = Path(folder) / "kernel.hsaco"
            code.write_bytes(made.asm["hsaco"])
            self.kernel = Kernel(code, made.metadata.name)
        self.threads = made.metadata.num_warps * lanes
        self.shared = made.metadata.shared
        if made.metadata.global_scratch_size:
            raise NotImplementedError(f"{made.metadata.name} wants scratch memory")

    def fits(self) -> bool:
        """Whether the GPU has the shared memory that it wants."""
        return self.shared <= attribute(74)  # hipDeviceAttributeMaxSharedMemoryPerBlock

    def launch(self, grid: int | tuple[int, int], *arguments: c_void_p | int) -> None:
        made = b""
        for pointer, value in zip(self.pointers, arguments, strict=True):
            made += b"\0" * (-len(made) % 8) if pointer else b""
            made += struct.pack("<Q", value.value) if isinstance(value, c_void_p) else struct.pack("<i", value)
        made += b"\0" * (-len(made) % 8) + bytes(16)  # no scratch memory, and none for a profiler
        across, down = grid if isinstance(grid, tuple) else (grid, 1)
        self.kernel.launch((across, down, 1), self.threads, made, self.shared)
