"""`wavesmith.use`: emulated GPUs for this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from wavesmith import _paths
from wavesmith._errors import UseError

#: The machine that this process has, as WAVESMITH_GPU says it: "mi355x" or "mi300x:8".
_used: str | None = None


def use(
    gpu: str | None = None,
    count: int = 1,
    *,
    hip: int = 7,
    client: str | None = None,
    torch_cuda: bool = False,
    time: bool | str = False,
    quiet: bool = False,
) -> None:
    """Gives this process emulated AMD GPUs. Call it before a client (Triton, CuPy, ...) is imported.

    Loads the HIP runtime, so that clients which look for `libamdhip64.so` find it, and sets what they look for
    in the environment (`TRITON_LIBHIP_PATH`, `IREE_HIP_DYLIB_PATH`, `ROCM_PATH`, ...) where you have not set it.
    Python itself and the libraries that are loaded now see the kernel driver's files (`/sys/class/kfd`), too.
    One line on stderr says which GPU is emulated. Under `wavesmith run` the GPU is already settled, and `use` only
    checks that it is the same.

    Args:
        gpu: an id out of `wavesmith.gpus()` ("mi355x"), one with changes ("mi300x+compute.units=8"), a TOML
            file's path, or a list of devices ("mi300x:2,mi210"). None: what WAVESMITH_GPU says, else "mi300x".
        count: how many of them.
        hip: the major version of HIP that the client was built for, 5, 6 or 7.
        client: "triton", "cupy", ...: raises here, with what to install, where it is missing or too old.
        torch_cuda: PyTorch's "cuda" device is the emulated GPU (`wavesmith.torch`), for programs that know no other;
            imports PyTorch.
        time: events tell the modelled GPU's time from the start on, as under `wavesmith run --time`; "sampled": and
            only the workgroups of each grid that the model looks at are run, so that results are incomplete.
        quiet: no line on stderr. So does WAVESMITH_QUIET=1.

    Raises:
        ClientError: `client` is not installed, too old, or not one of `wavesmith.clients()`.
        NotFoundError: there is no such GPU; the text names those that there are.
        UseError: the process already has other GPUs, or a HIP runtime that is not Wavesmith's.
        InstallationError: the libraries of this package are missing.
    """
    if time:
        _model_time("sampled" if time == "sampled" else "modelled")
    if torch_cuda:
        _call_it_cuda()
    _use(gpu, count, hip, client, quiet=quiet)
    if torch_cuda:
        import wavesmith.torch  # noqa: F401


def _use(gpu: str | None, count: int, hip: int, client: str | None, *, quiet: bool) -> None:
    global _used
    if client is not None:
        from wavesmith._clients import require

        require(client)
    if count < 1 or hip not in (5, 6, 7):
        raise ValueError(f"count={count}, hip={hip}: a machine has at least one GPU, HIP's versions are 5, 6 and 7")
    settled = os.environ.get("WAVESMITH_RUN")
    machine = gpu or os.environ.get("WAVESMITH_GPU") or "mi300x"
    if count > 1:
        machine = f"{machine}:{count}"
    for already, how in ((_used, "wavesmith.use"), (settled, "wavesmith run")):
        if already is None:
            continue
        if gpu is None and count == 1:
            machine = already
        elif already != machine:
            raise UseError(
                f"this process has '{already}' ({how}) and cannot have '{machine}' too: the GPUs of a process are "
                "fixed when the HIP runtime is loaded",
                hint=f"start another process, or ask for all of them at once: '{already},{machine}'",
            )
    if _used is not None:
        return
    from wavesmith import _native

    described = _native.describe(machine)
    folder = _paths.libraries()
    for other in _loaded_runtimes():
        if not any(other.samefile(ours) for ours in folder.glob("libamdhip64.so*")):
            raise UseError(
                f"this process has already loaded another HIP runtime, {other}",
                hint="call wavesmith.use() before the client is imported, or start it by: wavesmith run -- python ...",
            )
    os.environ["WAVESMITH_GPU"] = machine
    if not settled:
        environment = _native.environment(machine, str(folder))
        os.environ.update(environment)
        _show_machine(folder, environment.get("WAVESMITH_MACHINE_ROOT"))
    _preload(machine, folder, hip, quiet=quiet or bool(settled or os.environ.get("WAVESMITH_QUIET")))
    _used = machine
    if not (quiet or settled or os.environ.get("WAVESMITH_QUIET")):
        print(f"wavesmith: emulating {described}", file=sys.stderr)


def _model_time(how: str) -> None:
    if os.environ.get("WAVESMITH_TIME", "0") in ("", "0") and _used is not None:
        raise UseError(
            "whether events tell modelled time is settled when the HIP runtime is loaded",
            hint="say time= at the first wavesmith.use(), or model a part of the program by wavesmith.profile()",
        )
    os.environ["WAVESMITH_TIME"] = how


def _call_it_cuda() -> None:
    if "wavesmith.torch" in sys.modules and os.environ.get("WAVESMITH_TORCH") != "cuda":
        raise UseError(
            'PyTorch knows the device as "wavesmith" already, and it has one name only',
            hint="call wavesmith.use(..., torch_cuda=True) before wavesmith.torch is imported",
        )
    os.environ["WAVESMITH_TORCH"] = "cuda"


def used() -> str | None:
    """The GPUs that this process has from `use` or `wavesmith run`, as "mi300x:8"; None when it has none yet."""
    return _used or os.environ.get("WAVESMITH_RUN")


def _show_machine(folder: Path, root: str | None) -> None:
    """What LD_PRELOAD does for programs that start, done to this one."""
    import ctypes

    if root is not None:
        ctypes.CDLL(str(folder / "libwavesmith_machine.so")).wavesmith_machine_attach(root.encode())


def _preload(machine: str, folder: Path, hip: int, *, quiet: bool) -> None:
    """Loads what clients look for by name: whoever asks later for one of these names gets what is loaded already."""
    import ctypes

    from wavesmith import _native

    for library in ("libamdhip64", "libhiprtc"):
        # The name that the client asks by comes first: it says which version of HIP's structures is meant.
        for suffix in dict.fromkeys((f".so.{hip}", ".so.7", ".so")):
            if (folder / (library + suffix)).exists():
                ctypes.CDLL(str(folder / (library + suffix)), mode=ctypes.RTLD_GLOBAL)
    # AMD's other libraries, by their sonames; the names they have beside are links or forward to them.
    files, refused = _native.libraries(machine, str(folder))
    amds = [Path(file) for file in files]
    for path in [*amds, *sorted(folder.glob("lib*.so*")), *sorted((folder / "stand-ins").glob("lib*.so"))]:
        # In a build folder they are links: what they point to is loaded, or AMD's is in its place.
        if not path.is_symlink() and not path.name.startswith(("libamdhip64", "libhiprtc", "libwavesmith")):
            ctypes.CDLL(str(path), mode=ctypes.RTLD_LOCAL)
    for reason in [] if quiet else refused:
        print(f"wavesmith: {reason}; under `wavesmith run` it may be", file=sys.stderr)


def _loaded_runtimes() -> list[Path]:
    """The files named libamdhip64* that are mapped into this process."""
    found: dict[str, None] = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.partition("/")[2]
        if path and Path(path).name.startswith("libamdhip64"):
            found["/" + path] = None
    return [Path(path) for path in found if Path(path).exists()]
