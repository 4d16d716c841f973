#!/usr/bin/env python3
"""Writes docs/KERNEL_SPEED.md: the library's kernels and their peers under the same cycle model, in one run.

    build/release/bin/wavesmith libraries install rocblas --to FOLDER
    kernels/speed.py --rocblas FOLDER [--gpu mi300x] [--build build/release]

Each product is profiled twice by `wavesmith profile --sampled`: as the library computes it (wavesmith_kernels_bench) and
as AMD's rocBLAS does (validate/tensile_kernels/gemm.py). Both calculate it two times, so that the caches hold what a
first time leaves. All times are modelled.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/KERNEL_SPEED.md"
# Tensile's name of the types of rocBLAS's product: bf16 or f16 operands and results, f32 arithmetic.
ROCBLAS_TYPES = {"bf16": "BBS_BH", "f16": "HHS_BH"}
# Layouts: what lies together of A and of B, K or M and N; rocBLAS's operations for it, its matrices being by columns.
ROCBLAS_LAYOUTS = {"kk": "TN", "mk": "NN", "kn": "TT", "mn": "NT"}


@dataclass(frozen=True)
class Product:
    gpu: str
    m: int
    n: int
    k: int
    type: str = "bf16"
    layout: str = "kk"


def products(gpus: list[str]) -> list[Product]:
    """Squares, and those of transformers' layers: tokens by the widths of models with 4,096 and 8,192 numbers per token."""
    squares = [(size, size, size) for size in (1024, 2048, 4096, 8192)]
    layers = [(4096, 4096), (14336, 4096), (4096, 14336), (8192, 8192)]
    wide = [(tokens, n, k) for tokens in (256, 2048) for n, k in layers]
    made = []
    for gpu in gpus:
        large = gpu.startswith("mi")
        sizes = squares + wide if large else squares[:3] + wide[:3]
        made += [Product(gpu, *size) for size in sizes]
        made += [Product(gpu, *squares[2], "f16")]
        made += [Product(gpu, *squares[2], "bf16", layout) for layout in ("mk", "kn", "mn")]
    return made


@dataclass
class Timed:
    kernel: str
    microseconds: float
    matrix_share: float


def profiled(command: list[str | Path], gpu: str, build: Path, environment: dict[str, str]) -> Timed | str:
    """What the cycle model says of one call; a text where there is none."""
    profile = [build / "bin/wavesmith", "profile", "--gpu", gpu, "--sampled", "--json", "--", *command]
    done = subprocess.run(profile, capture_output=True, text=True, env=os.environ | environment, check=False)
    start = re.search(r"^\{$", done.stdout, re.MULTILINE)
    if done.returncode or not start:
        return " ".join((done.stderr or done.stdout).split()[-20:])
    kernels = json.JSONDecoder().raw_decode(done.stdout[start.start() :])[0]["kernels"]
    kernels = [kernel for kernel in kernels if "fill" not in kernel["name"].lower()]
    if not kernels:
        return "no kernel was launched"
    calls = max(kernel["launches"] for kernel in kernels)
    seconds = sum(kernel["seconds"] * kernel["launches"] for kernel in kernels) / calls
    main = max(kernels, key=lambda kernel: kernel["seconds"])
    return Timed(main["name"].removesuffix(".kd"), seconds * 1e6, main.get("matrix_busy", 0))


def short(kernel: str) -> str:
    """The part of Tensile's name that tells the tile, "MT256x224x64", and a star where it has no matrix instruction."""
    tile = re.search(r"MT\d+x\d+x\d+", kernel)
    return (tile.group() if tile else kernel) + ("" if re.search(r"_MI\d", kernel) else " *")


def measure(product: Product, build: Path, rocblas: Path) -> tuple[Timed | str, Timed | str]:
    m, n, k = str(product.m), str(product.n), str(product.k)
    bench = [build / "bin/wavesmith_kernels_bench", "gemm", m, n, k, product.type, product.layout]
    ours = profiled(bench, product.gpu, build, {"ROUNDS": "2"})
    types, layout = ROCBLAS_TYPES[product.type], ROCBLAS_LAYOUTS[product.layout]
    peer = [sys.executable, ROOT / "validate/tensile_kernels/gemm.py", types, layout, m, n, "1", k]
    return ours, profiled(peer, product.gpu, build, {"WAVESMITH_LIBRARIES": str(rocblas)})


def page(rows: list[tuple[Product, Timed | str, Timed | str]], release: str) -> str:
    lines = [
        "# How fast the library's kernels are",
        "",
        "Written by `kernels/speed.py`. Every time is *modelled*: our kernels and their peers' machine code ran under the",
        "same cycle model in the same run ([PROFILE.md](PROFILE.md) says how far to trust it). A ratio above 1 means that",
        "ours takes longer. Layouts name what lies together in memory of A and of B: K, or M and N.",
        "",
        f"The peer is AMD's rocBLAS as Debian compiles it ({release}); a star marks those of its",
        "kernels that use no matrix instructions.",
        "",
    ]
    for gpu in dict.fromkeys(product.gpu for product, _, _ in rows):
        of_gpu = [row for row in rows if row[0].gpu == gpu]
        ratios = [ours.microseconds / peer.microseconds for _, ours, peer in of_gpu
                  if isinstance(ours, Timed) and isinstance(peer, Timed)]
        lines += [f"## Matrix products on {gpu}", ""]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            lines += [f"Geometric mean of the ratios: **{mean:.2f}** over {len(ratios)} products, from {min(ratios):.2f} to "
                      f"{max(ratios):.2f}.", ""]
        lines += ["| M | N | K | type | layout | our tile | us | TFLOP/s | rocBLAS's tile | us | ratio |",
                  "|---:|---:|---:|---|---|---|---:|---:|---|---:|---:|"]
        for product, ours, peer in of_gpu:
            cells = [f"{product.m:,}", f"{product.n:,}", f"{product.k:,}", product.type, product.layout]
            flops = 2e-6 * product.m * product.n * product.k
            if isinstance(ours, Timed):
                cells += [ours.kernel.split("_")[2], f"{ours.microseconds:.1f}", f"{flops / ours.microseconds:.0f}"]
            else:
                cells += [ours, "", ""]
            cells += [short(peer.kernel), f"{peer.microseconds:.1f}"] if isinstance(peer, Timed) else [peer, ""]
            both = isinstance(ours, Timed) and isinstance(peer, Timed)
            cells += [f"{ours.microseconds / peer.microseconds:.2f}" if both else ""]
            lines += ["| " + " | ".join(cells) + " |"]
        lines += [""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rocblas", type=Path, required=True, help="where `wavesmith libraries install` put rocBLAS")
    parser.add_argument("--gpu", action="append", help="default: mi300x, mi210, rx7900xtx, rx9070xt; several: several times")
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args()
    rows = []
    for product in products(options.gpu or ["mi300x", "mi210", "rx7900xtx", "rx9070xt"]):
        rows.append((product, *measure(product, options.build, options.rocblas)))
        print(*rows[-1], file=sys.stderr)
    installed = json.loads((options.rocblas / "installed.json").read_text())
    release = next(package["version"] for package in installed["packages"] if package["name"].startswith("librocblas"))
    options.out.write_text(page(rows, f"librocblas {release}"))


if __name__ == "__main__":
    main()
