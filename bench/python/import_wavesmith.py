"""How long `import wavesmith` takes, in a new process each time."""

import json
import subprocess
import sys

PROGRAM = "import time; start = time.perf_counter(); import wavesmith; print(time.perf_counter() - start)"


def once() -> float:
    """Seconds of one import."""
    return float(subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout)


row = {"name": "import_wavesmith", "value": min(once() for _ in range(10)), "unit": "s", "goal": 0.1}
print(json.dumps(row | {"less_is_better": True, "note": "import wavesmith in a new process, best of 10"}))
