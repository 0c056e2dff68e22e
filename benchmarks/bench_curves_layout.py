"""Which trees each style can lay out at the recipe's own lengths: laid out, refused, failed and why, ms per picture.

Run: ``python -m benchmarks.bench_curves_layout [trees per size] [styles ...]``. Trees are uniform over all rooted trees
of that many curves; besides, a path, a star and a caterpillar. Everything is as in recipes/curves.toml: lengths, limits
and attempts. A tree is *refused* if the recipe cannot ask for it (the reason and the limit are printed), and *failed*
if the layout, a filter or the certifier rejected every attempt; the reason is the most frequent one. ms: CPU time of
this process for one certified picture, failures included, compilation not.
"""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from planimeter.evals.curves.prompt import answer
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import judge
from planimeter.generators.curves import trees
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.generators.curves.trees import Parents
from planimeter.generators.seeding import item_seed
from planimeter.recipes.curves import Category, SuiteRecipe
from planimeter.recipes.loading import load
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode

SIZES = (10, 20, 50, 100)


@dataclass
class Outcome:
    """What became of the trees of one kind in one style; ``first`` counts those that the first attempt laid out."""

    laid_out: int = 0
    first: int = 0
    seconds: float = 0.0
    failed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def kinds(count: int) -> dict[str, list[Parents]]:
    """Return the trees to lay out by the name of their kind."""
    extreme = {"path 15": trees.path(15), "star 50": trees.star(50), "caterpillar 30": trees.caterpillar(30)}
    by_kind = {name: [tree] * max(1, count // 10) for name, tree in extreme.items()}
    for n in SIZES:
        rng = np.random.default_rng((20261120, n))
        by_kind[f"{n} curves"] = [trees.sample_tree(n, rng) for _ in range(count)]
    return by_kind


def attempt(name: str, table: Category, tree: Parents, seed: int) -> list[str]:
    """Return why each attempt was rejected, "" last if one was certified; raises ValueError if refused up front."""
    config = table.config((len(tree), len(tree)), tree)
    limits = table.limits
    reasons: list[str] = []
    for candidate in islice(candidates(STYLES[name], config, seed), table.attempts):
        if isinstance(candidate, LayoutError):
            reasons.append(candidate.reason)
            continue
        rejected = [verdict.reason for verdict in judge(candidate, limits) if not verdict.kept]
        if not rejected:
            reading = read(encode(render(candidate)), candidate.look)
            rejected = [] if reading.answer == answer(candidate.parents) else [reading.reason or "reads another answer"]
        reasons.append(rejected[0] if rejected else "")
        if not rejected:
            break
    return reasons


def measure(name: str, table: Category, kind: str, wanted: Sequence[Parents]) -> Outcome:
    """Lay out every tree of ``wanted`` once."""
    outcome = Outcome()
    for index, tree in enumerate(wanted):
        begun = time.process_time()
        try:
            reasons = attempt(name, table, tree, item_seed(4, ("layout", name, kind, index)))
        except ValueError as refusal:
            outcome.refused[str(refusal)] += 1
            continue
        outcome.seconds += time.process_time() - begun
        if reasons[-1]:
            outcome.failed[Counter(reasons).most_common(1)[0][0]] += 1
        else:
            outcome.laid_out += 1
            outcome.first += len(reasons) == 1
    return outcome


def main(count: int, names: Sequence[str]) -> None:
    """Print one line for each style and kind of tree, then why trees were refused."""
    recipe = load("curves")
    if not isinstance(recipe, SuiteRecipe):
        raise TypeError("recipes/curves.toml is not of the suite curves")
    refusals: dict[str, str] = {}
    print(f"{'style':<14}{'trees':<16}{'laid out':>10}{'at once':>9}{'refused':>9}{'failed':>8}{'ms':>8}   reasons")
    for name, table in recipe.categories().items():
        if names and name not in names:
            continue
        measure(name, table, "warm-up", [trees.path(3), trees.star(4)])
        for kind, wanted in kinds(count).items():
            outcome = measure(name, table, kind, wanted)
            tried = len(wanted) - outcome.refused.total()
            ms = f"{1000 * outcome.seconds / tried:.0f}" if tried else "-"
            print(
                f"{name:<14}{kind:<16}{outcome.laid_out:>6}/{len(wanted):<3}{outcome.first:>9}"
                f"{outcome.refused.total():>9}{outcome.failed.total():>8}{ms:>8}   {dict(outcome.failed) or ''}",
                flush=True,
            )
            for message in outcome.refused:
                refusals.setdefault(f"{name}, {kind}", message)
    for where, message in refusals.items():
        print(f"refused: {where}: {message}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:])
