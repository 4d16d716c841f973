"""For programs that say "cuda": in a process with WAVESMITH_TORCH=cuda that is what the device is called.

The device's library then registers its kernels, streams and memory as those of PyTorch's CUDA device, which a PyTorch
for the CPU knows and has nothing for. So `torch.device("cuda")`, `Tensor.cuda()`, `is_cuda`, `torch.autocast("cuda")`
and what is written in checkpoints are PyTorch's own, and mean the emulated GPU. What is written in Python and asks
parts that such a PyTorch lacks, `torch.cuda` above all, is replaced here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch

from wavesmith._errors import UseError
from wavesmith.torch import _prefer

if TYPE_CHECKING:
    from collections.abc import Sequence


def require() -> None:
    """Checks that this PyTorch has no CUDA device of its own.

    Raises:
        UseError: it has.
    """
    if torch.version.cuda is not None or torch.version.hip is not None or hasattr(torch._C, "_cuda_getDeviceCount"):
        raise UseError(
            f"PyTorch {torch.__version__} is built for GPUs: its 'cuda' cannot be Wavesmith's",
            hint="pip install torch --index-url https://download.pytorch.org/whl/cpu",
        )


def install() -> None:
    """Makes `torch.cuda` and what else asks for CUDA in Python speak of the device."""
    from wavesmith.torch import _device
    from wavesmith.triton.hip import hip

    torch.version.hip = hip().release()
    os.environ.setdefault("TRITON_DEFAULT_BACKEND", "wavesmith")  # Triton's own driver thinks that this is ROCm
    torch.backends.cuda.is_built = lambda: True
    torch.cuda.has_magma = True  # the library of linear algebra, whose operators the device has
    torch.backends.cudnn.is_acceptable = lambda tensor: False
    _forward(_device)
    _private(_device)
    _collectives()
    _blas()
    _storage()
    _legacy_types()
    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(torch.cuda.nvtx, name, lambda *_, **__: 0)


def _forward(module: Any) -> None:
    """Each name of the device's module replaces the same one of torch.cuda and of its parts."""
    parts = [torch.cuda, torch.cuda.memory, torch.cuda.random, torch.cuda.streams, torch.cuda.graphs]
    names = [name for name in vars(module) if not name.startswith("__")]
    for part in parts:
        for name in names:
            if part is torch.cuda or hasattr(part, name):
                value = getattr(module, name)
                if getattr(value, "__module__", "").startswith("wavesmith.") or name == "default_generators":
                    setattr(part, name, value)
    for name, value in {
        "_lazy_init": module.init,
        "_lazy_call": lambda call, **_: call(),
        "_initialized": True,
        "_is_compiled": lambda: True,
        "ExternalStream": _external_stream,
        "get_stream_from_external": _external_stream,
        "_get_device": lambda device: torch.device("cuda", module.current_device() if device is None else device),
        "_get_generator": lambda device: module.default_generators[device.index or 0],
        "list_gpu_processes": lambda device=None: "no processes are running",
        "memory_snapshot": lambda *_, **__: [],
        "ipc_collect": module.init,
        "set_per_process_memory_fraction": lambda *_, **__: None,
    }.items():
        setattr(torch.cuda, name, value)


def _external_stream(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("streams that another library made cannot be PyTorch's on the emulated GPU")


def _private(module: Any) -> None:
    """What Python parts of PyTorch and of others import from its C++ part for CUDA."""
    for name, value in {
        "_cuda_getDeviceCount": module.device_count,
        "_cuda_getDevice": module.current_device,
        "_cuda_setDevice": module.set_device,
        "_cuda_exchangeDevice": module._exchange_device,
        "_cuda_maybeExchangeDevice": module._maybe_exchange_device,
        "_cuda_setStream": _set_stream,
        "_cuda_getCurrentRawStream": lambda device: module.current_stream(device).cuda_stream,
        "_cuda_isCurrentStreamCapturing": module.is_current_stream_capturing,
        "_cuda_isInBadFork": module._is_in_bad_fork,
        "_cuda_emptyCache": module.empty_cache,
        "_cuda_synchronize": module.synchronize,
        "_cuda_init": module.init,
        "_cuda_memoryStats": torch._C._accelerator_getDeviceStats,
        "_graph_pool_handle": module.graph_pool_handle,
    }.items():
        setattr(torch._C, name, _another(value))


def _collectives() -> None:
    """What torch.nn.DataParallel asks: copies to and from several devices."""

    def to(tensor: torch.Tensor, device: int) -> torch.Tensor:
        return tensor.to("cpu" if device < 0 else torch.device("cuda", device), non_blocking=device >= 0)

    def broadcast(tensor: torch.Tensor, devices: Sequence[int]) -> list[torch.Tensor]:
        return [to(tensor, device) for device in devices]

    def broadcast_out(tensor: torch.Tensor, out: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        for each in out:
            each.copy_(tensor, non_blocking=True)
        return out

    def broadcast_coalesced(tensors: Any, devices: Sequence[int], _: int = 0) -> list[list[torch.Tensor]]:
        return [[to(tensor, device) for tensor in tensors] for device in devices]

    def scatter(tensor: torch.Tensor, devices: Sequence[int], sizes: Any = None, dim: int = 0, _: Any = None) -> Any:
        chunks = tensor.chunk(len(devices), dim) if sizes is None else tensor.split(sizes, dim)
        return tuple(to(chunk, device) for chunk, device in zip(chunks, devices, strict=False))

    def gather(tensors: Sequence[torch.Tensor], dim: int = 0, destination: int | None = None) -> torch.Tensor:
        device = torch.cuda.current_device() if destination is None else destination
        return torch.cat([to(tensor, device) for tensor in tensors], dim)

    for function in (broadcast, broadcast_out, broadcast_coalesced, scatter, gather):
        setattr(torch._C, f"_{function.__name__}", function)


def _another(function: Any) -> Any:
    """A function that does the same: torch.compile has a rule for each function, by its name in torch.cuda or _C."""
    return lambda *args, **kwargs: function(*args, **kwargs)


def _set_stream(**stream: int) -> None:
    """Chooses the calling thread's stream by its number and its device's."""
    torch._C._accelerator_setStream(torch.Stream(**stream))


def _blas() -> None:
    """`torch.backends.cuda.preferred_blas_library`: hipBLAS is rocBLAS, and the default Wavesmith's kernels."""
    kinds = torch._C._BlasBackend
    names = {kinds.Default: "wavesmith", kinds.Cublas: "rocblas", kinds.Cublaslt: "hipblaslt"}

    def choose(kind: Any) -> None:
        if kind not in names:
            raise RuntimeError(f"{kind} is not there: choose default, hipblas or hipblaslt")
        _prefer.prefer(blas=names[kind])

    def chosen() -> Any:
        return next(kind for kind, name in names.items() if name == _prefer.preferred("blas"))

    for name, function in {"_set_blas_preferred_backend": choose, "_get_blas_preferred_backend": chosen}.items():
        setattr(torch._C, name, function)


def _storage() -> None:
    """What PyTorch for the CPU refuses of storages: `torch.UntypedStorage(bytes, device="cuda")`, and resizing one."""
    original = torch.UntypedStorage.__new__

    def new(cls: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        if device is None or torch.device(device).type != "cuda":
            return original(cls, *args, **kwargs, **({} if device is None else {"device": device}))
        size, *_ = args or (0,)
        if not isinstance(size, int):
            size = len(size)
        return torch.empty(size, dtype=torch.uint8, device=device).untyped_storage()

    resize_ = torch.UntypedStorage.resize_

    def resize(self: Any, size: int) -> Any:
        if self.device.type != "cuda":
            return resize_(self, size)
        whole = torch.empty(0, dtype=torch.uint8, device=self.device).set_(self)
        torch.ops.wavesmith_device.resize_storage(whole, size)
        return self

    torch.UntypedStorage.__new__ = new  # type: ignore[method-assign]
    torch.UntypedStorage.resize_ = resize  # type: ignore[method-assign]


class _Legacy(type):
    """The type of `torch.cuda.FloatTensor` and its like."""

    dtype: torch.dtype

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.is_cuda and value.dtype == cls.dtype

    def __call__(cls, *args: Any, **_: Any) -> torch.Tensor:
        if len(args) == 1 and not isinstance(args[0], int):
            return torch.as_tensor(args[0], dtype=cls.dtype, device="cuda")
        return torch.empty(*(args or (0,)), dtype=cls.dtype, device="cuda")


def _legacy_types() -> None:
    names = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64"}
    names |= {"Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool"}
    for name, dtype in names.items():
        setattr(torch.cuda, f"{name}Tensor", _Legacy(f"{name}Tensor", (), {"dtype": getattr(torch, dtype)}))
