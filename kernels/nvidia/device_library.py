"""The kernels of a library that build_library.py makes, by ctypes, on PyTorch's tensors and its current stream."""

import ctypes
from pathlib import Path
from typing import Any

import torch

TYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2, torch.float8_e4m3fn: 5}  # tile::Type

POINTER, LONG, INT, FLOAT = ctypes.c_void_p, ctypes.c_long, ctypes.c_int, ctypes.c_float


def _structure(name: str, fields: list[tuple[Any, str]]) -> type[ctypes.Structure]:
    return type(name, (ctypes.Structure,), {"_fields_": [(n, kind) for kind, names in fields for n in names.split()]})


# products.cu and attentions.cu have these, too.
Product = _structure(
    "NvidiaProduct",
    [
        (POINTER, "a b c bias d scale_a scale_b"),
        (LONG, "stride_a stride_b stride_c stride_d batch_a batch_b batch_c batch_d"),
        (INT, "m n k batches"),
        (FLOAT, "alpha beta"),
        (INT, "type_c type_d type_bias activation rows_of_scale_a columns_of_scale_b band"),
    ],
)
Attention = _structure(
    "NvidiaAttention",
    [
        (POINTER, "q k v o lse sinks"),
        (LONG, "batch_q head_q row_q batch_k head_k row_k batch_v head_v row_v batch_o head_o row_o"),
        (INT, "batches heads heads_of_keys length_q length_k head_size left right"),
        (FLOAT, "scale softcap"),
        (INT, "blocks"),
    ],
)


class Library:
    """What can be launched."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path.resolve()))
        for name in ("product", "attention"):
            getattr(self._library, f"nvidia_{name}").restype = ctypes.c_char_p
            getattr(self._library, f"nvidia_{name}_name").restype = ctypes.c_char_p
        for name in ("norm", "softmax", "rope", "cache"):
            getattr(self._library, f"nvidia_{name}").restype = ctypes.c_char_p

    def names(self, of: str) -> list[str]:
        """The kernels of products or of attention."""
        found: list[str] = []
        while (name := getattr(self._library, f"nvidia_{of}_name")(len(found))) is not None:
            found.append(name.decode())
        return found

    def rows(self, name: str, *arguments: Any) -> None:
        """Of rows.cu: tensors stand for their addresses, floats and integers for themselves."""
        given = [self._given(one) for one in arguments]
        self._check(name, getattr(self._library, f"nvidia_{name}")(*given, self._stream()))

    def product(self, name: str, description: ctypes.Structure) -> None:
        self._check(name, self._library.nvidia_product(name.encode(), ctypes.byref(description), self._stream()))

    def attention(self, name: str, description: ctypes.Structure) -> None:
        self._check(name, self._library.nvidia_attention(name.encode(), ctypes.byref(description), self._stream()))

    @staticmethod
    def _given(one: Any) -> Any:
        if isinstance(one, torch.Tensor):
            return POINTER(one.data_ptr())
        return FLOAT(one) if isinstance(one, float) else LONG(one)

    @staticmethod
    def _stream() -> Any:
        return POINTER(torch.cuda.current_stream().cuda_stream)

    @staticmethod
    def _check(name: str, error: bytes | None) -> None:
        if error is not None:
            raise RuntimeError(f"{name}: {error.decode()}")


def describe_product(
    a: torch.Tensor,
    b: torch.Tensor,
    d: torch.Tensor,
    *,
    c: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    scale_a: torch.Tensor | None = None,
    scale_b: torch.Tensor | None = None,
    alpha: float = 1,
    beta: float = 0,
    activation: int = 0,
    band: int = 0,
) -> ctypes.Structure:
    """D of A and B transposed: batches, rows and K; a tensor's own strides say whether it lies along K."""

    def stride(of: torch.Tensor) -> int:
        return of.stride(1) if of.stride(2) == 1 else of.stride(2)

    def address(of: torch.Tensor | None) -> int | None:
        return None if of is None else of.data_ptr()

    (batches, m, k), n = a.shape, b.shape[1]
    return Product(
        a=address(a), b=address(b), c=address(c), bias=address(bias), d=address(d),
        scale_a=address(scale_a), scale_b=address(scale_b),
        stride_a=stride(a), stride_b=stride(b), stride_c=0 if c is None else c.stride(1), stride_d=d.stride(1),
        batch_a=a.stride(0), batch_b=b.stride(0), batch_c=0 if c is None else c.stride(0), batch_d=d.stride(0),
        m=m, n=n, k=k, batches=batches, alpha=alpha, beta=beta,
        type_c=0 if c is None else TYPES[c.dtype], type_d=TYPES[d.dtype],
        type_bias=0 if bias is None else TYPES[bias.dtype], activation=activation,
        rows_of_scale_a=1 if scale_a is None else scale_a.numel(),
        columns_of_scale_b=1 if scale_b is None else scale_b.numel(), band=band,
    )  # fmt: skip


def describe_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    o: torch.Tensor,
    *,
    lse: torch.Tensor | None = None,
    sinks: torch.Tensor | None = None,
    left: int = -1,
    right: int = -1,
    softcap: float = 0,
    blocks: int = 0,
) -> ctypes.Structure:
    """Of tensors of batch, head, row and element, with scores over the root of the size of heads."""
    strides = {
        f"{what}_{name}": tensor.stride(dimension)
        for name, tensor in (("q", q), ("k", k), ("v", v), ("o", o))
        for dimension, what in enumerate(("batch", "head", "row"))
    }
    return Attention(
        q=q.data_ptr(), k=k.data_ptr(), v=v.data_ptr(), o=o.data_ptr(),
        lse=None if lse is None else lse.data_ptr(), sinks=None if sinks is None else sinks.data_ptr(), **strides,
        batches=q.shape[0], heads=q.shape[1], heads_of_keys=k.shape[1], length_q=q.shape[2], length_k=k.shape[2],
        head_size=q.shape[3], left=left, right=right, scale=q.shape[3] ** -0.5, softcap=softcap, blocks=blocks,
    )  # fmt: skip
