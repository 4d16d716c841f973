"""Predictions of attention and of what decoding uses instead: `wavesmith.predict.attention`, ..."""

from __future__ import annotations

from typing import Literal, Unpack

from wavesmith._predict._prediction import Conditions, DType, Prediction, Size, ask


def attention(
    batch: Size,
    heads: Size,
    queries: Size,
    *,
    kv_heads: Size | None = None,
    keys: Size | None = None,
    head_size: Size = 128,
    value_size: Size | None = None,
    dtype: DType = "bf16",
    causal: bool = False,
    backward: bool = False,
    atomic_f32: bool = False,
    kernel: Literal["aiter", "hipkittens", "opus", "ck", "triton", "torch", "tilelang"] = "aiter",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts softmax(Q K^T) V, or its gradients.

    >>> got = wavesmith.predict.attention(1, 64, 8192, kv_heads=8, causal=True, gpu="mi355x")
    >>> got.confidence, got.facts["rows a workgroup"]
    ('high', '256')

    Args:
        batch: sequences.
        heads: of Q.
        queries: tokens of a sequence.
        kv_heads: heads of K and V; None: as many as Q has.
        keys: tokens that are looked at; None: as many as the queries.
        head_size: numbers of a head of Q and K.
        value_size: of V; None: as of K.
        dtype: number type of the operands.
        causal: no token looks ahead.
        backward: the gradients' kernel.
        atomic_f32: of the gradients that of Q is summed in f32.
        kernel: whose.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Returns:
        The prediction; its facts are "rows a workgroup" and "workgroups".

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "attention",
        gpu,
        conditions,
        {
            "batch": batch,
            "heads": heads,
            "queries": queries,
            "kv_heads": kv_heads,
            "keys": keys,
            "head_size": head_size,
            "value_size": value_size,
            "dtype": dtype,
            "causal": causal,
            "backward": backward,
            "atomic_f32": atomic_f32,
            "kernel": kernel,
        },
    )


def decode(
    batch: Size,
    context: Size,
    *,
    heads: Size = 64,
    kv_heads: Size = 8,
    head_size: Size = 128,
    queries: Size = 1,
    splits: Size = 0,
    dtype: DType = "bf16",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts attention of the newest tokens of each sequence against a cache, split along the context.

    >>> wavesmith.predict.decode(64, 8192, gpu="mi355x").bound
    'HBM'

    Args:
        batch: sequences.
        context: tokens in the cache of each.
        heads: of Q.
        kv_heads: of K and V; `heads` is a multiple of it.
        head_size: numbers of a head of K and V.
        queries: new tokens of a sequence.
        splits: parts of the context; 0: chosen.
        dtype: number type of the operands and the cache.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "decode",
        gpu,
        conditions,
        {
            "batch": batch,
            "context": context,
            "heads": heads,
            "kv_heads": kv_heads,
            "head_size": head_size,
            "queries": queries,
            "splits": splits,
            "dtype": dtype,
        },
    )


def paged(
    batch: Size,
    context: Size,
    *,
    heads: Size = 64,
    kv_heads: Size = 8,
    head_size: Size = 128,
    queries: Size = 1,
    page: Size = 16,
    splits: Size = 0,
    dtype: DType = "bf16",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts `decode` against a cache in pages.

    >>> wavesmith.predict.paged(64, 4096, page=64).arguments["page"]
    '64'

    Args:
        batch: sequences.
        context: tokens in the cache of each.
        heads: of Q.
        kv_heads: of K and V; `heads` is a multiple of it.
        head_size: numbers of a head of K and V.
        queries: new tokens of a sequence.
        page: tokens of a page.
        splits: parts of the context; 0: chosen.
        dtype: number type of the operands and the cache.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "paged",
        gpu,
        conditions,
        {
            "batch": batch,
            "context": context,
            "heads": heads,
            "kv_heads": kv_heads,
            "head_size": head_size,
            "queries": queries,
            "page": page,
            "splits": splits,
            "dtype": dtype,
        },
    )


def mla(
    batch: Size,
    context: Size,
    *,
    heads: Size = 128,
    latent_size: Size = 512,
    rotary_size: Size = 64,
    queries: Size = 1,
    splits: Size = 0,
    dtype: DType = "bf16",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts decoding with multi-head latent attention, where all heads share one row of the cache.

    >>> got = wavesmith.predict.mla(64, 16384)
    >>> got.operation, got.gpu
    ('mla', 'mi300x')

    Args:
        batch: sequences.
        context: tokens in the cache of each.
        heads: of Q.
        latent_size: numbers that K and V share.
        rotary_size: numbers of K beside them.
        queries: new tokens of a sequence.
        splits: parts of the context; 0: chosen.
        dtype: number type of the operands and the cache.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "mla",
        gpu,
        conditions,
        {
            "batch": batch,
            "context": context,
            "heads": heads,
            "latent_size": latent_size,
            "rotary_size": rotary_size,
            "queries": queries,
            "splits": splits,
            "dtype": dtype,
        },
    )


def delta_rule(
    batch: Size,
    heads: Size,
    *,
    key_heads: Size | None = None,
    key_size: Size = 128,
    value_size: Size = 128,
    tokens: Size = 1,
    dtype: DType = "bf16",
    state_dtype: DType = "f32",
    gpu: str = "mi300x",
    **conditions: Unpack[Conditions],
) -> Prediction:
    """Predicts a step of a recurrent state: the gated delta rule, linear attention.

    >>> wavesmith.predict.delta_rule(128, 32, gpu="mi355x").judged.model
    'recurrent'

    Args:
        batch: sequences.
        heads: of V and of the state.
        key_heads: of K; None: as many.
        key_size: rows of a head's state.
        value_size: columns of a head's state.
        tokens: steps of a sequence.
        dtype: number type of the operands.
        state_dtype: type of the state.
        gpu: its id or a data file, also with changes.
        **conditions: of the timing: see `Conditions`.

    Raises:
        NotFoundError, BadInputError, UnsupportedError: as `wavesmith.predict`.
    """
    return ask(
        "delta-rule",
        gpu,
        conditions,
        {
            "batch": batch,
            "heads": heads,
            "key_heads": key_heads,
            "key_size": key_size,
            "value_size": value_size,
            "tokens": tokens,
            "dtype": dtype,
            "state_dtype": state_dtype,
        },
    )
