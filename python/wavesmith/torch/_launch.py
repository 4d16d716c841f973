"""Launches of kernels that were compiled before, with nothing of Triton or Inductor imported."""

from __future__ import annotations

import base64
import ctypes
import functools
import zlib
from collections.abc import Callable
from typing import Any

import torch

from wavesmith.triton.arguments import Frame, form, packer
from wavesmith.triton.hip import Hip, hip


@functools.cache
def _stream() -> Callable[[int], int | None]:
    (path,) = (each for each in torch.ops.loaded_libraries if each.endswith("/libwavesmith_torch.so"))
    function = ctypes.CDLL(path).wavesmith_torch_stream
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_int]
    return function


def raw_stream(device: int) -> int:
    """The native handle of a device's current stream."""
    return _stream()(device) or 0


class Kernel:
    """A kernel out of a code object that is loaded at the first launch on a device."""

    def __init__(self, name: str, image: str, kinds: list[str], threads: int, shared: int) -> None:
        self.name = name
        self._image = image
        self._forms = [*map(form, kinds), "Q", "Q"]  # the last two are Triton's scratch memories, here none
        self._pack = packer(self._forms)
        self._threads, self._shared = threads, shared
        self._functions: dict[int, int] = {}
        self._frames: list[Frame] = []
        self._hip: Hip = hip()
        self._launch = self._hip.library.hipModuleLaunchKernel

    @staticmethod
    def packed(image: bytes) -> str:
        """A code object as the text that the constructor takes."""
        return base64.b85encode(zlib.compress(image)).decode()

    def _function(self, device: int) -> int:
        image = zlib.decompress(base64.b85decode(self._image))
        function = self._functions[device] = self._hip.load(self.name, image)[1]
        return function

    def __call__(self, x: int, y: int, z: int, stream: int, *values: Any) -> None:
        if not x * y * z:
            return
        device = torch._C._accelerator_getDeviceIndex()
        function = self._functions.get(device) or self._function(device)
        # Frames are used again; each has one user at a time, whatever threads launch.
        frame = self._frames.pop() if self._frames else Frame(len(self._forms))
        self._pack(frame.slots, 0, *values, 0, 0)
        code = self._launch(function, x, y, z, self._threads, 1, 1, self._shared, stream, frame.pointers, None)
        self._frames.append(frame)
        if code:
            raise self._hip.error(code, f"kernel '{self.name}': {self._hip.last_failure()}")
