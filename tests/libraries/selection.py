"""Which of a suite's tests are run, and in which order.

A whole suite takes days, so each is run in the order of a hash of its tests' names, for as long as time allows. What
has been run is then always a fair sample, the same for everybody, and a later run goes on behind it.

Four suites hold their tests in a file of arguments, millions of them, which their programs read for minutes at each
start. For these the hash is the record's, and a program is given a file of a few records.
"""

from __future__ import annotations

import hashlib
import mmap
from array import array
from pathlib import Path


def key(name: str) -> bytes:
    """What names are sorted by: their MD5 hash."""
    return hashlib.md5(name.encode()).digest()


def order(tests: list[str]) -> list[str]:
    """The tests as they are run."""
    return sorted(tests, key=key)


class Records:
    """A test suite's file of arguments: a name, a sample of the structure, the name with cases swapped, the records.

    The sample tells a program whether it was built with the same structure (rocBLAS:
    clients/include/rocblas_arguments.hpp); a record is as long as the sample.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:  # rocBLAS's is as large as a gigabyte
            self.content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic = self.content[: self.content.find(b"\0") + 1]
        end = self.content.find(magic.swapcase(), len(magic))
        if len(magic) < 4 or end < 0:
            raise ValueError(f"{path}: no file of test arguments (no {magic.swapcase()!r} behind {magic!r})")
        self.begin, self.size = end + len(magic), end - len(magic)
        if (len(self.content) - self.begin) % self.size:
            raise ValueError(f"{path}: {len(self.content) - self.begin} bytes of records of {self.size} bytes")

    def __len__(self) -> int:
        return (len(self.content) - self.begin) // self.size

    def record(self, index: int) -> bytes:
        first = self.begin + index * self.size
        return self.content[first : first + self.size]

    def order(self) -> array[int]:
        """The records as they are run: by the MD5 hash of their bytes."""
        hashes = sorted((hashlib.md5(self.record(index)).digest()[:8], index) for index in range(len(self)))
        return array("I", (index for _, index in hashes))

    def part(self, indices: array[int] | list[int]) -> bytes:
        """A file of these records."""
        return self.content[: self.begin] + b"".join(map(self.record, indices))
