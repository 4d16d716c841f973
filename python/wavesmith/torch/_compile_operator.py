"""Compiles one operator for a class of calls, and keeps what was compiled on disk.

The operator is traced with sizes as symbols, decomposed as Inductor decomposes it, and written by Inductor as Python
that launches Triton's kernels. That text and the guards that came up are what is kept; the kernels themselves are in
Triton's cache. Threads of their own compile, free of the modes and switches of whoever called the operator.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import logging
import os
import re
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

from wavesmith.torch import _build, _compiled, _device, _operator_code
from wavesmith.torch._operator_class import Class, Number, Slot, Symbol, Variant, layout_of
from wavesmith.torch._operator_code import RefusalError
from wavesmith.torch._types_taken import taken
from wavesmith.torch.composed.results import without_memory

_SOURCES = ("_compile_operator.py", "_operator_class.py", "_operator_code.py", "_inductor.py", "_types_taken.py")


#: Of a decomposition: Inductor takes minutes for one kernel of many (interpolation in three dimensions, say).
_MOST_OPERATIONS = 200


@functools.cache
def _say() -> None:
    if os.environ.get("WAVESMITH_QUIET", "0") in ("", "0"):
        print(
            "wavesmith: compiling operators that have no kernel, each once; they are kept in "
            f"{_build.cache()} (WAVESMITH_TORCH_COMPILE=0 leaves them to the host)",
            file=sys.stderr,
        )


def add_variant(
    known: Class, op: Any, args: Sequence[Any], kwargs: dict[str, Any], inputs: list[Any], numbers: Sequence[float]
) -> Variant | None:
    """Compiles for a call that no variant of its class fits. None, which the class notes, where that fails."""
    _say()
    record: dict[str, Any] = {}

    def compile_() -> None:
        _compiled.thread.compiles = True
        try:
            if not known.variants and not taken(op, args, kwargs):
                raise RefusalError("PyTorch has no kernel for these types")
            _check_outputs(op, args, kwargs)
            try:
                record.update(_compile(op, args, kwargs, inputs, numbers, symbolic=True))
            except Exception:
                if not numbers:
                    raise
                record.update(_compile(op, args, kwargs, inputs, numbers, symbolic=False))
        except Exception as error:
            record["refused"] = f"{type(error).__name__}: {error}"[:500]
            # Others may be about this call's arguments, which the host refuses in its words, or about a full disk.
            record["lasting"] = isinstance(error, RefusalError) or type(error).__module__.startswith("torch")

    thread = threading.Thread(target=compile_, name="wavesmith-compile")
    thread.start()
    thread.join()
    if "refused" in record:
        known.failed(record["refused"], lasting=record["lasting"])
    variant = None
    if "source" in record:
        variant = _variant(record)
        known.variants.append(variant)
    if record.get("lasting", True):
        _keep(known, record)
    return variant


def _check_outputs(op: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Raises what PyTorch would about tensors given to write to, whose types a decomposition does not look at."""
    if not any(each.is_out for each in op._schema.arguments):
        return
    there, named = pytree.tree_map_only(torch.Tensor, without_memory, (tuple(args), kwargs))
    with contextlib.suppress(NotImplementedError), torch.no_grad():
        op(*there, **named)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """A call that tracing refuses is the host's, which says why: PyTorch's log of it is not for users."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def load(known: Class) -> None:
    """Takes what other processes compiled for a class."""
    path = _path(known)
    if not path.exists():
        return
    for record in json.loads(path.read_text())["records"]:
        if "source" in record:
            known.variants.append(_variant(record))
        else:
            known.failed(record["refused"], lasting=True)


@functools.cache
def _folder() -> Path:
    digest = hashlib.sha256(f"{torch.__version__} {importlib.metadata.version('triton')}".encode())
    for name in _SOURCES:
        digest.update((Path(__file__).parent / name).read_bytes())
    folder = _build.cache() / f"operators-{digest.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _path(known: Class) -> Path:
    key = f"{_device.get_device_properties(0).gcnArchName} {known.key}"
    return _folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _keep(known: Class, record: dict[str, Any]) -> None:
    path = _path(known)
    records = json.loads(path.read_text())["records"] if path.exists() else []
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        json.dump({"key": str(known.key), "records": [*records, record]}, file)
    Path(file.name).replace(path)


def _variant(record: dict[str, Any]) -> Variant:
    symbols = tuple(Symbol(*each) for each in record["symbols"])
    names = ", ".join(f"x{at}" for at in range(len(symbols)))
    guard: Callable[..., bool] = eval(f"lambda {names}: {record['guard']}")
    numbers = tuple(record["numbers"]) if record["numbers"] is not None else None
    return Variant(symbols, guard, numbers, _operator_code.run(record))


def _kernels(source: str) -> dict[str, Any]:
    """The kernels of Inductor's text, compiled, by name."""
    module = types.ModuleType("wavesmith_operator")
    module.__file__ = str(_folder() / "operator.py")
    exec(compile(source, module.__file__, "exec"), module.__dict__)
    names = re.findall(r"^(\w+) = async_compile\.triton\(", source, flags=re.M)
    return {name: module.__dict__[name] for name in names}


def _template(value: Any, inputs: Sequence[Any], numbers: list[int]) -> Any:
    """A call's argument with slots for its inputs; `numbers` are the slots of numbers not used yet."""
    if isinstance(value, torch.Tensor):
        return Slot(next(at for at, other in enumerate(inputs) if other is value))
    if isinstance(value, float):
        return Slot(numbers.pop(0))
    if isinstance(value, (list, tuple)):
        return [_template(each, inputs, numbers) for each in value]
    return value


def _filled(value: Any, inputs: Sequence[Any]) -> Any:
    if isinstance(value, Slot):
        return inputs[value.place]
    return [_filled(each, inputs) for each in value] if isinstance(value, list) else value


class _Fakes:
    """Tensors without memory for a call's inputs, whose sizes are symbols."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import ShapeEnv

        self.environment = ShapeEnv(duck_shape=False)
        self.mode = FakeTensorMode(shape_env=self.environment)
        self.symbols: list[Symbol] = []
        self.names: dict[str, str] = {}
        with self.mode:
            self.tensors = [self._fake(at, each) for at, each in enumerate(inputs)]

    def _symbol(self, at: int, stride: bool, dim: int, value: int) -> Any:
        from torch._dynamo.source import ConstantSource
        from torch.fx.experimental.symbolic_shapes import DimDynamic

        if value == 1 or (stride and value == 0):
            return value
        name = f"x{len(self.symbols)}"
        self.symbols.append(Symbol(at, stride, dim))
        source = ConstantSource(name)
        symbol = self.environment.create_symbol(value, source, DimDynamic.DYNAMIC, None)
        self.names[str(symbol)] = name
        return self.environment.create_symintnode(symbol, hint=value, source=source)

    def _fake(self, at: int, value: Any) -> torch.Tensor:
        if isinstance(value, Number):
            return torch.empty((), dtype=torch.float64)
        sizes = [self._symbol(at, False, dim, size) for dim, size in enumerate(value.shape)]
        options: Any = {"dtype": value.dtype, "device": value.device}
        layout = layout_of(value)
        if layout.order is not None:
            order = list(reversed(layout.order))
            back = [order.index(dim) for dim in range(len(sizes))]
            made = torch.empty([sizes[dim] for dim in order], **options)
            return made if back == sorted(back) else made.permute(back)
        strides = [
            1 if value.shape[dim] == 1 else self._symbol(at, True, dim, stride)
            for dim, stride in enumerate(value.stride())
        ]
        return torch.empty_strided(sizes, strides, **options)

    def guard(self) -> str:
        """A Python expression of the symbols that says whether code is right for other sizes."""
        from torch.utils._sympy.printers import PythonPrinter

        if self.environment.deferred_runtime_asserts:
            raise RefusalError("a guard over a number")
        text = " and ".join(f"({PythonPrinter().doprint(each.expr)})" for each in self.environment.guards)
        return re.sub(r"\b[a-z]+\d+\b", lambda match: self.names.get(match[0], match[0]), text) or "True"


def _compile(
    op: Any, args: Sequence[Any], kwargs: dict[str, Any], inputs: list[Any], numbers: Sequence[float], symbolic: bool
) -> dict[str, Any]:
    from torch._dispatch.python import enable_python_dispatcher
    from torch._inductor import config
    from torch._inductor.compile_fx import compile_fx_inner
    from torch._inductor.decomposition import select_decomp_table
    from torch.fx.experimental.proxy_tensor import make_fx

    places = [at for at, each in enumerate(inputs) if isinstance(each, Number)]
    template, named = _template(args, inputs, places), {}
    for name, value in kwargs.items():
        named[name] = _template(value, inputs, places)
    new = [of is None for of in _compiled._plans[op].gives]  # type: ignore[union-attr]

    def traced(*tensors: Any) -> list[Any]:
        values = [
            (tensor.item() if symbolic else given.value) if isinstance(given, Number) else tensor
            for tensor, given in zip(tensors, inputs, strict=True)
        ]
        result = op(*_filled(template, values), **{name: _filled(each, values) for name, each in named.items()})
        results = [result] if isinstance(result, torch.Tensor) else list(result or ())
        return (
            results if len(new) != len(results) else [each for each, is_new in zip(results, new, strict=True) if is_new]
        )

    fakes = _Fakes(inputs)
    context = torch._guards.TracingContext(fakes.mode)
    settings = {
        "size_asserts": False,
        "nan_asserts": False,
        "fx_graph_cache": False,
        "fallback_random": False,
        "triton.autotune_pointwise": False,
        "triton.autotune_at_compile_time": False,
        "max_autotune": False,
        "cpp_wrapper": False,
    }
    with torch.no_grad(), torch._guards.tracing(context), config.patch(settings):
        with _quiet(), fakes.mode, enable_python_dispatcher():
            graph = make_fx(torch.func.functionalize(traced), decomposition_table=select_decomp_table())(*fakes.tensors)
        if len(graph.graph.nodes) > _MOST_OPERATIONS:
            raise RefusalError("too many operations")
        outputs = next(iter(reversed(graph.graph.nodes))).args[0]
        if not all(isinstance(each, torch.fx.Node) and each.op != "placeholder" for each in outputs):
            raise RefusalError("a result that is no new tensor")
        compiled: Any = compile_fx_inner(graph, fakes.tensors, is_inference=True)
    if compiled.constants:
        raise RefusalError("constants")
    return {
        **_operator_code.kept(str(op), compiled.source_code, _kernels(compiled.source_code)),
        "guard": fakes.guard(),
        "symbols": fakes.symbols,
        "numbers": None if symbolic else list(numbers),
    }
