"""The checks of MaRVL-QA rows: columns that must agree, and the quotas of the recipe.

The NRMSE of wrong options is computed again from the printed expression, without the generator's geometry
(``filters.marvl_qa.readings``). Only two things come from the generator's code: the function families, which must print
this expression for the row's parameters, and the training levels, which no recipe contains. Section numbers are those
of the MaRVL-QA paper. Quotas are checked only if the recipe is at full scale and does not allow a shortfall.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from planimeter.export.checks import Bond, Checker, Quota
from planimeter.filters.marvl_qa.readings import ALONG, least_errors
from planimeter.generators.marvl_qa.curriculum import COUNTING, MOTION_LEVELS, TRANSFORMATION
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.quotas import apportion
from planimeter.items import OPTIONS, STYLES, TRANSFORMATIONS
from planimeter.items.values import Row
from planimeter.suites.marvl_qa import hard_checks, surface_checks
from planimeter.suites.marvl_qa.rows import COLUMNS

_CERTIFIERS = {
    "counting": "pixels/level-sets",
    "transformation": "pixels/registration",
    "counting_hard": "pixels/level-sets",
    "transformation_hard": "pixels/motions",
    "surface": "pixels/unprojection",
    "surface_transformation": "pixels/unprojected-motions",
}
_STYLES = [(style.plot_type, style.colormap) for style in STYLES]
_NUMBER = {style: number for number, style in enumerate(_STYLES)}
_PAIRS = {pair: number for number, pair in enumerate(product(_STYLES, repeat=2))}
_WINDOW = ("x_min", "x_max", "y_min", "y_max")
_MEASURED = ("offset_px", "nrmse_identity", "nrmse_confusable")
_BONDS = {
    "question": Bond("counting", "styles", ("count", *_WINDOW), is_loose=True),
    "pair of plots": Bond("transformation", "styles", ("options", *_MEASURED, *_WINDOW), is_loose=True),
}

#: Share of the window by which a position may miss a limit that was checked on the drawn grid of 400 x 400 nodes.
_CELL = 1 / 400
#: The same for figures that were rounded to four decimals before they were written.
_ROUNDING = 1e-3
#: The same for figures that are computed again from fewer samples: 0.0005 at most over 600 pairs of all families.
_SAMPLING = 2e-3

#: The plot area of every picture, px: its left and its lower edge, and its side. As in the pictures; stated here apart
#: from the renderer.
_LEFT_PX, _BOTTOM_PX, _PLOT_PX = 86, 530, 480
#: Places are rounded to hundredths of a pixel.
_HUNDREDTH = 0.0151


class MarvlQaChecker(Checker):
    """The checks of rows: each one alone, and agreement of all rows that show one question or one pair of plots."""

    columns = COLUMNS
    bonds = _BONDS

    def certifier(self, config: str) -> str:
        return _CERTIFIERS[config]

    def faults(self, config: str, row: Row) -> Iterator[str]:
        yield from _surface(row)
        match config:
            case "counting":
                yield from _style(row, "")
                yield from self._counting(config, row)
                style = None if self.trains("counting") else _NUMBER.get((row["plot_type"], row["colormap"]))
                self.bind("question", (row["feature"], row["family"], row["parameters"]), style, row)
            case "counting_hard":
                yield from self._counting(config, row)
                yield from hard_checks.counting_faults(row)
            case "transformation":
                yield from self._transformation(row)
            case "transformation_hard":
                yield from hard_checks.transformation_faults(row, self.table(config).get("limits", {}))
            case "surface":
                yield from self._counting(config, row)
                yield from surface_checks.faults(row)
            case "surface_transformation":
                yield from surface_checks.pair_faults(row, self.table(config).get("limits", {}))
        if self.trains(config):
            yield from _LEVELS[config](row)

    def quotas(self) -> Iterator[Quota]:
        """Yield the number of rows for each training level, or, in test sets, for each range of counts and each motion.

        In the config ``transformation``, pairs in equal styles and pairs in different styles are counted separately.
        """
        yield from super().quotas()
        for config in ("counting_hard", "surface"):
            yield from hard_checks.count_quotas(config, self.table(config))
        for config in MOTION_LEVELS:
            yield from hard_checks.motion_quotas(config, self.table(config))
        counting, task = self.table("counting"), self.table("transformation")
        yield from hard_checks.count_quotas("counting", counting, len(STYLES))
        if "pairs" in task:
            for kind, pairs in zip(TRANSFORMATIONS, apportion(task["pairs"], [1] * len(TRANSFORMATIONS)), strict=True):
                views = (len(STYLES), len(_PAIRS) - len(STYLES)) if self._shows_all else (1, 1)
                for same, number in zip((True, False), views, strict=True):
                    yield Quota("transformation", {"transformation": kind, "same_style": same}, pairs * number)

    def wholes(self, bond: str) -> Sequence[frozenset[object]]:
        """Return [the drawing styles that one question, or one pair of plots, must have rows in]; ``bond`` says which.

        In training there is one row, in any style (None). A counting question for tests has a row in each of the nine
        drawing styles. A pair for tests has a row in each of the 81 pairs of styles or, by the recipe, just two rows:
        one in equal styles (True) and one in different styles (False).
        """
        config = self.bonds[bond].config
        if self.trains(config):
            return [frozenset({None})]
        if config == "counting":
            return [frozenset(range(len(STYLES)))]
        return [frozenset(range(len(_PAIRS)) if self._shows_all else (True, False))]

    @property
    def _shows_all(self) -> bool:
        """True if each pair of plots must have a row in all 81 pairs of styles, False if in only two."""
        return self.table("transformation").get("styles") == "all"

    def _counting(self, config: str, row: Row) -> Iterator[str]:
        extrema = row["extrema"]
        if not row["answer"] == str(row["count"]) == str(len(extrema)):
            yield f"answer, count and extrema differ: {row['answer']!r}, {row['count']}, {len(extrema)}"
        yield from self._inside(config, row)
        if len({(point["x"], point["y"]) for point in extrema}) < len(extrema):
            yield "two extrema are at the same place"
        if config != "surface":
            yield from _places(row)
        bins = self.table(config).get("count_bins", [])
        if bins and not any(low <= row["count"] <= high for low, high in bins):
            yield f"count is not in any of the recipe's count_bins {bins}: {row['count']}"

    def _inside(self, config: str, row: Row) -> Iterator[str]:
        border = self.table(config).get("curation", {}).get("border", 0.0)
        for axis in ("x", "y"):
            low, high = row[f"{axis}_min"], row[f"{axis}_max"]
            margin = max(border - _CELL, 0.0) * (high - low)
            outside = [point[axis] for point in row["extrema"] if not low + margin <= point[axis] <= high - margin]
            if outside:
                yield f"extrema must lie in [{low}, {high}] and {border:.0%} from its ends, got {axis} = {outside[0]}"

    def _transformation(self, row: Row) -> Iterator[str]:
        options, kind = row["options"], row["transformation"]
        if sorted(options) != sorted(OPTIONS):
            yield f"options must be {', '.join(OPTIONS)}, each once, got {', '.join(options)}"
        elif row["answer"] != str(options.index(kind) + 1):
            yield f"answer must be {options.index(kind) + 1}, the place of {kind} in options, got {row['answer']!r}"
        yield from _style(row, "_a")
        yield from _style(row, "_b")
        left, right = (row["plot_type_a"], row["colormap_a"]), (row["plot_type_b"], row["colormap_b"])
        if row["same_style"] != (left == right):
            yield f"same_style is {row['same_style']}, but the styles are {'/'.join(left)} and {'/'.join(right)}"
        yield from self._offset(row)
        yield from self._ambiguity(row)
        styles = _PAIRS.get((left, right)) if self._shows_all else row["same_style"]
        shown = None if self.trains("transformation") else styles
        if self.bind("pair of plots", (kind, row["offset"], row["family"], row["parameters"]), shown, row):
            yield from self._readings(row)

    def _offset(self, row: Row) -> Iterator[str]:
        kind, offset = row["transformation"], row["offset"]
        if kind.startswith("rotate"):
            if offset != 0 or row["offset_px"] != 0:
                yield f"a rotation has offset 0 and offset_px 0, got {offset} and {row['offset_px']}"
            return
        axis = kind[-1]
        limits = self.table("transformation").get("shifts", {})
        share = abs(offset) / (row[f"{axis}_max"] - row[f"{axis}_min"])
        low, high = limits.get("smallest", 0.0), limits.get("largest", 0.25)
        if not low - _CELL <= share <= high + _ROUNDING or offset == 0:
            yield f"offset must be {low:.0%} to {high:.0%} of the axis range, got {offset} ({share:.1%})"
        (from_x, from_y), (to_x, to_y) = (_in_picture(row, of, of) for of in (0.0, offset))
        moved = to_x - from_x if axis == "x" else to_y - from_y
        if not abs(moved - row["offset_px"]) <= _HUNDREDTH:
            yield f"offset_px must be {moved:.2f} for this offset and this window, got {row['offset_px']}"

    def _ambiguity(self, row: Row) -> Iterator[str]:
        limit = self.table("transformation").get("ambiguity", {}).get("threshold", 0.0)
        for name in ("nrmse_identity", "nrmse_confusable"):
            if not row[name] >= limit:
                yield f"{name} must be at least {limit}, got {row[name]}"
        if row["nrmse_confusable"] > row["nrmse_identity"] + _ROUNDING:
            yield (
                "nrmse_confusable must be at most nrmse_identity, since No Change is one of the wrong options, got "
                f"{row['nrmse_confusable']} and {row['nrmse_identity']}"
            )

    def _readings(self, row: Row) -> Iterator[str]:
        """Yield a line if ``nrmse_confusable`` is too low, or differs from a second computation from the expression.

        All rows of a pair of plots share the value; this method is called for one of them.
        """
        limit = self.table("transformation").get("ambiguity", {}).get("threshold", 0.0)
        try:
            printed = family(row["family"]).expression(json.loads(row["parameters"]))
            if printed != row["expression"]:
                raise ValueError(f"they give the expression {printed[:80]}")
            # Few samples suffice for almost every pair; their contradictions must hold with all lines of the grid.
            if [*self._against(row, limit, *least_errors(row))]:
                yield from self._against(row, limit, *least_errors(row, ALONG))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield f"family and parameters do not give the surface that is plotted: {error!r}"

    def _against(self, row: Row, limit: float, overlap: float, continued: float) -> Iterator[str]:
        """Yield a line for each of the two errors below ``limit``, and if the lower one is not ``nrmse_confusable``.

        They are the least NRMSE of a wrong option: ``overlap`` on the area that both plots show, ``continued`` with
        the function continued beyond the window.
        """
        for value, where in ((overlap, "on what both plots show"), (continued, "continued beyond the window")):
            if not value >= limit - _SAMPLING:
                yield f"wrong options must have an NRMSE of at least {limit}, but {where} one has {value:.4f}"
        if not abs(min(overlap, continued) - row["nrmse_confusable"]) <= _SAMPLING:
            yield f"nrmse_confusable must be {min(overlap, continued):.4f}, got {row['nrmse_confusable']}"


def _counting_level(row: Row) -> Iterator[str]:
    """Yield a line for each property of the counting question ``row`` that its training level does not allow."""
    level = COUNTING[row["level"] - 1]
    low, high = level.counts
    shares = {"contour": level.contour, "heatmap-contour": level.lines, "heatmap": 1 - level.contour - level.lines}
    if not low <= row["count"] <= high:
        yield f"level {row['level']} needs a count from {low} to {high}, got {row['count']}"
    if not {"maxima": level.maxima, "minima": 1 - level.maxima}.get(row["feature"]):
        yield f"level {row['level']} does not ask for {row['feature']}"
    if not shares.get(row["plot_type"]):
        yield f"level {row['level']} has no plot of the type {row['plot_type']}"


def _transformation_level(row: Row) -> Iterator[str]:
    """Yield a line for each property of the pair of plots ``row`` that its training level does not allow."""
    level = TRANSFORMATION[row["level"] - 1]
    low, high = level.shifts
    share = abs(row["offset_px"]) / _PLOT_PX
    if row["transformation"].startswith("translate") and not low - _ROUNDING <= share <= high + _ROUNDING:
        yield f"level {row['level']} shifts by {low:.0%} to {high:.0%} of the axis, got {share:.1%}"
    contours = [row["plot_type_a"], row["plot_type_b"]].count("contour")
    if not (level.same if row["same_style"] else 1 - level.same):
        yield f"level {row['level']} has no pair with {'the same style' if row['same_style'] else 'different styles'}"
    if not (level.contour if contours else 1 - level.contour):
        yield f"level {row['level']} has no pair with {contours or 'no'} contour plots"


_LEVELS: Mapping[str, Callable[[Row], Iterator[str]]] = {
    "counting": _counting_level,
    "transformation": _transformation_level,
    "counting_hard": hard_checks.counting_level,
    "surface": surface_checks.level_faults,
    **{config: partial(hard_checks.motion_level, config) for config in MOTION_LEVELS},
}


def _in_picture(row: Row, x: float, y: float) -> tuple[float, float]:
    """Return the position (px, x right, y down) of the point ``x``, ``y`` (axis units) in the picture of ``row``.

    The plot area is the same in every picture of the suite.
    """
    units_x, units_y = (row["x_max"] - row["x_min"]) / _PLOT_PX, (row["y_max"] - row["y_min"]) / _PLOT_PX
    return round(_LEFT_PX + (x - row["x_min"]) / units_x, 2), round(_BOTTOM_PX - (y - row["y_min"]) / units_y, 2)


def _places(row: Row) -> Iterator[str]:
    """Yield a line unless ``extrema_px`` are the pixel positions of ``extrema``, in the same order."""
    if row["x_min"] < row["x_max"] and row["y_min"] < row["y_max"]:
        wanted = [_in_picture(row, point["x"], point["y"]) for point in row["extrema"]]
        if not _near(wanted, row["extrema_px"]):
            yield f"extrema_px must be {wanted} for these extrema and this window, got {row['extrema_px']}"


def _near(wanted: Sequence[Sequence[float]], found: Sequence[Sequence[float]]) -> bool:
    """Return True if ``wanted`` and ``found`` are the same points (px) in the same order, up to rounding."""
    return [len(point) for point in found] == [2] * len(wanted) and all(
        abs(a - b) <= _HUNDREDTH
        for point, other in zip(wanted, found, strict=True)
        for a, b in zip(point, other, strict=True)
    )


def _surface(row: Row) -> Iterator[str]:
    if not (row["x_min"] < row["x_max"] and row["y_min"] < row["y_max"]):
        yield f"the window is empty: x {row['x_min']} to {row['x_max']}, y {row['y_min']} to {row['y_max']}"
    if not row["family"] or not row["expression"]:
        yield "family and expression must not be empty"
    try:
        parameters = json.loads(row["parameters"])
    except ValueError:
        parameters = None
    if not isinstance(parameters, dict) or not all(type(value) in (int, float) for value in parameters.values()):
        yield f"parameters must be a JSON object of numbers, got {row['parameters'][:80]!r}"


def _style(row: Row, side: str) -> Iterator[str]:
    style = (row[f"plot_type{side}"], row[f"colormap{side}"])
    if style not in _NUMBER:
        yield f"plot_type{side} and colormap{side} must be one of the nine styles, got {style[0]!r}, {style[1]!r}"


checker = MarvlQaChecker
