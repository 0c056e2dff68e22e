"""Scores: from models' replies to one file of numbers, and from it to the papers' tables, figures and a page."""
