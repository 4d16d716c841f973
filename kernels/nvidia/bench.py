"""Times of the kernels on an NVIDIA GPU beside those of cuBLAS, cuDNN and PyTorch's attention.

    kernels/nvidia/bench.py --library FILE [--to FILE.tsv] [--rounds N] [--every]

Contenders take turns in an order that is drawn anew each round. Each first runs as long as it is timed afterwards, so
that it meets the clock that its own power leaves it; a round's time is that of some launches by CUDA events, over
inputs that rotate so that none is left in the L2. The table has medians and the 10th and 90th percentile of rounds.
`--every` times each kernel that there is, otherwise those that compete.
"""

import argparse
import itertools
import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

SKIPPED = 77
try:
    import torch
    from device_library import TYPES, Library, describe_attention, describe_product
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention
except ImportError as missing:
    print(f"no PyTorch here: {missing}", file=sys.stderr)
    sys.exit(SKIPPED)

L2_BYTES = 50 << 20
Call = Callable[[int], object]


@dataclass
class Work:
    """What contenders are to do: `amount` of operations or bytes; `calls` by the number of the inputs."""

    name: str
    amount: float
    inputs: int
    calls: dict[str, Call]
    unit: str = "TFLOP/s"
    scale: float = 1e-6  # of the amount per microsecond


def inputs_for(bytes_of_one: int) -> int:
    """So many that what lies between two uses of the same is four times the L2."""
    return 1 + (4 * L2_BYTES + bytes_of_one - 1) // bytes_of_one


def call_with(call: Callable[[Any], None], given: list[Any], number: int) -> None:
    call(given[number])


def product_work(library: Library, size: int, kind: torch.dtype, every: bool) -> Work:
    count = inputs_for((2 * kind.itemsize + 2) * size * size)
    a = [torch.randn(1, size, size, device="cuda").to(kind) for _ in range(count)]
    b = [torch.randn(1, size, size, device="cuda").to(kind) for _ in range(count)]
    d = [torch.empty(1, size, size, device="cuda", dtype=torch.bfloat16) for _ in range(count)]
    one = torch.ones(1, device="cuda")
    calls: dict[str, Call] = {}
    short = "e4m3" if kind == torch.float8_e4m3fn else "bf16"
    for name in library.names("product"):
        by_warpgroups = name.endswith(("x256x64_kk", "x128_kk"))
        if not name.startswith(short) or not (by_warpgroups or (every and name.endswith("kk"))):
            continue
        for band in (4, 8, 16) if every and by_warpgroups else (0,):
            given = [describe_product(a[i], b[i], d[i], scale_a=one, scale_b=one, band=band) for i in range(count)]
            contender = f"wavesmith {name}" + (f" band {band}" if band else "")
            calls[contender] = partial(call_with, partial(library.product, name), given)
    if kind == torch.bfloat16:
        for blas in ("cublas", "cublaslt"):

            def matmul(i: int, blas: str = blas) -> None:
                torch.backends.cuda.preferred_blas_library(blas)
                torch.mm(a[i][0], b[i][0].T, out=d[i][0])

            calls[f"PyTorch {blas}"] = matmul
    else:
        for fast in (True, False):

            def scaled(i: int, fast: bool = fast) -> None:
                of_a, of_b = a[i][0], b[i][0].T
                torch._scaled_mm(of_a, of_b, one, one, out_dtype=torch.bfloat16, use_fast_accum=fast, out=d[i][0])

            calls[f"PyTorch _scaled_mm {'fast' if fast else 'exact'} accumulation"] = scaled
    return Work(f"gemm {short} {size}", 2.0 * size**3, count, calls)


def attention_work(library: Library, length: int, causal: bool, every: bool) -> Work:
    batches, heads, size = 16384 // length, 16, 128
    shape = (batches, heads, length, size)
    count = inputs_for(4 * 2 * batches * heads * length * size)
    q, k, v, o = ([torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(count)] for _ in range(4))
    calls: dict[str, Call] = {}
    for name in library.names("attention"):
        by_warpgroups = "warpgroups" in name
        if not name.startswith("bf16_128") or "shaped" in name or not (by_warpgroups or every):
            continue
        for blocks in (0, 132) if by_warpgroups and every else (0,):
            right = 0 if causal else -1
            given = [describe_attention(q[i], k[i], v[i], o[i], right=right, blocks=blocks) for i in range(count)]
            contender = f"wavesmith {name}" + (f" {blocks} blocks" if blocks else "")
            calls[contender] = partial(call_with, partial(library.attention, name), given)
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):

        def attend(i: int, backend: SDPBackend = backend) -> None:
            with sdpa_kernel(backend):
                scaled_dot_product_attention(q[i], k[i], v[i], is_causal=causal)

        calls[f"PyTorch {backend.name.lower()}"] = attend
    operations = 4.0 * batches * heads * length**2 * size / (2 if causal else 1)
    return Work(f"attention bf16 d128 {length}{' causal' if causal else ''}", operations, count, calls)


def row_work(library: Library, name: str) -> Work:
    rows, columns = 16384, 4096
    bytes_of_all = 2 * 2 * rows * columns
    count = inputs_for(bytes_of_all)
    x, y = ([torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) for _ in range(count)] for _ in range(2))
    weight = torch.ones(columns, device="cuda", dtype=torch.bfloat16)
    size = (rows, columns, columns, TYPES[torch.bfloat16])
    calls: dict[str, Call]
    if name == "softmax":
        calls = {
            "wavesmith softmax": lambda i: library.rows("softmax", x[i], y[i], *size, 1.0, 0),
            "PyTorch softmax": lambda i: torch.softmax(x[i], 1, out=y[i]),
        }
    else:
        centred = name == "layer norm"
        calls = {f"wavesmith {name}": lambda i: library.rows("norm", x[i], weight, y[i], *size, 1e-5, int(centred))}
        of = torch.nn.functional.layer_norm if centred else torch.nn.functional.rms_norm
        calls[f"PyTorch {name}"] = lambda i: of(x[i], (columns,), weight, eps=1e-5)
    return Work(f"{name} bf16 {rows} x {columns}", bytes_of_all, count, calls, "GB/s", 1e-3)


def timed(work: Work, rounds: int) -> dict[str, list[float]]:
    """Microseconds per launch, of each contender and round."""
    launches = max(4, min(20, round(1e13 / work.amount))) if work.unit == "TFLOP/s" else 40
    times: dict[str, list[float]] = {name: [] for name in work.calls}
    for number in range(-1, rounds):
        for name, call in random.sample(list(work.calls.items()), len(work.calls)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
            for i in range(2 * launches):
                if i == launches:
                    begin.record()
                call(i % work.inputs)
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
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True, capture_output=True
    ).stdout.strip()
    cudnn = torch.backends.cudnn.version()  # type: ignore[no-untyped-call]
    lines = [
        f"# kernels/nvidia/bench.py --rounds {arguments.rounds}{' --every' if arguments.every else ''}: measured on an"
        f" {torch.cuda.get_device_name()}, driver {driver}, PyTorch {torch.__version__},"
        f" cuDNN {cudnn}"
    ]
    lines += ["work\tcontender\tmicroseconds\tfrom\tto\trate\tunit\tof the best peer"]
    every, makers = arguments.every, dict[str, Callable[[], Work]]()
    for kind, size in itertools.product((torch.bfloat16, torch.float8_e4m3fn), (4096, 8192)):
        makers[f"gemm {kind} {size}"] = partial(product_work, library, size, kind, every)
    for causal, length in itertools.product((False, True), (8192, 2048)):
        makers[f"attention {length} {causal}"] = partial(attention_work, library, length, causal, every)
    for name in ("rms norm", "layer norm", "softmax"):
        makers[name] = partial(row_work, library, name)
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
                f"\t{work.amount / medians[contender] * work.scale:.0f}\t{work.unit}\t{best / medians[contender]:.3f}"
            )
            print(lines[-1], flush=True)
        del work
        torch.cuda.empty_cache()
    if arguments.to:
        arguments.to.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
