"""`wavesmith.profile_kernel`: a kernel under the cycle model, by the command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from wavesmith import _paths
from wavesmith._errors import NotFoundError, UnsupportedError, from_command
from wavesmith._module import Extents, Module, Value, _bytes, _extents, _is_array
from wavesmith._use import used
from wavesmith.kernel_profile import KernelProfile, LdsUse, MemoryUse, PipeUse, Stall

if TYPE_CHECKING:
    from wavesmith._module import Argument

#: An argument: what a launch takes, or the command's word for it: "f16[4096x4096]=random", "i32=7", "null".
Given: TypeAlias = "Value | str"


def profile_kernel(
    code: str | os.PathLike[str] | bytes,
    kernel: str | None = None,
    *,
    grid: Extents,
    block: Extents,
    args: Sequence[Given] = (),
    shared: int = 0,
    gpu: str | None = None,
    set: Mapping[str, object] | None = None,
    threads: int = 0,
) -> KernelProfile:
    """Times a kernel on an emulated GPU, cycle by cycle, and says what holds it up.

    Only the workgroups that the model replays are run, so no result comes back: arrays stay as they are.

    >>> code = wavesmith.cc(source, gpu="mi300x")
    >>> got = wavesmith.profile_kernel(code, "axpy", grid=4096, block=64,
    ...                                args=["f32[262144]=random", "f32[262144]=zeros", 2.0, 262144])
    >>> got.seconds, got.bound, [stall.cause for stall in got.stalls]

    Args:
        code: the path or the contents of a code object, a bundle or a host program.
        kernel: its name; None when there is only one.
        grid: workgroups in x, y, z: 16 or (16, 4).
        block: work-items of a workgroup in x, y, z.
        args: a value for each argument, as `Kernel.__call__` takes them, or a text as `wavesmith profile --arg` does.
        shared: bytes of dynamic LDS for each workgroup.
        gpu: "mi355x", "./my.toml"; None: that of `wavesmith.use`, else "mi300x".
        set: numbers of the GPU to change: {"compute.units": 8}.
        threads: of the host; 0: all.

    Raises:
        NotFoundError: no such file, kernel or GPU.
        BadInputError, ArgumentError: an argument, a size or an extent does not fit.
        WrongTargetError: the code is for other GPUs.
        UnsupportedError: the model has no time for this kernel; the text says why.
        MemoryFaultError, TrapError: how the kernel ended; `.report` says where.
    """
    machine = gpu or used() or "mi300x"
    with tempfile.TemporaryDirectory(prefix="wavesmith-") as name:
        folder = Path(name)
        path = folder / "code.co" if isinstance(code, bytes) else Path(code)
        if isinstance(code, bytes):
            path.write_bytes(code)
        words = [*_words(path, kernel, machine, args, folder)]
        for key, value in (set or {}).items():
            words += ["--set", f"{key}={value}"]
        for option, extents in (("--grid", _extents("grid", grid)), ("--block", _extents("block", block))):
            words += [option, ",".join(str(one) for one in extents)]
        if shared:
            words += ["--shared", str(shared)]
        command = [str(_paths.command()), "profile", "--json", "--gpu", machine, "--threads", str(threads), *words]
        quiet = os.environ | {"WAVESMITH_QUIET": "1"}
        ran = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if ran.returncode != 0 or not ran.stdout:
        raise from_command(ran.returncode, ran.stderr)
    program = json.loads(ran.stdout)
    return _profile(program["gpu"], program["kernels"][0])


def _words(path: Path, kernel: str | None, gpu: str, args: Sequence[Given], folder: Path) -> list[str]:
    """The file, the kernel and its arguments, as they would be typed."""
    if not path.is_file():
        raise NotFoundError(f"cannot read '{path}'", hint="give the path or the bytes of a code object")
    chosen = Module(path, gpu)._chosen(kernel)
    chosen._check_count(len(args))
    words = [str(path), "--kernel", chosen.name]
    for number, (value, wanted) in enumerate(zip(args, chosen.arguments, strict=True)):
        if not isinstance(value, str):
            chosen._check(number, value, wanted)
        words += ["--arg", _word(value, wanted, folder / f"{number}.npy")]
    return words


def _word(value: Given, wanted: Argument, file: Path) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if not _is_array(value):
        return f"hex={_bytes(value, wanted.size).hex()}"
    import numpy as np

    np.save(file, np.frombuffer(value.tobytes(), np.uint8))  # type: ignore[union-attr]
    return str(file)


def _profile(gpu: str, said: Mapping[str, Any]) -> KernelProfile:
    if said["refused"]:
        raise UnsupportedError(f"there is no time for kernel '{said['name']}': {said['refused']}")
    return KernelProfile(
        said["name"],
        gpu,
        (said["grid"][0], said["grid"][1], said["grid"][2]),
        (said["block"][0], said["block"][1], said["block"][2]),
        said["seconds"],
        said["cycles"],
        said["clock_mhz"],
        said["clock_tag"],
        said["bound"],
        said["bound_why"],
        said["units"],
        said["instructions_per_cycle"],
        said["matrix_flops"],
        said["exposed_share"],
        tuple(PipeUse(**one) for one in said["pipes"]),
        tuple(Stall(**one) for one in said["stalls"]),
        LdsUse(**said["lds"]),
        MemoryUse(**said["memory"]),
        said["sample"],
        tuple(said["notes"]),
        said,
    )
