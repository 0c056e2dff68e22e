"""The import path that ``planimeter.suites.base``, ``.editions`` and ``.loading`` had in 1.x, for old suites."""

import sys
import warnings

from planimeter.suites import base, editions, loading

__all__ = ["base", "editions", "loading"]

warnings.warn("use planimeter.suites: 2.1 removes planimeter.recipes", DeprecationWarning, stacklevel=2)

# Like `os.path`, which is not a file of a package `os` either.
for module in (base, editions, loading):
    sys.modules[f"{__name__}.{module.__name__.rpartition('.')[2]}"] = module
