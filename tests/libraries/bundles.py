"""For which GPUs a library or program holds machine code: the targets of its first offload bundle.

A bundle lists them in plain text, or is compressed whole: "CCOB", a header, then zlib's or Zstandard's format
(clang/docs/ClangOffloadBundler.rst).
"""

from __future__ import annotations

import ctypes
import mmap
import re
import struct
import zlib
from pathlib import Path

_PLAIN, _COMPRESSED = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
_TARGET = re.compile(rb"amdgcn-amd-amdhsa-[^-]*-(gfx[0-9a-f]+|gfx[0-9-]+generic)")
# Behind magic, version and method: the size of the file and the size of its content, then a hash of 8 bytes.
_SIZES = {2: "<II", 3: "<QQ"}
_ZLIB, _ZSTANDARD = 0, 1


def _zstandard(data: bytes, size: int) -> bytes:
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    content = ctypes.create_string_buffer(size)
    if library.ZSTD_isError(ctypes.c_size_t(library.ZSTD_decompress(content, size, data, len(data)))):
        raise ValueError("a compressed bundle that Zstandard can't read")
    return content.raw


def _content(data: mmap.mmap | bytes, begin: int) -> bytes:
    version, method = struct.unpack_from("<HH", data, begin + 4)
    if version not in _SIZES:
        raise ValueError(f"a compressed bundle of version {version}")
    total, size = struct.unpack_from(_SIZES[version], data, begin + 8)
    first = begin + 8 + struct.calcsize(_SIZES[version]) + 8
    packed = data[first : begin + total]
    return zlib.decompress(packed) if method == _ZLIB else _zstandard(packed, size)


def targets(file: Path) -> set[str]:
    """The targets of the first bundle, without their features; none if the file has no bundle."""
    if file.stat().st_size == 0:
        return set()
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        plain, begin = data.find(_PLAIN), -1
        while (begin := data.find(_COMPRESSED, begin + 1)) >= 0:
            # The letters alone stand in programs that read such bundles, too.
            version, method = struct.unpack_from("<HH", data, begin + 4) if begin + 8 <= len(data) else (0, 0)
            if version in _SIZES and method in (_ZLIB, _ZSTANDARD):
                break
        if begin >= 0 and (plain < 0 or begin < plain):
            head = _content(data, begin)[: 1 << 16]
        elif plain >= 0:
            head = data[plain : plain + (1 << 16)]
        else:
            return set()
    return {match.decode() for match in _TARGET.findall(head)}


def named(folder: Path) -> set[str]:
    """The targets in the names of a folder's code objects."""
    files = (file.name for file in folder.iterdir() if file.suffix in (".co", ".hsaco"))
    return {match[0] for name in files if (match := re.search(r"gfx[0-9a-f]+", name))}
