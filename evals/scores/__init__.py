"""Scores models' replies, and makes tables like those of the papers, figures and an HTML page from the scores."""
