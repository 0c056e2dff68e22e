"""Self-contained pages of scores: on one dataset, with a gallery of replies, and over several datasets."""

from planimeter.scores.page.leaderboard import render_leaderboard as render_leaderboard
from planimeter.scores.page.report import render as render
