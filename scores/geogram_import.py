"""The tables and figures of imported problems: those of GeoGramBench."""

from planimeter.scores.geogram import figures as figures
from planimeter.scores.geogram import tables as tables
