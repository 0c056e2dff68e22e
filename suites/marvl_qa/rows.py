"""The columns and rows of MaRVL-QA. The id of a row is a digest of its surface, question and drawing style."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from planimeter.export.columns import FLOAT, POINTS, STRING, Between, Column, level
from planimeter.export.layout import Axis, layout
from planimeter.export.rows import Row, common, fields, item_id
from planimeter.generators.marvl_qa.curriculum import COUNTING, HARD_LEVELS, TRANSFORMATION
from planimeter.items import FEATURES, TRANSFORMATIONS, CountingItem, PlotStyle, Reading, Surface, TransformationItem
from planimeter.items.motions import ANSWERS

#: The module of the checks of rows.
CHECKS = "planimeter.suites.marvl_qa.checks"

#: The names of the transformations in the report.
_NAMES = {
    "rotate_90_clockwise": "90° clockwise",
    "rotate_180": "180°",
    "translate_x": "shift in x",
    "translate_y": "shift in y",
}

_SURFACE: tuple[Column, ...] = (
    Column(
        "family",
        STRING,
        "Name of the function family, one of 32.",
        axis="Function family",
        stratum=lambda name: name.replace("_", " "),
    ),
    Column("tier", pa.int8(), "Tier of the family, 1 to 5.", values=Between(1, 5), axis="Tier"),
    Column("parameters", STRING, "JSON object of the numbers that single out this function in its family."),
    Column("expression", STRING, "The function z(x, y) in full, in sympy syntax."),
    Column("x_min", FLOAT, "Left edge of the plotted window, in axis units."),
    Column("x_max", FLOAT, "Right edge of the plotted window, in axis units."),
    Column("y_min", FLOAT, "Lower edge of the plotted window, in axis units."),
    Column("y_max", FLOAT, "Upper edge of the plotted window, in axis units."),
)

_COUNTING: tuple[Column, ...] = (
    *_SURFACE,
    Column("feature", STRING, "What is counted: `maxima` or `minima`.", values=FEATURES, axis="Feature"),
    Column("count", pa.int32(), "How many local extrema of that kind the picture shows.", axis="Count"),
    Column(
        "extrema",
        pa.list_(pa.struct([("x", FLOAT), ("y", FLOAT), ("z", FLOAT)])),
        "Position and height of each counted extremum, in axis units.",
    ),
    Column(
        "extrema_px",
        POINTS,
        "Place of each of `extrema`, in their order, in pixels from the upper left corner of the picture (x right, y "
        "down).",
    ),
    Column("plot_type", STRING, "`heatmap`, `contour` or `heatmap-contour`."),
    Column("colormap", STRING, "`viridis`, `plasma`, `inferno` or `magma`; empty for `contour`."),
    level(len(COUNTING)),
)

_TRANSFORMATION: tuple[Column, ...] = (
    *_SURFACE,
    Column(
        "transformation",
        STRING,
        "From A to B: `rotate_90_clockwise`, `rotate_180`, `translate_x` or `translate_y`.",
        values=TRANSFORMATIONS,
        axis="Transformation",
        stratum=_NAMES.__getitem__,
    ),
    Column("offset", FLOAT, "Signed shift in axis units; 0 for rotations."),
    Column(
        "offset_px",
        FLOAT,
        "The shift in pixels, to the right or, as y points down in a picture, downwards; 0 for rotations.",
    ),
    Column("options", pa.list_(STRING), "The five options in the order shown."),
    Column("plot_type_a", STRING, "Plot type of Plot A, on the left."),
    Column("colormap_a", STRING, "Colour map of Plot A; empty for `contour`."),
    Column("plot_type_b", STRING, "Plot type of Plot B, on the right."),
    Column("colormap_b", STRING, "Colour map of Plot B; empty for `contour`."),
    Column(
        "same_style",
        pa.bool_(),
        "Whether both plots share plot type and colour map.",
        axis="Style of the two plots",
        stratum=lambda same: "same" if same else "different",
    ),
    Column("nrmse_identity", FLOAT, "NRMSE between the two surfaces: how visible the change is."),
    Column(
        "nrmse_confusable",
        FLOAT,
        "The smallest NRMSE between the right answer and any wrong option; of a shift the smaller of two readings: on "
        "what both plots show, and with the function continued beyond the window.",
    ),
    level(len(TRANSFORMATION)),
)

_FINE_SURFACE = (replace(_SURFACE[0], description="Name of the family of fine surfaces, one of three."), *_SURFACE[1:])

_COUNTING_HARD: tuple[Column, ...] = (
    *_FINE_SURFACE,
    *_COUNTING[len(_SURFACE) : -1],
    Column("other_count", pa.int32(), "How many local extrema of the other kind the picture shows."),
    level(HARD_LEVELS),
)

_TRANSFORMATION_HARD: tuple[Column, ...] = (
    *_FINE_SURFACE,
    Column(
        "motion",
        STRING,
        "From A to B: a rotation or reflection, a translation, or both in this order, joined by `+`.",
        values=ANSWERS,
        axis="Motion",
        stratum=lambda name: name.replace("_", " ").replace("+", ", "),
    ),
    *_TRANSFORMATION[len(_SURFACE) + 1 : len(_SURFACE) + 3],
    Column("options", pa.list_(STRING), "The eighteen options in the order shown."),
    Column("colormap_a", STRING, "Colour map of Plot A, a heatmap, on the left."),
    Column("colormap_b", STRING, "Colour map of Plot B, a heatmap, on the right."),
    Column(
        "nrmse_options",
        pa.list_(FLOAT),
        "NRMSE of each of `options`, in their order: root mean square of the difference to Plot B on what both plots "
        "show, the smallest over all allowed distances, as a share of the range of both plots.",
    ),
    Column("nrmse_confusable", FLOAT, "The smallest of `nrmse_options` but the answer's."),
    level(HARD_LEVELS),
)

_SURFACE_PLOTS: tuple[Column, ...] = (
    *_COUNTING_HARD[: len(_SURFACE) + 4],
    Column("elevation", pa.int8(), "Angle of the camera above the ground, in degrees.", axis="Elevation"),
    Column("azimuth", pa.int16(), "Direction of the camera, in degrees from x towards y.", axis="Azimuth"),
    Column("mesh", pa.bool_(), "True if the picture has the lines of a mesh."),
    Column("colormap", STRING, "`viridis`, `plasma`, `inferno` or `magma`."),
    Column("z_min", FLOAT, "Height at the lower end of the key, which is the lowest of the surface."),
    Column("z_max", FLOAT, "Height at the upper end of the key, which is the highest of the surface."),
    *_COUNTING_HARD[-2:],
)

_SURFACE_PAIRS: tuple[Column, ...] = (
    *(column for column in _TRANSFORMATION_HARD[:-3] if column.name != "offset_px" and "colormap" not in column.name),
    Column("colormap_a", STRING, "Colour map of Plot A, on the left."),
    Column("colormap_b", STRING, "Colour map of Plot B, on the right."),
    Column("elevation_a", pa.int8(), "Angle of Plot A's camera above the ground, in degrees.", axis="Elevation of A"),
    Column("azimuth_a", pa.int16(), "Direction of Plot A's camera, in degrees from x towards y."),
    Column("elevation_b", pa.int8(), "Angle of Plot B's camera above the ground, in degrees.", axis="Elevation of B"),
    Column("azimuth_b", pa.int16(), "Direction of Plot B's camera, in degrees from x towards y."),
    Column("mesh", pa.bool_(), "True if both plots have the lines of a mesh, in one colour map."),
    Column("z_min", FLOAT, "Height at the lower end of both keys, which is the lowest of both surfaces."),
    Column("z_max", FLOAT, "Height at the upper end of both keys, which is the highest of both surfaces."),
    Column(
        "nrmse_options",
        pa.list_(FLOAT),
        "NRMSE of each of `options`, in their order: root mean square of the difference to Plot B on the ground that "
        "both cameras show, the smallest over all allowed distances, as a share of the range of both plots.",
    ),
    *_TRANSFORMATION_HARD[-2:],
)

#: Config -> its own columns, which follow the common ones.
COLUMNS: dict[str, tuple[Column, ...]] = {
    "counting": _COUNTING,
    "transformation": _TRANSFORMATION,
    "counting_hard": _COUNTING_HARD,
    "transformation_hard": _TRANSFORMATION_HARD,
    "surface": _SURFACE_PLOTS,
    "surface_transformation": _SURFACE_PAIRS,
}

LAYOUTS = {
    "surface": layout(
        _SURFACE_PLOTS,
        rows="family",
        across="elevation",
        distributions=("count", "feature"),
        caption="{answer} {feature}".format_map,
    ),
    "counting_hard": layout(
        _COUNTING_HARD,
        rows="family",
        across=Axis("Style", lambda row: "/".join((row["plot_type"], row["colormap"]))),
        distributions=("count", "feature"),
        caption="{answer} {feature}".format_map,
    ),
    **{
        config: layout(
            COLUMNS[config],
            rows="family",
            across="motion",
            distributions=(Axis("Answer (option number)", "{answer}".format_map), "motion"),
            caption=lambda row: f"option {row['answer']}: {row['motion'].replace('_', ' ').replace('+', ', ')}",
        )
        for config in ("transformation_hard", "surface_transformation")
    },
    "counting": layout(
        _COUNTING,
        rows="family",
        across=Axis("Style", lambda row: "/".join(filter(None, (row["plot_type"], row["colormap"])))),
        distributions=("count", "feature", "tier"),
        caption="{answer} {feature}".format_map,
    ),
    "transformation": layout(
        _TRANSFORMATION,
        rows="family",
        across="transformation",
        distributions=(
            Axis("Answer (option number)", "{answer}".format_map),
            "transformation",
            "same_style",
            Axis("Plot types", lambda row: " + ".join(sorted((row["plot_type_a"], row["plot_type_b"])))),
        ),
        caption=lambda row: f"option {row['answer']}: {_NAMES[row['transformation']]}",
    ),
}


def counting_row(
    item: CountingItem,
    style: PlotStyle,
    seed: int,
    png: bytes,
    reading: Reading,
    system_prompt: str,
    prompt: str,
    extrema_px: Sequence[tuple[float, float]],
    *,
    config: str = "counting",
) -> Row:
    """Return the row of the question ``item`` in ``config``, drawn in ``style``.

    ``extrema_px``: the positions (px) of the extrema in the picture; ``reading``: names the certifier.
    """
    identity = {"surface": _identity(item.surface), "feature": item.feature, "style": str(style)}
    return {
        **common(item_id(config, identity), png, system_prompt, prompt, str(len(item.extrema)), seed, reading),
        **_counted(item, extrema_px),
        **fields(style, "plot_type", "colormap"),
    }


def surface_row(
    item: CountingItem,
    camera: tuple[int, int],
    ends: tuple[float, float],
    png: bytes,
    reading: Reading,
    system_prompt: str,
    prompt: str,
    *,
    extrema_px: Sequence[tuple[float, float]],
    colormap: str,
    mesh: bool,
) -> Row:
    """Return the row of the question ``item`` on a 3D surface plot.

    ``camera``: its elevation and azimuth in degrees; ``ends``: the heights at the lower and the upper end of the colour
    key.
    """
    identity = {"surface": _identity(item.surface), "feature": item.feature, "camera": list(camera)}
    row_id = item_id("surface", {**identity, "colormap": colormap, "mesh": mesh})
    return {
        **common(row_id, png, system_prompt, prompt, str(len(item.extrema)), item.seed, reading),
        **_counted(item, extrema_px),
        "elevation": camera[0],
        "azimuth": camera[1],
        "mesh": mesh,
        "colormap": colormap,
        "z_min": ends[0],
        "z_max": ends[1],
    }


def motion_row(
    config: str,
    surface: Surface,
    question: Row,
    style: Row,
    seed: int,
    png: bytes,
    reading: Reading,
    prompts: tuple[str, str],
) -> Row:
    """Return the row, in ``config``, of a pair of plots whose answer is a motion; the caller adds further columns.

    ``question`` has the columns motion, offset and options, and ``style`` those on the drawing styles.
    """
    row_id = item_id(config, {"surface": _identity(surface), **question, **style})
    answer = str(question["options"].index(question["motion"]) + 1)
    return {**common(row_id, png, *prompts, answer, seed, reading), **_surface(surface), **question, **style}


def transformation_rows(
    item: TransformationItem, system_prompt: str, prompt: str, offset_px: float
) -> Callable[[PlotStyle, PlotStyle, int, bytes, Reading], Row]:
    """Return a function that makes one row of the pair of plots ``item``, translated by ``offset_px``.

    Its arguments are the styles of plots A and B, and the seed, picture and reading of the row.
    """
    surface, answer, options = item.surface, answer_of(item), list(item.options)
    identity = {
        "surface": _identity(surface),
        "transformation": item.transformation,
        "offset": item.offset,
        "options": options,
    }
    shared = {
        **_surface(surface),
        **fields(item, "transformation", "offset", "nrmse_identity", "nrmse_confusable"),
        "offset_px": offset_px,
        "options": options,
    }

    def row(style_a: PlotStyle, style_b: PlotStyle, seed: int, png: bytes, reading: Reading) -> Row:
        row_id = item_id("transformation", {**identity, "styles": [str(style_a), str(style_b)]})
        return {
            **common(row_id, png, system_prompt, prompt, answer, seed, reading),
            **shared,
            "plot_type_a": style_a.plot_type,
            "colormap_a": style_a.colormap,
            "plot_type_b": style_b.plot_type,
            "colormap_b": style_b.colormap,
            "same_style": style_a == style_b,
        }

    return row


def answer_of(item: TransformationItem) -> str:
    """Return the number of the right option, from 1 on, as text: the column ``answer``."""
    return str(item.options.index(item.transformation) + 1)


def level_column(level: Sequence[int]) -> Row:
    """Return {"level": number} for a training row, whose ``level`` is (number,); for a test row both are empty."""
    return {"level": level[0]} if level else {}


def _counted(item: CountingItem, extrema_px: Sequence[tuple[float, float]]) -> Row:
    """Return the columns on the surface and the counted extrema, which all configs with counting questions share."""
    return {
        **_surface(item.surface),
        "feature": item.feature,
        "count": len(item.extrema),
        "extrema": [fields(extremum, "x", "y", "z") for extremum in item.extrema],
        "extrema_px": [list(place) for place in extrema_px],
    }


def _surface(surface: Surface) -> Row:
    return {
        **fields(surface, "family", "tier", "expression"),
        **fields(surface.domain, "x_min", "x_max", "y_min", "y_max"),
        "parameters": json.dumps(dict(surface.parameters), sort_keys=True),
    }


def _identity(surface: Surface) -> dict[str, object]:
    domain = surface.domain
    return {
        "family": surface.family,
        "parameters": dict(surface.parameters),
        "domain": [domain.x_min, domain.x_max, domain.y_min, domain.y_max],
    }
