"""Who computes products and convolutions: Wavesmith's kernels, or a library of AMD's that the user prefers."""

from __future__ import annotations

import os
import sys

import torch

from wavesmith._errors import BadInputError, NotFoundError

#: What there is to prefer, and for whom; the first is what a process begins with.
CHOICES = {"blas": ("wavesmith", "hipblaslt", "rocblas"), "convolution": ("wavesmith", "miopen")}
_WORDS = {"blas": "products", "convolution": "convolutions"}
_OURS = "Wavesmith's kernels"

#: What each preferred library says of itself; empty: Wavesmith's kernels.
_which: dict[str, str] = dict.fromkeys(CHOICES, "")
_names: dict[str, str] = {kind: names[0] for kind, names in CHOICES.items()}


def prefer(*, blas: str | None = None, convolution: str | None = None) -> None:
    """Has products or convolutions computed by a library of AMD's, as in PyTorch for ROCm, from the next call on.

    The library is the one that the process finds by its name: AMD's own where it is there, else Wavesmith's stand-in;
    a line on stderr says which, and so does `libraries`. What it does not take is computed by Wavesmith's kernels,
    which is said once for each operator and reason and counted (`library_counts`).

    Args:
        blas: "hipblaslt" or "rocblas" for products of f32, f16, bf16 and numbers of 8 bits; "wavesmith" for the
            kernel library again. None: as it is.
        convolution: "miopen" for convolutions of f32, f16 and bf16, transposed ones and gradients; "wavesmith".

    Raises:
        BadInputError: another word.
        NotFoundError: the process finds no such library.
    """
    for kind, name in (("blas", blas), ("convolution", convolution)):
        if name is not None and name not in CHOICES[kind]:
            raise BadInputError(f"{kind}={name!r} is none of {', '.join(CHOICES[kind])}")
    if blas is not None:
        _prefer("blas", blas)
    if convolution is not None:
        _prefer("convolution", convolution)


def _prefer(kind: str, name: str) -> None:
    call = getattr(torch.ops.wavesmith_device, f"prefer_{kind}")
    try:
        which = call(name)
    except RuntimeError as error:
        raise NotFoundError(
            str(error).partition("\n")[0], hint=f"wavesmith libraries install {name} fetches AMD's"
        ) from None
    if which != _which[kind] and os.environ.get("WAVESMITH_QUIET", "0") in ("", "0"):
        print(f"wavesmith: {_WORDS[kind]} by {which or _OURS}", file=sys.stderr)
    _which[kind] = which
    _names[kind] = name


def prefer_as_environment_says() -> None:
    """Prefers what WAVESMITH_TORCH_BLAS and WAVESMITH_TORCH_CONVOLUTION name."""
    for kind in CHOICES:
        variable = f"WAVESMITH_TORCH_{kind.upper()}"
        name = os.environ.get(variable)
        if not name:
            continue
        if name not in CHOICES[kind]:
            raise BadInputError(f"{variable}={name} is none of {', '.join(CHOICES[kind])}")
        _prefer(kind, name)


def preferred(kind: str) -> str:
    """The word of `CHOICES` that was chosen last."""
    return _names[kind]


def libraries() -> dict[str, str]:
    """Who computes: {"blas": "hipBLASLt 1.2.2 (AMD's, FILE)", "convolution": "Wavesmith's kernels"}."""
    return {kind: which or _OURS for kind, which in _which.items()}


def library_counts() -> dict[str, tuple[int, int]]:
    """How often a preferred library computed an operator and did not take it: {"hipBLASLt: addmm": (3, 0)}."""
    names, computed, refused = torch.ops.wavesmith_device.library_counts()
    return dict(zip(names, zip(computed, refused, strict=True), strict=True))
