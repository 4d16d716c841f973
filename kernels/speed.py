#!/usr/bin/env python3
"""Writes docs/KERNEL_SPEED.md: the library's kernels and their peers under the same cycle model, in one run.

    build/release/bin/wavesmith libraries install rocblas --to FOLDER
    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d AITER amd_aiter-*.whl
    kernels/speed.py --rocblas FOLDER --aiter AITER [--gpu mi300x] [--build build/release]

Each operation is profiled twice by `wavesmith profile --sampled`: as the library computes it (wavesmith_kernels_bench)
and as its peer does, AMD's rocBLAS (validate/tensile_kernels/gemm.py) or AITER (kernels/peers). Both calculate it two
times, so that the caches hold what a first time leaves. All times are modelled. What was measured is kept in
docs/kernel_speed.json, so that a part can be measured anew: without --rocblas attention and decoding alone, without
--aiter products.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/KERNEL_SPEED.md"
DATA = ROOT / "docs/kernel_speed.json"
# The GPUs whose attention AITER has kernels for.
AITERS_GPUS = ["mi300x", "mi355x"]
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
    """Squares, and transformers' layers: tokens by the widths of models with 4,096 and 8,192 numbers per token."""
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


@dataclass(frozen=True)
class Attention:
    """Of bf16, with heads of 128 elements."""

    gpu: str
    batches: int
    heads: int
    kv_heads: int
    length: int
    causal: bool

    def flops(self) -> float:
        """As such rates are published: half of the products where later keys are masked."""
        return 4 * self.batches * self.heads * self.length**2 * 128 / (2 if self.causal else 1)


def attentions(gpus: list[str]) -> list[Attention]:
    """Prompts of models with 32 and 64 heads, with and without groups of heads that share keys."""
    shapes = [(1, 64, 8, 8192), (1, 32, 8, 4096), (4, 32, 32, 2048), (4, 32, 8, 2048), (16, 16, 16, 1024)]
    return [Attention(gpu, *shape, causal) for gpu in gpus for shape in shapes for causal in (False, True)]


@dataclass(frozen=True)
class Decode:
    """A new token of each sequence, of bf16, with heads of 128 elements and pages of 16."""

    gpu: str
    sequences: int
    heads: int
    kv_heads: int
    context: int

    def bytes(self) -> float:
        """Of keys and values."""
        return 2.0 * self.sequences * self.kv_heads * self.context * 128 * 2


def decodes(gpus: list[str]) -> list[Decode]:
    """Models with 64 and 32 heads, and 8 of K and V or their share of one GPU of eight; few sequences and many."""
    shapes = [(1, 64, 8, 8192), (16, 64, 8, 8192), (64, 64, 8, 8192), (64, 32, 4, 2048), (128, 8, 1, 8192)]
    small = [(1, 32, 4, 8192), (8, 64, 8, 8192)]
    return [Decode(gpu, *shape) for gpu in gpus for shape in (shapes if gpu.startswith("mi") else small)]


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


def measure_attention(one: Attention, build: Path, aiter: Path) -> tuple[Timed | str, Timed | str]:
    sizes = [str(size) for size in (one.batches, one.heads, one.kv_heads, one.length)]
    causal = ["causal"] if one.causal else []
    bench = [build / "bin/wavesmith_kernels_bench", "attention", *sizes, sizes[-1], "128", "bf16", *causal]
    ours = profiled(bench, one.gpu, build, {"ROUNDS": "2"})
    if one.gpu not in AITERS_GPUS:
        return ours, "none"
    peer = [sys.executable, ROOT / "kernels/peers/aiter_attention.py", aiter, *sizes, *causal]
    return ours, profiled(peer, one.gpu, build, {})


def measure_decode(one: Decode, build: Path, aiter: Path) -> tuple[Timed | str, Timed | str]:
    sequences, heads, kv_heads, context = (str(size) for size in (one.sequences, one.heads, one.kv_heads, one.context))
    bench = [build / "bin/wavesmith_kernels_bench", "decode", sequences, heads, kv_heads, "1", context, "128", "bf16"]
    ours = profiled(bench, one.gpu, build, {"ROUNDS": "2"})
    if one.gpu != "mi300x":
        return ours, "none"
    peer = [sys.executable, ROOT / "kernels/peers/aiter_decode.py", aiter, sequences, heads, kv_heads, context]
    return ours, profiled(peer, one.gpu, build, {})


@dataclass
class Row:
    """An operation, and what it takes by our kernel and by its peer's; a text says why there is no time."""

    operation: Operation
    ours: Timed | str
    peer: Timed | str

    def ratio(self) -> float | None:
        if isinstance(self.ours, str) or isinstance(self.peer, str):
            return None
        return self.ours.microseconds / self.peer.microseconds


Operation = Product | Attention | Decode
KINDS: dict[str, type[Operation]] = {"attention": Attention, "decode": Decode, "product": Product}


def mean_of(rows: list[Row], what: str) -> list[str]:
    ratios = [ratio for row in rows if (ratio := row.ratio()) is not None]
    if not ratios:
        return []
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return [
        f"Geometric mean of the ratios: **{mean:.2f}** over {len(ratios)} {what}, from {min(ratios):.2f} to "
        f"{max(ratios):.2f}.",
        "",
    ]


def cells_of(row: Row, work: float, name: str, peer: str) -> list[str]:
    """The cells behind those that name the operation, which does that much work in a microsecond at a rate of 1."""
    ratio = row.ratio()
    ours = (
        [name, f"{row.ours.microseconds:.1f}", f"{work / row.ours.microseconds:,.0f}"]
        if isinstance(row.ours, Timed)
        else [row.ours, "", ""]
    )
    theirs = [peer, f"{row.peer.microseconds:.1f}"] if isinstance(row.peer, Timed) else [row.peer, ""]
    return [*ours, *theirs, f"{ratio:.2f}" if ratio else ""]


def table(head: str, rows: list[list[str]]) -> list[str]:
    return [head, "|" + "|".join("---" for _ in rows[0]) + "|", *("| " + " | ".join(row) + " |" for row in rows), ""]


def products_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Matrix products on {gpu}", "", *mean_of(rows, "products")]
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Product)
        ours = row.ours.kernel.split("_")[2] if isinstance(row.ours, Timed) else ""
        peer = short(row.peer.kernel) if isinstance(row.peer, Timed) else ""
        sizes = [f"{one.m:,}", f"{one.n:,}", f"{one.k:,}", one.type, one.layout]
        cells.append(sizes + cells_of(row, 2e-6 * one.m * one.n * one.k, ours, peer))
    head = "| M | N | K | type | layout | our tile | us | TFLOP/s | rocBLAS's tile | us | ratio |"
    return lines + table(head, cells)


def attentions_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Attention forward on {gpu}, bf16, heads of 128", ""]
    for what, causal in (("shapes without a mask", False), ("causal shapes, roughly", True)):
        lines += mean_of([row for row in rows if row.operation.causal == causal], what)
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Attention)
        sizes = [str(one.batches), str(one.heads), str(one.kv_heads), f"{one.length:,}", "causal" if one.causal else ""]
        ours = row.ours.kernel.removeprefix("attention_") if isinstance(row.ours, Timed) else ""
        cells.append(sizes + cells_of(row, one.flops() * 1e-6, ours, "AITER"))
    head = "| batch | heads | K and V heads | length | mask | our kernel | us | TFLOP/s | peer | us | ratio |"
    return lines + table(head, cells)


def decodes_page(rows: list[Row], gpu: str) -> list[str]:
    lines = [f"## Decoding with a paged cache on {gpu}, bf16, heads of 128", "", *mean_of(rows, "shapes")]
    cells = []
    for row in rows:
        one = row.operation
        assert isinstance(one, Decode)
        sizes = [str(one.sequences), str(one.heads), str(one.kv_heads), f"{one.context:,}"]
        cells.append(sizes + cells_of(row, one.bytes() * 1e-3, "decode", "AITER"))
    head = "| sequences | heads | K and V heads | context | our kernel | us | GB/s | peer | us | ratio |"
    return lines + table(head, cells)


def page(rows: list[Row], peers: dict[str, str]) -> str:
    lines = [
        "# How fast the library's kernels are",
        "",
        "Written by `kernels/speed.py`; its numbers are in [kernel_speed.json](kernel_speed.json). Every time is",
        "*modelled*: our kernels and their peers' machine code ran under the same cycle model in the same run",
        "([PROFILE.md](PROFILE.md) says how far to trust it). A ratio above 1 means that ours takes longer. Layouts name",
        "what lies together in memory of A and of B: K, or M and N.",
        "",
        f"Products are compared with AMD's rocBLAS as Debian compiles it ({peers.get('rocblas', 'none')}); a star marks",
        "those of its kernels that use no matrix instructions. Attention is compared with the assembly of AMD's AITER",
        f"({peers.get('aiter', 'none')}). AMD publishes 591 TFLOP/s for it on MI300X and 1,413 on MI355X, with",
        "64 heads, 8 of K and V, and 8,192 tokens. Causal times are rough: of workgroups that differ in length a profile",
        "looks at a few, and where all those of a compute unit are short the time is too.",
        "",
        "Decoding is compared with AITER's assembly for pages of 16, which gives a sequence's head of K and V to one",
        "workgroup, however long the context is; ours splits contexts. GB/s are of the keys and values; what fits into a",
        "GPU's last cache is read from there, by both.",
        "",
    ]
    for kind, of_kind in ((Product, products_page), (Attention, attentions_page), (Decode, decodes_page)):
        all_rows = [row for row in rows if isinstance(row.operation, kind)]
        for gpu in dict.fromkeys(row.operation.gpu for row in all_rows):
            lines += of_kind([row for row in all_rows if row.operation.gpu == gpu], gpu)
    return "\n".join(lines)


def read() -> tuple[list[Row], dict[str, str]]:
    if not DATA.exists():
        return [], {}
    data = json.loads(DATA.read_text())
    timed = lambda given: given if isinstance(given, str) else Timed(**given)  # noqa: E731
    rows = [
        Row(
            next(kind(**row[name]) for name, kind in KINDS.items() if name in row),
            timed(row["ours"]),
            timed(row["peer"]),
        )
        for row in data["rows"]
    ]
    return rows, data["peers"]


def write(rows: list[Row], peers: dict[str, str]) -> None:
    plain = lambda timed: timed if isinstance(timed, str) else asdict(timed)  # noqa: E731
    made = [
        {
            next(name for name, kind in KINDS.items() if isinstance(row.operation, kind)): asdict(row.operation),
            "ours": plain(row.ours),
            "peer": plain(row.peer),
        }
        for row in rows
    ]
    DATA.write_text(json.dumps({"peers": peers, "rows": made}, indent=1) + "\n")
    PAGE.write_text(page(rows, peers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rocblas", type=Path, help="where `wavesmith libraries install` put rocBLAS")
    parser.add_argument("--aiter", type=Path, help="where AITER's wheel is unpacked")
    parser.add_argument("--only", dest="aiters", action="append", choices=["attention", "decode"], help="with --aiter")
    parser.add_argument("--gpu", action="append", help="all that the page has; several: several times")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    options = parser.parse_args()
    rows, peers = read()
    gpus = options.gpu or ["mi300x", "mi355x", "mi210", "rx7900xtx", "rx9070xt"]
    wanted: list[Operation] = []
    if options.rocblas and not options.page:
        wanted += products(gpus)
        installed = json.loads((options.rocblas / "installed.json").read_text())
        release = next(each["version"] for each in installed["packages"] if each["name"].startswith("librocblas"))
        peers["rocblas"] = f"librocblas {release}"
    if options.aiter and not options.page:
        operations = {"attention": attentions, "decode": decodes}
        wanted += [one for name in options.aiters or operations for one in operations[name](gpus)]
        peers["aiter"] = "amd-aiter 0.1.7.post2.dev18"
    for operation in wanted:
        if isinstance(operation, Product):
            row = Row(operation, *measure(operation, options.build, options.rocblas))
        elif isinstance(operation, Attention):
            row = Row(operation, *measure_attention(operation, options.build, options.aiter))
        else:
            row = Row(operation, *measure_decode(operation, options.build, options.aiter))
        print(row, file=sys.stderr, flush=True)
        at = next((i for i, each in enumerate(rows) if each.operation == operation), len(rows))
        rows[at : at + 1] = [row]
        write(rows, peers)
    if options.page:
        write(rows, peers)


if __name__ == "__main__":
    main()
