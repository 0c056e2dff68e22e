"""Imported problems: the reference models of GeoGramBench that work without a list of the facts in a statement, which a
corpus lacks.
"""

from planimeter.suites.geogram import probes as geogram
from planimeter.suites.geogram.probes import PARTS as PARTS

SOLVERS = {name: geogram.SOLVERS[name] for name in ("random", "copy")}
