"""The pipeline that nested and crossing curves share: draws, checks, renders and certifies items.

All candidates for one item come from one random stream. The first that passes every check is the item, and the seed of
the stream is its seed.
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
    """Return the least and the greatest number of curves in the drawings of ``shard``."""
    _, _, low, high = cast("tuple[str, str, int, int]", shard.cell)
    return low, high


def look(item: CurvesItem | PlanarMapItem) -> bytes:
    """Return the bytes by which drawings are compared for near-duplicates: the curves, blurred, on a small grid."""
    return pack(signature(item.curves))


@dataclass(frozen=True, kw_only=True)
class Stages(Generic[Drawn]):
    """The functions that turn a seed into rows, for the items of one shard.

    ``candidates``: yields candidates for a seed; ``rules``: judges one; ``picture``: draws it; ``read``: recovers the
    answer from the PNG; ``row``: makes its row; ``signature``: returns the bytes by which near-duplicates are found.
    """

    candidates: Callable[[int], Iterator[Drawn | LayoutError]]
    rules: Callable[[Drawn], tuple[Verdict, ...]]
    picture: Callable[[Drawn], IndexedImage]
    read: Callable[[bytes, Drawn], Reading]
    row: Callable[[Drawn, bytes, Reading], Row]
    signature: Callable[[Drawn], bytes] = look


class _Maker(Maker[Asked]):
    """A maker of items with one random stream for each index; it tries candidates of the stream until one passes."""

    budget = 1

    def __init__(self, recipe: Asked, shard: Shard, stages: Callable[[Asked, Shard], Stages[Any]]) -> None:
        super().__init__(recipe, shard)
        self._stages_of = stages

    @cached_property
    def stages(self) -> Stages[Any]:
        """The functions that make items; computed on first use, because many makers are only needed for their seeds."""
        return self._stages_of(self.recipe, self.shard)

    def seeds(self, index: int) -> tuple[int]:
        """Return the one seed of ``index``; its random stream yields all candidates for the item."""
        return (item_seed(self.recipe.root, (self.shard.config, *self.shard.cell, index)),)

    def attempts(self, index: int) -> Iterator[Found]:
        """Yield, as an item, each candidate for ``index`` that passes every check."""
        (seed,) = self.seeds(index)
        return self._kept(seed)

    def attempt(self, index: int, seed: int) -> Found | None:  # noqa: ARG002 - the seed says all
        """Return the first item that passes every check in the random stream of ``seed``, or None."""
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
        """Return the row of the candidate ``item``; None for a failed layout (``LayoutError``) or a rejection."""
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
    """A pipeline for drawings of curves; a cell (kind with a quota) is a range of numbers of curves, or one tree."""

    exclude_test_items = True

    @abstractmethod
    def stages(self, recipe: Asked, shard: Shard) -> Stages[Any]:
        """Return the functions that make the items of ``shard``."""

    def maker(self, recipe: Asked, shard: Shard) -> Maker[Asked]:
        """Return the maker of the items of ``shard``."""
        return _Maker(recipe, shard, self.stages)

    def cells(self, recipe: Asked) -> Iterator[tuple[Shard, int]]:
        """Yield (cell as one shard, items per final shard) for each cell, a kind of drawings with its own quota.

        A cell is a range of numbers of curves, or a single tree if all trees of its size are drawn equally often.
        """
        for config, table in _by_size(recipe):
            for cell in category_cells(table.sizes, tuple(table.splits.items()), table.trees_to, recipe.scale):
                key = (cell.label, cell.split, *cell.sizes)
                shard = Shard(suite=recipe.suite, config=config, cell=key, first=0, count=cell.quota, split=cell.split)
                yield shard, table.rows_per_shard

    def distinct(self, recipe: Asked) -> DistinctJudge:
        """Return a judge that rejects near-duplicate drawings, or, at training levels, only equal ones.

        Drawings of all configs that limit similarity are compared with each other, after their shards are made, in the
        order of ``plan``. New items replace the rejected ones.
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
