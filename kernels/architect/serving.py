"""Which GPU serves a model of 70 billion parameters best: a step of decoding, operation by operation.

The model is Llama 3's of 70B: 80 layers of 8,192 columns, 64 heads of 128 with 8 of keys, 28,672 inner columns, 128,256
tokens. Weights and activations of products are 8-bit floats, the cache and all else bf16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from predicted import expected_error, field_of, predicted, seconds

LAYERS, COLUMNS, HEADS, KV_HEADS, HEAD, INNER, TOKENS = 80, 8192, 64, 8, 128, 28672, 128256
CONTEXT = 4096
BATCHES = (1, 16, 64, 256)
SHARE_OF_MEMORY = 0.9  # for weights and caches, as vLLM takes it
MOST_GPUS = 8


@dataclass(frozen=True)
class Machine:
    """A GPU, as `--gpu` and `--set` name it."""

    name: str
    gpu: str
    changes: tuple[str, ...] = ()
    times_memory: int = 1
    """Of one that nobody built: how many times the memory of the GPU that it is made of. Its power is not known."""


MACHINES = (
    Machine("MI300X", "mi300x"),
    Machine("MI355X", "mi355x"),
    Machine("RX 9070 XT", "rx9070xt"),
    Machine("MI300X with 256 units", "mi300x", ("cus=256",)),
    Machine(
        "256-unit RDNA 4",
        "rx9070xt",
        ("cus=256", "memory.bandwidth=2.56TB/s", "l2.size=32MiB", "infinity_cache.size=256MiB"),
        times_memory=4,
    ),
)


@dataclass
class Step:
    """The seconds of a step by what they are of, and how far they may be off."""

    gpus: int
    parts: dict[str, float] = field(default_factory=dict)
    wrong: float = 0.0
    judged: float = 0.0
    """The seconds of what has a published error."""

    @property
    def seconds(self) -> float:
        return sum(self.parts.values())


def _operations(batch: int, gpus: int) -> list[tuple[str, int, str]]:
    """What each GPU does of a step: what it is a part of, how often, and the operation."""
    product = "gemm --dtype f8 --m {} --n {} --k {}".format
    of_heads = (HEADS + 2 * max(KV_HEADS, gpus)) * HEAD // gpus
    heads = f"--heads {HEADS // gpus} --kv-heads {max(KV_HEADS // gpus, 1)}"
    rows = f"--rows {batch} --columns {COLUMNS}"
    operations = [
        ("products", LAYERS, product(batch, of_heads, COLUMNS)),
        ("products", LAYERS, product(batch, COLUMNS, HEADS * HEAD // gpus)),
        ("products", LAYERS, product(batch, 2 * INNER // gpus, COLUMNS)),
        ("products", LAYERS, product(batch, COLUMNS, INNER // gpus)),
        ("products", 1, product(batch, TOKENS // gpus, COLUMNS)),
        ("attention", LAYERS, f"decode --batch {batch} --context {CONTEXT} {heads}"),
        ("rest", 2 * LAYERS, f"norm {rows} --residual"),
        ("rest", LAYERS, f"elementwise --function rope --elements {batch * of_heads}"),
        ("rest", LAYERS, f"elementwise --function silu --operands 2 --elements {batch * INNER // gpus}"),
    ]
    if gpus > 1:
        operations.append(("links", 2 * LAYERS, f"allreduce --bytes {2 * batch * COLUMNS} --ranks {gpus} --signals"))
    return operations


def _bytes(batch: int) -> int:
    """Of weights and caches."""
    layer = COLUMNS * (2 * HEADS + 2 * KV_HEADS) * HEAD + 3 * COLUMNS * INNER
    return LAYERS * (layer + batch * CONTEXT * 2 * 2 * KV_HEADS * HEAD) + 2 * COLUMNS * TOKENS


def _gpus(build: Path, machine: Machine, batch: int) -> int | None:
    """As few as hold it: 1, 2, 4 or 8."""
    room = SHARE_OF_MEMORY * machine.times_memory * field_of(build, machine.gpu, "memory.bytes")
    count = 1 << math.ceil(math.log2(max(_bytes(batch) / room, 1)))
    return count if count <= MOST_GPUS else None


def _step(build: Path, machine: Machine, batch: int) -> Step | None:
    gpus = _gpus(build, machine, batch)
    if gpus is None:
        return None
    step = Step(gpus)
    for part, count, operation in _operations(batch, gpus):
        one = predicted(build, machine.gpu, operation, machine.changes)
        time = count * seconds(one)
        step.parts[part] = step.parts.get(part, 0.0) + time
        error = expected_error(one)
        if error is not None:
            step.wrong += time * error
            step.judged += time
    return step


def _row(build: Path, machine: Machine, batch: int, step: Step | None) -> str:
    if step is None:
        return f"| {batch} | {machine.name} | more than {MOST_GPUS} | " + " | ".join("-" * 6) + " |"
    rate = batch / step.seconds
    shares = ", ".join(f"{name} {100 * time / step.seconds:.0f} %" for name, time in step.parts.items())
    cells: Sequence[str] = (
        str(batch),
        machine.name,
        str(step.gpus),
        f"{1e3 * step.seconds:.1f}",
        f"{1e3 * step.wrong:.1f} ({100 * step.judged / step.seconds:.0f} %)",
        f"{rate:,.0f}",
        f"{rate / step.gpus:,.0f}",
        "-" if machine.changes else f"{1e3 * rate / step.gpus / field_of(build, machine.gpu, 'power.watts'):,.0f}",
        shares,
    )
    return f"| {' | '.join(cells)} |"


def tables(build: Path) -> dict[str, str]:
    lines = [
        "| sequences | GPU | GPUs | ms per step | off by, ms | tokens/s | per GPU | per GPU and kW | of the step |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    cases = [(machine, batch) for batch in BATCHES for machine in MACHINES]
    with ThreadPoolExecutor(2) as pool:
        steps = pool.map(lambda case: _step(build, *case), cases)
    for (machine, batch), step in zip(cases, steps, strict=True):
        lines.append(_row(build, machine, batch, step))
    return {"serving": "\n".join(lines)}
