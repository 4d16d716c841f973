"""The code objects in ONNX Runtime's ROCm provider, which has Composable Kernel's kernels: bundles, not compressed."""

from __future__ import annotations

import mmap
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

PROVIDER = "onnxruntime/capi/libonnxruntime_providers_rocm.so"
#: The start of a bundle: this, how many objects it has, and for each its place, its size and its target's name.
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def objects_of(folder: Path, target: str) -> Iterator[bytes]:
    """The code objects for a target, of the wheel that is unpacked in `folder`."""
    provider = folder / PROVIDER
    if not provider.exists():
        sys.exit(f"{folder} has no {PROVIDER}: unpack ONNX Runtime's wheel there")
    with provider.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = data.find(MAGIC)
        while start >= 0:
            (count,) = struct.unpack_from("<Q", data, start + len(MAGIC))
            at = start + len(MAGIC) + 8
            for _ in range(count):
                place, size, length = struct.unpack_from("<QQQ", data, at)
                name = data[at + 24 : at + 24 + length]
                at += 24 + length
                if size and name.endswith(b"--" + target.encode()):
                    yield data[start + place : start + place + size]
            start = data.find(MAGIC, at)


def symbols_of(code: bytes, beginning: str) -> set[str]:
    """The kernels of a code object whose mangled names begin so."""
    return {found.decode() for found in re.findall(rb"(?<!\w)" + beginning.encode() + rb"\w*(?=\0)", code)}
