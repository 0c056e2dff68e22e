"""Reference models for imported problems: those of GeoGramBench that need no list of the facts in a statement, which a
corpus does not have.
"""

from planimeter.evals.baselines import geogram

SOLVERS = {name: geogram.SOLVERS[name] for name in ("random", "copy")}
