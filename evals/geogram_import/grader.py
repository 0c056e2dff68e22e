"""The grader of imported problems: that of GeoGramBench, for the one config that they have."""

from planimeter.evals.geogram.grader import *  # noqa: F403 - all of it

CONFIGS = ("geogram",)
