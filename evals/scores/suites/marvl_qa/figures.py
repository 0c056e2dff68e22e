"""The figures of MaRVL-QA's results."""

from collections.abc import Sequence

import pandas as pd

from planimeter.evals.scores import drawing
from planimeter.evals.scores.charts import bars_by
from planimeter.evals.scores.forms import Figure, Scored
from planimeter.evals.scores.suites.marvl_qa.asked import ERRORS, UNREADABLE, frames, styled
from planimeter.evals.scores.summary import models, natural_order, rates, shares, summary
from planimeter.items import OPTIONS, TRANSFORMATIONS

_METRICS = ("accuracy", "relaxed_10", "relaxed_20")

#: Letters that stand for a plot type where nine styles have to fit beside one another.
_SHORT = {"heatmap": "H", "contour": "C", "heatmap_contour": "HC", "heatmap-contour": "HC"}


def figures(scored: Scored) -> list[Figure]:
    """Return the figures of the paper's results of the configs that were asked, and those of errors and of styles."""
    by_config, result = frames(scored), []
    if "counting" in by_config:
        counting = by_config["counting"]
        result += [
            _lines(counting),
            bars_by("fig4_features", "Counting maxima and minima", "Figure 4", counting, "feature", "accuracy"),
            bars_by("fig7_colormaps", "Counting, by colour map", "Figure 7", counting, "colormap", "strict_accuracy"),
            _histograms(counting),
        ]
    if "transformation" in by_config:
        choices = by_config["transformation"]
        result += [
            bars_by("fig5_transformations", "Each transformation", "Figure 5", choices, "transformation", "accuracy"),
            _wrong_options(choices),
            _confusions(choices),
            _style_matrices(choices),
        ]
    return result


def _lines(frame: pd.DataFrame) -> Figure:
    bins, names = natural_order(frame["count"].unique()), models(frame, "accuracy")
    by_model = summary(frame, ["model", "count"], _METRICS).set_index("model")
    with drawing.sheet(len(_METRICS)) as page:
        for panel, metric in zip(page.panels, _METRICS, strict=True):
            for index, name in enumerate(names):
                part = by_model.loc[[name]].set_index("count").reindex(bins)
                drawing.line(panel, range(len(bins)), *rates(part, metric), index=index, label=name)
            panel.set_xticks(range(len(bins)), bins)
            panel.set(title=metric.replace("_", " ") + ("%" if "_" in metric else ""), ylim=(-0.02, 1.02))
            panel.set_xlabel("true count")
            drawing.percent(panel, "y")
        page.legend()
    note = "Bands: 95% intervals, clustered by question."
    return Figure(name="fig3_counts", title="Counting, by the true count", source="Figure 3", svg=page.svg, note=note)


def _histograms(frame: pd.DataFrame) -> Figure:
    names, read = models(frame, "accuracy"), frame[frame["answered"]]
    with drawing.sheet(len(names), size=(3.2, 2.0)) as page:
        for panel, name in zip(page.panels, names, strict=True):
            replies = read[read["model"] == name]
            series = {
                str(feature): [(part["signed_error"] == value).mean() for value in ERRORS]
                for feature, part in replies.groupby("feature")
            }
            drawing.histogram(panel, list(ERRORS), series)
            page.title(panel, name)
            panel.set_ylim(0, 1)
            drawing.percent(panel, "y")
        page.legend()
    note = "Count in the reply less the true count, as shares of the replies that could be read."
    return Figure(name="signed_errors", title="How far counts are off", source="section 4.1.2", svg=page.svg, note=note)


def _wrong_options(frame: pd.DataFrame) -> Figure:
    names, values = models(frame, "accuracy"), (*OPTIONS, UNREADABLE)
    by_model = shares(frame[frame["accuracy"] == 0], ["model"], "option", values).set_index("model").reindex(names)
    with drawing.sheet(size=(6.5, 1.1 + 0.28 * len(names))) as page:
        drawing.stacked(page.panels[0], names, {value.replace("_", " "): by_model[value] for value in values})
        drawing.percent(page.panels[0], "x")
        page.panels[0].set(xlim=(0, 1), xlabel="share of the wrong replies")
        page.legend(3)
    title = "Which options wrong replies give"
    return Figure(name="fig6_option_bias", title=title, source="Figure 6", svg=page.svg)


def _confusions(frame: pd.DataFrame) -> Figure:
    columns = (*OPTIONS, UNREADABLE)
    by_model = shares(frame, ["model", "transformation"], "option", columns).set_index("model")
    cells = {
        name: by_model.loc[[name]].set_index("transformation").reindex(TRANSFORMATIONS)[list(columns)]
        for name in models(frame, "accuracy")
    }
    svg = _grids(cells, TRANSFORMATIONS, columns, size=(3.9, 2.4))
    note = "Rows: the true transformation; columns: the answer; in per cent of the row."
    return Figure(name="confusion", title="What is answered for each transformation", svg=svg, note=note)


def _style_matrices(frame: pd.DataFrame) -> Figure:
    drawn, styles = styled(frame)
    by_model = summary(drawn, ["model", "style_a", "style_b"], ["accuracy"]).set_index("model")
    cells = {
        name: by_model.loc[[name]]
        .pivot(index="style_a", columns="style_b", values="accuracy")
        .reindex(styles, columns=styles)
        for name in models(frame, "accuracy")
    }
    names = [_abbreviated(style) for style in styles]
    side = 1.2 + 0.36 * len(styles)
    svg = _grids(cells, names, names, size=(side + 0.6, side))
    note = "Rows: the style of Plot A; columns: that of Plot B; accuracy in per cent. " + ", ".join(
        f"{_SHORT[kind]}: {kind.replace('_', ' ')}"
        for kind in sorted({style.split(" ")[0] for style in styles})
        if kind in _SHORT
    )
    return Figure(name="styles", title="Transformations, by the styles of both plots", svg=svg, note=note)


def _abbreviated(style: str) -> str:
    kind, _, colours = style.partition(" ")
    return " ".join(filter(None, (_SHORT.get(kind, kind), colours)))


def _grids(
    cells: dict[str, pd.DataFrame], rows: Sequence[str], columns: Sequence[str], *, size: tuple[float, float]
) -> str:
    """Return a panel of shaded cells for each model, with the names at the first panel of a row only."""
    with drawing.sheet(len(cells), columns=2, size=size) as page:
        for panel, (name, cell) in zip(page.panels, cells.items(), strict=True):
            words = [[value.replace("_", " ") for value in names] for names in (rows, columns)]
            drawing.heat(panel, cell.to_numpy(dtype=float), *words)
            page.title(panel, name)
    return page.svg
