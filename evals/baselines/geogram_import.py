"""Reference models for imported problems: those of GeoGramBench that need no list of the facts in a statement, which a
corpus does not have.
"""

from types import MappingProxyType

from planimeter.evals.baselines import geogram

SOLVERS = MappingProxyType({name: geogram.SOLVERS[name] for name in ("majority", "random", "copy")})
