"""The protocol of imported problems: that of GeoGramBench, word for word."""

from planimeter.evals.geogram.protocol import (
    CONFIGS,
    HEADLINE,
    METRICS,
    parse,
    prompt,
    read,
    render,
    score,
    strata,
    written,
)

__all__ = ["CONFIGS", "HEADLINE", "METRICS", "parse", "prompt", "read", "render", "score", "strata", "written"]
