"""TraversalBench's figures, drawn from its tables."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Figure
from planimeter.evals.scores.summary import rates

#: Edges of the bins of tortuosity; the last is that of traversal-hard.
_TORTUOSITY = ("1–1.3", "1.3–2", "2–3", "3–4.5", "4.5–6.5", "6.5–9", "9–14")
_FACTORS = {
    "tortuosity": "tortuosity (length / displacement)",
    "crossings": "crossings (number)",
    "points": "markers (number)",
}
_REGIMES = {"ltr_tb": "→ then ↓", "rtl_tb": "← then ↓", "ttb_rl": "↓ then ←", "ttb_lr": "↓ then →"}
#: With more models than that, bands hide each other.
_MOST_BANDS = 4
_LONGEST_NAME = 40

Frames = Mapping[str, pd.DataFrame]
Groups = Sequence[tuple[str, pd.DataFrame]]
Rows = Mapping[str, pd.DataFrame]


def drawn(tables: Frames, rows: Rows) -> list[Figure]:
    """Return the figures of ``tables``, by name; ``rows`` of the dataset define the cells."""
    figures: list[Figure] = []
    if "grid" in tables:
        figures += [
            _grid(tables["grid"], rows["base"], "exact", "Exact match", "Figure 2"),
            _grid(tables["grid"], rows["base"], "token_accuracy", "Token accuracy", "Figure 11"),
            _curves(tables["curves"], rows["base"]),
        ]
    if "around_crossings" in tables:
        figures += [_around_crossings(tables["around_crossings"]), _drops(tables["crossing_drop"])]
    if "around_spur" in tables:
        figures.append(_spurs(tables["around_spur"], tables["by_spurs_passed"]))
    if "regimes" in tables:
        figures.append(_regimes(tables["regimes"]))
    if "hard_subset" in tables:
        figures.append(_hard_subset(tables["hard_subset"]))
    return figures


def _grid(table: pd.DataFrame, base: pd.DataFrame, metric: str, title: str, source: str) -> Figure:
    tortuosity, crossings = _labels(base, "tortuosity"), _labels(base, "crossings")
    groups = _by_model(table)
    with drawing.sheet(len(groups), columns=3, size=(3.4, 0.8 + 0.3 * len(tortuosity))) as page:
        for panel, (name, part) in zip(page.panels, groups, strict=True):
            cells = part.pivot_table(index="tortuosity", columns="crossings", values=metric)
            values = cells.reindex(index=list(tortuosity), columns=list(crossings)).to_numpy(float)
            drawing.heat(panel, values, list(tortuosity.values()), list(crossings.values()))
            panel.set(title=_shortened(name), xlabel=_FACTORS["crossings"], ylabel="tortuosity")
    return Figure(
        name=f"grid_{metric}",
        title=f"{title} by tortuosity and crossings",
        source=source,
        svg=page.svg,
        note="Per cent, of paths without spurs. Crossed out: the dataset has no such path, or none was asked.",
    )


def _curves(table: pd.DataFrame, base: pd.DataFrame) -> Figure:
    groups = _by_model(table)
    with drawing.sheet(len(_FACTORS), columns=3, size=(3.6, 2.8)) as page:
        for panel, (factor, label) in zip(page.panels, _FACTORS.items(), strict=True):
            names = _labels(base, factor)
            for index, (name, part) in enumerate(groups):
                for kind in ("base", "confounded"):
                    points = part[(part["factor"] == factor) & (part["part"] == kind)].set_index("value")
                    _line(panel, points.reindex(list(names)), "exact", index, name, len(groups), dashed=kind != "base")
            panel.set_xticks(range(len(names)), list(names.values()))
            panel.set(xlabel=label, ylabel="exact match", ylim=(-0.02, 1.02))
            drawing.percent(panel, "y")
        _legend(page, groups, "with spurs")
    return Figure(
        name="curves",
        title="Exact match by each factor",
        source="Figure 3",
        svg=page.svg,
        note="Solid: paths without spurs; dashed: the same paths with spurs.",
    )


def _around_crossings(table: pd.DataFrame) -> Figure:
    crossings, groups = list(table["crossing"].unique()), _by_model(table)
    with drawing.sheet(len(crossings), columns=4, size=(2.6, 2.6)) as page:
        for panel, crossing in zip(page.panels, crossings, strict=True):
            _local(panel, [(name, part[part["crossing"] == crossing]) for name, part in groups], _floor(table))
            panel.set(title=f"crossing {crossing}", xlabel="markers past the crossing")
        page.panels[0].set(ylabel="token accuracy")
        _legend(page, groups, "paths without crossings")
    return Figure(
        name="around_crossings",
        title="Accuracy around the first crossings",
        source="Figure 5",
        svg=page.svg,
        note="0 is the first marker past the crossing. Dashed: the same positions of paths without crossings.",
    )


def _drops(table: pd.DataFrame) -> Figure:
    crossings = sorted(table["crossing"].unique())
    series = {}
    for name, part in _by_model(table):
        points = part.set_index("crossing").reindex(crossings)
        series[name] = rates(points, "drop")
    with drawing.sheet(1, size=(5.2 + 0.3 * len(series), 3.2)) as page:
        (panel,) = page.panels
        drawing.bars(panel, [str(crossing) for crossing in crossings], series, across=False)
        panel.set(xlabel="crossing met (first, second, ...)", ylabel="drop (points of accuracy)")
        drawing.percent(panel, "y", signed=True)
        page.legend(columns=3)
    return Figure(
        name="crossing_drop",
        title="Drop at the crossings",
        source="Figure 5",
        svg=page.svg,
        note="From the last marker before the crossing to the first one past it; whiskers: 95%.",
    )


def _spurs(around: pd.DataFrame, passed: pd.DataFrame) -> Figure:
    groups, floor = _by_model(around), _floor(around, passed)
    conditions = list(around["condition"].unique())
    with drawing.sheet(len(conditions) + 1, columns=3, size=(3.2, 2.8)) as page:
        for panel, condition in zip(page.panels, conditions, strict=False):
            _local(panel, [(name, part[part["condition"] == condition]) for name, part in groups], floor)
            panel.set(
                title=f"first spur, {condition}", xlabel="markers past the spur's anchor", ylabel="token accuracy"
            )
        last = page.panels[-1]
        _local(last, _by_model(passed), floor, "spurs_passed")
        last.set(title="low and high", xlabel="spurs passed before the marker", ylabel="token accuracy")
        _legend(page, groups, "without spurs")
    return Figure(
        name="spurs",
        title="Spurs",
        source="Figure 6",
        svg=page.svg,
        note="Solid: with spurs; dashed: the same positions of the same paths without.",
    )


def _regimes(table: pd.DataFrame) -> Figure:
    groups, regimes = _by_model(table), [name for name in _REGIMES if name in set(table["regime"])]
    values = np.array([part.set_index("regime")["difference"].reindex(regimes) for _, part in groups], float)
    # Adding 0 turns -0.0 into 0.0.
    texts = [[f"{round(100 * value, 1) + 0:+.1f}" for value in line] for line in values]
    names = [f"{name}\n{_REGIMES[name]}" for name in regimes]
    with drawing.sheet(1, size=(5.4, 0.9 + 0.32 * len(groups))) as page:
        top = max(0.01, float(np.nanmax(np.abs(values))))
        drawing.heat(page.panels[0], values, [name for name, _ in groups], names, texts=texts, top=top)
        page.panels[0].set_xticks(range(len(names)), names, rotation=0, ha="center")
    return Figure(
        name="regimes",
        title="Order of reading: each regime less the mean of all",
        source="Figure 8",
        svg=page.svg,
        note="Token accuracy in points, each combination of lanes and points counted once.",
    )


def _hard_subset(table: pd.DataFrame) -> Figure:
    groups = _by_model(table)
    cells = table.dropna(subset=["crossings"])
    keys = sorted({(int(s), int(t)) for s, t in zip(cells["crossings"], cells["tortuosity"], strict=True)})
    points = sorted(cells["points"].unique())
    metrics = {"exact": "exact match", "answered": "answered", "exact_if_answered": "exact match if answered"}
    with drawing.sheet(3 * len(groups), columns=3, size=(2.9, 1.9)) as page:
        panels = iter(page.panels)
        for name, part in groups:
            lengths = part.dropna(subset=["crossings"])
            for metric, title in metrics.items():
                cells = lengths.pivot_table(index="points", columns=["crossings", "tortuosity"], values=metric)
                values = cells.reindex(index=points, columns=pd.MultiIndex.from_tuples(keys)).to_numpy(float)
                panel = next(panels)
                drawing.heat(panel, values, [str(n) for n in points], [f"{s}, {t}" for s, t in keys])
                # The name is longer than its panel, and runs on above the next.
                panel.set_title(f"{name if metric == 'exact' else ''}\n{title}", loc="left")
                panel.set(xlabel="bins of crossings, tortuosity", ylabel="markers")
    return Figure(
        name="hard_subset",
        title="Hard examples",
        source="Figure 10",
        svg=page.svg,
        note="Per cent of the replies of each cell; crossed out: nothing was answered.",
    )


def _floor(*frames: pd.DataFrame) -> float:
    """Return the fifth at or below all accuracies: from there on, lines near 100% can be told apart."""
    least = min(np.nanmin(frame[["accuracy_low", "control_low"]].to_numpy(float)) for frame in frames)
    return float(np.floor(5 * least) / 5)


def _local(panel: Axes, groups: Groups, floor: float, x: str = "offset") -> None:
    for index, (name, part) in enumerate(groups):
        points = part.set_index(x)
        for kind in ("accuracy", "control"):
            _line(panel, points, kind, index, name, len(groups), dashed=kind == "control", x=points.index.to_list())
    panel.set(ylim=(floor - 0.02, 1.02))
    drawing.percent(panel, "y")
    if x == "offset":
        panel.set_xticks(sorted(groups[0][1][x].unique()))
        panel.axvline(-0.5, color="gray", linewidth=0.8, linestyle=":")


def _line(
    panel: Axes,
    points: pd.DataFrame,
    metric: str,
    index: int,
    name: str,
    models: int,
    *,
    dashed: bool = False,
    x: Sequence[float] | None = None,
) -> None:
    rate, *bounds = rates(points, metric)
    band = bounds if models <= _MOST_BANDS else ()
    places = range(len(points)) if x is None else x
    drawing.line(panel, list(places), rate, *band, index=index, label=None if dashed else name, dashed=dashed)


def _legend(page: drawing.Sheet, groups: Groups, dashed: str) -> None:
    """Put the names of the models, and what is ``dashed``, below the figure."""
    page.panels[0].plot([], [], color="gray", linestyle="--", label=dashed)
    page.legend(columns=min(4, 1 + len(groups)))


def _shortened(name: str) -> str:
    """Return a name that fits above a panel."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _by_model(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the part of each model, in their order, with its name."""
    return [(name, table[table["model"] == name]) for name in table["model"].unique()]


def _labels(base: pd.DataFrame, factor: str) -> dict[int, str]:
    """Return what the values of a factor are called, of those that the dataset has."""
    if factor == "points":
        return {int(value): str(value) for value in sorted(base["n_points"].unique())}
    if factor == "tortuosity":
        bins = sorted(map(int, base["tortuosity_bin"].unique()))
        return {t: _TORTUOSITY[t] if t < len(_TORTUOSITY) else f"bin {t}" for t in bins}
    counts = base.groupby("self_intersection_bin")["self_intersections"].agg(["min", "max"])
    return {
        int(str(s)): str(row["min"]) if row["min"] == row["max"] else f"{row['min']}–{row['max']}"
        for s, row in counts.iterrows()
    }
