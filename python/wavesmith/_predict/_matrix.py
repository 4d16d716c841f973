"""Predictions of matrix products, convolutions and mixtures of experts: `wavesmith.predict.gemm`, ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from wavesmith._predict._prediction import Conditions, DType, Prediction, Size, ask


def gemm(
    m: Size | None,
    n: Size,
    k: Size,
    *,
    batch: Size = 1,
    groups: Sequence[int] | None = None,
    dtype: DType = "bf16",
    b_dtype: DType = None,
    c_dtype: DType = None,
    layout: Literal["tn", "nn", "nt", "tt"] = "tn",
    library: Literal["any", "rocBLAS", "hipBLASLt"] = "any",
    block_scale: Size = 0,
    split_k: Size = 0,
    tile_m: Size | None = None,
    tile_n: Size | None = None,
    tile_k: Size | None = None,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a matrix multiplication C[m, n] = A[m, k] B[k, n].

    >>> got = wavesmith.predict.gemm(4096, 4096, 4096, dtype="f8", gpu="mi355x")
    >>> got.bound, got.facts["split of K"], got.judged.model
    ('matrix', '1', 'gemm, kernel not told')
    >>> wavesmith.predict.gemm(None, 4096, 7168, groups=[512, 128, 1024, 64]).arguments["groups"]
    '512+128+1024+64'

    Args:
        m: rows of A and C; None with `groups`.
        n: columns of B and C.
        k: columns of A, rows of B.
        batch: independent problems of that size.
        groups: instead of m the rows of each group; n and k are shared.
        dtype: number type of A, and of B and C unless they are given: "f64", "f32", "xf32", "f16", "bf16", "f8",
            "i8", "f6", "f4", or a package's own, as numpy.float16 or torch.bfloat16.
        b_dtype: type of B, where it differs.
        c_dtype: type of C; None: A's, but "bf16" for operands of 8 bits and less.
        layout: BLAS letters of A and B: "t" has k contiguous in A.
        library: whose kernels it gets; "any": the likeliest that are known.
        block_scale: one scale for so many numbers along k (32, 128); 0: none.
        split_k: workgroups that share a tile; 0: chosen.
        tile_m: rows of a workgroup's tile; None: chosen, as the next ones.
        tile_n: its columns.
        tile_k: the depth of its step.
        gpu: its id or a data file, also with changes: "mi355x", "mi300x+l2.bytes=8388608".
        **conditions: of the timing: see `Conditions`.

    Returns:
        The prediction; its facts are "tile", "split of K", "workgroups", "wave quantisation" and "useful".

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "gemm",
        gpu,
        conditions,
        {
            "m": m,
            "n": n,
            "k": k,
            "batch": batch,
            "groups": groups,
            "dtype": dtype,
            "b_dtype": b_dtype,
            "c_dtype": c_dtype,
            "layout": layout,
            "library": library,
            "block_scale": block_scale,
            "split_k": split_k,
            "tile_m": tile_m,
            "tile_n": tile_n,
            "tile_k": tile_k,
        },
    )


def conv(
    batch: Size,
    channels: Size,
    filters: Size,
    height: Size,
    width: Size | None = None,
    *,
    depth: Size = 1,
    filter: Size = 3,
    filter_width: Size | None = None,
    filter_depth: Size = 1,
    stride: Size = 1,
    padding: Size = 0,
    groups: Size = 1,
    dtype: DType = "bf16",
    layout: Literal["nhwc", "nchw"] = "nhwc",
    gradient: Literal["none", "input", "filters"] = "none",
    backward: bool = False,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a convolution in two or three dimensions.

    >>> got = wavesmith.predict.conv(32, 256, 256, 56, padding=1)
    >>> f"{got.flops:.4g}"
    '1.184e+11'

    Args:
        batch: images.
        channels: of the input.
        filters: channels of the result.
        height: of the input, in pixels.
        width: of the input; None: as its height.
        depth: of the input, in three dimensions.
        filter: height and width of a filter.
        filter_width: its width, where it differs.
        filter_depth: its depth.
        stride: pixels from one place of the filter to the next.
        padding: pixels on each side.
        groups: that do not see each other's channels.
        dtype: number type of the operands.
        layout: where the channels stand.
        gradient: one of the gradients alone instead of the convolution.
        backward: both gradients instead.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "conv",
        gpu,
        conditions,
        {
            "batch": batch,
            "channels": channels,
            "filters": filters,
            "height": height,
            "width": width,
            "depth": depth,
            "filter": filter,
            "filter_width": filter_width,
            "filter_depth": filter_depth,
            "stride": stride,
            "padding": padding,
            "groups": groups,
            "dtype": dtype,
            "layout": layout,
            "gradient": gradient,
            "backward": backward,
        },
    )


def moe(
    tokens: Size,
    experts: Size,
    topk: Size,
    model_size: Size,
    inner_size: Size,
    *,
    dtype: DType = "bf16",
    weights: DType = None,
    block_scale: Size = 0,
    block: Size = 0,
    stage: Literal["both", "first", "second"] = "both",
    kernel: Literal["tuned", "one", "ck"] = "tuned",
    ungated: bool = False,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a mixture of experts: sorted tokens through two grouped matrix multiplications.

    >>> got = wavesmith.predict.moe(64, 256, 8, 7168, 256, dtype="f8", block_scale=128)
    >>> got.bound, sorted(got.facts)
    ('HBM', ['blocks', 'experts with tokens'])

    Args:
        tokens: in all.
        experts: on this GPU.
        topk: experts that a token goes to.
        model_size: numbers of a token.
        inner_size: numbers between the two multiplications.
        dtype: number type of the activations.
        weights: type of the weights, where it differs.
        block_scale: one scale for so many numbers (32, 128); 0: by tensor or token.
        block: rows of a sorted block; 0: chosen.
        stage: which multiplication.
        kernel: whose: written for it (assembly, FlyDSL), "one" of these for both multiplications, or Composable
            Kernel's.
        ungated: no gate: half of the first multiplication.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Returns:
        The prediction; its facts are "experts with tokens" and "blocks".

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "moe",
        gpu,
        conditions,
        {
            "tokens": tokens,
            "experts": experts,
            "topk": topk,
            "model_size": model_size,
            "inner_size": inner_size,
            "dtype": dtype,
            "weights": weights,
            "block_scale": block_scale,
            "block": block,
            "stage": stage,
            "kernel": kernel,
            "ungated": ungated,
        },
    )
