"""What a score on each suite is worth, in the module of its name: its reference models (``SOLVERS``), and what there is
to look at (``PARTS``, a record for each config).
"""
