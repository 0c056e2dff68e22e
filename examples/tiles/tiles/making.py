"""The recipes, their cells, and an attempt at an item of either kind."""

from typing import ClassVar, Literal, NamedTuple

from planimeter.filters.near import Boards
from planimeter.filters.verdict import Verdict
from planimeter.flows.shards import Shard
from planimeter.generators.quotas import scaled
from planimeter.generators.seeding import rng_of
from planimeter.rendering.png import encode
from planimeter.suites.base import Course, Positive, Recipe, Table
from planimeter.suites.pipeline import Found, Maker, Pipeline, by_likeness
from tiles.board import SIDE, TILE, areas, mirrored, render, scattered, symmetry
from tiles.certifier import certify
from tiles.near import LIMIT
from tiles.rows import tile_row
from tiles.words import PROMPTS, SYMMETRIES

#: Sizes of the boards, and numbers of areas, of each training level.
LEVELS = (((6,), (2, 3, 4)), ((7, 8), (3, 5, 7)), ((9, 10), (6, 8, 10)))


class Boxes(Table):
    """Boards of each of ``sizes``, ``rows_each`` with each of the ``answers``."""

    rows_each: Positive
    sizes: tuple[Literal[6, 7, 8, 9, 10], ...]
    answers: tuple[str, ...]


class Levels(Course):
    TOP_LEVEL = len(LEVELS)


class SuiteRecipe(Recipe):
    QUOTAS: ClassVar = frozenset({"rows_each"})

    areas: Boxes | None = None
    mirror: Boxes | None = None
    train: Levels | None = None


class Cell(NamedTuple):
    size: int
    answer: str


class Lesson(NamedTuple):
    size: int
    answer: str
    kind: str
    level: int


class TilesMaker(Maker[SuiteRecipe]):
    budget = 1000
    cells: ClassVar = {"areas": Cell, "mirror": Cell, "train": Lesson}

    def attempt(self, index, seed):
        """Draw a board; its answer has to be the one of the cell."""
        config, cell, rng = self.shard.config, self.cell, rng_of(seed)
        kind = getattr(cell, "kind", config)
        with self.account.watch.stage("generate"):
            board = scattered(cell.size, rng) if kind == "areas" else mirrored(cell.size, cell.answer, rng)
            answer = str(areas(board)) if kind == "areas" else symmetry(board)
        wanted = Verdict.of("answer", answer == cell.answer, float(answer == cell.answer), 1.0, "another answer")
        if not self.account.judge(wanted, b"", kind):
            return None
        with self.account.watch.stage("render"):
            png = encode(render(board, rng.integers(4, SIDE - TILE * cell.size - 4, 2)))
        reading = self.certified(certify, png, PROMPTS[kind], answer, kind)
        if reading is None:
            return None
        row = tile_row(config, kind, board, answer, png, seed, reading)
        row |= {"level": cell.level} if config == "train" else {}
        return Found(rows={config: [row]}, signature=Boards.pack(board))


class _Build(Pipeline[SuiteRecipe]):
    maker = TilesMaker
    levels: ClassVar = {"train": len(LEVELS)}
    exclude_test_items = True  # no training board is like a test board
    row_bytes = 3_000

    def cells(self, recipe):
        for kind in PROMPTS:
            if table := getattr(recipe, kind):
                count = scaled(table.rows_each, recipe.scale)
                for cell in (Cell(size, answer) for size in table.sizes for answer in table.answers):
                    yield Shard(suite="tiles", config=kind, cell=tuple(cell), first=0, count=count), 20
        if recipe.train:
            for shard in self.course(recipe, "train", recipe.train.rows, recipe.train.level_shares):
                yield shard, 20

    def level_cells(self, recipe, config, level):
        sizes, numbers = LEVELS[level - 1]
        lessons = [("areas", str(number)) for number in numbers] + [("mirror", answer) for answer in SYMMETRIES]
        for kind, answer in lessons:
            for size in sizes:
                cell = tuple(Lesson(size, answer, kind, level))
                yield Shard(suite="tiles", config=config, cell=cell, first=0, count=0, split="train"), 1.0

    def distinct(self, recipe):
        """Judge boards of one config and size: alike ones are dropped and made again."""
        return by_likeness(Boards(LIMIT), lambda shard: (shard.config, shard.cell[0]))


BUILD = _Build()
