#!/usr/bin/env python3
"""Lists the kernels of small models' training steps, each with its modelled time and with what bounds it.

    list_kernels.py --gpu mi300x --model llama
    list_kernels.py --gpu mi300x --gpu rx9070xt --model llama --compiled --json
    list_kernels.py --page docs/clients/pytorch_models.md

Models are those of models.py, in bfloat16, a step of AdamW after one that warms up. Times are modelled
(docs/MODELLED_TIME.md) and the same in each run. Starts a process for each GPU; needs no `wavesmith run`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

GPUS = {"mi300x": "MI300X", "mi355x": "MI355X", "rx9070xt": "RX 9070 XT"}
MODELS = {
    "llama": "Llama, 64 columns, 34 tokens",
    "wide": "Llama, 512 columns, 512 tokens",
    "mixtral": "mixture of experts",
    "bert": "BERT",
    "resnet": "ResNet",
    "unet": "U-Net's block",
}
#: Also under torch.compile, and listed whole on the page.
LLAMAS = ("llama", "wide")
TOP = 6

HEAD = """\
# Kernels of models on the PyTorch device

Written by `tests/clients/torch/list_kernels.py`. Every time is *modelled*: what the GPU's cycle model gives for the
machine code that ran ([MODELLED_TIME.md](../MODELLED_TIME.md)), the same in each run, never measured on hardware.
Models are small ones with random weights in bfloat16; a step is forward, backward and AdamW, after one that warmed up.
What the host computes for want of a kernel takes no modelled time and is named.

*Bound* is what limits a kernel for most of its time: *memory*, *compute*, *address* (of vector memory), *lds*, *links*,
or *latency*, where a grid is too small to fill the GPU with anything else, as in models of this size nearly everywhere.

## Steps

Microseconds from the first kernel's begin to the last one's end, with the gaps between launches, and launches."""

Step = dict[str, Any]
"""gpu, model, mode, launches, device_time_us (first to last, gaps included), host, kernels (each with kernel,
operators, calls, time_us, share, bound)."""


def measure(model: str, compiled: bool) -> Step:
    """A training step on the GPU that this process emulates."""
    import torch
    from models import CASES, WIDE

    import wavesmith.torch

    case = next(each for each in (*CASES, WIDE) if each.name == model)
    torch.manual_seed(0)
    network = case.model().to("wavesmith", torch.bfloat16)
    batch = tuple(each.to("wavesmith", torch.bfloat16 if each.is_floating_point() else None) for each in case.batch())
    optimizer = torch.optim.AdamW(network.parameters())

    def forward(*inputs: torch.Tensor) -> torch.Tensor:
        return case.loss(network(*inputs), inputs)

    call = torch.compile(forward, fullgraph=True) if compiled else forward

    def step() -> None:
        optimizer.zero_grad()
        call(*batch).backward()
        optimizer.step()

    step()
    before = wavesmith.torch.fallback_counts()
    with wavesmith.profile() as profile:
        step()
    host = [name for name, count in wavesmith.torch.fallback_counts().items() if count != before.get(name, 0)]
    return {
        "gpu": os.environ["WAVESMITH_GPU"],
        "model": model,
        "mode": "compiled" if compiled else "eager",
        "launches": len(profile.timed),
        "device_time_us": profile.device_time,
        "host": sorted(name.removeprefix("aten.").split(".")[0] for name in host),
        "kernels": _kernels(profile),
    }


def _kernels(profile: Any) -> list[dict[str, Any]]:
    asked: dict[str, set[str]] = {}
    for span in profile.spans:
        for one in () if span.is_range else span.timed:
            asked.setdefault(one.name, set()).add(span.name.rpartition("::")[2].rstrip("_"))
    rows = profile.kernels()
    whole = sum(row.device_time_total for row in rows) or 1.0
    return [
        {
            "kernel": row.key,
            "operators": sorted(asked.get(row.key, ())),
            "calls": row.count,
            "time_us": row.device_time_total,
            "share": row.device_time_total / whole,
            "bound": row.bound,
        }
        for row in rows
    ]


def _on(gpu: str, models: list[str], modes: list[bool]) -> list[Step]:
    """In a process of its own, as the GPU is fixed when the runtime is loaded."""
    os.environ["WAVESMITH_TORCH_COMPILE"] = "0"  # what has no kernel is the host's, and is named
    sys.path.insert(0, str(Path(__file__).parent))
    import wavesmith

    wavesmith.use(gpu, quiet=True)
    return [measure(model, compiled) for model in models for compiled in modes if model in LLAMAS or not compiled]


def steps(gpus: list[str], models: list[str], modes: list[bool]) -> list[Step]:
    """Steps of all models on all GPUs."""
    found = []
    for gpu in gpus:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            found += pool.submit(_on, gpu, models, modes).result()
    return found


def _operators(row: dict[str, Any], most: int = 3) -> str:
    names = [name.replace("_scaled_dot_product_fused_attention_overrideable", "attention") for name in row["operators"]]
    if not names:
        return "compiled" if row["kernel"].startswith("triton") else ""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def text(step: Step, top: int | None) -> str:
    """A step for people."""
    rows = step["kernels"][:top]
    wide = max((len(row["kernel"]) for row in rows), default=0)
    head = (
        f"{step['model']} on {step['gpu']}, {step['mode']}: {step['launches']} launches, "
        f"{step['device_time_us']:.1f} us modelled"
    )
    lines = [head, f"{'kernel':{wide}} {'calls':>6} {'us':>9} {'share':>7}  {'bound':9} operators"]
    lines += [
        f"{row['kernel']:{wide}} {row['calls']:6} {row['time_us']:9.2f} {row['share']:7.1%}  {row['bound']:9} "
        f"{_operators(row)}"
        for row in rows
    ]
    if step["host"]:
        lines.append("the host computed, in no modelled time: " + ", ".join(step["host"]))
    return "\n".join(lines) + "\n"


def short(kernel: str, most: int = 64) -> str:
    """A name that a table has room for: its beginning and its end."""
    return kernel if len(kernel) <= most else f"{kernel[: most - 15]}...{kernel[-12:]}"


def _table(step: Step, top: int | None) -> list[str]:
    lines = ["| kernel | operators | calls | us | share | bound |", "|---|---|---|---|---|---|"]
    for row in step["kernels"][:top]:
        cells = (f"{row['time_us']:.2f}", f"{row['share']:.1%}", row["bound"])
        lines.append(f"| `{short(row['kernel'])}` | {_operators(row)} | {row['calls']} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def page(found: list[Step]) -> str:
    """All of it in Markdown."""
    by = {(step["model"], step["mode"], step["gpu"]): step for step in found}
    kinds = list(dict.fromkeys((step["model"], step["mode"]) for step in found))
    gpus = list(dict.fromkeys(step["gpu"] for step in found))
    names = [GPUS.get(gpu, gpu) for gpu in gpus]
    lines = [
        *HEAD.splitlines(),
        "",
        "| model | step | " + " | ".join(names) + " | the host computed |",
        "|---|---|" + "---|" * (len(gpus) + 1),
    ]
    for model, mode in kinds:
        row = [by[model, mode, gpu] for gpu in gpus]
        cells = [f"{step['device_time_us']:.0f} in {step['launches']}" for step in row]
        lines.append(f"| {MODELS[model]} | {mode} | {' | '.join(cells)} | {', '.join(row[0]['host']) or 'nothing'} |")
    for model, mode in kinds:
        top = None if model in LLAMAS else TOP
        lines += ["", f"## {MODELS[model]}, {mode}", "", "All kernels." if top is None else f"The {top} longest.", ""]
        for gpu, name in zip(gpus, names, strict=True):
            lines += [f"On {name}:", "", *_table(by[model, mode, gpu], top)]
        lines.pop()
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="append", help="mi300x, ...; again for more (default: the page's three)")
    parser.add_argument("--model", action="append", choices=MODELS, help="again for more (default: all)")
    parser.add_argument("--compiled", action="store_true", help="the Llamas under torch.compile alone")
    parser.add_argument("--eager", action="store_true", help="without torch.compile alone")
    parser.add_argument("--top", type=int, help="kernels to show of each (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--page", type=Path, help="write the page of documentation there")
    options = parser.parse_args()
    modes = [mode for mode, other in ((False, options.compiled), (True, options.eager)) if not other]
    found = steps(options.gpu or list(GPUS), options.model or list(MODELS), modes)
    if options.page:
        options.page.write_text(page(found))
    elif options.json:
        json.dump(found, sys.stdout, indent=1)
        print()
    else:
        print("\n".join(text(step, options.top) for step in found), end="")


if __name__ == "__main__":
    main()
