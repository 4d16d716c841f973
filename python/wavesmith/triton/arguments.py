"""The arguments of a launch in memory, by Triton's types; imports nothing of Triton."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What an argument of each of Triton's types is in memory (struct's letters). HIP copies as many bytes as the
# code object says, from the beginning of the argument's slot.
FORMATS = {
    "i1": "B", "u1": "B", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I",
    "i64": "q", "u64": "Q", "fp16": "e", "bf16": "H", "fp32": "f", "f32": "f", "fp64": "d",
}  # fmt: skip
_SLOT = 8


def form(kind: str) -> str:
    """The struct letter of a type; a pointer's is an address.

    Raises:
        TypeError: no kernel argument has this type.
    """
    if kind.startswith("*"):
        return "Q"
    if kind not in FORMATS:
        raise TypeError(f"kernel arguments of type '{kind}' are not supported")
    return FORMATS[kind]


def packer(forms: Sequence[str]) -> Callable[..., Any]:
    """`pack_into` of arguments in their slots."""
    return struct.Struct("<" + "".join(f"{form}{_SLOT - struct.calcsize(form)}x" for form in forms)).pack_into


class Frame:
    """The arguments of one launch: a slot each, and the addresses of the slots."""

    def __init__(self, count: int) -> None:
        self.slots = ctypes.create_string_buffer(_SLOT * count)
        begin = ctypes.addressof(self.slots)
        self.pointers = (ctypes.c_void_p * count)(*range(begin, begin + _SLOT * count, _SLOT))
