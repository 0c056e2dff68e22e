"""Code of each suite in its own folder (recipes, rows, pipeline, checks, probes, scores), and modules that all use."""
