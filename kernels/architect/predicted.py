"""What `wavesmith predict` says of an operation."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def predicted(build: Path, gpu: str, operation: str, changes: Sequence[str] = ()) -> dict[str, Any]:
    """The prediction of an operation, given as on the command line.

    Raises:
        subprocess.CalledProcessError: it was refused.
    """
    given = [word for change in changes for word in ("--set", change)]
    command = [build / "bin/wavesmith", "predict", *operation.split(), "--gpu", gpu, *given, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    [one] = json.loads(done.stdout)
    return dict(one)


def seconds(prediction: dict[str, Any]) -> float:
    return float(prediction["seconds"]["value"])


def expected_error(prediction: dict[str, Any]) -> float | None:
    """The median error of the operation's model on rows that it was not fitted on, of 1."""
    error = prediction.get("expected_error")
    return None if error is None else float(error)


def field_of(build: Path, gpu: str, name: str) -> float:
    """A number of a GPU's description, "memory.bytes"."""
    command = [build / "bin/wavesmith", "gpus", gpu, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    table, number = name.split(".")
    return float(json.loads(done.stdout)[table][number]["value"])
