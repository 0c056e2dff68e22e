"""The recipe, its cells, and an attempt at an item."""

from itertools import product
from typing import ClassVar, Literal

from planimeter.filters.verdict import Verdict
from planimeter.flows.shards import Shard
from planimeter.generators.seeding import rng_of, with_variant
from planimeter.rendering.png import encode
from planimeter.suites.base import Positive, Recipe, Table
from planimeter.suites.pipeline import Found, Maker, Pipeline
from ropes.certifier import certify
from ropes.drawing import COLOURS, render
from ropes.rows import tangle_row
from ropes.tangle import draw
from ropes.words import PROMPT, ranked


class Tangles(Table):
    """Tangles, each drawn in colours and in one colour: ``rows_each`` of each cell."""

    rows_each: Positive
    ropes: tuple[Literal[2, 3, 4, 5, 6], ...]


class SuiteRecipe(Recipe):
    QUOTAS: ClassVar = frozenset({"rows_each"})

    coloured: Tangles


class RopesMaker(Maker[SuiteRecipe]):
    budget = 60

    def attempt(self, index, seed):
        ropes, folds, low, high, *level = self.shard.cell
        rng = rng_of(seed)
        with self.account.watch.stage("generate"):
            tangle = draw(ropes, int(rng.integers(low, high + 1)), folds, rng)
        fits = Verdict.of("room", tangle is not None, float(tangle is not None), 1.0, "crossings do not fit")
        if not self.account.judge(fits, b"", f"{ropes} ropes"):
            return None
        colours, single = rng.permutation(len(COLOURS))[:ropes], [rng.integers(len(COLOURS))] * ropes
        if level:
            colours = colours if rng.random() < 0.5 else single
            rows = {"train": self._row("train", tangle, colours, seed, level=level[0])}
        else:
            rows = {"coloured": self._row("coloured", tangle, colours, seed)}
            twin = {"coloured_id": rows["coloured"] and rows["coloured"]["id"]}
            rows["one_colour"] = self._row("one_colour", tangle, single, with_variant(seed, 1), **twin)
        found = Found(rows={name: [row] for name, row in rows.items()}, signature=b"".join(map(bytes, tangle.ropes)))
        return found if all(rows.values()) else None

    def _row(self, config, tangle, colours, seed, **more):
        """Return the row of ``tangle`` drawn in ``colours``, or None if the certifier does not recover its answer."""
        with self.account.watch.stage("render"):
            png = encode(render(tangle, colours))
        answer, stratum = ranked(tangle.ends()), f"{len(tangle.ropes)} ropes"
        reading = self.certified(certify, png, PROMPT, answer, stratum, config=config)
        return reading and tangle_row(config, tangle, self.shard.cell[1], png, seed, reading) | more


#: Of each level: numbers of ropes, folds, and of crossings a rope.
LEVELS = [((2, 3), 0, (1,)), ((3, 4), 0, (1, 2)), ((3, 4), 2, (1, 2)), ((4, 5), 2, (2, 3)), ((5, 6), 2, (2, 3))]


class _Build(Pipeline[SuiteRecipe]):
    maker = RopesMaker
    levels: ClassVar = {"train": len(LEVELS)}
    row_bytes = 30_000

    def cells(self, recipe):
        count = max(1, round(recipe.coloured.rows_each * recipe.scale))
        for ropes, (folds, most) in product(recipe.coloured.ropes, ((0, 1), (0, 2), (2, 1), (2, 2), (2, 3))):
            yield _cell("coloured", ropes, folds, most, count=count), 10

    def level_cells(self, recipe, config, level):
        numbers, folds, crossings = LEVELS[level - 1]
        for ropes, most in product(numbers, crossings):
            yield _cell(config, ropes, folds, most, level, split="train"), 1.0

    def estimate_size(self, recipe, shard):
        return 2 * shard.count, self.row_bytes


def _cell(config, ropes, folds, most, *level, count=0, split="test"):
    """Return the cell of tangles with more than ``most`` - 1 crossings a rope, and ``most`` at most."""
    cell = (ropes, folds, (most - 1) * ropes + 1, most * ropes, *level)
    return Shard(suite="ropes", config=config, cell=cell, first=0, count=count, split=split)


BUILD = _Build()
