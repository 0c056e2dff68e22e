"""The pipeline of ``surface``, a config of ``marvl-qa-hard``: tries to generate a question on a 3D surface plot.

The functions and the rules of counting are those of ``counting_hard``, with features 1.4 times as large. A question has
one row; its camera is the first, in random order, that shows every counted feature.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, cast

import numpy as np

from planimeter.evals.marvl_qa import prompt as words
from planimeter.filters.certify.marvl_qa.surface import certify
from planimeter.filters.marvl_qa.duplicates import signature
from planimeter.filters.marvl_qa.extrema import curate
from planimeter.filters.marvl_qa.recount import recount_on_grid
from planimeter.filters.marvl_qa.shown import judge_shown
from planimeter.filters.verdict import Verdict, agrees
from planimeter.generators.marvl_qa import plan
from planimeter.generators.marvl_qa.cameras import CAMERAS, Camera
from planimeter.generators.marvl_qa.curriculum import SURFACE, SURFACE_ZOOM
from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.generators.seeding import rng_of
from planimeter.items import FEATURES, STYLES, CountingItem, Domain, Extremum, Feature
from planimeter.rendering.png import encode
from planimeter.rendering.surface import in_picture, picture, view
from planimeter.suites.account import Account
from planimeter.suites.editions import Likeness
from planimeter.suites.marvl_qa.hard import Cell, count_others, propose
from planimeter.suites.marvl_qa.recipe import SuiteRecipe, Surfaces, SurfacesCourse
from planimeter.suites.marvl_qa.rows import level_column, surface_row
from planimeter.suites.pipeline import Found

COLORMAPS: Final = tuple(dict.fromkeys(style.colormap for style in STYLES if style.colormap))
#: Family -> the features that it is asked for, with their least and greatest count. Of chequered patches no camera
#: shows every hollow, and a window has room for 25 summits in clusters.
COUNTS: Final[Mapping[str, Mapping[Feature, tuple[int, int]]]] = {
    "beaded_ridges": dict.fromkeys(FEATURES, (8, 31)),
    "chequered_patches": {"maxima": (8, 31)},
    "clustered_bumps": dict.fromkeys(FEATURES, (8, 25)),
}
#: Decimals of the heights at the ends of the key.
DECIMALS: Final = 6
ROW_BYTES: Final = 40_000


def surface(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> Found | None:
    """Return the question of ``surface`` for ``seed``, or None if a check rejects it.

    ``cell``: family, feature, least and greatest count, and the training level, if any; ``account`` counts the checks.
    """
    name, feature, low, high, *level = cast("tuple[str, Feature, int, int, *tuple[int, ...]]", cell)
    task = cast("Surfaces | SurfacesCourse", recipe.surface)
    rng, stage = rng_of(seed), account.watch.stage
    with stage("generate"):
        zoom = SURFACE[level[0] - 1].zoom if level else SURFACE_ZOOM
        family, plotted = propose(name, feature, (low, high), zoom, rng)
        cameras = [CAMERAS[k] for k in rng.permutation(len(CAMERAS)).tolist()]
        colormap, mesh = COLORMAPS[int(rng.integers(len(COLORMAPS)))], bool(rng.integers(2))
        heights = sample(family, plotted.parameters, plotted.domain, RENDER_POINTS)
    with stage("filter"):
        verdict, extrema = curate(family, plotted, feature, task.curation, (low, high), lambda: heights, glance=False)
    ends = round(float(heights.min()), DECIMALS), round(float(heights.max()), DECIMALS)

    def pictured(camera: Camera) -> bytes:
        fractions = ((heights - heights.min()) / np.ptp(heights)).astype(np.float32)
        return encode(picture(view(fractions, camera), plotted.domain, colormap, mesh=mesh))

    if not account.judge(verdict, lambda: pictured(cameras[0]), name):
        return None
    with stage("filter"):
        second = recount_on_grid(family, feature, heights, len(extrema))
        camera, third = _facing(heights, plotted.domain, feature, extrema, cameras)
    for other in (second, third):
        if not account.judge(other, lambda: pictured(camera), name):
            return None
    with stage("render"):
        png = pictured(camera)
    with stage("certify"):
        reading = certify(png, feature)
    if not account.judge(agrees(reading, str(len(extrema))), png, name, f"camera={camera.name}, mesh={mesh}"):
        return None
    with stage("filter"):
        other_count = count_others(heights, feature, task.curation)
        alike = signature(heights)
    item = CountingItem(surface=plotted, feature=feature, extrema=extrema, seed=seed)
    prompts = words.surface_system_prompt(), words.counting_prompt(feature)
    places = [in_picture(camera, plotted.domain, ends, point) for point in extrema]
    angles = camera.elevation, camera.azimuth
    row = surface_row(item, angles, ends, png, reading, *prompts, extrema_px=places, colormap=colormap, mesh=mesh)
    row |= {"other_count": other_count, **level_column(level)}
    return Found(rows={"surface": [row]}, signature=alike + feature.encode(), like=Likeness("surface", alike))


def cells(task: Surfaces, scale: float) -> Iterator[tuple[Cell, int]]:
    """Yield (cell, quota) for each cell (family, feature, least and greatest count) of ``surface``."""
    yield from plan.counting_cells(task.questions, task.count_bins, task.maxima_share, scale, _families())


def course(number: int) -> Iterator[tuple[Cell, float]]:
    """Yield (cell, 1) for each (family, feature, least, greatest count) of training level ``number``: equal weights."""
    for family in _families():
        yield from (((family.name, feature, *SURFACE[number - 1].counts), 1.0) for feature in family.counts)


def _families() -> list[Family]:
    return [replace(plan.family(name), counts=counts) for name, counts in COUNTS.items()]


def _facing(
    heights: Grid, domain: Domain, feature: Feature, extrema: tuple[Extremum, ...], cameras: list[Camera]
) -> tuple[Camera, Verdict]:
    """Return the first of ``cameras`` that shows all ``extrema``, and the verdict that accepts it.

    If none does, return the last camera and the verdict that rejects it.
    """
    for camera in cameras:
        verdict = judge_shown(heights, domain, feature, extrema, camera)
        if verdict.kept:
            break
    return camera, verdict
