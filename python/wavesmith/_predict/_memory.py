"""Predictions of kernels that memory bounds, as a rule: `wavesmith.predict.norm`, `copy`, `reduce`, ..."""

from __future__ import annotations

from typing import Literal, Unpack

from wavesmith._predict._prediction import Conditions, DType, Prediction, Size, ask


def norm(
    rows: Size,
    columns: Size,
    *,
    kind: Literal["layer", "rms", "group", "batch"] = "rms",
    dtype: DType = "bf16",
    residual: bool = False,
    backward: bool = False,
    kernel: Literal["tuned", "torch"] = "tuned",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a normalisation of rows.

    >>> got = wavesmith.predict.norm(16384, 8192, residual=True, gpu="mi355x")
    >>> got.bound, got.bytes == 2 * 4 * 16384 * 8192
    ('HBM', True)

    Args:
        rows: each normalised on its own.
        columns: numbers in a row.
        kind: what is normalised.
        dtype: number type of the arrays.
        residual: another array is added before, and the sum written too.
        backward: the gradient's kernel.
        kernel: whose: written for it (AITER, Composable Kernel), or PyTorch's own.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "norm",
        gpu,
        conditions,
        {
            "rows": rows,
            "columns": columns,
            "kind": kind,
            "dtype": dtype,
            "residual": residual,
            "backward": backward,
            "kernel": kernel,
        },
    )


def softmax(
    rows: Size,
    columns: Size,
    *,
    dtype: DType = "bf16",
    backward: bool = False,
    kernel: Literal["tuned", "torch"] = "tuned",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts the softmax of each row.

    >>> wavesmith.predict.softmax(32768, 8192, gpu="mi355x").bound
    'HBM'

    Args:
        rows: each on its own.
        columns: numbers in a row.
        dtype: number type of the arrays.
        backward: the gradient's kernel.
        kernel: whose: written for it (AITER, Composable Kernel), or PyTorch's own.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "softmax",
        gpu,
        conditions,
        {"rows": rows, "columns": columns, "dtype": dtype, "backward": backward, "kernel": kernel},
    )


def elementwise(
    elements: Size,
    *,
    operands: Size = 1,
    function: Literal[
        "copy", "cast", "add", "mul", "relu", "div", "exp", "gelu", "silu", "tanh", "sigmoid", "rope", "pow"
    ] = "add",
    dtype: DType = "bf16",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a function of each element of one or more arrays.

    >>> wavesmith.predict.elementwise(1 << 26, operands=2, function="add").bytes == 3 * 2 * 2**26
    True

    Args:
        elements: numbers in the result.
        operands: arrays that are read.
        function: what is computed.
        dtype: number type of the arrays.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "elementwise",
        gpu,
        conditions,
        {"elements": elements, "operands": operands, "function": function, "dtype": dtype},
    )


def copy(
    bytes: Size,
    *,
    what: Literal["copy", "read", "write"] = "copy",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a copy, a fill or a read in the GPU's memory.

    >>> wavesmith.predict.copy("1GiB", gpu="mi355x").bytes == 2 * 2**30     # read once, written once
    True

    Args:
        bytes: of the array.
        what: is done with it.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask("copy", gpu, conditions, {"bytes": bytes, "what": what})


def transpose(
    rows: Size,
    columns: Size,
    *,
    dtype: DType = "bf16",
    naive: bool = False,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a matrix written with rows and columns exchanged.

    >>> slow, fast = (wavesmith.predict.transpose(8192, 8192, naive=naive) for naive in (True, False))
    >>> slow.seconds > fast.seconds
    True

    Args:
        rows: of the matrix that is read.
        columns: of it.
        dtype: number type of the matrix.
        naive: not through LDS.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask("transpose", gpu, conditions, {"rows": rows, "columns": columns, "dtype": dtype, "naive": naive})


def reduce(
    rows: Size,
    columns: Size,
    *,
    dtype: DType = "bf16",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts sums, maxima or means of each row.

    >>> wavesmith.predict.reduce(1, "64M", dtype="f32").bound
    'HBM'

    Args:
        rows: results.
        columns: numbers behind each result.
        dtype: number type of the arrays.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask("reduce", gpu, conditions, {"rows": rows, "columns": columns, "dtype": dtype})


def stream(
    read: Size,
    written: Size,
    *,
    reduces: bool = False,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a kernel that reads and writes memory and computes little.

    >>> wavesmith.predict.stream("256MiB", "128MiB").bytes == 384 * 2**20
    True

    Args:
        read: bytes.
        written: bytes; 0: none.
        reduces: what is written is few numbers, of all that is read.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask("stream", gpu, conditions, {"read": read, "written": written, "reduces": reduces})
