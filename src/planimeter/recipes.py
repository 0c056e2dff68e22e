"""The names of 1.x for suites written until 2.0: use ``planimeter.suites.base``, ``.editions`` and ``.loading``."""

import sys

from planimeter.suites import base, editions, loading

__all__ = ["base", "editions", "loading"]

# As `os.path` is found, which is no file of a package `os` either.
for module in (base, editions, loading):
    sys.modules[f"{__name__}.{module.__name__.rpartition('.')[2]}"] = module
