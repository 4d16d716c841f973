"""DLPack: device tensors are of an AMD GPU to other packages (CuPy, `wavesmith.kernels`), and theirs to PyTorch.

A PyTorch for the CPU takes the device for another kind: kDLExtDev, or kDLCUDA where it is called "cuda".
"""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from torch.utils.dlpack import DLDeviceType

from wavesmith.torch._name import DEVICE

_OURS = int(DLDeviceType.kDLCUDA if DEVICE == "cuda" else DLDeviceType.kDLExtDev)
_GPU, _PINNED = DLDeviceType.kDLROCM, DLDeviceType.kDLROCMHost

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]

# Where a capsule's structure has the kind of device: DLManagedTensor begins with the tensor, whose first member is
# a pointer; DLManagedTensorVersioned has a version, two pointers and flags before it.
_NAMES = {b"dltensor": 8, b"dltensor_versioned": 40}


def _kind(capsule: Any) -> ctypes.c_int32:
    for name, offset in _NAMES.items():
        if _is_valid(capsule, name):
            return ctypes.c_int32.from_address(_pointer(capsule, name) + offset)
    raise ValueError("no DLPack capsule, or one that was taken already")


_tensor_device, _tensor_export = torch.Tensor.__dlpack_device__, torch.Tensor.__dlpack__
_import = torch.utils.dlpack.from_dlpack


def _device(self: torch.Tensor) -> tuple[Any, int]:
    if self.device.type == DEVICE:
        return _GPU, self.device.index or 0
    if self.device.type == "cpu" and self.is_pinned():
        return _PINNED, 0
    return _tensor_device(self)


def _export(
    self: torch.Tensor,
    *,
    stream: int | None = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[Any, int] | None = None,
    copy: bool | None = None,
) -> Any:
    here = _device(self)
    if here[0] not in (_GPU, _PINNED):
        return _tensor_export(self, stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
    if dl_device is not None and tuple(dl_device) != here:
        if int(dl_device[0]) != int(DLDeviceType.kDLCPU) or copy is False:
            raise BufferError(f"a tensor of {self.device} cannot be DLPack's device {tuple(dl_device)}")
        return _tensor_export(self.cpu(), max_version=max_version)
    if here[0] == _GPU:
        if stream != -1:  # the taker's stream finds the tensor's contents done
            torch.accelerator.current_stream(self.device).synchronize()
        with torch.accelerator.device_index(here[1]):
            capsule = _tensor_export(self, max_version=max_version, copy=copy)
    else:
        capsule = _tensor_export(self, max_version=max_version, copy=copy)
    _kind(capsule).value = int(here[0])
    return capsule


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> torch.Tensor:
    """torch.from_dlpack, for arrays of the emulated GPUs too."""
    if hasattr(ext_tensor, "__dlpack_device__"):
        kind, index = ext_tensor.__dlpack_device__()
        if int(kind) != int(_GPU):
            return _import(ext_tensor, device=device, copy=copy)
        stream = torch.accelerator.current_stream(index).native_handle  # type: ignore[attr-defined]
        try:
            capsule = ext_tensor.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:
            capsule = ext_tensor.__dlpack__(stream=stream)
    else:
        capsule = ext_tensor
    kind = _kind(capsule)
    if kind.value == int(_GPU):
        kind.value = _OURS
    made: torch.Tensor = torch._C._from_dlpack(capsule)
    if device is not None:
        made = made.to(device)
    return made.clone() if copy else made


def _array_interface(self: torch.Tensor) -> dict[str, Any]:
    if self.device.type != DEVICE:
        raise AttributeError(f"a tensor of {self.device} has no __cuda_array_interface__")
    if self.requires_grad:
        raise RuntimeError("a tensor that requires grad is no array for others: use tensor.detach()")
    kinds = "c" if self.is_complex() else "f" if self.is_floating_point() else "b" if self.dtype == torch.bool else "i"
    kind = "u" if kinds == "i" and self.dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64) else kinds
    if self.dtype == torch.bfloat16:
        raise AttributeError("NumPy's types have no bfloat16: pass the tensor by DLPack")
    size = self.element_size()
    return {
        "typestr": f"{'|' if size == 1 else '<'}{kind}{size}",
        "shape": tuple(self.shape),
        "strides": None if self.is_contiguous() else tuple(size * stride for stride in self.stride()),
        "data": (self.data_ptr(), False),
        "version": 2,
    }


def install() -> None:
    """Makes tensors tell other packages where they are, and torch.from_dlpack take theirs."""
    torch.Tensor.__dlpack_device__ = _device  # type: ignore[method-assign]
    torch.Tensor.__dlpack__ = _export  # type: ignore[method-assign]
    for module in (torch, torch.utils.dlpack):
        module.from_dlpack = from_dlpack  # type: ignore[attr-defined]
    if DEVICE != "cuda":
        torch.Tensor.__cuda_array_interface__ = property(_array_interface)  # type: ignore[assignment, method-assign]
