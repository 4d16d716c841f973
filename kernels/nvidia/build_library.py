"""Compiles kernels and what calls them by nvcc into a library, for on_device.py and bench.py.

    kernels/nvidia/build_library.py --target sm_90a --to FILE SOURCE...

nvcc is that which NVCC names, or the one on the PATH, with a compiler for the host that it takes. `ninja
nvidia_kernels` calls it with all sources.
"""

import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--to", required=True, type=Path)
    parser.add_argument("sources", nargs="+", type=Path)
    arguments = parser.parse_args()
    nvcc = os.environ.get("NVCC", "nvcc")
    folder: Path = arguments.to.parent / "device"
    folder.mkdir(parents=True, exist_ok=True)
    code = f"-gencode=arch={arguments.target.replace('sm', 'compute')},code={arguments.target}"
    flags = ["-x", "cu", "-std=c++20", "--expt-relaxed-constexpr", code, f"-I{ROOT}", "-Xcompiler", "-fPIC"]

    def compiled(source: Path) -> Path:
        target = folder / f"{source.parent.name}_{source.name}.o"
        subprocess.run([nvcc, *flags, "-c", source, "-o", target], check=True)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, arguments.sources))
    subprocess.run([nvcc, "-shared", "-cudart", "static", *objects, "-o", arguments.to], check=True)


if __name__ == "__main__":
    main()
