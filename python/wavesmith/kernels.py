"""Wavesmith's own kernels, for arrays of NumPy, PyTorch, CuPy, JAX and every other package that speaks DLPack.

>>> import numpy, wavesmith
>>> wavesmith.use("mi355x")
>>> a, b = numpy.ones((100, 64), numpy.float16), numpy.ones((64, 30), numpy.float16)
>>> wavesmith.kernels.gemm(a, b, activation="gelu")       # 100 x 30, float16

Nothing is compiled: the kernels were when Wavesmith was built. Arrays in the GPU's memory are used where they lie, and
work is put into a stream; arrays in the host's memory are copied to the GPU, and results back.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from wavesmith import _paths
from wavesmith._errors import BadInputError, UnsupportedError
from wavesmith._module import _hip, _is_array, _kind

if TYPE_CHECKING:
    import numpy as np

    from wavesmith import _native

__all__ = ["Activation", "Array", "gemm", "gemm_tiles"]

Activation = Literal["relu", "gelu", "silu"]
""""gelu" is the approximation by tanh."""


class Array(Protocol):
    """An array of any package: numpy.ndarray, torch.Tensor, cupy.ndarray, jax.Array, ..."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> Any: ...


ArrayT = TypeVar("ArrayT", bound=Array)


def gemm(
    a: ArrayT,
    b: ArrayT,
    *,
    out: ArrayT | None = None,
    c: ArrayT | None = None,
    alpha: float = 1.0,
    beta: float = 0.0,
    bias: ArrayT | None = None,
    bias_per_row: bool = False,
    activation: Activation | None = None,
    dtype: object = None,
    tile: str | None = None,
    stream: int | None = None,
) -> ArrayT:
    """The matrix product activation(alpha * a @ b + beta * c + bias).

    Sums are float32, and their error is at most (k + 1) * 2**-24 * (abs(a) @ abs(b)), to which rounding to the
    result's type comes. The order of a sum depends on m, n, k and the GPU only: results are the same in each run. NaN
    and infinities propagate. Subnormal elements of `a` and `b` count as 0 on CDNA2.

    Args:
        a: m by k, or a batch of these: (batches, m, k). float16 or bfloat16 (ml_dtypes' where the package is NumPy).
        b: k by n, or a batch; of a's type. Where one of `a` and `b` has a batch (or a batch of more than one), the
            other may be a single matrix that all products share.
        out: written and returned: (m, n), or (batches, m, n) where a or b has a batch. float32, float16 or bfloat16. It
            may be `c`, and must not overlap `a` or `b`. Without it, a new array is returned, of a's package and device.
        c: shaped as the result, or (m, n) for all products of a batch; float32, float16 or bfloat16. It lies by rows
            where the result does. Not read where beta is 0.
        alpha: a factor, rounded to float32.
        beta: the factor of `c`, as well.
        bias: n elements, one per column of the result; float32, float16 or bfloat16.
        bias_per_row: the bias has m elements, one per row.
        activation: what is applied last, before rounding.
        dtype: the new result's type: "f32", "f16", "bf16", or as the package names it (numpy.float32, torch.bfloat16,
            ...). None: a's.
        tile: one of `gemm_tiles()`, for tuning. None: the one that is modelled to be the fastest.
        stream: a hipStream_t as a number (CuPy's `stream.ptr`, PyTorch's `stream.cuda_stream`). None: the null stream.

    The matrices lie in any way in which rows or columns are contiguous: transposed views and parts of larger arrays are
    taken as they are. All arrays are in the memory of one GPU, or all in the host's. On a GPU the call returns when the
    work is in the stream, before it is done; what the arrays' packages have to finish comes before it. With arrays of
    the host it waits, as `Kernel.__call__` does.

    Raises:
        BadInputError: shapes, strides or devices do not fit; the text is the library's and names argument and rule.
        UnsupportedError: there is no kernel for it: types, a tile, strides of more than 2**22 elements.
        NotFoundError: there are no kernels for the GPU, or they are not installed.
        MemoryFaultError, OutOfMemoryError, ...: what HIP says, as from `Kernel.__call__`.
    """
    hip = _hip()
    on_a, on_b = _operand("a", a, stream), _operand("b", b, stream)
    m, k, batches_a = on_a.matrix()
    rows_of_b, n, batches_b = on_b.matrix()
    if k != rows_of_b:
        raise BadInputError(f"a has {k} columns and b {rows_of_b} rows")
    if batches_a is not None and batches_b is not None and batches_a != batches_b and 1 not in (batches_a, batches_b):
        raise BadInputError(f"a has {batches_a} matrices and b {batches_b}")
    given = [count for count in (batches_a, batches_b) if count is not None]
    batches = next((count for count in given if count != 1), 1) if given else None
    shape = (m, n) if batches is None else (batches, m, n)

    kind = on_a.type if dtype is None else _word(dtype)
    made: object = None
    on_c = on_bias = None
    if out is not None:
        on_out = _operand("out", out, stream, written=True)
        if dtype is not None and on_out.type != kind:
            raise BadInputError(f"out is of {on_out.type}, and dtype says {kind}")
        if on_out.shape != shape:
            raise BadInputError(f"out has shape {on_out.shape}, the product {shape}")
    else:
        made, on_out = _new(hip, a, on_a, shape, kind)
    if c is not None and beta != 0:
        on_c = _operand("c", c, stream)
        if on_c.shape not in (shape, (m, n)):
            raise BadInputError(f"c has shape {on_c.shape}, the product {shape}")
    if bias is not None:
        on_bias = _operand("bias", bias, stream)
        if on_bias.shape != ((m if bias_per_row else n),) or (on_bias.strides[0] != 1 and on_bias.shape[0] > 1):
            raise BadInputError(
                f"bias has shape {on_bias.shape} and stride {on_bias.strides}",
                hint=f"it has one element per {'row' if bias_per_row else 'column'}, side by side: shape "
                f"({m if bias_per_row else n},)",
            )
    operands = [on_a, on_b, on_out, on_c, on_bias]
    for one in operands[1:]:
        if one is not None and one.device != on_a.device:
            raise BadInputError(f"a lies in {on_a.place()} and {one.name} in {one.place()}")

    def description(a: _Operand, b: _Operand, d: _Operand, c: _Operand | None, bias: _Operand | None) -> _native.Gemm:
        from wavesmith import _native

        return _native.gemm_description(
            (m, n, k, 1 if batches is None else batches),
            alpha,
            beta,
            a.described(),
            b.described(),
            c.described() if c else (0, "", 0, 0, 0),
            d.described(),
            activation or "",
            bias.address if bias else 0,
            bias.type if bias else "",
            bias_per_row,
        )

    library = _library()
    with _current_device(hip, on_a.device):
        if on_a.device is not None:
            library.gemm(description(on_a, on_b, on_out, on_c, on_bias), tile, stream or 0)
        else:
            # As the arrays are given; their copies lie in order.
            library.gemm_check(description(on_a, on_b, on_out, on_c, on_bias))
            with _Copies(hip) as copies:
                copy = copies.of(on_out, empty=True)
                library.gemm(
                    description(
                        copies.of(on_a),
                        copies.of(on_b),
                        copy,
                        copies.of(on_c) if on_c else None,
                        copies.of(on_bias) if on_bias else None,
                    ),
                    tile,
                    stream or 0,
                )
                hip.synchronize()
                copies.bring_back(copy, on_out)
    if out is not None:
        return out
    result: Any = made if _is_array(made) else _taken_over(a, _New(hip, made, on_a.device, stream or 0))
    return result  # type: ignore[no-any-return]


def gemm_tiles() -> list[str]:
    """The tiles in which the current device can compute products: rows x columns x depth of a step, as "128x128x32".

    Raises:
        NotFoundError: there are no kernels for the device, or they are not installed.
    """
    return _library().gemm_tiles()


_HOST, _HOST_PINNED, _GPU = 1, 11, 10  # kDLCPU, kDLROCMHost, kDLROCM

_WORDS: dict[str, str] = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}


@dataclass
class _Operand:
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


def _operand(name: str, array: Any, stream: int | None, *, written: bool = False) -> _Operand:
    """What the array is; for one on a GPU, its producer has `stream` wait for it."""
    from wavesmith import _native

    if _is_array(array):
        return _of_numpy(name, array, written=written)
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
    _check_type(name, word)
    return _Operand(name, array, address, word, shape, strides, device if kind == _GPU else None)


def _of_numpy(name: str, array: np.ndarray[Any, Any], *, written: bool) -> _Operand:
    if written and not array.flags.writeable:
        raise BadInputError(f"{name} is read-only")
    word = _WORDS.get(array.dtype.name, array.dtype.name)
    _check_type(name, word)
    if not array.dtype.isnative:
        raise UnsupportedError(f"{name} has its bytes in the other order")
    size = array.dtype.itemsize
    if any(stride % size for stride in array.strides):
        raise BadInputError(f"{name} has strides of {array.strides} bytes, no multiples of an element's {size}")
    strides = tuple(stride // size for stride in array.strides)
    return _Operand(name, array, array.__array_interface__["data"][0], word, array.shape, strides, None)


def _check_type(name: str, word: str) -> None:
    if word not in _WORDS.values():
        raise UnsupportedError(f"{name} is of {word}", hint="there are kernels for f16, bf16 and, in part, f32")


def _word(dtype: object) -> str:
    """A type as any package names it: "bf16", numpy.dtype("float32"), numpy.float16, torch.bfloat16, ..."""
    dtype = getattr(dtype, "dtype", dtype) if not isinstance(dtype, type) else dtype
    name = str(getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or dtype).rpartition(".")[2]
    word = _WORDS.get(name, name)
    _check_type("the result", word)
    return word


def _new(
    hip: _native.Hip, like: object, operand: _Operand, shape: tuple[int, ...], word: str
) -> tuple[object, _Operand]:
    """An array for the result, and how it lies; not yet one of the package's, unless that is NumPy."""
    from wavesmith import _native

    if _is_array(like):
        import numpy as np

        made = np.empty(shape, _numpy_type(word))
        return made, _of_numpy("out", made, written=True)
    with _current_device(hip, operand.device):
        new = _native.new_array(hip, shape, word, -1 if operand.device is None else operand.device)
    address, _, _, strides, _, _ = _native.writable_array_of(new)
    return new, _Operand("out", new, address, word, shape, strides, operand.device)


def _numpy_type(word: str) -> np.dtype[Any]:
    import numpy as np

    if word != "bf16":
        return np.dtype({"f32": np.float32, "f16": np.float16}[word])
    try:
        import ml_dtypes
    except ImportError:
        raise UnsupportedError("NumPy has no bfloat16 of its own", hint="pip install ml_dtypes") from None
    bf16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bf16


class _New:
    """A new array, for another package to take over."""

    def __init__(self, hip: _native.Hip, array: Any, device: int | None, stream: int) -> None:
        self._hip, self._array, self._device, self._stream = hip, array, device, stream

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = None, **how: Any) -> Any:
        """The stream in which it will be used (-1: the taker takes care) waits for the one in which it is made."""
        if self._device is not None and stream != -1 and (stream or 0) != self._stream:
            with _current_device(self._hip, self._device):
                self._hip.order(self._stream, int(stream or 0))
        return self._array.__dlpack__(**how)


def _taken_over(like: object, made: object) -> Any:
    """The new array as one of the package that `like` is of."""
    package = (
        like.__array_namespace__()
        if hasattr(like, "__array_namespace__")
        else sys.modules[type(like).__module__.partition(".")[0]]
    )
    if not hasattr(package, "from_dlpack"):
        raise BadInputError(f"the package of {_kind(like)} has no from_dlpack to make the result", hint="give out=")
    return package.from_dlpack(made)


@contextmanager
def _current_device(hip: _native.Hip, device: int | None) -> Iterator[None]:
    before = hip.device()
    if device is None or device == before:
        yield
        return
    hip.set_device(device)
    try:
        yield
    finally:
        hip.set_device(before)


class _Copies:
    """Copies of the host's arrays in GPU memory, until it is left."""

    def __init__(self, hip: _native.Hip) -> None:
        self._hip = hip
        self._memory: list[int] = []

    def __enter__(self) -> _Copies:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for memory in self._memory:
            self._hip.free(memory)

    def of(self, operand: _Operand, *, empty: bool = False) -> _Operand:
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

    def bring_back(self, copy: _Operand, operand: _Operand) -> None:
        import numpy as np

        bits, _ = _bits(operand)
        if bits.nbytes:
            back = np.empty(bits.shape, bits.dtype)
            self._hip.copy_out(back.__array_interface__["data"][0], copy.address, back.nbytes)
            bits[...] = back


def _bits(operand: _Operand) -> tuple[np.ndarray[Any, Any], bool]:
    """The operand's elements as integers, for NumPy does not have all types; and whether they are transposed."""
    import ctypes

    import numpy as np

    kind: type[np.unsignedinteger[Any]] = np.uint32 if operand.type == "f32" else np.uint16
    size = np.dtype(kind).itemsize
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


_kernels: _native.Kernels | None = None


def _library() -> _native.Kernels:
    """The kernel library, loaded at the first need."""
    global _kernels
    if _kernels is None:
        from wavesmith import _native

        _kernels = _native.Kernels(_hip(), str(_paths.kernel_library()))
    return _kernels
