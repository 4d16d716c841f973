"""How large the wheel is: what pip would install of this build, packed as a wheel packs it."""

import json
import subprocess
import tempfile
import zipfile
from pathlib import Path

import wavesmith

package = Path(wavesmith.__file__).parent
build = package.parent.parent
with tempfile.TemporaryDirectory() as folder:
    staged = Path(folder) / "staged"
    command = ["cmake", "--install", build, "--component", "python", "--prefix", staged, "--strip"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wheel = Path(folder) / "wheel.zip"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(staged.rglob("*")):
            archive.write(path, path.relative_to(staged))
        for path in sorted(package.rglob("*.py*")):
            archive.write(path, path.relative_to(package.parent))
    megabytes = wheel.stat().st_size / 1e6

row = {"name": "wheel_size", "value": megabytes, "unit": "MB", "goal": 80, "less_is_better": True}
print(json.dumps(row | {"note": "what pip installs, packed"}))
