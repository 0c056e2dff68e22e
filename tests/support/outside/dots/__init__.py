"""A suite in a distribution of its own: how many dots are there?"""

from planimeter.items.suites import Suite

SUITE = Suite(
    name="dots",
    grader="dots.grader",
    recipe="dots.making:DotsRecipe",
    datasets="dots.recipes",
    build="dots.making:BUILD",
    export="dots.rows",
    certify="dots.certifier:certify",
    recognised_by={"count": frozenset({"dots"})},
    ladders={"dots": ("dots", "train")},
)
