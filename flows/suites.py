"""The names of 1.x for suites written before 2.0: use ``planimeter.suites.pipeline``."""

import sys
import warnings

from planimeter.suites import pipeline
from planimeter.suites.pipeline import suite_of

__all__ = ["suite_of"]

warnings.warn("use planimeter.suites.pipeline: 2.1 removes planimeter.flows.suites", DeprecationWarning, stacklevel=2)

# Like `os.path`, which is not a file of a package `os` either.
sys.modules[f"{__name__}.pipeline"] = pipeline
