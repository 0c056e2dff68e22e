"""The grader of imported problems: the grader of GeoGramBench, with ``geogram`` as the only config."""

from planimeter.evals.geogram.grader import *  # noqa: F403 - all of it

CONFIGS = ("geogram",)
