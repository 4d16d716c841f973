"""Predictions of collectives, Fourier transforms and factorisations: `wavesmith.predict.allreduce`, ..."""

from __future__ import annotations

from typing import Literal, Unpack

from wavesmith._predict._prediction import Conditions, DType, Prediction, Size, ask


def allreduce(
    bytes: Size,
    *,
    ranks: Size = 8,
    what: Literal["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "send"] = "all-reduce",
    kernel: Literal["auto", "ring", "tree", "one-shot", "two-shot"] = "auto",
    signals: bool = False,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts an all-reduce or another collective over the links of a node.

    >>> got = wavesmith.predict.allreduce("128MiB", gpu="mi300x")
    >>> got.bound, got.level("link").name
    ('links', 'link')

    Args:
        bytes: of the buffer on each GPU.
        ranks: GPUs.
        what: which collective.
        kernel: how it goes about it.
        signals: signals of their own tell of the data (vLLM, SGLang); otherwise flags within it (RCCL).
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "allreduce",
        gpu,
        conditions,
        {"bytes": bytes, "ranks": ranks, "what": what, "kernel": kernel, "signals": signals},
    )


def fft(
    length: Size,
    *,
    height: Size = 1,
    depth: Size = 1,
    batch: Size = 1,
    precision: Literal["single", "double"] = "single",
    kind: Literal["c2c", "r2c", "c2r"] = "c2c",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a Fourier transform, by the passes over memory that rocFFT makes.

    >>> wavesmith.predict.fft(4096, batch=10000).expected_error is None     # never judged
    True

    Args:
        length: numbers that lie side by side.
        height: rows, of two dimensions.
        depth: planes, of three.
        batch: transforms.
        precision: of the numbers' parts.
        kind: complex numbers to complex ones, or real ones on one side.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "fft",
        gpu,
        conditions,
        {
            "length": length,
            "height": height,
            "depth": depth,
            "batch": batch,
            "precision": precision,
            "kind": kind,
        },
    )


def factor(
    m: Size | None,
    n: Size,
    *,
    what: Literal["potrf", "getrf", "geqrf", "orgqr", "ormqr", "trsm", "sytrd", "syev", "gesvd"] = "getrf",
    k: Size | None = None,
    batch: Size = 1,
    dtype: DType = "f32",
    vectors: bool = False,
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Estimates a factorisation, a triangular system, eigenvalues or singular values.

    >>> wavesmith.predict.factor(8192, 8192, what="getrf", dtype="f64").confidence
    'low'

    Args:
        m: rows; of "trsm" the triangle's, of "ormqr" Q's; None where n says it: "potrf", "sytrd", "syev".
        n: columns; of "trsm" the right sides.
        what: which, by LAPACK's name.
        k: reflections, of "orgqr" and "ormqr".
        batch: matrices.
        dtype: "f32", "f64", "c32" or "c64".
        vectors: eigenvectors or singular vectors, too.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "factor",
        gpu,
        conditions,
        {"m": m, "n": n, "what": what, "k": k, "batch": batch, "dtype": dtype, "vectors": vectors},
    )
