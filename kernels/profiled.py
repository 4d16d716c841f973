"""What `wavesmith profile` says of the kernels of a program."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class NotProfiledError(Exception):
    """There is no profile; says why."""


def profiled(
    build: Path,
    gpu: str,
    program: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    changes: Sequence[str] = (),
    *,
    sampled: bool = True,
) -> list[dict[str, Any]]:
    """The program's kernels, without those that only fill its inputs; on a GPU with these `--set`.

    Sampled workgroups run alone, but where kernels read what others wrote.

    Raises:
        NotProfiledError: the program or the profile failed.
    """
    given = [word for change in changes for word in ("--set", change)]
    if sampled:
        given.append("--sampled")
    command = [build / "bin/wavesmith", "profile", "--gpu", gpu, *given, "--json", "--", *program]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **(environment or {})}, check=False
    )
    start = re.search(r"^\{$", done.stdout, re.MULTILINE)  # behind what the program prints
    if done.returncode or not start:
        raise NotProfiledError(" ".join((done.stderr or done.stdout).split()[-20:]))
    kernels = json.JSONDecoder().raw_decode(done.stdout[start.start() :])[0]["kernels"]
    return [kernel for kernel in kernels if "fill" not in kernel["name"].lower()]
