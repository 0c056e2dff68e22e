"""The grader of imported problems: the grader of GeoGramBench, with the single config ``geogram``."""

from planimeter.evals.geogram.grader import *  # noqa: F403 - all of it

CONFIGS = ("geogram",)
