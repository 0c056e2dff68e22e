"""The checks of rows of ``marvl-qa-hard``: columns that must agree, and the quotas of the recipe.

The NRMSE of every motion is computed again from the printed expression (``filters.marvl_qa.motion_readings``).
"""

import json
from collections.abc import Callable, Iterator, Sequence

from planimeter.export.checks import Quota
from planimeter.export.columns import Between
from planimeter.filters.marvl_qa.expressions import Array
from planimeter.filters.marvl_qa.motion_readings import COMPARED, motion_errors, plots
from planimeter.generators.marvl_qa.curriculum import COUNTING_HARD, MOTION_LEVELS, CountingHardLevel
from planimeter.generators.marvl_qa.plan import family, motion_shares
from planimeter.generators.quotas import apportion
from planimeter.items import STYLES
from planimeter.items.motions import ANSWERS, MOTIONS
from planimeter.items.values import Recipe, Row

#: The styles of questions that count.
_COLOURED = frozenset((style.plot_type, style.colormap) for style in STYLES if style.plot_type != "contour")
_HEATMAPS = frozenset(style.colormap for style in STYLES if style.plot_type == "heatmap")
#: Rounding of a share of the axis, and of figures that are computed again from fewer lines.
_ROUNDING, _SAMPLING = 1e-6, 1.5e-2
#: Side of the window of a test question, axis units.
_SIDE = 10.0
#: Side of the plot area, px, and the rounding of places.
_PLOT_PX, _HUNDREDTH = 480, 0.0151


def counting_faults(row: Row) -> Iterator[str]:
    """Yield a line for each broken rule among those that ``counting_hard`` has in addition to ``counting``."""
    style = (row["plot_type"], row["colormap"])
    if style not in _COLOURED:
        yield f"plot_type and colormap must be one of eight styles with colours, got {style[0]!r}, {style[1]!r}"
    if not row["other_count"] > 0:
        yield f"other_count must be positive, so that both kinds are shown, got {row['other_count']}"
    yield from printed_faults(row)


def counting_level(row: Row) -> Iterator[str]:
    """Yield a line if the count of ``row`` is outside the range of its training level of ``counting_hard``."""
    yield from count_faults(row, COUNTING_HARD)


def count_faults(row: Row, levels: Sequence[CountingHardLevel]) -> Iterator[str]:
    """Yield a line if the count of ``row`` is outside the range of its training level, ``levels[row["level"] - 1]``."""
    low, high = levels[row["level"] - 1].counts
    if not low <= row["count"] <= high:
        yield f"level {row['level']} needs a count from {low} to {high}, got {row['count']}"


def transformation_faults(row: Row, limits: Recipe) -> Iterator[str]:
    """Yield a line for each contradiction between the columns of a row of ``transformation_hard``."""
    yield from motion_faults(row, limits, _measured)


def motion_faults(row: Row, limits: Recipe, measured: Callable[[Row, Recipe], Iterator[str]]) -> Iterator[str]:
    """Yield a line for each contradiction between the columns of a row that asks for the motion from plot A to B.

    ``limits``: the recipe's limits of motions; ``measured``: yields a line for each wrong NRMSE in the row.
    """
    options, motion, errors = row["options"], row["motion"], row["nrmse_options"]
    if sorted(options) != sorted(MOTIONS) or len(errors) != len(options):
        yield f"options must be the {len(MOTIONS)} motions, each once and with its error, got {', '.join(options)}"
        return
    if row["answer"] != str(options.index(motion) + 1):
        yield f"answer must be {options.index(motion) + 1}, the place of {motion} in options, got {row['answer']!r}"
    for side in "ab":
        if row[f"colormap_{side}"] not in _HEATMAPS:
            yield f"colormap_{side} must be one of {', '.join(sorted(_HEATMAPS))}, got {row[f'colormap_{side}']!r}"
    yield from _offset(row, limits)
    wrong = min(error for option, error in zip(options, errors, strict=True) if option != motion)
    if wrong != row["nrmse_confusable"]:
        yield f"nrmse_confusable must be {wrong}, the least of nrmse_options without that of the answer"
    if not wrong >= limits.get("threshold", 0.0):
        yield f"nrmse_confusable must be at least {limits['threshold']}, got {wrong}"
    printed = [*printed_faults(row)]
    yield from printed or measured(row, limits)


def _offset(row: Row, limits: Recipe) -> Iterator[str]:
    axis, offset = MOTIONS[row["motion"]].axis, row["offset"]
    if not axis:
        if offset != 0 or row.get("offset_px", 0) != 0:
            yield f"offset and offset_px must be 0 without a translation, got {offset} and {row.get('offset_px', 0)}"
        return
    size = row[f"{axis}_max"] - row[f"{axis}_min"]
    low, high = limits.get("smallest_shift", 0.0), limits.get("largest_shift", 1.0)
    if not low - _ROUNDING <= abs(offset) / size <= high + _ROUNDING:
        yield f"offset must be {low:.0%} to {high:.0%} of the axis range, got {offset} ({abs(offset) / size:.1%})"
    pixels = _PLOT_PX * offset / size * (1 if axis == "x" else -1)
    if not abs(pixels - row.get("offset_px", pixels)) <= _HUNDREDTH:
        yield f"offset_px must be {pixels:.2f} for this offset and this window, got {row['offset_px']}"


def printed_faults(row: Row) -> Iterator[str]:
    """Yield a line unless ``expression`` is the formula that the row's function family prints for its parameters."""
    try:
        printed = family(row["family"]).expression(json.loads(row["parameters"]))
        if printed != row["expression"]:
            yield f"expression must be that of family and parameters, {printed[:80]}"
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        yield f"family and parameters do not give the surface that is plotted: {error!r}"


def _measured(row: Row, limits: Recipe) -> Iterator[str]:
    """Yield a line for each value of ``nrmse_options`` that a second computation from the expression contradicts."""
    try:
        a, b = plots(row)
    except ValueError as error:
        yield f"expression cannot be evaluated: {error}"
        return
    spread = float(max(a.max(), b.max()) - min(a.min(), b.min()))
    yield from compared(row, a / spread, b / spread, limits, _SAMPLING, COMPARED)


def compared(
    row: Row, a: Array, b: Array, limits: Recipe, tolerance: float, lines: Array | slice = slice(None)
) -> Iterator[str]:
    """Yield a line for each option whose NRMSE in ``row`` differs by more than ``tolerance`` from that computed here.

    ``a``, ``b``: the plots' heights, divided by their common range; ``lines``: the grid lines that are compared.
    """
    found = motion_errors(a, b, limits.get("smallest_shift", 0.01), limits.get("largest_shift", 0.06), lines)
    for option, nrmse in zip(row["options"], row["nrmse_options"], strict=True):
        if not abs(found[option] - nrmse) <= tolerance:
            yield f"nrmse_options must have {found[option]:.4f} for {option}, got {nrmse}"


def motion_level(config: str, row: Row) -> Iterator[str]:
    """Yield a line if the plotted window of ``row`` does not have the size of its training level."""
    size = _SIDE / MOTION_LEVELS[config][row["level"] - 1].zoom
    if not abs(row["x_max"] - row["x_min"] - size) <= _ROUNDING:
        yield f"level {row['level']} needs x_max - x_min = {size:.3f}, got {row['x_max'] - row['x_min']:.3f}"


def count_quotas(config: str, table: Recipe, views: int = 1) -> Iterator[Quota]:
    """Yield the number of rows that each range of counts must have; each question has ``views`` rows.

    ``table``: the table of ``config`` in the recipe.
    """
    for (low, high), questions in zip(table.get("count_bins", ()), table.get("questions", ()), strict=False):
        yield Quota(config, {"count": Between(low, high)}, questions * views)


def motion_quotas(config: str, table: Recipe) -> Iterator[Quota]:
    """Yield the number of rows that each motion must have; ``table``: the table of ``config`` in the recipe."""
    if "pairs" in table:
        shares = motion_shares(table["turned_share"])
        every = apportion(table["pairs"], [shares[name] for name in ANSWERS])
        for motion, rows in zip(ANSWERS, every, strict=True):
            yield Quota(config, {"motion": motion}, rows)
