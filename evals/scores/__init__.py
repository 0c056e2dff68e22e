"""Scores models' replies into one file, and makes from it tables as in the papers, their figures and an HTML page."""
