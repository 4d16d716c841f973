"""Compiling HIP kernels from Python."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wavesmith import _paths
from wavesmith._errors import CompileError
from wavesmith._gpus import machine
from wavesmith._use import used


def cc(source: str | Path, gpu: str | Sequence[str] | None = None, options: Sequence[str] = ("-O3",)) -> bytes:
    """Compiles HIP source to GPU code, as `wavesmith cc --genco` does: with clang, and HIP's headers where there are.

    Args:
        source: the source itself, or the path of a file.
        gpu: for which GPU ("mi355x"), or for which ones; None: the one of `wavesmith.use`, else "mi300x".
        options: the compiler's, as hipcc takes them.

    Returns:
        The code: what `Module` and `run` take.

    Raises:
        CompileError: the compiler is missing or refuses the source; the text is what it said.
        NotFoundError: there is no such GPU.
    """
    asked = [gpu or used() or "mi300x"] if gpu is None or isinstance(gpu, str) else gpu
    targets = dict.fromkeys(one.target for each in asked for one in machine(each))
    with tempfile.TemporaryDirectory(prefix="wavesmith-") as folder:
        path = source if isinstance(source, Path) else Path(folder) / "source.hip"
        if not isinstance(source, Path):
            path.write_text(source)
        output = Path(folder) / "code.co"
        command = [str(_paths.command()), "cc", "--genco", *(f"--offload-arch={target}" for target in targets)]
        ran = subprocess.run(
            [*command, *options, str(path), "-o", str(output)], capture_output=True, text=True, check=False
        )
        if ran.returncode != 0 or not output.exists():
            raise CompileError(f"the source does not compile for {', '.join(targets)}:\n{ran.stderr.strip()}")
        return output.read_bytes()
