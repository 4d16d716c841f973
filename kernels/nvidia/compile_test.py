"""That kernels compile for an NVIDIA GPU by nvcc, to PTX and to machine code, and that no register is spilled.

    kernels/nvidia/compile_test.py --target sm_90 --host COMPILER --to FOLDER SOURCE...

Nor may ptxas have products of warpgroups wait for one another. Prints what each kernel takes. Nothing runs, and no GPU
is needed. nvcc is the one of tools/setup-clients, or that which NVCC names; without it the test is skipped (77).
"""

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
FLAGS = ["-x", "cu", "-std=c++20", "--expt-relaxed-constexpr", "-Werror", "all-warnings", f"-I{ROOT}"]


@dataclass
class Resources:
    """What ptxas says of a kernel; shared memory, stack and spills in bytes."""

    kernel: str
    registers: int
    shared: int
    stack: int
    spills: int


def find_nvcc() -> Path | None:
    if "NVCC" in os.environ:
        return Path(os.environ["NVCC"])
    found = ROOT.glob("build/clients/venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
    return next(found, None)


def resources(report: str) -> list[Resources]:
    """The kernels of ptxas' report (-v)."""
    kernels = []
    for part in report.split("Compiling entry function")[1:]:
        name, frame = re.search(r"'(\w+)'", part), re.search(r"(\d+) bytes stack frame", part)
        registers, shared = re.search(r"Used (\d+) registers", part), re.search(r"(\d+) bytes smem", part)
        spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", part))
        assert name and frame and registers, f"ptxas' report has changed: {part}"
        kernels.append(Resources(name[1], int(registers[1]), int(shared[1]) if shared else 0, int(frame[1]), spills))
    return kernels


def compiled(nvcc: Path, source: Path, target: str, host: str, folder: Path) -> list[Resources]:
    ptx = folder / f"{source.parent.name}_{source.name}.ptx"
    command: list[str | Path] = [nvcc, *FLAGS, f"-arch={target}", "-ccbin", host, "-allow-unsupported-compiler"]
    subprocess.run([*command, "-ptx", source, "-o", ptx], check=True)
    assembled = subprocess.run(
        [nvcc.parent / "ptxas", "-v", f"-arch={target}", ptx, "-o", ptx.with_suffix(".cubin")],
        check=True,
        text=True,
        stderr=subprocess.PIPE,
    )
    assert "serialized" not in assembled.stderr, assembled.stderr
    kernels = resources(assembled.stderr)
    entries = re.findall(r"\.entry (\w+)", ptx.read_text())
    assert sorted(entries) == sorted(k.kernel for k in kernels), "ptxas reports each kernel"
    return kernels


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--host", required=True, help="a C++ compiler, whose preprocessor nvcc uses")
    parser.add_argument("--to", required=True, type=Path, help="where PTX and machine code come to lie")
    parser.add_argument("sources", nargs="+", type=Path)
    arguments = parser.parse_args()
    nvcc = find_nvcc()
    if nvcc is None or not nvcc.exists():
        print("no nvcc here: tools/setup-clients installs it, or NVCC names one", file=sys.stderr)
        return SKIPPED
    arguments.to.mkdir(parents=True, exist_ok=True)
    bad = []
    for source in arguments.sources:
        began = time.monotonic()
        try:
            kernels = compiled(nvcc, source, arguments.target, arguments.host, arguments.to)
        except (subprocess.CalledProcessError, AssertionError) as error:
            print(getattr(error, "stderr", None) or error, file=sys.stderr)
            bad.append(f"{source.name} does not compile")
            continue
        print(f"{source.name}: {time.monotonic() - began:.1f} s")
        for kernel in kernels:
            print(f"  {kernel.kernel:40} {kernel.registers:4} registers {kernel.shared:6} bytes shared")
            if kernel.spills or kernel.stack:
                bad.append(f"{kernel.kernel}: {kernel.spills} bytes spilled, a stack of {kernel.stack}")
    print("\n".join(bad), file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
