"""The grader of imported problems: that of GeoGramBench, for the only config ``geogram``."""

from planimeter.evals.geogram.grader import *  # noqa: F403 - all of it

CONFIGS = ("geogram",)
