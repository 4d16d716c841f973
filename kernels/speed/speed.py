#!/usr/bin/env python3
"""Writes docs/KERNEL_SPEED.md: the library's kernels and their peers under the same cycle model, in one run.

    build/release/bin/wavesmith libraries install rocblas --to FOLDER
    pip download --no-deps amd-aiter==0.1.7.post2.dev18 && unzip -d AITER amd_aiter-*.whl
    pip install triton==3.8.0 numpy, in an environment whose interpreter is PYTHON
    pip download --no-deps onnxruntime-rocm==1.22.2.post1 && unzip -d CK onnxruntime_rocm-*.whl
    kernels/speed/speed.py --rocblas FOLDER --aiter AITER --triton PYTHON --ck CK [--gpu mi300x] [--only gemm]

Each operation is profiled by `wavesmith profile --sampled`: as the library computes it (wavesmith_kernels_bench) and as
its peers do, AMD's rocBLAS (validate/tensile_kernels/gemm.py), and AITER, Triton and Composable Kernel (kernels/peers).
All calculate it two times, so that the caches hold what a first time leaves. All times are modelled. What was measured
is kept in docs/kernel_speed.json, so that a part can be measured anew, with all peers of that part. --also adds a peer
whose program is not part of this repository: it takes wavesmith_kernels_bench's words, and ends with an error where it
has no kernel.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from findings import stated
from operations import (
    AITERS_GPUS,
    CKS_GPUS,
    TRITONS_ATTENTION_GPUS,
    TRITONS_GPUS,
    Attention,
    AttentionGradients,
    Convolution,
    Decode,
    Experts,
    Latent,
    OfRows,
    Operation,
    Product,
    Row,
    Timed,
    Training,
    UngatedExperts,
    attention_gradients,
    attentions,
    convolutions,
    decodes,
    latents,
    mixtures,
    operations_of_rows,
    products,
    read,
    trainings,
    write,
)
from page import PAGE, page
from profiled import NotProfiledError, profiled
from published import read as published

ROOT = Path(__file__).resolve().parents[2]
Command = list[str | Path]
GPUS = ["mi300x", "mi355x", "mi210", "rx7900xtx", "rx9070xt", "radeon8060s"]
# Tensile's name of the types of rocBLAS's product, with f32 arithmetic: SB is f32 throughout.
ROCBLAS_TYPES = {"bf16": "BBS_BH", "f16": "HHS_BH", "bf16 to f32": "BSS_BH", "f32": "SB"}
# Layouts: what lies together of A and of B, K or M and N. rocBLAS's operations on B and A, its matrices being by
# columns: the transpose of D, by columns, is D by rows.
ROCBLAS_LAYOUTS = {"kk": "TN", "mk": "TT", "kn": "NN", "mn": "NT"}
# What AITER has products for, and on which GPUs.
AITER_TYPES = {
    "bf16 to f32": ("bf16", AITERS_GPUS),
    "i8 to bf16": ("i8", ["mi300x"]),
    "e2m1x2 to bf16": ("f4", ["mi355x"]),
}
# Triton's name of the types of its product. Its floats of 8 bits are those that the GPU has.
TRITON_TYPES = {"bf16": "bf16", "e4m3 to bf16": "e4m3", "e4m3fnuz to bf16": "e4m3"}
CK_TYPES = ("bf16", "f16")
# Peers' programs that compute the whole with one kernel after the other, of which the fastest counts.
OF_SEVERAL = ("AITER", "Triton", "Composable Kernel")
PEERS_OF = {
    "gemm": ["rocblas", "aiter", "triton", "ck"],
    "rows": ["triton"],
    "attention": ["aiter", "triton", "ck"],
    "attention_backward": ["aiter"],
    "decode": ["aiter"],
    "mla": ["aiter"],
    "training": ["triton"],
    "experts": ["aiter", "triton"],
    "convolution": ["triton"],
}


@functools.cache
def facts_of(build: Path, gpu: str) -> dict[str, Any]:
    """What `wavesmith gpus` knows of a GPU."""
    command = [build / "bin/wavesmith", "gpus", gpu, "--json"]
    return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def fastest_of(kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fastest of kernels that compute the whole each. ROLE__CONFIGURATION names one that does a part: one of each
    role makes the whole, and where names end in _p512 only with its like."""
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for kernel in kernels:
        part = re.fullmatch(r"([a-z_]+?)__\w+?(_p\d+)?", kernel["name"].removesuffix(".kd"))
        role, group = (part[1], part[2] or "") if part else ("", "")
        roles = groups.setdefault(group, {})
        roles[role] = min(roles.get(role, kernel), kernel, key=lambda one: one["seconds"])
    return list(min(groups.values(), key=lambda roles: sum(one["seconds"] for one in roles.values())).values())


def tell_beside(operation: Operation, ours: Timed | str, peers: Mapping[str, Timed | str]) -> None:
    """What AITER's kernel for attention's gradients leaves to others takes for it what it takes in ours."""
    timed = [one for one in (ours, *peers.values()) if isinstance(one, Timed)]
    if isinstance(operation, AttentionGradients) and isinstance(ours, Timed):
        for peer in timed[1:]:
            peer.microseconds += ours.beside
            peer.beside = ours.beside
        return
    for one in timed:
        one.beside = 0


@dataclass
class Machine:
    """Where everything lies."""

    build: Path
    rocblas: Path | None
    aiter: Path | None
    triton: Path | None
    ck: Path | None
    also: dict[str, Command] = field(default_factory=dict)
    """Peers that are not part of this repository: programs that take wavesmith_kernels_bench's words."""

    def profiled(self, gpu: str, command: Command, peer: str = "") -> Timed | str:
        """What the cycle model says of one call; a text where there is none."""
        environment = {"ROUNDS": "2"}
        if peer == "rocBLAS":
            environment["WAVESMITH_LIBRARIES"] = str(self.rocblas)
        try:
            kernels = profiled(self.build, gpu, command, environment)
        except NotProfiledError as error:
            return str(error)
        if not kernels:
            return "no kernel was launched"
        if peer in OF_SEVERAL or peer in self.also:
            kernels = fastest_of(kernels)
        calls = max(kernel["launches"] for kernel in kernels)
        seconds = sum(kernel["seconds"] * kernel["launches"] for kernel in kernels) / calls
        main = max(kernels, key=lambda kernel: kernel["seconds"])
        clocks = seconds * main["clock_mhz"] * 1e6 * main["units"]
        beside = seconds - main["seconds"] * main["launches"] / calls
        return Timed(main["name"].removesuffix(".kd"), seconds * 1e6, clocks, beside=beside * 1e6)

    def flops_per_clock(self, gpu: str, type_name: str) -> float:
        """Of a compute unit of RDNA: its matrix instructions', or where it has none for the type those of vector
        instructions, two at once of 32 lanes in each SIMD (VOPD: AMD's RDNA3 and RDNA4 ISA manuals)."""
        facts = facts_of(self.build, gpu)
        matrix = float(facts["matrix"].get(type_name, {"value": 0})["value"])
        return matrix or 2 * 2 * 32 * float(facts["compute"]["simds_per_unit"]["value"])

    def measured(self, operation: Operation) -> Row:
        kinds: dict[type[Operation], Callable[..., Commands]] = {
            Product: of_product,
            Attention: of_attention,
            AttentionGradients: of_attention_gradients,
            Decode: of_decode,
            Latent: of_latent,
            OfRows: of_rows,
            Training: of_training,
            Experts: of_experts,
            UngatedExperts: of_ungated_experts,
            Convolution: of_convolution,
        }
        bench, peers = kinds[type(operation)](operation, self)
        ours = self.profiled(operation.gpu, [self.build / "bin/wavesmith_kernels_bench", *bench])
        if isinstance(ours, Timed) and isinstance(operation, Product) and not operation.gpu.startswith("mi"):
            ours.peak_share = operation.flops() / ours.unit_clocks / self.flops_per_clock(operation.gpu, operation.type)
        timed = {name: self.profiled(operation.gpu, command, name) for name, command in peers.items()}
        tell_beside(operation, ours, timed)
        others = {name: self.profiled(operation.gpu, [*command, *bench], name) for name, command in self.also.items()}
        timed |= {name: peer for name, peer in others.items() if isinstance(peer, Timed)}
        return Row(operation, ours, timed)

    def of_aiter(self, program: str, *words: str) -> Command:
        return [sys.executable, ROOT / "kernels/peers" / program, self.aiter or "", *words]

    def of_triton(self, program: str, *words: str) -> Command:
        return [self.triton or "", ROOT / "kernels/peers" / program, *words]

    def of_ck(self, program: str, *words: str) -> Command:
        return [sys.executable, ROOT / "kernels/peers" / program, self.ck or "", *words]


# What wavesmith_kernels_bench is given, and the peers' commands.
Commands = tuple[Command, dict[str, Command]]


def of_product(one: Product, machine: Machine) -> Commands:
    m, n, k = str(one.m), str(one.n), str(one.k)
    scaled = ["scaled"] if one.type == "i8" else []
    bench: Command = ["gemm", m, n, k, one.type, one.layout, "-", one.result or one.type, *scaled]
    peers: dict[str, Command] = {}
    if one.gpu != "mi355x" and one.types() in ROCBLAS_TYPES:
        types, layout = ROCBLAS_TYPES[one.types()], ROCBLAS_LAYOUTS[one.layout]
        program = ROOT / "validate/tensile_kernels/gemm.py"
        peers["rocBLAS"] = [sys.executable, program, types, layout, n, m, "1", k]
    operands, gpus = AITER_TYPES.get(one.types(), ("", []))
    if one.gpu in gpus:
        peers["AITER"] = machine.of_aiter("aiter_gemm.py", operands, m, n, k)
    if one.gpu in TRITONS_GPUS and one.types() in TRITON_TYPES and one.layout == "kk":
        peers["Triton"] = machine.of_triton("triton_gemm.py", m, n, k, TRITON_TYPES[one.types()])
    if one.gpu in CKS_GPUS and one.types() in CK_TYPES:
        peers["Composable Kernel"] = machine.of_ck("ck_gemm.py", one.type, m, n, k, one.layout)
    return bench, peers


def of_attention(one: Attention, machine: Machine) -> Commands:
    sizes = [str(size) for size in (one.batches, one.heads, one.kv_heads, one.length)]
    causal = ["causal"] if one.causal else []
    peers: dict[str, Command] = {}
    if one.gpu in AITERS_GPUS:
        peers["AITER"] = machine.of_aiter("aiter_attention.py", *sizes, *causal)
    if one.gpu in TRITONS_ATTENTION_GPUS:
        peers["Triton"] = machine.of_triton("triton_attention.py", *sizes, *causal)
    if one.gpu in CKS_GPUS and not one.causal:  # the page says why
        peers["Composable Kernel"] = machine.of_ck("ck_attention.py", *sizes, *causal)
    return ["attention", *sizes, sizes[-1], "128", "bf16", *causal], peers


def of_attention_gradients(one: AttentionGradients, machine: Machine) -> Commands:
    sizes = [str(size) for size in (one.batches, one.heads, one.kv_heads, one.length)]
    causal = ["causal"] if one.causal else []
    peers = {"AITER": machine.of_aiter("aiter_attention_backward.py", *sizes, *causal)}
    return ["attention_backward", *sizes, sizes[-1], "128", "bf16", *causal], peers


def of_decode(one: Decode, machine: Machine) -> Commands:
    sequences, heads, kv_heads, context = (str(size) for size in (one.sequences, one.heads, one.kv_heads, one.context))
    peer = machine.of_aiter("aiter_decode.py", sequences, heads, kv_heads, context)
    peers: dict[str, Command] = {"AITER": peer} if one.gpu == "mi300x" else {}
    return ["decode", sequences, heads, kv_heads, "1", context, "128", "bf16"], peers


def of_latent(one: Latent, machine: Machine) -> Commands:
    sequences, heads, context = (str(size) for size in (one.sequences, one.heads, one.context))
    peers = {"AITER": machine.of_aiter("aiter_mla.py", sequences, heads, context)}
    return ["decode", sequences, heads, "1", "1", context, "576/512", "bf16"], peers


def of_rows(one: OfRows, machine: Machine) -> Commands:
    rows, columns = str(one.rows), str(one.columns)
    peers = {"Triton": machine.of_triton("triton_rows.py", one.operation, rows, columns)}
    return [one.operation, rows, columns, "bf16"], peers


TRAINING_PEERS = {
    "cross_entropy": ("triton_cross_entropy.py", "cross_entropy"),
    "cross_entropy_gradient": ("triton_cross_entropy.py", "cross_entropy_gradient"),
    "norm_backward": ("triton_norm_backward.py", "norm_backward"),
    "layernorm_backward": ("triton_norm_backward.py", "layernorm_backward"),
    "softmax_backward": ("triton_softmax_backward.py",),
}


def of_training(one: Training, machine: Machine) -> Commands:
    sizes = str(one.rows), str(one.columns)
    peers = {"Triton": machine.of_triton(*TRAINING_PEERS[one.operation], *sizes)}
    gradient = ["gradient"] if one.operation == "cross_entropy_gradient" else []
    return [one.operation.removesuffix("_gradient"), *sizes, "bf16", *gradient], peers


def of_experts(one: Experts, machine: Machine) -> Commands:
    sizes = [str(size) for size in (one.tokens, one.hidden, one.intermediate, one.experts, one.top)]
    return ["experts", *sizes, "bf16"], {"Triton": machine.of_triton("triton_experts.py", *sizes)}


def of_ungated_experts(one: UngatedExperts, machine: Machine) -> Commands:
    sizes = [str(size) for size in (one.tokens, one.hidden, one.intermediate, one.experts, one.top)]
    return ["experts", *sizes, "bf16", "ungated"], {"AITER": machine.of_aiter("aiter_experts.py", *sizes)}


def of_convolution(one: Convolution, machine: Machine) -> Commands:
    sizes = [str(size) for size in (one.images, one.channels, one.side, one.outputs, one.window)]
    peers = {"Triton": machine.of_triton("triton_convolution.py", *sizes, str(one.step), one.type)}
    return ["convolution", *sizes, one.type, "nhwc", "output", str(one.step)], peers


def release_of(peer: str, where: Path) -> str:
    if peer == "aiter":
        return "amd-aiter 0.1.7.post2.dev18"
    if peer == "ck":
        return "onnxruntime-rocm 1.22.2.post1"
    if peer == "triton":
        program = "import triton; print('triton', triton.__version__)"
        return subprocess.run([where, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    installed = json.loads((where / "installed.json").read_text())
    return "librocblas " + next(
        each["version"] for each in installed["packages"] if each["name"].startswith("librocblas")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rocblas", type=Path, help="where `wavesmith libraries install` put rocBLAS")
    parser.add_argument("--aiter", type=Path, help="where AITER's wheel is unpacked")
    parser.add_argument("--triton", type=Path, help="an interpreter of Python that has Triton")
    parser.add_argument("--ck", type=Path, help="where ONNX Runtime's wheel is unpacked")
    parser.add_argument(
        "--also",
        action="append",
        nargs=3,
        default=[],
        metavar=("NAME", "RELEASE", "COMMAND"),
        help="a peer of your own: a command that takes wavesmith_kernels_bench's words",
    )
    parser.add_argument("--only", action="append", choices=list(PEERS_OF), help="all where left out")
    parser.add_argument("--gpu", action="append", help="all that the page has; several: several times")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    options = parser.parse_args()
    rows, releases = read()
    machine = Machine(options.build, options.rocblas, options.aiter, options.triton, options.ck)
    machine.also = {name: list(shlex.split(command)) for name, _, command in options.also}
    operations = {
        "gemm": products,
        "rows": operations_of_rows,
        "attention": attentions,
        "attention_backward": attention_gradients,
        "decode": decodes,
        "mla": latents,
        "training": trainings,
        "experts": mixtures,
        "convolution": convolutions,
    }
    names = [] if options.page else options.only or list(operations)
    wanted: list[Operation] = [one for name in names for one in operations[name](options.gpu or GPUS)]
    for peer in dict.fromkeys(peer for name in names for peer in PEERS_OF[name]):
        if not getattr(options, peer):
            parser.error(f"--{peer} is missing")
        releases[peer] = release_of(peer, getattr(options, peer))
    releases |= {name: release for name, release, _ in options.also}
    for operation in wanted:
        row = machine.measured(operation)
        print(row, file=sys.stderr, flush=True)
        at = next((i for i, each in enumerate(rows) if each.operation == operation), len(rows))
        rows[at : at + 1] = [row]
        write(rows, releases)
    PAGE.write_text(page(rows, releases, published(), stated()))


if __name__ == "__main__":
    main()
