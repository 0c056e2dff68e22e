"""The search for drawings, paths and texts that are alike among many, as a build does it.

So many have to be had faster than they are made: drawings are patched together from nine pieces of easy ones, each
turned and mirrored; paths are generated ones with each point moved at random by some 40 px, and texts those with each
tenth word another one. Drawings are as unlike each other as generated ones: by 0.08 in the middle and 0.2 at most but
for one pair in 100.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from resource import RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from benchmarks.measured import Measured, milliseconds, spent
from planimeter.filters.curves.likeness import alike_pairs
from planimeter.filters.geogram.duplicates import Runs, Texts, near_duplicates, runs
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.generators.curves.signatures import SIDE, pack, signature, unpacked, views_of
from planimeter.streams import stream

#: Generated items that others are made from, pieces of a drawing to a side, what moves points, px, and the share of
#: words that are others; drawings so similar are alike.
_MADE, _PIECES, _MOVED, _OTHER, _LIKE = 300, 3, 40.0, 0.1, 0.6


def drawings(number: int) -> Iterator[bytes]:
    """Yield packed drawings."""
    rng, made = np.random.default_rng(0), map(stream("curves", level=1, seed=0).item, range(_MADE))
    curves = [[np.array(curve) for curve in item.row["curves"]] for item in made if item]
    views = np.stack([views_of(unpacked(pack(signature(one)))[0]) for one in curves]).reshape(-1, SIDE, SIDE)
    # Pieces pass into each other over a third of their side.
    away = np.abs((np.arange(SIDE) + 0.5) / SIDE * _PIECES - np.arange(_PIECES)[:, None] - 0.5)
    window = np.clip(2 - 3 * away, 0, 1)
    windows = np.einsum("iy,jx->ijyx", window, window).reshape(-1, SIDE, SIDE).astype(np.float32)
    for _ in range(number):
        grid = (windows * views[rng.integers(len(views), size=len(windows))]).sum(axis=0)
        grid -= grid.mean()
        yield pack((grid / np.sqrt((grid * grid).sum())).reshape(1, -1))


def paths(number: int) -> Iterator[list[tuple[float, float]]]:
    """Yield the points of paths, px."""
    rng, made = np.random.default_rng(0), map(stream("traversal", level=1, seed=0).item, range(_MADE))
    held = [np.array(item.row["points"]) for item in made if item]
    for _ in range(number):
        path = held[rng.integers(len(held))]
        yield [(x, y) for x, y in (path + rng.normal(0, _MOVED, path.shape)).tolist()]


def texts(number: int) -> Iterator[tuple[str, str]]:
    """Yield problems, each with its program."""
    rng, made = np.random.default_rng(0), map(stream("geogram", level=1, seed=0).item, range(_MADE))
    held = [(item.row["problem"], item.row["code"]) for item in made if item]

    def changed(text: str) -> str:
        words = text.split(" ")
        others = rng.integers(3000, size=len(words))
        return " ".join(
            f"w{other}" if is_other else word
            for word, other, is_other in zip(words, others, rng.random(len(words)) < _OTHER, strict=True)
        )

    for _ in range(number):
        problem, code = held[rng.integers(len(held))]
        yield changed(problem), changed(code)


def alike_texts(made: Iterable[tuple[str, str]]) -> int:
    return sum(not verdict.kept for verdict in near_duplicates(made, Texts(0.5), Texts(0.5)))


def alike_paths(made: Iterable[list[tuple[float, float]]]) -> int:
    judge = DistinctPaths(24.0, 672 * 0.88)
    return sum(not judge.judge("all", path).kept for path in made)


def alike_drawings(made: list[bytes]) -> int:
    return len(alike_pairs(made, [_LIKE] * len(made)))


def plain_drawings(made: list[bytes]) -> int:
    """Multiply all views of all drawings; return how many are like an earlier one."""
    grids = np.stack([grid / norm for grid, norm in map(unpacked, made)])
    return sum(
        bool(len(grids[:number]) and (views_of(grid) @ grids[:number].T).max() >= _LIKE)
        for number, grid in enumerate(grids)
    )


def plain_texts(made: list[tuple[str, str]]) -> float:
    """Return the largest similarity of two statements or programs, by a product whose memory grows with the square."""
    return max(_greatest([runs(text) for text in each]) for each in zip(*made, strict=True))


def _greatest(texts: list[Runs]) -> float:
    most = 0.0
    for cut in range(len(texts[0])):
        numbers: dict[int, int] = {}
        held = [[numbers.setdefault(run, len(numbers)) for run in text[cut]] for text in texts]
        sizes = np.array([len(one) for one in held])
        entries = np.ones(sizes.sum(), np.int32), np.concatenate(held), np.concatenate([[0], sizes.cumsum()])
        matrix = csr_array(entries, shape=(len(texts), len(numbers)))
        common = (matrix @ matrix.T).tocoo()
        shares = common.data / (sizes[common.row] + sizes[common.col] - common.data)
        most = max(most, shares[common.row < common.col].max(initial=0.0))
    return most


#: What is searched: how so many are made, and how many of them are alike.
SEARCHES: dict[str, tuple[Callable[[int], Iterable[Any]], Callable[[Any], int]]] = {
    "drawings": (drawings, alike_drawings),
    "paths": (paths, alike_paths),
    "texts": (texts, alike_texts),
}


class Searched(NamedTuple):
    """CPU seconds of a search, how many were alike, and the peak of the process until then in MiB."""

    seconds: float
    alike: int
    peak: int


def search(kind: str, sizes: Sequence[int]) -> Iterator[Searched]:
    """Make so many drawings, paths or texts, each number by itself, and search them for those that are alike."""
    make, alike_of = SEARCHES[kind]
    for size in sizes:
        made, seconds = [*make(size)], Counter[str]()
        with spent(seconds):
            alike = alike_of(made)
        yield Searched(seconds[""], alike, getrusage(RUSAGE_SELF).ru_maxrss // 1024)


def rows(quick: bool = False) -> Iterator[Measured]:
    for kind, plain, how in (
        ("drawings", plain_drawings, "products of all eight views"),
        ("texts", plain_texts, "a sparse product of all pairs"),
    ):
        make, ours = SEARCHES[kind]
        made = [*make(100 if quick else 400)]
        ms = (milliseconds(do, made, repeats=0, pieces=len(made)) for do in (ours, plain))
        yield Measured(f"near-duplicates among {len(made):,} {kind}, each", *ms, how)
