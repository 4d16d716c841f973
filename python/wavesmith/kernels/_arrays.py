"""Arrays of NumPy and of every package that speaks DLPack, as the kernel library takes them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wavesmith._errors import BadInputError, UnsupportedError
from wavesmith._module import _is_array, _kind

if TYPE_CHECKING:
    import numpy as np

    from wavesmith import _native

_HOST, _HOST_PINNED, _GPU = 1, 11, 10  # kDLCPU, kDLROCMHost, kDLROCM

_WORDS: dict[str, str] = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "int32": "i32",
    "int8": "i8",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e4m3fnuz": "e4m3fnuz",
    "float8_e5m2fnuz": "e5m2fnuz",
}
_RAW = _WORDS | {"uint8": "u8"} | dict.fromkeys(("float8_e8m0fnu", "e8m0", "float4_e2m1fn_x2", "e2m1x2"), "u8")
"""With bytes, of which those who are given them know the format."""
_INTEGERS: dict[str, str] = {"int32": "i32", "int64": "i64"}
_SIZES = {"i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2}
"""Bytes; the others have one."""


@dataclass
class Operand:
    """An array in memory."""

    name: str
    array: object
    address: int
    type: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """Elements."""
    device: int | None
    """None: the host."""

    def place(self) -> str:
        return "the host's memory" if self.device is None else f"the memory of GPU {self.device}"

    def matrix(self) -> tuple[int, int, int | None]:
        """Rows, columns and, if there is a batch, its matrices."""
        if len(self.shape) not in (2, 3):
            raise BadInputError(
                f"{self.name} has {len(self.shape)} dimensions", hint="a matrix has 2, a batch of matrices 3"
            )
        return self.shape[-2], self.shape[-1], self.shape[0] if len(self.shape) == 3 else None

    def rows(self) -> tuple[int, int, int]:
        """Rows, columns and row stride, where the last dimension is contiguous and the others are equally apart."""
        if not self.shape:
            raise BadInputError(f"{self.name} has no dimensions")
        columns, count, stride = self.shape[-1], math.prod(self.shape[:-1]), 0
        if columns > 1 and self.strides[-1] != 1 and count:
            raise BadInputError(f"{self.name} has a stride of {self.strides[-1]} in its last dimension, not 1")
        apart = None
        for size, step in reversed(list(zip(self.shape[:-1], self.strides[:-1], strict=True))):
            if size == 1 or not count:
                continue
            if apart is not None and step != apart:
                raise BadInputError(f"{self.name} has rows that are not equally apart: strides {self.strides}")
            stride = stride or step
            apart = step * size
        return count, columns, stride or columns

    def described_rows(self) -> _native.Rows:
        return self.address, self.type, self.rows()[2]

    def described_vector(self) -> _native.Vector:
        return self.address, self.type

    def described(self) -> _native.Matrix:
        """As the library takes it: a stride is 1 where the array lets it be; one matrix serves all products."""
        rows, columns, batches = self.matrix()
        row_stride, column_stride = self.strides[-2:]
        # How far apart the elements of a single row or column are does not matter.
        if rows == 1:
            row_stride = max(columns, 1) if column_stride == 1 else 1
        elif columns == 1:
            column_stride = max(rows, 1) if row_stride == 1 else 1
        batch_stride = self.strides[0] if batches is not None and batches > 1 else 0
        return self.address, self.type, row_stride, column_stride, batch_stride


def operand(
    name: str,
    array: Any,
    stream: int | None,
    *,
    written: bool = False,
    integers: bool = False,
    raw: bool = False,
) -> Operand:
    """What the array is; for one on a GPU, its producer has `stream` wait for it. `raw`: it may be of bytes."""
    from wavesmith import _native

    words = _INTEGERS if integers else _RAW if raw else _WORDS
    if _is_array(array):
        return _of_numpy(name, array, words, written=written)
    if _is_device_tensor(array):
        return _of_device_tensor(name, array, words)
    if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
        raise BadInputError(f"{name} is {_kind(array)}, no array", hint="give a NumPy array or one that has __dlpack__")
    kind, device = (int(number) for number in array.__dlpack_device__())
    if kind not in (_HOST, _HOST_PINNED, _GPU):
        raise BadInputError(
            f"{name} is neither in the host's memory nor in that of an AMD GPU", where=f"DLPack's device type {kind}"
        )
    if written and type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise BadInputError(f"{name} is an array of JAX, which are never written to", hint="take the returned array")
    how: dict[str, Any] = {"stream": stream} if kind == _GPU and stream is not None else {}
    try:
        try:
            capsule = array.__dlpack__(**how, max_version=(1, 0))
        except TypeError:
            capsule = array.__dlpack__(**how)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise BadInputError(f"{name} cannot be passed by DLPack: {error}") from error
    try:
        described = _native.writable_array_of(capsule) if written else _native.array_of(capsule)
    except TypeError:
        raise BadInputError(f"{name} is read-only") from None
    address, word, shape, strides, _, _ = described
    _check_type(name, word, words)
    return Operand(name, array, address, word, shape, strides, device if kind == _GPU else None)


def _of_numpy(name: str, array: np.ndarray[Any, Any], words: dict[str, str], *, written: bool) -> Operand:
    if written and not array.flags.writeable:
        raise BadInputError(f"{name} is read-only")
    word = words.get(array.dtype.name, array.dtype.name)
    _check_type(name, word, words)
    if not array.dtype.isnative:
        raise UnsupportedError(f"{name} has its bytes in the other order")
    size = array.dtype.itemsize
    if any(stride % size for stride in array.strides):
        raise BadInputError(f"{name} has strides of {array.strides} bytes, no multiples of an element's {size}")
    strides = tuple(stride // size for stride in array.strides)
    return Operand(name, array, array.__array_interface__["data"][0], word, array.shape, strides, None)


def _is_device_tensor(array: Any) -> bool:
    """Whether it is a tensor of PyTorch in the memory of its device "wavesmith", of which DLPack knows nothing."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor) and array.device.type == "wavesmith"


def _of_device_tensor(name: str, tensor: Any, words: dict[str, str]) -> Operand:
    word = str(tensor.dtype).rpartition(".")[2]
    word = words.get(word, word)
    _check_type(name, word, words)
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    return Operand(name, tensor, tensor.data_ptr(), word, shape, strides, tensor.device.index)


def _check_type(name: str, word: str, words: dict[str, str] = _WORDS) -> None:
    if word not in words.values():
        what = "it holds" if words is _INTEGERS else "there are kernels for"
        raise UnsupportedError(f"{name} is of {word}", hint=f"{what} {', '.join(dict.fromkeys(words.values()))}")


def short_name(dtype: object) -> str:
    """Of a type as any package names it: "bf16", numpy.dtype("float32"), numpy.float16, torch.bfloat16, ..."""
    dtype = getattr(dtype, "dtype", dtype) if not isinstance(dtype, type) else dtype
    name = str(getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or dtype).rpartition(".")[2]
    return _RAW.get(name, name)


def word_of(dtype: object) -> str:
    """The same, of a type that a result may have."""
    word = short_name(dtype)
    _check_type("the result", word, _RAW)
    return word


def new_result(
    hip: _native.Hip, like: object, operand: Operand, shape: tuple[int, ...], word: str
) -> tuple[object, Operand]:
    """An array for the result, and how it lies; not yet one of the package's, unless that is NumPy."""
    from wavesmith import _native

    if _is_array(like):
        import numpy as np

        made = np.empty(shape, _numpy_type(word))
        return made, _of_numpy("out", made, _RAW, written=True)
    if _is_device_tensor(like):
        import torch

        kind = next(name for name in _RAW if _RAW[name] == word)
        tensor = torch.empty(shape, dtype=getattr(torch, kind), device=f"wavesmith:{operand.device}")
        return tensor, _of_device_tensor("out", tensor, _RAW)
    with current_device(hip, operand.device):
        new = _native.new_array(hip, shape, word, -1 if operand.device is None else operand.device)
    address, _, _, strides, _, _ = _native.writable_array_of(new)
    return new, Operand("out", new, address, word, shape, strides, operand.device)


def _numpy_type(word: str) -> np.dtype[Any]:
    import numpy as np

    own = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8, "u8": np.uint8}
    if word in own:
        return np.dtype(own[word])
    name = next(name for name in _WORDS if _WORDS[name] == word)
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedError(f"NumPy has no {name} of its own", hint="pip install ml_dtypes") from None
    made: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return made


class _Export:
    """A new array, for another package to take over."""

    def __init__(self, hip: _native.Hip, array: Any, device: int | None, stream: int) -> None:
        self._hip, self._array, self._device, self._stream = hip, array, device, stream

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = None, **how: Any) -> Any:
        """The stream in which it will be used (-1: the taker takes care) waits for the one in which it is made."""
        if self._device is not None and stream != -1 and (stream or 0) != self._stream:
            with current_device(self._hip, self._device):
                self._hip.order(self._stream, int(stream or 0))
        return self._array.__dlpack__(**how)


def taken_over(hip: _native.Hip, like: object, made: object, device: int | None, stream: int) -> Any:
    """What `new_result` made, as an array of the package that `like` is of; its contents come in `stream`."""
    if _is_array(made) or _is_device_tensor(made):
        return made
    package = (
        like.__array_namespace__()
        if hasattr(like, "__array_namespace__")
        else sys.modules[type(like).__module__.partition(".")[0]]
    )
    if not hasattr(package, "from_dlpack"):
        raise BadInputError(f"the package of {_kind(like)} has no from_dlpack to make the result", hint="give out=")
    return package.from_dlpack(_Export(hip, made, device, stream))


@contextmanager
def current_device(hip: _native.Hip, device: int | None) -> Iterator[None]:
    before = hip.device()
    if device is None or device == before:
        yield
        return
    hip.set_device(device)
    try:
        yield
    finally:
        hip.set_device(before)


class Copies:
    """Copies of the host's arrays in GPU memory, until it is left."""

    def __init__(self, hip: _native.Hip) -> None:
        self._hip = hip
        self._memory: list[int] = []

    def __enter__(self) -> Copies:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for memory in self._memory:
            self._hip.free(memory)

    def of(self, operand: Operand, *, empty: bool = False) -> Operand:
        """A copy without what lies between rows or columns, in the order that it has; `empty`: without contents."""
        import numpy as np

        bits, transposed = _bits(operand)
        memory = self._hip.allocate(max(1, bits.nbytes))
        self._memory.append(memory)
        if bits.nbytes and not empty:
            plain = np.ascontiguousarray(bits)
            self._hip.copy_in(memory, plain.__array_interface__["data"][0], plain.nbytes)
        strides = [math.prod(bits.shape[axis + 1 :]) for axis in range(bits.ndim)]
        if transposed:
            strides[-2:] = strides[-1], strides[-2]
        return replace(operand, address=memory, strides=tuple(strides))

    def bring_back(self, copy: Operand, operand: Operand) -> None:
        import numpy as np

        bits, _ = _bits(operand)
        if bits.nbytes:
            back = np.empty(bits.shape, bits.dtype)
            self._hip.copy_out(back.__array_interface__["data"][0], copy.address, back.nbytes)
            bits[...] = back


def _bits(operand: Operand) -> tuple[np.ndarray[Any, Any], bool]:
    """The operand's elements as integers, for NumPy does not have all types; and whether they are transposed."""
    import ctypes

    import numpy as np

    kinds: dict[int, type[np.unsignedinteger[Any]]] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
    size = _SIZES.get(operand.type, 1)
    kind = kinds[size]
    if 0 in operand.shape:
        return np.empty(operand.shape, kind), False
    last = sum((count - 1) * stride for count, stride in zip(operand.shape, operand.strides, strict=True))
    memory = memoryview((ctypes.c_char * ((last + 1) * size)).from_address(operand.address))
    bits: np.ndarray[Any, Any] = np.ndarray(
        operand.shape, kind, memory, strides=tuple(stride * size for stride in operand.strides)
    )
    if bits.ndim > 1 and operand.strides[-2] == 1 and operand.strides[-1] != 1:
        return bits.swapaxes(-1, -2), True
    return bits, False
