"""Two kinds of question about boards of black and white tiles, and a training config with both."""

from planimeter.items.suites import Suite

SUITE = Suite.of(
    "tiles",
    recognised_by={
        "areas": frozenset({"board", "areas"}),
        "mirror": frozenset({"board", "symmetry"}),
        "train": frozenset({"board", "kind"}),
    },
    shared=("tiles.words",),
    likeness="tiles.near",
    editions=("tiles",),
    solvers="tiles.baselines",
    ladders={"tiles": ("tiles-train", "train")},
)
