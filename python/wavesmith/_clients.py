"""Programs from PyPI that run on emulated GPUs: what each needs to be installed, and whether it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wavesmith._errors import ClientError


@dataclass(frozen=True)
class Client:
    """One program, as it is installed here."""

    name: str
    packages: tuple[tuple[str, str], ...]
    """Its packages on PyPI, each with the version that is tested, which is the oldest one that is known to work."""
    start: str
    """How it gets its GPU: "wavesmith.use" before it is imported, or "wavesmith run" alone."""
    installed: tuple[str | None, ...]
    """The version of each package here; None: missing."""

    @property
    def problem(self) -> str:
        """Why it cannot run, and what to do; empty when nothing is known to be in the way."""
        pip = "pip install " + " ".join(f"{package}=={tested}" for package, tested in self.packages)
        for (package, tested), version in zip(self.packages, self.installed, strict=True):
            if version is None:
                return f"{self.name} needs {package}, which is not installed: {pip}"
            if _numbers(version) < _numbers(tested):
                return f"{package} {version} is older than {tested}, the oldest that is known to work: {pip}"
        return ""


_KNOWN = (
    ("triton", (("triton", "3.8.0"), ("torch", "2.13.0")), "wavesmith.use"),
    ("iree", (("iree-base-runtime", "3.13.0"), ("iree-base-compiler", "3.13.0")), "wavesmith.use"),
    ("jax", (("jax", "0.10.2"), ("jax-rocm7-plugin", "0.10.2"), ("jax-rocm7-pjrt", "0.10.2")), "wavesmith run"),
    ("cupy", (("cupy-rocm-7-0", "14.2.0"),), "wavesmith.use"),
    ("flydsl", (("flydsl", "0.4.2"),), "wavesmith.use"),
    ("tinygrad", (("tinygrad", "0.14.0"),), "wavesmith.use"),
)


def clients() -> list[Client]:
    """The programs from PyPI that are tested, with what of them is installed; `python -m wavesmith` prints them."""
    from importlib.metadata import PackageNotFoundError, version

    def installed(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    return [
        Client(name, packages, start, tuple(installed(package) for package, _ in packages))
        for name, packages, start in _KNOWN
    ]


def require(name: str) -> Client:
    """The client of that name.

    Raises:
        ClientError: it is unknown, a package of it is missing, or one is too old; the text says what to install.
    """
    for client in clients():
        if client.name == name:
            if client.problem:
                raise ClientError(client.problem)
            return client
    raise ClientError(f"no client '{name}'; known are {', '.join(known for known, _, _ in _KNOWN)}")


def _numbers(version: str) -> tuple[int, ...]:
    """What is compared: (2, 13, 0) of "2.13.0+cpu"."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])
