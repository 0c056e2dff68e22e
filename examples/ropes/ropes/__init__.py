"""A suite of its own distribution: ropes cross over and under; which end belongs to which start?"""

from planimeter.items.suites import Suite

SUITE = Suite(
    name="ropes",
    grader="ropes.grader",
    recipe="ropes.making:RopesRecipe",
    datasets="ropes.recipes",
    build="ropes.making:BUILD",
    export="ropes.rows",
    certify="ropes.certifier:certify",
    solvers="ropes.baselines",
    recognised_by={"one_colour": frozenset({"folds", "coloured_id"}), "coloured": frozenset({"folds"})},
    ladders={"ropes": ("ropes", "train")},
)
