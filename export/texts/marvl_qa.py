"""How the report of MaRVL-QA lays out its rows."""

from planimeter.export.columns import Row
from planimeter.export.texts import Axis, Layout, suite_text

_NAMES = {
    "rotate_90_clockwise": "90° clockwise",
    "rotate_180": "180°",
    "translate_x": "shift in x",
    "translate_y": "shift in y",
}


def _transformation(row: Row) -> str:
    return _NAMES[row["transformation"]]


def _plot_types(row: Row) -> str:
    return " + ".join(sorted((row["plot_type_a"], row["plot_type_b"])))


_FAMILY = Axis(title="Function family", of=lambda row: row["family"].replace("_", " "))
_TRANSFORMATION = Axis(title="Transformation", of=_transformation)

_COUNTING = Layout(
    rows=_FAMILY,
    columns=Axis(title="Style", of=lambda row: "/".join(filter(None, (row["plot_type"], row["colormap"])))),
    distributions=(
        Axis(title="Answer (count)", of="{answer}".format_map),
        Axis(title="Feature", of="{feature}".format_map),
        Axis(title="Tier", of="tier {tier}".format_map),
    ),
    caption="{answer} {feature}".format_map,
)

_RECOGNITION = Layout(
    rows=_FAMILY,
    columns=_TRANSFORMATION,
    distributions=(
        Axis(title="Answer (option number)", of="{answer}".format_map),
        _TRANSFORMATION,
        Axis(title="Style of the two plots", of=lambda row: "same" if row["same_style"] else "different"),
        Axis(title="Plot types", of=_plot_types),
    ),
    caption=lambda row: f"option {row['answer']}: {_transformation(row)}",
)

TEXT = suite_text("marvl_qa", {"counting": _COUNTING, "transformation": _RECOGNITION})
