"""The old name of ``planimeter.suites.pipeline``, for suites written for Planimeter 1.x; its import is deprecated."""

import sys
import warnings

from planimeter.suites import pipeline
from planimeter.suites.pipeline import suite_of

__all__ = ["suite_of"]

warnings.warn("use planimeter.suites.pipeline: 2.1 removes planimeter.flows.suites", DeprecationWarning, stacklevel=2)

# So that `import planimeter.flows.suites.pipeline` works too, like `os.path`, which is not a file in a package `os`.
sys.modules[f"{__name__}.pipeline"] = pipeline
