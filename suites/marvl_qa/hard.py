"""The pipeline of the edition ``marvl-qa-hard``: tries to generate a counting question or a pair of plots.

The configs are ``counting_hard`` and ``transformation_hard``. They extend the MaRVL-QA paper with the same methods:
function families, curation, Algorithm 1 and certificates. Every question has one row. The style with contour lines only
is excluded: the lines are too wide for features of 15 px and less.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from planimeter.evals.marvl_qa import prompt as words
from planimeter.export.rows import Row
from planimeter.filters.certify.marvl_qa import motions as certificate
from planimeter.filters.certify.marvl_qa.certificate import FINE_SWEEP, CountingCertifier
from planimeter.filters.marvl_qa.duplicates import signature
from planimeter.filters.marvl_qa.extrema import curate
from planimeter.filters.marvl_qa.limits import CurationLimits
from planimeter.filters.marvl_qa.motions import Judged, MotionLimits, judge
from planimeter.filters.marvl_qa.prominence import peaks
from planimeter.filters.marvl_qa.recount import recount_on_grid
from planimeter.filters.verdict import agrees
from planimeter.generators.marvl_qa import counting as questions
from planimeter.generators.marvl_qa import motion as pairs
from planimeter.generators.marvl_qa import plan
from planimeter.generators.marvl_qa.curriculum import COUNTING_HARD, MOTION_LEVELS, TRANSFORMATION_HARD, MotionLevel
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.fine._family import HALF_WIDTH
from planimeter.generators.marvl_qa.motion import Pair
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.generators.seeding import rng_of
from planimeter.items import STYLES, Feature, PlotStyle, Reading, Surface
from planimeter.items.motions import MOTIONS
from planimeter.rendering.frame import PLOT_SIZE, in_picture
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import compose, render_panel
from planimeter.rendering.png import IndexedImage, encode
from planimeter.suites.account import Account
from planimeter.suites.editions import Likeness
from planimeter.suites.marvl_qa.recipe import (
    CountingHard,
    CountingHardCourse,
    SuiteRecipe,
    TransformationHard,
    TransformationHardCourse,
)
from planimeter.suites.marvl_qa.rows import counting_row, level_column, motion_row
from planimeter.suites.pipeline import Found

Cell = tuple[str | int, ...]

TITLES = ("Plot A", "Plot B")
#: The styles with colours, and those of heatmaps alone.
COLOURED = tuple(style for style in STYLES if style.plot_type != "contour")
HEATMAPS = tuple(style for style in STYLES if style.plot_type == "heatmap")
#: Bytes of a row, as measured.
ROW_BYTES = {"counting_hard": 60_000, "transformation_hard": 330_000}


def counting(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> Found | None:
    """Return the question of ``counting_hard`` for ``seed``, or None if a check rejects it.

    ``cell``: family, feature, least and greatest count, and the training level, if any; ``account`` counts the checks.
    """
    name, feature, low, high, *level = cast("tuple[str, Feature, int, int, *tuple[int, ...]]", cell)
    task = cast("CountingHard | CountingHardCourse", recipe.counting_hard)
    rng, stage = rng_of(seed), account.watch.stage
    with stage("generate"):
        zoom = COUNTING_HARD[level[0] - 1].zoom if level else 1.0
        family, surface = propose(name, feature, (low, high), zoom, rng)
        style = COLOURED[int(rng.integers(len(COLOURED)))]
        heights = sample(family, surface.parameters, surface.domain, RENDER_POINTS)
    with stage("filter"):
        verdict, extrema = curate(family, surface, feature, task.curation, (low, high), lambda: heights, glance=False)

    def picture() -> bytes:
        return encode(render_panel(heights, surface.domain, scale_of_heights(heights), style))

    if not account.judge(verdict, picture, name):
        return None
    with stage("filter"):
        second = recount_on_grid(family, feature, heights, len(extrema))
    if not account.judge(second, picture, name):
        return None
    with stage("render"):
        png = picture()
    with stage("certify"):
        reading = CountingCertifier(FINE_SWEEP).certify(png, feature)
    if not account.judge(agrees(reading, str(len(extrema))), png, name, f"style={style}"):
        return None
    with stage("filter"):
        other_count = count_others(heights, feature, task.curation)
        alike = signature(heights)
    prompts = (words.counting_system_prompt(), words.counting_prompt(feature))
    places = [in_picture(surface.domain, point.x, point.y) for point in extrema]
    item = questions.item(surface, feature, extrema, seed)
    row = counting_row(item, style, seed, png, reading, *prompts, places, config="counting_hard")
    row |= {"other_count": other_count, **level_column(level)}
    like = Likeness("counting_hard", alike)
    return Found(rows={"counting_hard": [row]}, signature=alike + feature.encode(), like=like)


def propose(
    name: str, feature: Feature, counts: tuple[int, int], zoom: float, rng: np.random.Generator
) -> tuple[Family, Surface]:
    """Return the function family ``name``, adapted to ``zoom``, and a random surface of this family.

    The wanted number of features is drawn from ``counts`` (least, greatest); ``zoom``: the size of features relative
    to test items of ``counting_hard``.
    """
    count, half = int(rng.integers(counts[0], counts[1] + 1)), HALF_WIDTH / zoom
    drawn = plan.counted_family(name)
    family = replace(drawn, window=half, draw=lambda stream: drawn.aim(stream, feature, count, half))
    return family, questions.propose(family, feature, rng)


def count_others(heights: Grid, feature: Feature, limits: CurationLimits) -> int:
    """Return the number of prominent minima if ``feature`` is maxima, and of prominent maxima if it is minima."""
    others = peaks(-heights if feature == "maxima" else heights)
    return len(others.at_least(limits.prominence * float(np.ptp(heights))))


def transformation(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> Found | None:
    """Return the pair of plots of ``transformation_hard`` for ``seed``, or None if a check rejects it.

    ``cell``: family, motion, and the training level, if any; ``account`` counts the checks.
    """
    task = cast("TransformationHard | TransformationHardCourse", recipe.transformation_hard)

    def show(pair: Pair, grids: tuple[Grid, Grid], rng: np.random.Generator) -> ShownPair:
        styles = (_heatmap(rng), _heatmap(rng))
        domain = pair.surface.domain

        def picture() -> IndexedImage:
            scale = scale_of_heights(*grids)
            shown = zip(grids, styles, TITLES, strict=True)
            return compose(*(render_panel(grid, domain, scale, style, title) for grid, style, title in shown))

        along_x = MOTIONS[pair.motion].axis == "x"
        pixels = PLOT_SIZE * pair.offset / (domain.x_max - domain.x_min)
        return ShownPair(
            judge=lambda: judge(*grids, pair.motion, task.limits),
            picture=picture,
            certify=lambda png: certificate.certify(png, pair.options),
            system_prompt=words.motion_system_prompt(),
            style={"colormap_a": styles[0].colormap, "colormap_b": styles[1].colormap},
            measures={"offset_px": round(pixels if along_x else -pixels, 2) + 0.0},
        )

    return pair_of_plots("transformation_hard", task.limits, cell, seed, account, show)


@dataclass(frozen=True, kw_only=True)
class ShownPair:
    """The drawing of a pair of plots: functions that judge, draw and certify it, and columns of its row.

    ``style``: the row's columns on the drawing styles; ``measures``: further columns of the row.
    """

    judge: Callable[[], Judged]
    picture: Callable[[], IndexedImage]
    certify: Callable[[bytes], Reading]
    system_prompt: str
    style: Row
    measures: Row


def pair_of_plots(
    config: str,
    limits: MotionLimits,
    cell: Cell,
    seed: int,
    account: Account,
    show: Callable[[Pair, tuple[Grid, Grid], np.random.Generator], ShownPair],
) -> Found | None:
    """Return the pair of plots of ``config`` for ``seed``, or None if a check rejects it.

    ``cell``: family, motion, and the training level, if any; ``show``: a function that chooses how both plots are
    drawn, given the pair, the heights of both plots and a random generator.
    """
    name, motion, *level = cast("tuple[str, str, *tuple[int, ...]]", cell)
    rng, stage = rng_of(seed), account.watch.stage
    with stage("generate"):
        zoom = MOTION_LEVELS[config][level[0] - 1 if level else -1].zoom
        family = replace(plan.family(name), window=HALF_WIDTH / zoom)
        pair = pairs.propose(family, motion, rng, limits.smallest_shift, limits.largest_shift)
        grids = pairs.plots(family, pair)
        shown = show(pair, grids, rng)
    with stage("filter"):
        judged = shown.judge()
    if not account.judge(judged.verdict, lambda: encode(shown.picture()), name):
        return None
    with stage("render"):
        png = encode(shown.picture())
    with stage("certify"):
        reading = shown.certify(png)
    if not account.judge(agrees(reading, str(pair.options.index(motion) + 1)), png, name):
        return None
    question = {"motion": motion, "offset": pair.offset, "options": list(pair.options)}
    errors = {
        "nrmse_options": [judged.nrmse[option] for option in pair.options],
        "nrmse_confusable": judged.verdict.measured,
    }
    prompts = (shown.system_prompt, words.transformation_prompt(pair.options))
    row = motion_row(config, pair.surface, question, shown.style, seed, png, reading, prompts)
    row |= {**errors, **shown.measures, **level_column(level)}
    alike = signature(np.hstack(grids))
    return Found(rows={config: [row]}, signature=alike, like=Likeness(config, alike))


def counting_cells(task: CountingHard, scale: float) -> Iterator[tuple[Cell, int]]:
    """Yield (cell, quota) for each cell (family, feature, least and greatest count) of ``counting_hard``."""
    counted = [family for family in plan.fine_families() if family.counts]
    yield from plan.counting_cells(task.questions, task.count_bins, task.maxima_share, scale, counted)


def transformation_cells(task: TransformationHard, scale: float) -> Iterator[tuple[Cell, int]]:
    """Yield (cell, quota) for each cell (family, motion) of ``transformation_hard``."""
    yield from plan.motion_cells(task.pairs, task.turned_share, scale)


def counting_course(number: int) -> Iterator[tuple[Cell, float]]:
    """Yield (cell, 1) for each (family, feature, least, greatest count) of training level ``number``: equal weights."""
    level = COUNTING_HARD[number - 1]
    for family in plan.fine_families():
        yield from (((family.name, feature, *level.counts), 1.0) for feature in family.counts)


def transformation_course(
    number: int, levels: Sequence[MotionLevel] = TRANSFORMATION_HARD
) -> Iterator[tuple[Cell, float]]:
    """Yield (cell, weight) for each (family, motion) of level ``number``, which gets rows in proportion to weight."""
    for motion, share in plan.motion_shares(levels[number - 1].turned).items():
        yield from (((family.name, motion), share) for family in plan.fine_families() if not family.counts)


def _heatmap(rng: np.random.Generator) -> PlotStyle:
    return HEATMAPS[int(rng.integers(len(HEATMAPS)))]
