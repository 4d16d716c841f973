"""AMD GPUs that are not there: run, check and launch kernels with no GPU and no ROCm.

Importing this package loads nothing; `wavesmith.use` and the launching functions load the HIP runtime.
"""

from __future__ import annotations

from wavesmith._errors import Error, InstallationError, UseError
from wavesmith._use import use, used

__version__ = "0.1.0"

__all__ = ["Error", "InstallationError", "UseError", "__version__", "use", "used"]
