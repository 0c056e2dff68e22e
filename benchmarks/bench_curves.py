"""Curves: pictures and least distances against the plain way; which trees each style can lay out, and at what cost.

    python -m benchmarks.bench_curves [trees per kind] [styles ...]

Trees are uniform over all rooted trees of that many curves; besides, a path, a star, a caterpillar, and what the style
draws by itself. Everything is as in suites/curves/curves.toml: lengths, limits and attempts. A tree is *refused* if the
recipe cannot ask for it (the reason with its limit is printed), and *failed* if the layout, a filter or the certifier
rejected every attempt; the reason is the most frequent one. CPU ms are for one tree, failures included, by stage.
"""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Annotated, NamedTuple

import numpy as np
import shapely
import typer
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.measured import Measured, milliseconds, spent
from planimeter.evals.curves.prompt import answer
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import judge, least_distance, rings_of
from planimeter.generators.curves import trees
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.generators.curves.trees import Parents
from planimeter.generators.seeding import item_seed
from planimeter.items import CurvesItem
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode
from planimeter.suites.curves.recipe import Category
from planimeter.suites.loading import load

SIZES, STAGES = (10, 20, 50, 100), ("draw", "judge", "render", "encode", "certify")


class Outcome(NamedTuple):
    """What became of the trees of one kind in one style: CPU seconds by stage, how many ``attempts`` those took that
    were laid out, and why others failed or were refused.
    """

    seconds: Counter[str]
    attempts: Counter[int]
    failed: Counter[str]
    refused: Counter[str]


def kinds(count: int) -> dict[str, Sequence[Parents | None]]:
    """Return the trees to lay out by the name of their kind; None is the style's own."""
    extreme = {"path 15": trees.path(15), "star 50": trees.star(50), "caterpillar 30": trees.caterpillar(30)}
    by_kind: dict[str, Sequence[Parents | None]] = {"its own": [None] * count}
    by_kind |= {name: [tree] * max(1, count // 10) for name, tree in extreme.items()}
    for n in SIZES:
        rng = np.random.default_rng((20261120, n))
        by_kind[f"{n} curves"] = [trees.sample_tree(n, rng) for _ in range(count)]
    return by_kind


def attempt(name: str, table: Category, tree: Parents | None, seed: int, seconds: Counter[str]) -> list[str]:
    """Return why each attempt was rejected, "" last if one was certified; raises ValueError if refused up front."""
    config = table.config((len(tree), len(tree)), tree) if tree else STYLES[name].defaults
    drawn = islice(candidates(STYLES[name], config, seed), table.attempts)
    reasons: list[str] = []
    while not reasons or reasons[-1]:
        with spent(seconds, "draw"):
            candidate = next(drawn, None)
        if candidate is None:
            break
        if isinstance(candidate, LayoutError):
            reasons.append(candidate.reason)
            continue
        with spent(seconds, "judge"):
            rejected = [verdict.reason for verdict in judge(candidate, table.limits) if not verdict.kept]
        if not rejected:
            with spent(seconds, "render"):
                shown = render(candidate)
            with spent(seconds, "encode"):
                png = encode(shown)
            with spent(seconds, "certify"):
                reading = read(png, candidate.look)
            rejected = [] if reading.answer == answer(candidate.parents) else [reading.reason or "reads another answer"]
        reasons.append(rejected[0] if rejected else "")
    return reasons


def measure(name: str, table: Category, kind: str, wanted: Sequence[Parents | None]) -> Outcome:
    """Lay out every tree of ``wanted`` once."""
    outcome = Outcome(*(Counter() for _ in Outcome._fields))
    for index, tree in enumerate(wanted):
        try:
            reasons = attempt(name, table, tree, item_seed(4, ("layout", name, kind, index)), outcome.seconds)
        except ValueError as refusal:
            outcome.refused[str(refusal)] += 1
            continue
        if reasons[-1]:
            outcome.failed[Counter(reasons).most_common(1)[0][0]] += 1
        else:
            outcome.attempts[len(reasons)] += 1
    return outcome


def drawing(name: str) -> CurvesItem:
    """Return the first drawing that a style lays out by itself."""
    drawn = candidates(STYLES[name], STYLES[name].defaults, item_seed(1, ("bench", name)))
    return next(one for one in drawn if not isinstance(one, LayoutError))


def picture(item: CurvesItem) -> bytes:
    return encode(render(item))


def distance(item: CurvesItem) -> float:
    return least_distance(item.curves, item.gap_px, item.arcs)


def plain_picture(item: CurvesItem) -> bytes:
    side = item.canvas_px
    figure, target = Figure(figsize=(side / 72, side / 72), dpi=72), io.BytesIO()
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, side), ylim=(side, 0))
    for curve in item.curves:
        axes.plot(*np.vstack([curve, curve[:1]]).T, "k", linewidth=item.stroke_px)
    figure.savefig(target, format="png", dpi=72)
    return target.getvalue()


def plain_distance(item: CurvesItem) -> float:
    """Return how near two curves come; how near a curve comes to itself, shapely does not say."""
    rings = rings_of(item.curves)
    one, other = np.array([*combinations(range(len(rings)), 2)]).reshape(-1, 2).T
    return float(shapely.distance(rings[one], rings[other]).min(initial=item.gap_px))


def rows(quick: bool = False) -> Iterator[Measured]:
    items, n = [drawing(name) for name in sorted(STYLES)[: 1 if quick else None]], 0 if quick else 1
    for what, ours, plain, how in (
        (
            "a picture of curves",
            lambda item: encode(render(item)),
            plain_picture,
            "matplotlib, a line a curve, savefig",
        ),
        (
            "the least distance of strokes",
            lambda item: least_distance(item.curves, item.gap_px, item.arcs),
            plain_distance,
            "shapely, each two curves, none with itself",
        ),
    ):
        ms = (milliseconds(lambda do: [*map(do, items)], do, repeats=n, pieces=len(items)) for do in (ours, plain))
        yield Measured(what, *ms, how)


def main(
    count: Annotated[int, typer.Argument()] = 20, names: Annotated[list[str] | None, typer.Argument()] = None
) -> None:
    """Print one line for each style and kind of tree."""
    columns = ("laid out", "at once", "refused", "failed", *(f"{stage} ms" for stage in STAGES))
    print(f"{'style':<14}{'trees':<16}" + "".join(f"{column:>11}" for column in columns))
    for name, table in load("curves").categories().items():
        if names and name not in names:
            continue
        measure(name, table, "warm-up", [trees.path(3), trees.star(4)])
        for kind, wanted in kinds(count).items():
            outcome = measure(name, table, kind, wanted)
            tried = len(wanted) - outcome.refused.total()
            numbers = f"{outcome.attempts.total()}/{len(wanted)}", outcome.attempts[1], outcome.refused.total()
            ms = (f"{1000 * outcome.seconds[stage] / tried:.1f}" if tried else "-" for stage in STAGES)
            line = "".join(f"{cell:>11}" for cell in (*numbers, outcome.failed.total(), *ms))
            print(f"{name:<14}{kind:<16}{line}   {dict(outcome.failed + outcome.refused) or ''}", flush=True)


if __name__ == "__main__":
    typer.run(main)
