"""The protocol of imported problems: that of GeoGramBench, word for word."""

from planimeter.evals.geogram.protocol import evaluate, parse, prompt, render, score, score_gold

__all__ = ["evaluate", "parse", "prompt", "render", "score", "score_gold"]
