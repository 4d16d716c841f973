"""What is refused."""

from __future__ import annotations

from typing import Any


def refuse(what: str) -> None:
    """Raises, saying what is not there."""
    raise NotImplementedError(f"wavesmith.aiter: {what}")


def none(function: str, **given: Any) -> None:
    """Raises for an argument that is given and not supported."""
    for name, value in given.items():
        if value is not None and value is not False:
            refuse(f"{function} with {name} is not supported")
