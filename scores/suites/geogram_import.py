"""The tables and figures of imported problems: those of GeoGramBench."""

from planimeter.scores.suites.geogram import evidence as evidence
from planimeter.scores.suites.geogram import figures as figures
from planimeter.scores.suites.geogram import tables as tables
