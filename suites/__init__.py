"""The suites: a folder for each, with its recipes, rows, pipeline, checks, probes and scores, and what they share."""
