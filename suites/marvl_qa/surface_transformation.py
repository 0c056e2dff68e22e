"""The pipeline of ``surface_transformation``, a config of ``marvl-qa-hard``: tries to generate a pair of 3D plots.

The functions and motions are those of ``transformation_hard``, with larger bumps. Each plot has its own camera;
therefore a motion of the surface is seen relative to the axes of the plots, but is not a motion of the picture. Both
plots share the scale of heights.
"""

from collections.abc import Iterator
from typing import Final, cast

import numpy as np

from planimeter.evals.marvl_qa import prompt as words
from planimeter.filters.certify.marvl_qa.surface_motions import certify
from planimeter.filters.marvl_qa.surface_motions import judge
from planimeter.generators.marvl_qa.cameras import PAIR_CAMERAS
from planimeter.generators.marvl_qa.curriculum import SURFACE_TRANSFORMATION
from planimeter.generators.marvl_qa.motion import Pair
from planimeter.generators.marvl_qa.sampling import Grid
from planimeter.rendering.png import IndexedImage
from planimeter.rendering.surface import pair_of_pictures, view
from planimeter.suites.account import Account
from planimeter.suites.marvl_qa import hard
from planimeter.suites.marvl_qa.hard import TITLES, Cell, ShownPair
from planimeter.suites.marvl_qa.recipe import SuiteRecipe, SurfacePairs, SurfacePairsCourse
from planimeter.suites.marvl_qa.surface import COLORMAPS, DECIMALS
from planimeter.suites.pipeline import Found

#: Bytes of a row, as measured.
ROW_BYTES: Final = 160_000


def surface_transformation(recipe: SuiteRecipe, cell: Cell, seed: int, account: Account) -> Found | None:
    """Return the pair of 3D surface plots for ``seed``, or None if a check rejects it.

    ``cell``: family, motion, and the training level, if any; ``account`` counts the checks.
    """
    task = cast("SurfacePairs | SurfacePairsCourse", recipe.surface_transformation)

    def show(pair: Pair, grids: tuple[Grid, Grid], rng: np.random.Generator) -> ShownPair:
        cameras = tuple(PAIR_CAMERAS[int(k)] for k in rng.integers(len(PAIR_CAMERAS), size=2))
        mesh, maps = bool(rng.integers(2)), rng.integers(len(COLORMAPS), size=2)
        # One palette has no room for the meshes of two colour maps.
        colormaps = COLORMAPS[int(maps[0])], COLORMAPS[int(maps[0 if mesh else 1])]
        low, high = (float(end([end(grid) for grid in grids])) for end in (np.min, np.max))
        first, second = ((grid - low) / (high - low) for grid in grids)

        def picture() -> IndexedImage:
            views = [view(f.astype(np.float32), c) for f, c in zip((first, second), cameras, strict=True)]
            return pair_of_pictures((views[0], views[1]), pair.surface.domain, colormaps, TITLES, mesh=mesh)

        angles = zip("ab", cameras, strict=True)
        return ShownPair(
            judge=lambda: judge(first, second, (cameras[0], cameras[1]), pair.motion, task.limits),
            picture=picture,
            certify=lambda png: certify(png, pair.options),
            system_prompt=words.surface_motion_system_prompt(),
            style={"colormap_a": colormaps[0], "colormap_b": colormaps[1], "mesh": mesh}
            | {f"{name}_{side}": getattr(camera, name) for side, camera in angles for name in ("elevation", "azimuth")},
            measures={"z_min": round(low, DECIMALS), "z_max": round(high, DECIMALS)},
        )

    return hard.pair_of_plots("surface_transformation", task.limits, cell, seed, account, show)


def course(number: int) -> Iterator[tuple[Cell, float]]:
    """Yield (cell, weight) for each (family, motion) of level ``number``, which gets rows in proportion to weight."""
    yield from hard.transformation_course(number, SURFACE_TRANSFORMATION)
