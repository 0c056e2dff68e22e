"""The baselines (reference models) of imported problems: those that do not need ``givens``, which a corpus lacks."""

from planimeter.suites.geogram import probes as geogram
from planimeter.suites.geogram.probes import PARTS as PARTS

SOLVERS = {name: geogram.SOLVERS[name] for name in ("random", "copy")}
