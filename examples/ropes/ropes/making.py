"""The recipe, its cells, and an attempt at an item."""

from itertools import product
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from planimeter.filters.verdict import Verdict, agrees
from planimeter.flows.shards import Shard
from planimeter.flows.suites.pipeline import Found, Maker, Pipeline
from planimeter.generators.seeding import rng_of, with_variant
from planimeter.recipes.base import Positive, Recipe, Table
from planimeter.rendering.png import encode
from ropes.certifier import certify
from ropes.drawing import COLOURS, render
from ropes.rows import answer_of, tangle_row
from ropes.tangle import draw
from ropes.words import PROMPT


class Tangles(Table):
    """Tangles, each drawn in colours and in one colour."""

    rows_each: Positive
    """Tangles of each cell: a number of ropes, folds or none, and few or many crossings."""
    ropes: tuple[Annotated[int, Field(ge=2, le=6)], ...]
    """Numbers of ropes."""


class RopesRecipe(Recipe):
    """A recipe with ``suite = "ropes"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset({"rows_each"})

    suite: Literal["ropes"]
    """Names the suite."""
    coloured: Tangles
    """Ropes that each have a colour of their own; the same tangles are the config one_colour."""

    def tables_of(self, config):
        return ("coloured",)


class RopesMaker(Maker[RopesRecipe]):
    budget = 60

    def attempt(self, index, seed):
        ropes, folds, low, high = self.shard.cell[:4]
        rng, watch = rng_of(seed), self.account.watch
        with watch.stage("generate"):
            tangle = draw(ropes, int(rng.integers(low, high + 1)), folds, rng)
        fits = Verdict.of("room", tangle is not None, float(tangle is not None), 1.0, "crossings do not fit")
        if not self.account.judge(fits, b"", f"{ropes} ropes"):
            return None
        apart, single = rng.permutation(len(COLOURS))[:ropes], [int(rng.integers(len(COLOURS)))] * ropes
        if self.shard.config == "train":
            row = self._row("train", tangle, apart if rng.random() < 0.5 else single, seed, level=self.shard.cell[4])
            return row and self._found(tangle, train=row)
        coloured = self._row("coloured", tangle, apart, seed)
        more = {"coloured_id": coloured["id"]} if coloured else {}
        twin = self._row("one_colour", tangle, single, with_variant(seed, 1), **more)
        return coloured and twin and self._found(tangle, coloured=coloured, one_colour=twin)

    def _row(self, config, tangle, colours, seed, **more):
        """Return the row of ``tangle`` drawn in ``colours``, or None if the certifier does not recover its answer."""
        with self.account.watch.stage("render"):
            png = encode(render(tangle, [int(colour) for colour in colours]))
        with self.account.watch.stage("certify"):
            reading = certify(png, PROMPT)
        agreed = agrees(reading, answer_of(tangle))
        kept = self.account.judge(agreed, png, f"{len(tangle.ropes)} ropes", config=config)
        return tangle_row(config, tangle, self.shard.cell[1], png, seed, reading, **more) if kept else None

    def _found(self, tangle, **rows):
        return Found(rows={config: [row] for config, row in rows.items()}, signature=b"".join(map(bytes, tangle.ropes)))


#: Of each level: numbers of ropes, folds, and of crossings a rope.
LEVELS = [((2, 3), 0, (1,)), ((3, 4), 0, (1, 2)), ((3, 4), 2, (1, 2)), ((4, 5), 2, (2, 3)), ((5, 6), 2, (2, 3))]


class _Build(Pipeline[RopesRecipe]):
    maker = RopesMaker
    levels: ClassVar = {"train": len(LEVELS)}
    row_bytes = 30_000

    def cells(self, recipe):
        count = max(1, round(recipe.coloured.rows_each * recipe.scale))
        for ropes in recipe.coloured.ropes:
            for folds, most in ((0, 1), (0, 2), (2, 1), (2, 2), (2, 3)):
                yield _cell("coloured", ropes, folds, most, count=count), 10

    def level_cells(self, recipe, config, level):
        numbers, folds, crossings = LEVELS[level - 1]
        for ropes, most in product(numbers, crossings):
            yield _cell(config, ropes, folds, most, level, split="train"), 1.0

    def room(self, recipe, shard):
        return 2 * shard.count, self.row_bytes


def _cell(config, ropes, folds, most, *level, count=0, split="test"):
    """Return the cell of tangles with more than ``most`` - 1 crossings a rope, and ``most`` at most."""
    cell = (ropes, folds, (most - 1) * ropes + 1, most * ropes, *level)
    return Shard(suite="ropes", config=config, cell=cell, first=0, count=count, split=split)


BUILD = _Build()
