"""Imported problems: the baselines of GeoGramBench that do not need the given facts of a statement, which a corpus
lacks.
"""

from planimeter.suites.geogram import probes as geogram
from planimeter.suites.geogram.probes import PARTS as PARTS

SOLVERS = {name: geogram.SOLVERS[name] for name in ("random", "copy")}
