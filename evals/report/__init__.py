"""The self-contained page of scores on one dataset, with a gallery of replies."""

from planimeter.evals.report.report import render as render
