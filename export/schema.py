"""The one table of columns: what a published row holds, for every suite and config.

Everything that knows a column is derived from here: the Arrow schema of the Parquet files, the fields of Croissant,
the table of the dataset card and the checks of the verifier. Columns may be added; the names, types and meanings that
stand here are promised to readers (dataset contract) and do not change.

The Arrow fields stay nullable although no column but those marked ``nullable`` holds a null (the verifier checks it):
``datasets`` recognises an Image feature only where the field in the file equals its own, and its own is nullable.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import pyarrow as pa

#: The type of a Hub ``Image`` feature. Children in the order path, bytes, or ``large_binary``, show as a dict instead.
IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])

STRING = pa.string()
FLOAT = pa.float64()


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: ``type`` is its Arrow type, ``description`` one line with its unit or its values."""

    name: str
    type: pa.DataType
    description: str
    nullable: bool = False

    @property
    def is_image(self) -> bool:
        """Say whether the column holds PNG bytes, tagged as an Image for the Hub."""
        return bool(self.type == IMAGE)

    @property
    def dimensions(self) -> int:
        """How many lists are nested in one another; 0 for a plain value."""
        depth, inner = 0, self.type
        while pa.types.is_list(inner):
            depth, inner = depth + 1, inner.value_type
        return depth

    @cached_property
    def element(self) -> pa.DataType:
        """The type inside all lists."""
        inner = self.type
        while pa.types.is_list(inner):
            inner = inner.value_type
        return inner


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns of one config, in their order in the file."""

    suite: str
    config: str
    columns: tuple[Column, ...]

    @cached_property
    def arrow(self) -> pa.Schema:
        """The Arrow schema, with the metadata by which ``datasets`` and the Hub's viewer know the pictures."""
        features = {column.name: {"_type": "Image"} for column in self.columns if column.is_image}
        metadata = {"huggingface": json.dumps({"info": {"features": features}}, sort_keys=True)}
        return pa.schema([(column.name, column.type) for column in self.columns], metadata=metadata)

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by their names."""
        return MappingProxyType({column.name: column for column in self.columns})


def schema_of(suite: str, config: str) -> Schema:
    """Return the columns of ``config`` in ``suite``.

    Raises:
        LookupError: if there is none; the message lists those that exist.
    """
    try:
        own = COLUMNS[suite][config]
    except KeyError:
        known = ", ".join(f"{name}/{part}" for name, parts in COLUMNS.items() for part in parts)
        raise LookupError(f"the table of columns has no {suite}/{config}; it has: {known}") from None
    return Schema(suite=suite, config=config, columns=(*COMMON, *own))


def _column(name: str, kind: pa.DataType, description: str, *, nullable: bool = False) -> Column:
    return Column(name=name, type=kind, description=description, nullable=nullable)


COMMON: tuple[Column, ...] = (
    _column("id", STRING, "Stable id of the item, unique in the dataset; equal items have equal ids."),
    _column("image", IMAGE, "The picture that the question is about, as PNG."),
    _column("system_prompt", STRING, "The system prompt; empty where the protocol has none."),
    _column("prompt", STRING, "The user's turn, complete."),
    _column("answer", STRING, "The canonical answer, as a perfect model writes it inside the answer markers."),
    _column("seed", pa.uint64(), "With the recipe, the seed that this item alone is a function of."),
    _column("certified_by", STRING, "The independent check that recovered the answer from what a model sees."),
)

_SURFACE: tuple[Column, ...] = (
    _column("family", STRING, "Name of the function family, one of 32."),
    _column("tier", pa.int8(), "Tier of the family, 1 to 5."),
    _column("parameters", STRING, "JSON object of the numbers that single out this function in its family."),
    _column("expression", STRING, "The function z(x, y) in full, in sympy syntax."),
    _column("x_min", FLOAT, "Left edge of the plotted window, in axis units."),
    _column("x_max", FLOAT, "Right edge of the plotted window, in axis units."),
    _column("y_min", FLOAT, "Lower edge of the plotted window, in axis units."),
    _column("y_max", FLOAT, "Upper edge of the plotted window, in axis units."),
)

_COUNTING: tuple[Column, ...] = (
    *_SURFACE,
    _column("feature", STRING, "What is counted: `maxima` or `minima`."),
    _column("count", pa.int32(), "How many local extrema of that kind the picture shows."),
    _column(
        "extrema",
        pa.list_(pa.struct([("x", FLOAT), ("y", FLOAT), ("z", FLOAT)])),
        "Position and height of each counted extremum, in axis units.",
    ),
    _column("plot_type", STRING, "`heatmap`, `contour` or `heatmap-contour`."),
    _column("colormap", STRING, "`viridis`, `plasma`, `inferno` or `magma`; empty for `contour`."),
)

_TRANSFORMATION: tuple[Column, ...] = (
    *_SURFACE,
    _column(
        "transformation", STRING, "From A to B: `rotate_90_clockwise`, `rotate_180`, `translate_x` or `translate_y`."
    ),
    _column("offset", FLOAT, "Signed shift in axis units; 0 for rotations."),
    _column("options", pa.list_(STRING), "The five options in the order shown."),
    _column("plot_type_a", STRING, "Plot type of Plot A, on the left."),
    _column("colormap_a", STRING, "Colour map of Plot A; empty for `contour`."),
    _column("plot_type_b", STRING, "Plot type of Plot B, on the right."),
    _column("colormap_b", STRING, "Colour map of Plot B; empty for `contour`."),
    _column("same_style", pa.bool_(), "Whether both plots share plot type and colour map."),
    _column("nrmse_identity", FLOAT, "NRMSE between the two surfaces: how visible the change is."),
    _column(
        "nrmse_confusable",
        FLOAT,
        "The smallest NRMSE between the right answer and any wrong option; of a shift the smaller of two readings: on "
        "what both plots show, and with the function continued beyond the window.",
    ),
)

_POINTS = pa.list_(pa.list_(FLOAT))
_TRAVERSAL: tuple[Column, ...] = (
    _column("points", _POINTS, "Vertices of the path in pixels (x right, y down), n x 2; the first is the start."),
    _column("markers", pa.list_(STRING), 'Markers at the vertices in path order, each "<color> <shape>".'),
    _column("n_points", pa.int16(), "Number of vertices."),
    _column("tortuosity", FLOAT, "Length of the path over the distance between its ends."),
    _column("self_intersections", pa.int16(), "Number of times that the path crosses itself."),
    _column("tortuosity_bin", pa.int8(), "0-based bin of [1, 1.3) [1.3, 2) [2, 3) [3, 4.5) [4.5, 6.5) [6.5, 9)."),
    _column("self_intersection_bin", pa.int8(), "0-based bin of 0; 1; 2-3; 4-5; 6-8; 9-12; 13 and more crossings."),
    _column(
        "crossings",
        pa.list_(
            pa.struct([("x", FLOAT), ("y", FLOAT), ("first_segment", pa.int16()), ("second_segment", pa.int16())])
        ),
        "Each crossing: where, in pixels, and the two 0-based segments that meet there.",
    ),
    _column("generator_family", STRING, "How the path was drawn."),
    _column("view", pa.int16(), "Side of the picture in pixels."),
    _column("glyph_radius", FLOAT, "Radius of a marker in pixels."),
    _column("glyph_pad", FLOAT, "Free space around a marker in pixels."),
)

_CURVES: tuple[Column, ...] = (
    _column("category", STRING, "How the curves are drawn."),
    _column("num_nodes", pa.int32(), "Number of regions without the exterior."),
    _column("parents", pa.list_(pa.int32()), "parents[i] is the parent of node i + 1; 0 is the exterior."),
    _column("depth", pa.int32(), "Number of curves on the deepest path."),
    _column("canonical", STRING, "Canonical form of the rooted unordered tree."),
    _column(
        "curves", pa.list_(_POINTS), "Vertices of each closed curve in pixels; curves[i] is the boundary of node i + 1."
    ),
)

_PLANAR_MAP: tuple[Column, ...] = (
    _column("num_curves", pa.int32(), "Number of closed curves."),
    _column("num_crossings", pa.int32(), "Number of points in which two curves cross."),
    _column("num_faces", pa.int32(), "Number of faces without the unbounded one."),
    _column(
        "adjacent",
        pa.list_(pa.list_(pa.int32())),
        "Each pair of faces that share a stretch of a curve, once: 0 is the unbounded face, the others go by area.",
    ),
    _column(
        "areas", pa.list_(FLOAT), "White paper in each face in square pixels, largest first; areas[i] is face i + 1."
    ),
    _column("stroke_px", FLOAT, "Width of the strokes in pixels."),
    _column("curves", pa.list_(_POINTS), "Vertices of each closed curve in pixels, in no order that matters."),
)

_GEOGRAM: tuple[Column, ...] = (
    _column("problem", STRING, "The statement of the problem."),
    _column("code", STRING, "The drawing program, bare, without tags or fences."),
    _column("language", STRING, "`asymptote` or `matplotlib`."),
    _column("givens", STRING, "JSON: the facts of the statement that the certificate uses."),
    _column("level", STRING, "`primitive`, `compositional` or `abstract`."),
    _column("answer_value", FLOAT, "The answer as a number; null where it is none.", nullable=True),
    _column("answer_latex", STRING, "The exact answer as LaTeX in simplest form, without `$`."),
    _column("origin", STRING, "`generated`, or the name of the imported corpus."),
    _column("template", STRING, "The template that the problem comes from."),
)

#: Suite -> config -> the config's own columns, which follow the common ones.
COLUMNS: Mapping[str, Mapping[str, tuple[Column, ...]]] = MappingProxyType(
    {
        "marvl_qa": MappingProxyType({"counting": _COUNTING, "transformation": _TRANSFORMATION}),
        "traversal": MappingProxyType(
            {
                "base": _TRAVERSAL,
                "confounded": (
                    *_TRAVERSAL,
                    _column("source_id", STRING, "The `id` in `base` of the path that the spurs were added to."),
                    _column("condition", STRING, "`low` (2 to 4 spurs) or `high` (5 to 7)."),
                    _column("confounders", pa.list_(_POINTS), "Vertices of each gray spur in pixels."),
                ),
                "reading_order": (
                    *_TRAVERSAL,
                    _column("regime", STRING, "`ltr_tb`, `rtl_tb`, `ttb_rl` or `ttb_lr`."),
                    _column("lanes", pa.int8(), "Number of lanes; all run in the same direction."),
                ),
            }
        ),
        "curves": MappingProxyType(
            {
                **dict.fromkeys(("easy", "polygon", "topographical", "maze", "counting"), _CURVES),
                "curriculum": (*_CURVES, _column("level", pa.int8(), "Level of the curriculum, 1 (easiest) to 8.")),
                "planar_map": _PLANAR_MAP,
            }
        ),
        "geogram": MappingProxyType({"geogram": _GEOGRAM}),
        "geogram_import": MappingProxyType({"geogram": _GEOGRAM}),
    }
)
