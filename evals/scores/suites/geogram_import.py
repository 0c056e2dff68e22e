"""The tables and figures of imported problems: those of GeoGramBench."""

from planimeter.evals.scores.suites.geogram import figures as figures
from planimeter.evals.scores.suites.geogram import tables as tables
