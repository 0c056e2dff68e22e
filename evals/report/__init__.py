"""Self-contained pages of scores: on one dataset, with a gallery of replies, and over several datasets."""

from planimeter.evals.report.report import render as render
from planimeter.evals.report.report import render_leaderboard as render_leaderboard
