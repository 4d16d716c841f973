"""Times of the kernels on an NVIDIA GPU beside those of cuBLAS, cuDNN and PyTorch's attention.

    kernels/nvidia/bench.py --library FILE [--to FILE.tsv] [--rounds N] [--every]

Contenders take turns, round by round, so that all meet the same temperatures; a round's time is that of some launches
by CUDA events, over inputs that rotate so that none is left in the L2. The table has medians and the 10th and 90th
percentile of rounds. `--every` times each kernel that there is, otherwise those that compete.
"""

import argparse
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SKIPPED = 77
try:
    import torch
    from device_library import Library, describe_attention, describe_product
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention
except ImportError as missing:
    print(f"no PyTorch here: {missing}", file=sys.stderr)
    sys.exit(SKIPPED)

L2_BYTES = 50 << 20
Call = Callable[[int], None]


@dataclass
class Work:
    """What contenders are to do: `operations` floating-point operations; `calls` by the number of the inputs."""

    name: str
    operations: float
    inputs: int
    calls: dict[str, Call]


def inputs_for(bytes_of_one: int) -> int:
    """So many that what lies between two uses of the same is four times the L2."""
    return 1 + (4 * L2_BYTES + bytes_of_one - 1) // bytes_of_one


def product_work(library: Library, size: int, kind: torch.dtype, every: bool) -> Work:
    count = inputs_for((2 * kind.itemsize + 2) * size * size)
    a = [torch.randn(1, size, size, device="cuda").to(kind) for _ in range(count)]
    b = [torch.randn(1, size, size, device="cuda").to(kind) for _ in range(count)]
    d = [torch.empty(1, size, size, device="cuda", dtype=torch.bfloat16) for _ in range(count)]
    one = torch.ones(1, device="cuda")
    calls: dict[str, Call] = {}
    short = "e4m3" if kind == torch.float8_e4m3fn else "bf16"
    for name in library.names("product"):
        if not name.startswith(short) or "elements" in name or not (name.endswith(("_1", "_2")) or every and name.endswith("kk")):
            continue
        for band in (4, 8, 16) if every and name.endswith(("_1", "_2")) else (0,):
            given = [describe_product(a[i], b[i], d[i], scale_a=one, scale_b=one, band=band) for i in range(count)]
            calls[f"wavesmith {name}" + (f" band {band}" if band else "")] = (
                lambda i, name=name, given=given: library.product(name, given[i])
            )
    if kind == torch.bfloat16:
        for blas in ("cublas", "cublaslt"):

            def matmul(i: int, blas: str = blas) -> None:
                torch.backends.cuda.preferred_blas_library(blas)
                torch.mm(a[i][0], b[i][0].T, out=d[i][0])

            calls[f"PyTorch {blas}"] = matmul
    else:
        for fast in (True, False):
            calls[f"PyTorch _scaled_mm {'fast' if fast else 'exact'} accumulation"] = lambda i, fast=fast: torch._scaled_mm(
                a[i][0], b[i][0].T, one, one, out_dtype=torch.bfloat16, use_fast_accum=fast, out=d[i][0]
            )
    return Work(f"gemm {short} {size}", 2.0 * size**3, count, calls)


def attention_work(library: Library, length: int, causal: bool, every: bool) -> Work:
    batches, heads, size = 16384 // length, 16, 128
    shape = (batches, heads, length, size)
    count = inputs_for(4 * 2 * batches * heads * length * size)
    q, k, v, o = ([torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(count)] for _ in range(4))
    calls: dict[str, Call] = {}
    for name in library.names("attention"):
        by_warpgroups = len(name.split("_")) == 5
        if not name.startswith("bf16_128") or "shaped" in name or not (by_warpgroups or every):
            continue
        for blocks in (0, 132) if by_warpgroups else (0,):
            given = [describe_attention(q[i], k[i], v[i], o[i], right=0 if causal else -1, blocks=blocks) for i in range(count)]
            calls[f"wavesmith {name}" + (" persistent" if blocks else "")] = (
                lambda i, name=name, given=given: library.attention(name, given[i])
            )
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):

        def attend(i: int, backend: SDPBackend = backend) -> None:
            with sdpa_kernel(backend):
                scaled_dot_product_attention(q[i], k[i], v[i], is_causal=causal)

        calls[f"PyTorch {backend.name.lower()}"] = attend
    operations = 4.0 * batches * heads * length**2 * size / (2 if causal else 1)
    return Work(f"attention bf16 d128 {length}{' causal' if causal else ''}", operations, count, calls)


def timed(work: Work, rounds: int) -> dict[str, list[float]]:
    """Microseconds per launch, of each contender and round."""
    launches = max(2, min(20, round(5e12 / work.operations * 2)))
    times: dict[str, list[float]] = {name: [] for name in work.calls}
    for number in range(-1, rounds):
        for name, call in work.calls.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            call(0)  # what waits for the processor is before the first event
            begin.record()
            for i in range(launches):
                call((number * launches + i) % work.inputs)
            end.record()
            end.synchronize()
            if number >= 0:
                times[name].append(begin.elapsed_time(end) * 1000 / launches)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, type=Path)
    parser.add_argument("--to", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0) or not arguments.library.exists():
        print("no GPU of compute capability 9.0 here, or no library", file=sys.stderr)
        return SKIPPED
    library = Library(arguments.library)
    lines = ["work\tcontender\tmicroseconds\tleast\tmost\tTFLOP/s\tof the best peer"]
    makers: dict[str, Callable[[], Work]] = {
        f"gemm {kind} {size}": lambda kind=kind, size=size: product_work(library, size, kind, arguments.every)
        for kind in (torch.bfloat16, torch.float8_e4m3fn) for size in (4096, 8192)
    } | {
        f"attention {length} {causal}": lambda length=length, causal=causal: attention_work(library, length, causal, arguments.every)
        for causal in (False, True) for length in (8192, 2048)
    }  # fmt: skip
    for name, make in makers.items():
        if arguments.only not in name:
            continue
        work = make()
        times = timed(work, arguments.rounds)
        medians = {contender: statistics.median(of) for contender, of in times.items()}
        best = min(of for contender, of in medians.items() if contender.startswith("PyTorch"))
        for contender, of in times.items():
            few = statistics.quantiles(of, n=10)
            lines.append(
                f"{work.name}\t{contender}\t{medians[contender]:.1f}\t{few[0]:.1f}\t{few[-1]:.1f}"
                f"\t{work.operations / medians[contender] / 1e6:.0f}\t{best / medians[contender]:.3f}"
            )
            print(lines[-1], flush=True)
        del work
        torch.cuda.empty_cache()
    if arguments.to:
        arguments.to.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
