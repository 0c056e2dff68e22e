"""The stages of one drawing, shared by the suites of nested and of crossing curves.

All candidates of an index come from one random stream; the first that every check keeps is the item, and its seed is
that of the index.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from planimeter.export.rows import Row
from planimeter.filters.curves.likeness import NearDuplicates
from planimeter.filters.verdict import Distinct, Verdict, agrees
from planimeter.flows.shards import Shard
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.plan import category_cells
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.seeding import item_seed
from planimeter.items import CurvesItem, Reading
from planimeter.items.planar_map import PlanarMapItem
from planimeter.rendering.png import IndexedImage, encode
from planimeter.suites.base import Recipe
from planimeter.suites.drawing.recipe import BySize
from planimeter.suites.drawing.signature import likeness
from planimeter.suites.editions import Judge
from planimeter.suites.pipeline import Asked, DistinctJudge, Found, Maker, Pipeline

Drawn = TypeVar("Drawn", CurvesItem, PlanarMapItem)


def sizes_of(shard: Shard) -> tuple[int, int]:
    """Return the least and the greatest number of curves in the cell of ``shard``."""
    _, _, low, high = cast("tuple[str, str, int, int]", shard.cell)
    return low, high


def look(item: CurvesItem | PlanarMapItem) -> bytes:
    """Return the signature by which drawings are compared: the curves on a small grid, packed."""
    return pack(signature(item.curves))


@dataclass(frozen=True, kw_only=True)
class Stages(Generic[Drawn]):
    """The stages of each candidate of a shard.

    ``candidates``: yield candidates for a seed; ``rules``: judge one; ``picture``: draw it; ``read``: recover the
    answer from the PNG; ``row``: make its row; ``signature``: return the bytes by which items are compared.
    """

    candidates: Callable[[int], Iterator[Drawn | LayoutError]]
    rules: Callable[[Drawn], tuple[Verdict, ...]]
    picture: Callable[[Drawn], IndexedImage]
    read: Callable[[bytes, Drawn], Reading]
    row: Callable[[Drawn, bytes, Reading], Row]
    signature: Callable[[Drawn], bytes] = look


class _Maker(Maker[Asked]):
    """A maker whose only attempt at an index searches its whole random stream."""

    budget = 1

    def __init__(self, recipe: Asked, shard: Shard, stages: Callable[[Asked, Shard], Stages[Any]]) -> None:
        super().__init__(recipe, shard)
        self._stages_of = stages

    @cached_property
    def stages(self) -> Stages[Any]:
        """The stages of the shard, made on first use: most makers only look for a seed."""
        return self._stages_of(self.recipe, self.shard)

    def seeds(self, index: int) -> tuple[int]:
        """Return the seed of ``index``, whose stream contains all its candidates."""
        return (item_seed(self.recipe.root, (self.shard.config, *self.shard.cell, index)),)

    def attempts(self, index: int) -> Iterator[Found]:
        """Yield each candidate of the stream of ``index`` that every check keeps."""
        (seed,) = self.seeds(index)
        return self._kept(seed)

    def attempt(self, index: int, seed: int) -> Found | None:  # noqa: ARG002 - the seed says all
        """Return the first candidate of the stream of ``seed`` that every check keeps, if any."""
        return next(self._kept(seed), None)

    def rebuild(self, index: int, seed: int, contamination: Judge | None) -> Found | None:  # noqa: ARG002
        return self.first(index, contamination)

    def _kept(self, seed: int) -> Iterator[Found]:
        stream = self.stages.candidates(seed)
        for _ in range(getattr(self.recipe, self.shard.config).attempts):
            with self.account.watch.stage("generate"):
                candidate = next(stream)
            row = self._row(candidate)
            if row is not None and not isinstance(candidate, LayoutError):
                like = None
                if self.shard.split == "train":
                    with self.account.watch.stage("filter"):
                        like = likeness(self.shard.config, {"curves": candidate.curves})
                yield Found(rows={self.shard.config: [row]}, signature=self.stages.signature(candidate), like=like)

    def _row(self, item: Any) -> Row | None:
        """Return the row of ``item``, or None if a check rejects it."""
        stages, stage = self.stages, self.account.watch.stage
        reason = item.reason if isinstance(item, LayoutError) else ""
        layout = Verdict(check="layout", kept=not reason, measured=float(not reason), limit=1.0, reason=reason)
        if not self._keeps(layout, b""):
            return None
        with stage("filter"):
            verdicts = stages.rules(item)

        def picture() -> bytes:
            return encode(stages.picture(item))

        if not all(self._keeps(verdict, picture) for verdict in verdicts):
            return None
        with stage("render"):
            png = picture()
        with stage("certify"):
            reading = stages.read(png, item)
        row = stages.row(item, png, reading)
        return row if self._keeps(agrees(reading, row["answer"]), png) else None

    def _keeps(self, verdict: Verdict, picture: bytes | Callable[[], bytes]) -> bool:
        return self.account.judge(verdict, picture, str(self.shard.cell[0]))


class DrawingPipeline(Pipeline[Asked]):
    """A pipeline whose cells are ranges of sizes, or trees, from the tables of a recipe."""

    exclude_test_items = True

    @abstractmethod
    def stages(self, recipe: Asked, shard: Shard) -> Stages[Any]:
        """Return the stages of ``shard``."""

    def maker(self, recipe: Asked, shard: Shard) -> Maker[Asked]:
        """Return the maker of the items of ``shard``."""
        return _Maker(recipe, shard, self.stages)

    def cells(self, recipe: Asked) -> Iterator[tuple[Shard, int]]:
        """Yield the cells of each table: ranges of sizes, or single trees where all trees are drawn equally often."""
        for config, table in _by_size(recipe):
            for cell in category_cells(table.sizes, tuple(table.splits.items()), table.trees_to, recipe.scale):
                key = (cell.label, cell.split, *cell.sizes)
                shard = Shard(suite=recipe.suite, config=config, cell=key, first=0, count=cell.quota, split=cell.split)
                yield shard, table.rows_per_shard

    def distinct(self, recipe: Asked) -> DistinctJudge:
        """Return a judge that compares the drawings of all tables by their similarity, and those of levels by
        equality.

        Drawings are compared after the shards are made, in the order of the plan; further indices replace dropped ones.
        """
        limits = {config: table.similarity for config, table in _by_size(recipe)}
        alike, equal = NearDuplicates(), Distinct()

        def judged(shard: Shard, signatures: Sequence[str]) -> list[Verdict]:
            if shard.config not in limits:
                return [equal.judge(signature) for signature in signatures]
            return alike.judge([bytes.fromhex(signature) for signature in signatures], limits[shard.config])

        return judged


def _by_size(recipe: Recipe) -> Iterator[tuple[str, BySize]]:
    return ((config, table) for config, table in recipe if isinstance(table, BySize))
