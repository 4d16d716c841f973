"""The console script: becomes the program `wavesmith` that lies in the package."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from wavesmith import _paths
from wavesmith._errors import InstallationError


def main() -> NoReturn:
    """Replaces this process by the command, with the same arguments."""
    try:
        command = str(_paths.command())
    except InstallationError as error:
        print(f"wavesmith: {error}", file=sys.stderr)
        sys.exit(4)
    os.execv(command, [command, *sys.argv[1:]])
