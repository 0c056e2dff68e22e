"""Ropes cross over and under; which end belongs to which start? `Suite.of` finds the parts by their file names."""

from planimeter.items.suites import Suite

SUITE = Suite.of(
    "ropes",
    solvers="ropes.baselines",
    probes="ropes.baselines",
    recognised_by={"one_colour": frozenset({"folds", "coloured_id"}), "coloured": frozenset({"folds"})},
    ladders={"ropes": ("ropes", "train")},
)
