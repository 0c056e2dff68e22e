"""Draws dots: the recipe, its cells, and an attempt at an item."""

from typing import Literal

import numpy as np

from dots.certifier import certify
from dots.rows import dots_row
from dots.words import PROMPT
from planimeter.filters.verdict import agrees
from planimeter.flows.shards import Shard
from planimeter.flows.suites.pipeline import Found, Maker, Pipeline
from planimeter.generators.seeding import rng_of
from planimeter.recipes.base import Positive, Recipe, Table
from planimeter.rendering.png import IndexedImage, encode

SIDE = 64
PALETTE = np.array([[255] * 3, [0] * 3], np.uint8)


class Dots(Table):
    rows: Positive
    most: Positive


class DotsRecipe(Recipe):
    suite: Literal["dots"]
    count: Dots

    def tables_of(self, config):
        return ("count",)


class DotsMaker(Maker[DotsRecipe]):
    budget = 20

    def attempt(self, index, seed):
        rng = rng_of(seed)
        number = int(rng.integers(1, self.recipe.count.most + 1))
        pixels = np.zeros((SIDE, SIDE), np.uint8)
        for x, y in rng.integers(2, SIDE - 2, (number, 2)):
            pixels[y - 1 : y + 2, x - 1 : x + 2] = 1
        png = encode(IndexedImage(pixels, PALETTE))
        reading = certify(png, PROMPT)
        if not self.account.judge(agrees(reading, str(number)), png, "all"):
            return None
        row = dots_row(self.shard.config, number, png, seed, reading)
        return Found(rows={self.shard.config: [row]}, signature=pixels.tobytes())


class _Build(Pipeline[DotsRecipe]):
    maker = DotsMaker
    levels = {"train": 1}  # noqa: RUF012 - nobody changes it
    row_bytes = 500

    def cells(self, recipe):
        rows = max(1, round(recipe.count.rows * recipe.scale))
        yield Shard(suite="dots", config="count", cell=("all",), first=0, count=rows), 5

    def level_cells(self, recipe, config, level):
        yield Shard(suite="dots", config=config, cell=("all",), first=0, count=0, split="train"), 1.0


BUILD = _Build()
