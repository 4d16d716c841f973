"""`torch.compile` on the device: Inductor writes Triton for it, and Triton compiles for the emulated GPU.

Inductor knows the devices that PyTorch was built with. What it asks of one is registered where it has a registry, and
put into its tables where it has none, for each module when that is imported: importing Inductor takes seconds.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from wavesmith.torch import _build, _device, _streams
from wavesmith.torch._after_import import after_import
from wavesmith.torch._launch import raw_stream
from wavesmith.torch._name import DEVICE


def _architecture(device: Any = None) -> str:
    return _device.get_device_properties(device).gcnArchName.split(":")[0]


def _has_interface(interfaces: Any) -> None:
    """Registers what Dynamo and Inductor ask of any device."""
    base: Any = interfaces.DeviceInterface

    class _Device(torch.accelerator.device_index):
        def __init__(self, device: Any) -> None:
            super().__init__(_streams.index_of(device))

    class Interface(base):
        device = _Device
        Event = torch.Event
        Stream = torch.Stream

        class Worker:
            set_device = staticmethod(_device.set_device)
            current_device = staticmethod(_device.current_device)
            get_device_properties = staticmethod(_device.get_device_properties)

        current_device = staticmethod(_device.current_device)
        set_device = staticmethod(_device.set_device)
        device_count = staticmethod(torch.accelerator.device_count)
        is_available = staticmethod(lambda: torch.accelerator.device_count() > 0)
        stream = staticmethod(lambda stream: stream)
        current_stream = staticmethod(torch.accelerator.current_stream)
        set_stream = staticmethod(torch.accelerator.set_stream)
        get_raw_stream = staticmethod(raw_stream)
        synchronize = staticmethod(_device.synchronize)
        get_compute_capability = staticmethod(_architecture)
        is_bf16_supported = staticmethod(lambda including_emulation=False: True)
        is_triton_capable = staticmethod(lambda device=None: True)
        memory_allocated = staticmethod(
            lambda device=None: torch.accelerator.memory_allocated(_streams.index_of(device))
        )
        raise_if_triton_unavailable = classmethod(lambda cls, device=None: None)

        exchange_device = staticmethod(_device._exchange_device)
        maybe_exchange_device = staticmethod(_device._maybe_exchange_device)

        @staticmethod
        def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
            chosen = torch.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type)
            torch.accelerator.set_stream(chosen)

    interfaces.register_interface_for_device(DEVICE, Interface)
    for index in range(torch.accelerator.device_count()):
        interfaces.register_interface_for_device(f"{DEVICE}:{index}", Interface)


def _has_backend(_: Any) -> None:
    """Registers how Inductor writes kernels and the calls of them, once the modules that do it are both there."""
    triton: Any = sys.modules.get("torch._inductor.codegen.triton")
    wrapper: Any = sys.modules.get("torch._inductor.codegen.wrapper")
    if not (hasattr(triton, "TritonScheduling") and hasattr(wrapper, "PythonWrapperCodegen")):
        return
    from torch._inductor.codegen import common

    base: Any = common.DeviceOpOverrides

    class Overrides(base):
        def import_get_raw_stream_as(self, name: str) -> str:
            return f"from wavesmith.torch._launch import raw_stream as {name}"

        def set_device(self, device_idx: int) -> str:
            return f"torch.accelerator.set_device_index({device_idx})"

        def synchronize(self) -> str:
            return "torch.accelerator.synchronize()"

        def device_guard(self, device_idx: int) -> str:
            return f"torch.accelerator.device_index({device_idx})"

        def current_stream(self) -> str:
            return "torch.accelerator.current_stream()"

    common.register_device_op_overrides(DEVICE, Overrides())
    common.register_backend_for_device(DEVICE, triton.TritonScheduling, wrapper.PythonWrapperCodegen)


def _is_gpu(utilities: Any) -> None:
    if DEVICE not in utilities.GPU_TYPES:
        utilities.GPU_TYPES.append(DEVICE)
    theirs = utilities.is_big_gpu

    def is_big_gpu(index_or_device: Any = 0) -> bool:
        ours = isinstance(index_or_device, torch.device) and index_or_device.type == DEVICE
        return ours or theirs(index_or_device)  # as for ROCm: a count of units says nothing about AMD's

    utilities.is_big_gpu = is_big_gpu


def _has_configurations(heuristics: Any) -> None:
    """Products are tried in the configurations that Inductor has for ROCm."""
    from torch._inductor.template_heuristics.registry import register_template_heuristic

    names = ("mm_template", "bmm_template", "mm_plus_mm_template")
    product, batched, sum_of_two = (getattr(heuristics, name).uid for name in names)
    for template, operator, name in (
        (product, None, "ROCmMMTemplateConfigHeuristic"),
        (batched, None, "ROCmMMTemplateConfigHeuristic"),
        (product, "addmm", "ROCmAddMMTemplateConfigHeuristic"),
        (batched, "baddbmm", "ROCmAddMMTemplateConfigHeuristic"),
        (product, "scaled_mm", "ROCmScaledMMTemplateConfigHeuristic"),
        (product, "int_mm", "ROCmInt8MMTemplateConfigHeuristic"),
        (sum_of_two, None, "ROCmMMPlusMMTemplateConfigHeuristic"),
    ):
        register_template_heuristic(template, DEVICE, op_name=operator)(getattr(heuristics, name))


def _has_choices(choices: Any) -> None:
    theirs: Any = choices.InductorChoices.get_config_heuristics

    def get_config_heuristics(self: Any, device_type: str | None = "cuda") -> Any:
        return choices.ROCmConfigHeuristic() if device_type == DEVICE else theirs(self, device_type)

    choices.InductorChoices.get_config_heuristics = get_config_heuristics


def _has_triton(utilities: Any) -> None:
    utilities.has_triton = utilities.has_triton_package


def _is_amds(hints: Any) -> None:
    """Names the device to Inductor's runtime as PyTorch for ROCm names an AMD GPU: "hip"."""
    theirs: Any = hints.DeviceProperties.create

    def create(cls: Any, device: torch.device) -> Any:
        found = theirs(device)
        return found._replace(type="hip") if device.type == DEVICE else found

    hints.DeviceProperties.create = classmethod(create)


def _is_hip(heuristics: Any) -> None:
    theirs: Any = heuristics.CachingAutotuner.get_device_interface

    def get_device_interface(self: Any) -> Any:
        from torch._dynamo.device_interface import get_interface_for_device

        return get_interface_for_device(DEVICE) if self.device_props.type == "hip" else theirs(self)

    heuristics.CachingAutotuner.get_device_interface = get_device_interface
    # Kernels are launched by Triton's driver: the launcher that PyTorch has of its own is CUDA's.
    heuristics.StaticTritonCompileResult.can_statically_launch = staticmethod(lambda *arguments: None)


def _has_clock(benchmarking: Any) -> None:
    """Configurations are compared by the device's events, whose times are the GPU's under `wavesmith run --time`."""

    def benchmark(self: Any, call: Any, *, return_mode: str = "median", **_: Any) -> Any:
        from wavesmith.triton.timing import elapsed, modelled

        times = elapsed(call, torch.Event)
        if modelled():  # what the host computes takes no modelled time
            times = [each or math.inf for each in times]
        return times if return_mode == "all" else min(times)

    for name in (DEVICE, "hip"):
        benchmarking.register_benchmarker(name, benchmark, override=True)
    benchmarking.Benchmarker.benchmark_gpu = benchmark
    for other in (benchmarking.TritonBenchmarker, benchmarking.InductorBenchmarker):
        other.benchmark_gpu = benchmark


def _has_keys(codecache: Any) -> None:
    """What Inductor keeps on disk is kept for the GPU that it was compiled and tuned for."""
    theirs: Any = codecache.CacheBase.get_system

    @functools.cache
    def get_system() -> dict[str, Any]:
        from wavesmith.triton.timing import modelled

        gpu = [_device.get_device_properties(0).gcnArchName, os.environ.get("WAVESMITH_GPU"), modelled()]
        key = codecache.SYSTEM_CACHE_KEY_STRATEGY.key_from_json({"theirs": theirs()["hash"], "gpu": gpu})
        return {**theirs(), "device": {"name": gpu[0]}, "hash": key}

    codecache.CacheBase.get_system = staticmethod(get_system)


def _has_defaults(config: Any) -> None:
    """Sets defaults for every thread: what is assigned to a setting holds for one."""
    defaults: dict[str, Any] = {
        "assert_indirect_indexing": False,  # as for ROCm: the emulator checks accesses itself
    }
    if "TORCHINDUCTOR_COMPILE_THREADS" not in os.environ:
        defaults["compile_threads"] = 1  # workers are processes that would emulate a GPU each
    for name, value in defaults.items():
        entry: Any = config._config[name]
        entry.default = value


def _empty_strided(size: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """What compiled code calls for a tensor of "cuda", in place of PyTorch's own, which was not built."""
    return torch.empty_strided(size, stride, dtype=dtype, device=DEVICE)


def _put(action: Callable[[ModuleType], None], module: ModuleType) -> None:
    """Does what is to be done with a module; says so where it is not as in the PyTorch that this was written for."""
    try:
        action(module)
    except (AttributeError, ImportError, KeyError) as error:
        tested = ", ".join(_build.TESTED)
        print(
            f"wavesmith: torch.compile may not work on the device: {module.__name__} of PyTorch {torch.__version__} is "
            f"not as in what was tested ({tested}): {error}",
            file=sys.stderr,
        )


def register() -> None:
    """Makes Inductor and Triton know the device, where Triton is installed."""
    if importlib.util.find_spec("triton") is None:
        return
    if DEVICE == "cuda":  # Triton's own driver for ROCm takes this PyTorch for one
        os.environ.setdefault("TRITON_DEFAULT_BACKEND", "wavesmith")
        torch._C._dynamo.guards._empty_strided_cuda = _empty_strided  # type: ignore[attr-defined]
    from wavesmith.triton.timing import modelled

    # Configurations that were fastest by one clock need not be by the other.
    folder = _build.cache() / ("inductor-modelled" if modelled() else "inductor")
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(folder))
    for module, action in {
        "torch._dynamo.device_interface": _has_interface,
        "torch._inductor.config": _has_defaults,
        "torch._inductor.utils": _is_gpu,
        "torch._inductor.choices": _has_choices,
        "torch._inductor.codecache": _has_keys,
        "torch._inductor.template_heuristics.triton": _has_configurations,
        "torch._inductor.codegen.triton": _has_backend,
        "torch._inductor.codegen.wrapper": _has_backend,
        "torch._inductor.runtime.hints": _is_amds,
        "torch._inductor.runtime.triton_heuristics": _is_hip,
        "torch._inductor.runtime.benchmarking": _has_clock,
        "torch.utils._triton": _has_triton,
    }.items():
        after_import(module, functools.partial(_put, action))
    if "triton" in sys.modules:
        driver = sys.modules["triton"].runtime.driver
        driver._default = driver._active = None
