"""A module a suite: its reference models (``SOLVERS``), and its declarations to the probes (``PARTS``, by config)."""
