"""A folder with a Debian of its own: AMD's libraries and their tests are packages of its newest suites.

They need a newer C library than most machines have, and nothing of them shall be installed in the machine itself.
Needs root, and mmdebstrap to make the folder. Everything else runs in there by chroot.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

# The project is seen under its own path, read-only; what a program writes is gone with its namespace, but for /out.
#
# No mount may reach the machine's own namespace, so those that are there are made private first. Where this process
# runs in a chroot, its root is a plain folder, which has no propagation of its own: then the Debian is mounted below
# /proc.
_ENTER = """
set -e
root=$1 project=$2 work=$3 instead=$4 file=$5; shift 5
if ! mount --make-rprivate / 2>/dev/null; then
  mount --make-rprivate /proc
  mount --bind "$root" /proc/fs; mount --make-private /proc/fs
  root=/proc/fs
fi
within() { mount "$1" "$2" "$root$3"; mount --make-rprivate "$root$3"; }
mkdir -p "$root$project" "$root/out"
mount -t proc proc "$root/proc"; within --rbind /dev /dev; within --rbind /sys /sys
within --bind "$project" "$project"; mount -o remount,ro,bind "$root$project"
within --bind "$work" /out
[ -z "$file" ] || within --bind "$work/$file" "$instead"
exec chroot "$root" /usr/bin/env -i -C /out HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


class ImpossibleError(Exception):
    """This machine can't have such a folder; the message says what is missing."""


def host_mirror() -> str:
    """Where this machine takes its own Debian packages from."""
    for file in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]:
        for word in file.read_text(errors="replace").split() if file.is_file() else []:
            if word.startswith(("http://", "https://")) and word.rstrip("/").endswith("/debian"):
                return word
    raise ImpossibleError("no mirror of Debian in the sources of this machine's apt")


class DebianRoot:
    def __init__(self, path: Path, project: Path, work: Path) -> None:
        """path: the folder; project: seen in it under its own path; work: seen in it as /out."""
        self.path, self.project, self.work = path, project, work

    def made(self) -> bool:
        return (self.path / "etc/debian_version").exists()

    def make(self) -> None:
        """Makes the folder, a minimal Debian unstable that also knows experimental, unless it is there."""
        if os.geteuid() != 0:
            raise ImpossibleError("AMD's libraries are run in a Debian of their own (chroot), which needs root")
        self.work.mkdir(parents=True, exist_ok=True)
        if self.made():
            return
        if not shutil.which("mmdebstrap"):
            raise ImpossibleError("no mmdebstrap to make a Debian for AMD's libraries with: apt-get install mmdebstrap")
        mirror = host_mirror()
        # A machine behind a proxy has its settings in these.
        settings = [
            file
            for file in sorted(Path("/etc/apt/apt.conf.d").glob("*"))
            if "Acquire" in file.read_text(errors="replace")
        ]
        being_made = self.path.with_name(self.path.name + ".making")
        shutil.rmtree(being_made, ignore_errors=True)
        being_made.parent.mkdir(parents=True, exist_ok=True)
        command = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates"]
        command += [f"--aptopt={file}" for file in settings]
        if subprocess.run([*command, "sid", being_made, mirror]).returncode:
            raise ImpossibleError(f"mmdebstrap could not make a Debian unstable from {mirror}")
        for file in settings:
            shutil.copy(file, being_made / "etc/apt/apt.conf.d")
        (being_made / "etc/apt/sources.list.d/experimental.list").write_text(f"deb {mirror} experimental main\n")
        being_made.rename(self.path)
        self.run(["apt-get", "-qq", "update"])

    def command(self, program: list[str], instead: Path | None = None, file: str = "") -> list[str]:
        """What runs a program in the folder, with an environment of its own.

        instead: a file in the folder in whose place the program shall see this file of /out.
        """
        enter = ["unshare", "--mount", "--propagation", "unchanged", "bash", "-c", _ENTER, "debian_root"]
        place = f"/{instead.relative_to(self.path)}" if instead else ""
        return [*enter, str(self.path), str(self.project), str(self.work), place, file, *program]

    def run(self, program: list[str]) -> subprocess.CompletedProcess[str]:
        for file in ("/etc/resolv.conf", "/etc/hosts"):
            if Path(file).exists():
                shutil.copy(file, self.path / "etc")
        return subprocess.run(self.command(program), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def versions(self, packages: list[str]) -> dict[str, str]:
        """The versions of those of these packages that are installed."""
        show = ["dpkg-query", f"--admindir={self.path}/var/lib/dpkg", "--show"]
        text = subprocess.run(
            [*show, "--showformat=${Package} ${Version} ${db:Status-Status}\n", *packages],
            capture_output=True,
            text=True,
        ).stdout
        rows = (line.split() for line in text.splitlines())
        return {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == "installed"}

    def install(self, packages: list[str]) -> str:
        """Installs what is not installed, experimental first; returns apt's own words if that failed."""
        if len(self.versions(packages)) == len(set(packages)):
            return ""
        install = [
            "apt-get",
            "-y",
            "-qq",
            "-o",
            "Dpkg::Use-Pty=0",
            "-t",
            "experimental",
            "install",
            "--no-install-recommends",
        ]
        result = self.run([*install, *packages])
        if result.returncode:
            self.run(["apt-get", "-qq", "update"])
            result = self.run([*install, *packages])
        self.run(["apt-get", "clean"])
        return result.stdout.strip()[-500:] if result.returncode else ""
