"""Products of matrices."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wavesmith._errors import BadInputError
from wavesmith._module import _hip
from wavesmith.kernels._arrays import Copies, Operand, current_device, new_result, operand, taken_over, word_of
from wavesmith.kernels._kernel_library import Activation, ArrayT, library
from wavesmith.kernels._workspace import workspace

if TYPE_CHECKING:
    from wavesmith import _native

_RESULTS = {"i8": "i32"} | dict.fromkeys(("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "u8"), "bf16")
"""Results' types where they are not `a`'s."""


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
    gated: bool = False,
    scale_a: ArrayT | None = None,
    scale_b: ArrayT | None = None,
    scale_d: ArrayT | None = None,
    block_scale_a: ArrayT | None = None,
    block_scale_b: ArrayT | None = None,
    zero_point_b: ArrayT | None = None,
    group_offsets: ArrayT | None = None,
    groups_along_k: bool = False,
    a_rows: ArrayT | None = None,
    dtype: object = None,
    tile: str | None = None,
    stream: int | None = None,
) -> ArrayT:
    """The matrix product activation(alpha * (scale_a * a) @ (b * scale_b) + beta * c + bias) * scale_d.

    Sums are float32, and their error is at most (k + 1) * 2**-24 * (abs(a) @ abs(b)), with float32 scales of blocks
    (min(k, 128) + k / 128 + 4) * 2**-24 times what the absolute values with their scales give, to which rounding to the
    result's type comes; in 8 bits what is beyond the largest becomes the largest. Sums of int8 are
    exact. The order of a sum depends on m, n, k and the GPU only: results are the same in each run. NaN and infinities
    propagate. Subnormal elements of `a` and `b` count as 0 on CDNA2.

    Args:
        a: m by k, or a batch of these: (batches, m, k). float16, bfloat16, float32 or int8, or float8 as the GPU has it
            (e4m3fn and e5m2, on CDNA3 e4m3fnuz and e5m2fnuz); of NumPy with ml_dtypes' types. Which of them a GPU has
            kernels for, `gemm_tiles` tells.
        b: k by n, or a batch; of a's type, or any other float8 of its kind. With `a` of float16 or bfloat16 it may be
            weights of 4 bits: uint8 of shape (k / 2, n), each byte two integers from -8 to 7 that follow each other
            along k, the first in the lower bits; k is a multiple of 8. What has 8 bits has k together in memory:
            the rows of `a`, the columns of `b`. Where one of `a` and `b` has a batch (or a batch of more than one), the
            other may be a single matrix that all products share.
        out: written and returned: (m, n), or (batches, m, n) where a or b has a batch. float32, float16 or bfloat16;
            of int8 also int8 or int32 (the sums as they are), of float8 also float8 of the kind. It may be `c`, and
            must not overlap `a` or `b`. Without it, a new array is returned, of a's package and device.
        c: shaped as the result, or (m, n) for all products of a batch; float32, float16 or bfloat16. It lies by rows
            where the result does. Not read where beta is 0.
        alpha: a factor, rounded to float32.
        beta: the factor of `c`, as well.
        bias: n elements, one per column of the result; float32, float16 or bfloat16.
        bias_per_row: the bias has m elements, one per row.
        activation: what is applied last, before rounding.
        gated: `b` has 2 * n columns, those of the gate first, and the result is activation(gate) * up, without the
            product in memory: what `gated` makes of it. So has `bias`, and a scale_b per column. float16, bfloat16,
            int8 and e4m3, without `c`; the result lies by rows. In groups of rows float16 and bfloat16 (CDNA3 and
            CDNA4) and e4m3, there also with scales of blocks, where n is a multiple of 128.
        scale_a: float32: one number, of shape () or (1,), or one per row of `a`, of shape (m,) or (m, 1).
        scale_b: the same, of `b`: one per column is of shape (n,) or (1, n).
        scale_d: one float32, by which the result is multiplied before it is rounded.
        block_scale_a: the scales of `a`'s blocks along k; for a batch (batches, ...), or the same for all.
            With `a` and `b` of uint8, whose bytes hold two e2m1 each (CDNA4): e8m0 in uint8, of shape (m, k / 32) and
            by columns: what `numpy.asfortranarray` makes of those of `quantise`. m is a multiple of 4, or the columns
            are as far apart.
            Of float8: float32 for blocks of 128, the last of which may be shorter: of shape (m, ceil(k / 128)), or
            (ceil(m / 128), ceil(k / 128)) for squares.
        block_scale_b: the same of `b`, with n for m: of shape (n, k / 32), or (n, ceil(k / 128)) and by columns, or
            (ceil(n / 128), ceil(k / 128)).
            Of weights of 4 bits: (n, ceil(k / group)) with groups of 32, 64 or 128 along k; float32, float16 or
            bfloat16. A weight counts as scale * (number - zero point), rounded to float32, then to a's type. It is read
            fastest where it lies by columns. With e8m0 in uint8, of shape (n, k / 32), and `a` of bfloat16 the weights
            are e2m1, as those of MXFP4.
        zero_point_b: the zero points of weights of 4 bits, shaped and typed as `block_scale_b`, and lying as it does.
            None: 0.
        group_offsets: int32, of shape (groups + 1,): the rows of `a` and the result from group_offsets[g] up to
            group_offsets[g + 1] are multiplied by b[g], which may have as many rows as they like: `a` is (m, k), `b`
            (groups, k, n) and the result (m, n). Rows in no group are not written. float16, bfloat16 and e4m3 (also
            with scales of blocks) with k together in memory; `b` of 16 bits may lie by rows.
        a_rows: int32, of shape (m,), with group_offsets: row i of the product is a[a_rows[i]], so that tokens are read
            where they lie; a number that is no row's is a row of zeros. Scales of rows are those of the result's.
        groups_along_k: group_offsets are of k: the columns of `a` and rows of `b` from group_offsets[g] up to
            group_offsets[g + 1] make matrix g of the result, as the gradients of a grouped product's weights are
            made: `a` is (m, k), `b` (k, n) and the result (groups, m, n), that of an empty group 0. float16 and
            bfloat16, with the rows of `a` together in memory, and the columns of `b`.
        dtype: the new result's type: "f32", "f16", "bf16", or as the package names it (numpy.float32, torch.bfloat16,
            ...). None: a's; of int8 int32, of float8 bfloat16.
        tile: one of `gemm_tiles()`, for tuning, with so many parts of k behind a slash ("64x64x64/4"), or
            "/stream" to share tiles. None: what is modelled to be the fastest.
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
    on_a, on_b = operand("a", a, stream, raw=True), operand("b", b, stream, raw=True)
    m, k, batches_a = on_a.matrix()
    on_rows = None if a_rows is None else _row_list(operand("a_rows", a_rows, stream, integers=True))
    rows_in_a = m
    if on_rows is not None:
        m = on_rows.shape[0]
    rows_of_b, columns_of_b, batches_b = on_b.matrix()
    n = columns_of_b // 2 if gated else columns_of_b
    weights = on_b.type == "u8" and on_a.type in ("f16", "bf16")
    on_scales = [
        None if scale is None else operand(name, scale, stream, raw=True)
        for name, scale in (("block_scale_a", block_scale_a), ("block_scale_b", block_scale_b))
    ]
    if weights:
        rows_of_b *= 2
        if on_scales[1] is None or on_scales[1].type != "u8":
            on_b = replace(on_b, type="i4x2")
    if k != rows_of_b:
        raise BadInputError(f"a has {k} columns and b {rows_of_b} rows")
    if gated and columns_of_b % 2:
        raise BadInputError(f"b has {columns_of_b} columns, and a gated product two for each of the result")
    if on_a.type == "u8":
        k *= 2
    block_scales = [
        None if scale is None else _block_scale(name, scale, on_of.type, (rows, k))
        for name, scale, on_of, rows in (
            ("block_scale_a", on_scales[0], on_a, m),
            ("block_scale_b", on_scales[1], on_b, columns_of_b),
        )
    ]
    on_zeros = None if zero_point_b is None else operand("zero_point_b", zero_point_b, stream)
    if on_zeros is not None and (block_scales[1] is None or not _lies_alike(on_zeros, block_scales[1])):
        raise BadInputError(
            f"zero_point_b is of {on_zeros.type} with shape {on_zeros.shape} and strides {on_zeros.strides}",
            hint="it is of block_scale_b's type and shape, and lies as it does",
        )
    on_offsets = (
        None
        if group_offsets is None
        else _group_offsets(
            operand("group_offsets", group_offsets, stream, integers=True), batches_a, batches_b, groups_along_k
        )
    )
    if groups_along_k and on_offsets is None:
        raise BadInputError("groups_along_k is for products with group_offsets")
    if batches_a is not None and batches_b is not None and batches_a != batches_b and 1 not in (batches_a, batches_b):
        raise BadInputError(f"a has {batches_a} matrices and b {batches_b}")
    given = [count for count in (batches_a, batches_b) if count is not None]
    batches = next((count for count in given if count != 1), 1) if given else None
    if groups_along_k and on_offsets is not None:
        batches = on_offsets.shape[0] - 1
    shape = (m, n) if batches is None or (on_offsets and not groups_along_k) else (batches, m, n)

    kind = _RESULTS.get(on_a.type, on_a.type) if dtype is None else word_of(dtype)
    made: object = None
    on_c = on_bias = None
    if out is not None:
        on_out = operand("out", out, stream, written=True)
        if dtype is not None and on_out.type != kind:
            raise BadInputError(f"out is of {on_out.type}, and dtype says {kind}")
        if on_out.shape != shape:
            raise BadInputError(f"out has shape {on_out.shape}, the product {shape}")
    else:
        made, on_out = new_result(hip, a, on_a, shape, kind)
    if c is not None and beta != 0:
        on_c = operand("c", c, stream)
        if on_c.shape not in (shape, (m, n)):
            raise BadInputError(f"c has shape {on_c.shape}, the product {shape}")
    if bias is not None:
        on_bias = operand("bias", bias, stream)
        elements = m if bias_per_row else columns_of_b
        if on_bias.shape != (elements,) or (on_bias.strides[0] != 1 and on_bias.shape[0] > 1):
            raise BadInputError(
                f"bias has shape {on_bias.shape} and stride {on_bias.strides}",
                hint=f"it has one element per {'row' if bias_per_row else 'column'}, side by side: shape ({elements},)",
            )
    scales = [
        None if scale is None else _scale(name, operand(name, scale, stream), count, shape_of_all)
        for name, scale, count, shape_of_all in (
            ("scale_a", scale_a, m, (m, 1)),
            ("scale_b", scale_b, columns_of_b, (1, columns_of_b)),
            ("scale_d", scale_d, 1, (1, 1)),
        )
    ]
    operands = [on_a, on_b, on_out, on_c, on_bias, *scales, *block_scales, on_zeros, on_offsets, on_rows]
    for one in operands[1:]:
        if one is not None and one.device != on_a.device:
            raise BadInputError(f"a lies in {on_a.place()} and {one.name} in {one.place()}")

    def description(
        a: Operand,
        b: Operand,
        d: Operand,
        c: Operand | None,
        bias: Operand | None,
        scale_a: Operand | None,
        scale_b: Operand | None,
        scale_d: Operand | None,
        block_scale_a: Operand | None,
        block_scale_b: Operand | None,
        zeros: Operand | None,
        offsets: Operand | None,
        rows: Operand | None,
    ) -> _native.Gemm:
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
            (
                scale_a.address if scale_a else 0,
                scale_b.address if scale_b else 0,
                scale_d.address if scale_d else 0,
                scale_a is not None and math.prod(scale_a.shape) > 1,
                scale_b is not None and math.prod(scale_b.shape) > 1,
            ),
            (_described_scale(block_scale_a, (m, k)), _described_scale(block_scale_b, (columns_of_b, k))),
            (block_scale_b.type if weights and block_scale_b else "", zeros.address if zeros else 0),
            offsets.address if offsets else 0,
            (rows.address, rows_in_a) if rows else (0, 0),
            gated,
            groups_along_k,
        )

    kernels = library()

    def launch(product: _native.Gemm) -> None:
        size = kernels.gemm_workspace(product, tile)
        kernels.gemm(product, tile, workspace(size, stream or 0) if size else 0, size, stream or 0)

    with current_device(hip, on_a.device):
        if on_a.device is not None:
            launch(description(on_a, on_b, on_out, *operands[3:]))
        else:
            # As the arrays are given; their copies lie in order.
            kernels.gemm_check(description(on_a, on_b, on_out, *operands[3:]))
            with Copies(hip) as copies:
                copy = copies.of(on_out, empty=on_offsets is None or groups_along_k)
                launch(
                    description(
                        copies.of(on_a),
                        copies.of(on_b),
                        copy,
                        *(copies.of(one) if one else None for one in operands[3:]),
                    )
                )
                hip.synchronize()
                copies.bring_back(copy, on_out)
    if out is not None:
        return out
    result: Any = taken_over(hip, a, made, on_a.device, stream or 0)
    return result  # type: ignore[no-any-return]


_BLOCK = 128
"""Numbers along k that share a float32 scale, and rows or columns that may."""
_GROUPS = (32, 64, 128)
"""Numbers along k that may share a scale of weights of 4 bits."""


def _block_scale(name: str, scale: Operand, kind: str, extents: tuple[int, int]) -> Operand:
    """Checked: e8m0 per row and 32 numbers; of float8 float32 per row or 128 rows; of weights a float per group."""
    rows, k = extents
    words = {"u8": ["u8"], "i4x2": ["f32", "f16", "bf16"]}.get(kind, ["f32"])
    if kind == "u8":
        shapes = [(rows, k // 32)]
    elif kind == "i4x2":
        shapes = [(rows, -(-k // group)) for group in _GROUPS]
    else:
        shapes = [(rows, -(-k // _BLOCK)), (-(-rows // _BLOCK), -(-k // _BLOCK))]
    if scale.type not in words or scale.shape[-2:] not in shapes or len(scale.shape) > 3:
        raise BadInputError(
            f"{name} is of {scale.type} with shape {scale.shape}",
            hint=f"it is of {' or '.join(words)} and shape {' or '.join(map(str, shapes))}",
        )
    return scale


def _described_scale(scale: Operand | None, extents: tuple[int, int]) -> tuple[_native.Scales, int]:
    if scale is None:
        return (0, "unscaled", 0, 0, 0), 0
    (rows, columns), (lines, k) = scale.shape[-2:], extents
    scaling = "mx" if scale.type == "u8" else "block" if rows == lines else "square"
    # Where several sizes of blocks have as many of them, all have one.
    block = max(size for size in _GROUPS if -(-k // size) == columns) if scaling != "mx" else 0
    batch_stride = scale.strides[0] if len(scale.shape) == 3 and scale.shape[0] > 1 else 0
    return (scale.address, scaling, block, scale.strides[-2], scale.strides[-1]), batch_stride


def _lies_alike(one: Operand, other: Operand) -> bool:
    return (one.type, one.shape, one.strides) == (other.type, other.shape, other.strides)


def _group_offsets(offsets: Operand, batches_a: int | None, batches_b: int | None, along_k: bool) -> Operand:
    """Checked: where each group begins among `a`'s rows, or along k, and where the last one ends."""
    if along_k and (batches_a is not None or batches_b is not None):
        raise BadInputError("groups_along_k is given: a and b are then one matrix each")
    if not along_k and (batches_a is not None or batches_b is None):
        raise BadInputError("group_offsets is given: a is then one matrix and b a batch, with a matrix for each group")
    groups = max(math.prod(offsets.shape[:1]) - 1, 0) if batches_b is None else batches_b
    if offsets.type != "i32" or offsets.shape != (groups + 1,) or (groups > 0 and offsets.strides != (1,)):
        raise BadInputError(
            f"group_offsets is of {offsets.type} with shape {offsets.shape} and strides {offsets.strides}",
            hint=f"it is int32 of shape ({groups + 1},), side by side",
        )
    return offsets


def _row_list(rows: Operand) -> Operand:
    """Checked: rows of a, one for each of the product's."""
    if rows.type != "i32" or len(rows.shape) != 1 or (rows.shape[0] > 1 and rows.strides != (1,)):
        raise BadInputError(
            f"a_rows is of {rows.type} with shape {rows.shape} and strides {rows.strides}",
            hint="it is int32 of one dimension, side by side",
        )
    return rows


def _scale(name: str, scale: Operand, count: int, shape: tuple[int, int]) -> Operand:
    """Checked: one float32, or `count` of them side by side, also as a matrix of that shape."""
    side_by_side = all(extent == 1 or stride == 1 for extent, stride in zip(scale.shape, scale.strides, strict=True))
    if scale.type != "f32" or scale.shape not in ((), (1,), (1, 1), (count,), shape) or not side_by_side:
        raise BadInputError(
            f"{name} is of {scale.type}, of shape {scale.shape} and strides {scale.strides}",
            hint=f"it is one float32, or {count} of them side by side",
        )
    return scale


def gemm_tiles(a: object = "bf16", b: object = None) -> list[str]:
    """The tiles in which the current device can compute products: rows x columns x depth of a step, as "128x128x32".

    Args:
        a: the type of `a`, named as for `gemm`'s dtype.
        b: that of `b`. None: a's.

    Returns:
        Their names; none where there are no kernels for the types.

    Raises:
        NotFoundError: there are no kernels for the device, or they are not installed.
    """
    return library().gemm_tiles(word_of(a), word_of(a if b is None else b))
