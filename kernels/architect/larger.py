"""What doubling a part of an MI355X is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from predicted import expected_error, predicted, seconds
from profiled import profiled

GPU = "mi355x"


@dataclass(frozen=True)
class Change:
    """A part that is doubled, and how `--set` says it."""

    name: str
    settings: tuple[str, ...]


CHANGES = (
    Change("L2 bytes", ("l2.size=8MiB",)),
    Change("L2 rate", ("cache.l2_bytes_per_clock_per_channel=256", "pace.l2_bytes_per_clock_per_unit=44")),
    Change("LDS bytes", ("lds.size=320KiB", "lds.max_per_workgroup=320KiB")),
    Change("LDS rate", ("lds.read_bytes_per_clock=512",)),
    Change("HBM rate", ("memory.bandwidth=16TB/s",)),
    Change("Infinity Cache bytes", ("infinity_cache.size=512MiB",)),
)


@dataclass(frozen=True)
class Work:
    """An operation for `wavesmith predict`, and the same for `wavesmith_kernels_bench`."""

    name: str
    operation: str
    bench: str


WORKS = (
    Work("product, 8,192 cubed, bf16", "gemm --m 8192 --n 8192 --k 8192", "gemm 8192 8192 8192 bf16 kk"),
    Work("product, 4,096 cubed, e4m3", "gemm --m 4096 --n 4096 --k 4096 --dtype f8", "gemm 4096 4096 4096 e4m3 kk"),
    Work("product, 64 x 8,192 x 8,192, e4m3", "gemm --m 64 --n 8192 --k 8192 --dtype f8", "gemm 64 8192 8192 e4m3 kk"),
    Work(
        "attention, 4 x 32 heads (8 of K) x 8,192, causal",
        "attention --batch 4 --heads 32 --kv-heads 8 --queries 8192 --causal",
        "attention 4 32 8 8192 8192 128 bf16 causal",
    ),
    Work(
        "decode, 64 x 8,192, 64 heads (8 of K)",
        "decode --batch 64 --context 8192 --heads 64 --kv-heads 8",
        "decode 64 64 8 1 8192 128",
    ),
    Work(
        "experts' first product, 4,096 tokens to 8 of 32, 4,096 x 2 x 2,048",
        "moe --stage first --tokens 4096 --experts 32 --topk 8 --model-size 4096 --inner-size 2048",
        "gemm 32768 4096 4096 bf16 kk - bf16 plain 32",
    ),
    Work(
        "experts' first product, 64 tokens to 8 of 32, 4,096 x 2 x 2,048",
        "moe --stage first --tokens 64 --experts 32 --topk 8 --model-size 4096 --inner-size 2048",
        "gemm 512 4096 4096 bf16 kk - bf16 plain 32",
    ),
)


def _profiled_seconds(build: Path, work: Work, change: Change | None) -> float:
    program = [build / "bin/wavesmith_kernels_bench", *work.bench.split()]
    kernels = profiled(build, GPU, program, changes=change.settings if change else ())
    return float(sum(kernel["launches"] * kernel["seconds"] for kernel in kernels))


def _lines(times: list[tuple[str, str, list[float]]]) -> Iterator[str]:
    """Of each work its name, its error and its times: as it is, and with each change."""
    yield f"| work | us | error | {' | '.join(change.name for change in CHANGES)} |"
    yield "|---|---|---|" + "---|" * len(CHANGES)
    for name, error, (now, *changed) in times:
        gains = " | ".join("-" if abs(now / one - 1) < 0.005 else f"{now / one:.2f}" for one in changed)
        yield f"| {name} | {_digits(1e6 * now)} | {error} | {gains} |"


def _digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _profile_error() -> str:
    """The mean error that docs/ACCURACY.md has of kernels under the cycle model."""
    page = Path(__file__).resolve().parents[2] / "docs/ACCURACY.md"
    found = re.search(r"`profile_mean` \| ([0-9.]+)", page.read_text())
    return f"{100 * float(found[1]):.0f} %" if found else "-"


def tables(build: Path) -> dict[str, str]:
    """By the models of operations, and by the machine code of the library's kernels."""
    changes: tuple[Change | None, ...] = (None, *CHANGES)
    closed, measured = [], []
    with ThreadPoolExecutor(2) as pool:
        for work in WORKS:
            answers = [predicted(build, GPU, work.operation, change.settings if change else ()) for change in changes]
            error = expected_error(answers[0])
            closed.append((work.name, "-" if error is None else f"{100 * error:.0f} %", [*map(seconds, answers)]))
            times = pool.map(lambda change, work=work: _profiled_seconds(build, work, change), changes)
            measured.append((work.name, _profile_error(), [*times]))
    return {"larger-operations": "\n".join(_lines(closed)), "larger-kernels": "\n".join(_lines(measured))}
