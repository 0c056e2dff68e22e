"""Scores models' replies into one file of numbers, and makes of it the papers' tables, their figures and a page."""
