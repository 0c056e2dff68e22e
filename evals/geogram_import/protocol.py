"""The protocol of imported problems: that of GeoGramBench, word for word."""

from planimeter.evals.geogram.protocol import (
    HEADLINE,
    METRICS,
    prompt,
    question,
    read,
    render,
    score,
    strata,
    written,
)

CONFIGS = ("geogram",)

__all__ = [
    "CONFIGS",
    "HEADLINE",
    "METRICS",
    "prompt",
    "question",
    "read",
    "render",
    "score",
    "strata",
    "written",
]
