"""The names of 1.x for suites written until 2.0: use ``planimeter.suites.pipeline``."""

import sys

from planimeter.suites import pipeline
from planimeter.suites.pipeline import suite_of

__all__ = ["suite_of"]

# Like `os.path`, which is not a file of a package `os` either.
sys.modules[f"{__name__}.pipeline"] = pipeline
