"""Renders scores on one dataset as a self-contained HTML page with a gallery of replies."""

from planimeter.evals.report.report import render as render
