"""A library of thread traces, as rocprofv3's viewer stores them: kernels' instructions and what each cost its waves."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

_REGISTER = re.compile(r"\b([va])(?:(\d+)|\[\d+:(\d+)\])(?!\w)")


@dataclass(frozen=True)
class Line:
    """An instruction, its cost summed over the waves that executed it. Cycles."""

    address: int  # from the kernel's first instruction
    text: str
    hits: int
    latency: int  # stall and issue
    stall: int
    idle: int


@dataclass(frozen=True)
class Kernel:
    """How a traced kernel was launched (kernels.toml)."""

    folder: str
    what: str
    grid: str
    arguments: tuple[tuple[int, str], ...]
    block: int = 256
    lds: int = 0
    tables: dict[str, int] | None = None  # how tables.write is called; arguments name its files in braces
    read_off: bool = False  # mechanisms of the model were read off it


def read(library: Path, kernel: Kernel) -> list[Line]:
    """The instructions of a kernel's trace: of the largest one, where there are several.

    Raises:
        FileNotFoundError: the library has no trace of it.
    """
    found = sorted(library.glob(f"examples/{kernel.folder}/att_viewer/big/*/code.json"))
    if not found:
        raise FileNotFoundError(f"no trace of '{kernel.folder}' in {library}")
    rows = [row for row in json.loads(found[0].read_text())["code"] if not row[0].startswith(";")]
    first = rows[0][5]
    return [Line(row[5] - first, row[0], *row[6:10]) for row in rows]


def registers(lines: list[Line]) -> tuple[int, int]:
    """VGPRs and AGPRs that a kernel uses."""
    most = {"v": 0, "a": 0}
    for line in lines:
        for bank, one, last in _REGISTER.findall(line.text):
            most[bank] = max(most[bank], int(one or last) + 1)
    return most["v"], most["a"]


def _size(argument: str) -> int:
    return 8 if "[" in argument else 4


def assembly(kernel: Kernel, lines: list[Line], target: str = "gfx950") -> str:
    """A kernel's text for the assembler: its instructions as traced, a descriptor and metadata to launch it by.

    Branches stand with their distance, so that addresses agree with the trace's.
    """
    vgprs, agprs = registers(lines)
    offset = -(-max(vgprs, 1) // 4) * 4
    bytes_of_arguments = -(-max(at + _size(text) for at, text in kernel.arguments) // 16) * 16
    arguments = "".join(
        f"      - {{.offset: {at}, .size: {_size(text)}, .value_kind: "
        + ("global_buffer, .address_space: global}\n" if "[" in text else "by_value}\n")
        for at, text in kernel.arguments
    )
    descriptor = {
        "group_segment_fixed_size": kernel.lds,
        "kernarg_size": bytes_of_arguments,
        "user_sgpr_kernarg_segment_ptr": 1,
        "user_sgpr_count": 2,
        "system_sgpr_workgroup_id_x": 1,
        "system_sgpr_workgroup_id_y": int("," in kernel.grid),
        "next_free_vgpr": offset + agprs if agprs else vgprs,
        "next_free_sgpr": 96,
        "accum_offset": offset,
    }
    return "\n".join(
        [
            f'.amdgcn_target "amdgcn-amd-amdhsa--{target}"',
            ".text\n.globl traced\n.p2align 8\n.type traced,@function\ntraced:",
            *(line.text for line in lines),
            ".Lend:\n.size traced, .Lend-traced\n.rodata\n.p2align 6\n.amdhsa_kernel traced",
            *(f".amdhsa_{name} {value}" for name, value in descriptor.items()),
            ".end_amdhsa_kernel\n.amdgpu_metadata",
            "amdhsa.version: [1, 2]\namdhsa.kernels:\n  - .name: traced\n    .symbol: traced.kd",
            f"    .kernarg_segment_size: {bytes_of_arguments}\n    .kernarg_segment_align: 8",
            f"    .group_segment_fixed_size: {kernel.lds}\n    .private_segment_fixed_size: 0",
            f"    .wavefront_size: 64\n    .sgpr_count: 96\n    .vgpr_count: {descriptor['next_free_vgpr']}",
            f"    .agpr_count: {agprs}\n    .max_flat_workgroup_size: {kernel.block}\n    .args:",
            arguments + ".end_amdgpu_metadata\n",
        ]
    )
