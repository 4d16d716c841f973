"""The text that a compiled operator is kept as: the calls that Inductor wrote, its kernels as code objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch

from wavesmith.torch._name import KEY

_HEADER = """\
import math
from math import inf, nan
import torch
from torch import device, empty_strided
from wavesmith.torch._launch import raw_stream as get_raw_stream
empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
"""


class RefusalError(Exception):
    """A class of calls that is the host's; the text says why."""


class _Products:
    """Inductor's `extern_kernels`: PyTorch's own functions by name."""

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def _demand(name: str, operator: str) -> None:
    # A kernel may leave a call to what is compiled here, which must not come back.
    if name.split("::")[1].split(".")[0] == operator.split(".")[1]:
        raise RefusalError(f"calls {name}, itself")
    if not torch._C._dispatch_has_kernel_for_dispatch_key(name, KEY):
        raise RefusalError(f"calls {name}, which has no kernel")


def _check(body: str, operator: str) -> None:
    for name in re.findall(r"\bextern_kernels\.(\w+)", body):
        _demand(f"aten::{name}.out", operator)
    for space, name, overload in re.findall(r"torch\.ops\.(\w+)\.(\w+)\.(\w+)", body):
        _demand(f"{space}::{name}" if overload == "default" else f"{space}::{name}.{overload}", operator)
    for name in re.findall(r"(?<!ops\.)\b(?:aten|inductor_ops|alloc_from_pool|async_compile)\b[.(](\w+)", body):
        raise RefusalError(f"calls {name}")


def kept(operator: str, source: str, kernels: dict[str, Any]) -> dict[str, Any]:
    """What is kept of an operator's text and kernels (`CachingAutotuner`s by name): "source" and "kernels".

    Raises:
        RefusalError: it calls an operator that has no kernel on the device, or does what `run` does not know.
    """
    begin = source.index("    def call(self, args):")
    body = source[begin : source.index("\nrunner = Runner(")]
    _check(body, operator)
    # A GPU loads from any address.
    body = re.sub(r"^ +(\w+) = copy_if_misaligned\(\1\)\n", "", body, flags=re.M)
    body = re.sub(r"^ +torch\.accelerator\.set_device_index\(\d+\)\n", "", body, flags=re.M)
    if torch.accelerator.device_count() == 1:
        body = re.sub(r"with torch\.accelerator\.device_index\(\d+\):", "if True:", body)
    for name in kernels:
        body = body.replace(f"{name}.run(", f"{name}(")
    body = re.sub(r"^    ", "", body, flags=re.M).replace("def call(self, args):", "def call(args):")
    functions, records = [], []
    for at, (name, kernel) in enumerate(kernels.items()):
        function, record = _kernel(at, name, kernel)
        functions.append(function)
        records.append(record)
    return {"source": "\n\n".join([_HEADER, *functions, body]), "kernels": records}


def _kernel(at: int, name: str, kernel: Any) -> tuple[str, dict[str, Any]]:
    """A function that launches a kernel as Inductor's launcher does, and what the kernel is."""
    from torch._inductor.runtime.triton_helpers import get_constexprs
    from torch._inductor.runtime.triton_heuristics import GridExpr

    from wavesmith.torch._launch import Kernel

    result = kernel.compile_results[0]
    binary = result.kernel
    metadata = binary.metadata
    if metadata.global_scratch_size or metadata.profile_scratch_size or metadata.launch_cooperative_grid:
        raise RefusalError("a kernel with scratch memory of Triton's")
    _, parameters, _ = result._get_arg_lists(binary.src.fn.arg_names, get_constexprs(binary.src.fn))
    kinds = {argument: kind for argument, kind in binary.src.signature.items() if kind != "constexpr"}
    if any(argument not in parameters for argument in kinds):
        raise RefusalError("a kernel with an argument of its configuration")
    given = [f"{argument}.data_ptr()" if kind.startswith("*") else argument for argument, kind in kinds.items()]
    grid = GridExpr.from_meta(result.inductor_meta, result.config)
    lines = [f"def {name}({', '.join(parameters)}, stream):", *grid.prefix]
    lines.append(
        f"kernels[{at}]({', '.join(map(str, (grid.x_grid, grid.y_grid, grid.z_grid)))}, stream, {', '.join(given)})"
    )
    record = {
        "name": metadata.name,
        "image": Kernel.packed(binary.asm["hsaco"]),
        "kinds": list(kinds.values()),
        "threads": metadata.num_warps * metadata.warp_size,
        "shared": metadata.shared,
    }
    return "\n    ".join(lines), record


def run(record: dict[str, Any]) -> Callable[[list[Any]], Any]:
    """The function that takes a list of inputs, which it empties, and gives the results."""
    from wavesmith.torch._launch import Kernel

    names: dict[str, Any] = {
        "kernels": [Kernel(**each) for each in record["kernels"]],
        "extern_kernels": _Products(),
    }
    exec(compile(record["source"], "<operator compiled for wavesmith>", "exec"), names)
    call: Callable[[list[Any]], Any] = names["call"]
    return call
