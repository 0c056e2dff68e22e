"""Presents the results of the probes: tables, a figure, a page, and the section "What a score is worth" of a card."""

from collections.abc import Iterator

import pandas as pd
from markupsafe import Markup

from planimeter.evals.probes.results import DEVIATIONS, POINTS, Blind, Probes, declared_shortcuts
from planimeter.evals.scores import drawing
from planimeter.evals.scores.forms import Table, Unit, records
from planimeter.evals.scores.summary import BOUNDS
from planimeter.evals.scores.tables import cells, markdown
from planimeter.export.pages.templating import environment
from planimeter.items import LEVELS
from planimeter.items.values import Recipe

HEADING = "What a score is worth"

#: The name of the card's picture.
PICTURE = "probes.svg"

INTRODUCTION = (
    "Scores of baselines that see no picture (floors), of readers that see little of it (half-blind), and of the "
    "certifier, measured on the rows of this dataset by `planimeter probe`; the floors on the rows that a model is "
    "asked, as `planimeter solve` answers them. A score means something if it is clearly above the floors; one that a "
    "half-blind reader reaches, too, shows only that the model sees as much. Scores are per cent; in brackets the 95% "
    "interval, in which a question counts once."
)

STRATA = "Mean score of the half-blind readers: difficulty that does not depend on any model."

#: Columns of readers that tables do not show.
_ABOUT = ("kind", "does", "pixels", "rows")

#: The least rank correlation for which ``in_words`` calls higher bins harder or easier.
_CLEAR = 0.5


def tables(probes: Probes, recipe: Recipe) -> list[Table]:
    """Return tables of the results: reference models, blind probes and, if measured, shrunk pictures and strata.

    ``recipe`` is that of the dataset, which declares known shortcuts.
    """
    return [_readers(probes), _blind(probes, recipe), *_shrunk(probes), *_strata(probes)]


def section(probes: Probes, recipe: Recipe) -> str:
    """Return the dataset card's section on the probes in Markdown.

    If the probes have a ``figure``, the section refers to its file, ``PICTURE``.
    """
    parts = [f"## {HEADING}", INTRODUCTION]
    if figure(probes):
        parts.append(f'<img src="{PICTURE}" alt="Score against the pixels that a reader sees, floors as lines">')
    shown = [_readers(probes), _blind(probes, recipe), *_shrunk(probes)]
    parts += [f"#{markdown(table).strip()}" for table in shown]
    excused = list(_excused(probes, recipe))
    if excused:
        parts += ["### Known shortcuts", "\n".join(f"- {line}" for line in excused)]
    return "\n\n".join(parts) + "\n\n"


def figure(probes: Probes) -> str:
    """Return an SVG of score against thumbnail size, with a panel for each config; empty if no reader has thumbnails.

    Horizontal lines are the baselines: the best constant, and a random answer.
    """
    shown = {name: part for name, part in probes.configs.items() if any(reader["pixels"] for reader in part.readers)}
    if not shown:
        return ""
    with drawing.sheet(len(shown)) as drawn:
        for panel, (config, part) in zip(drawn.panels, shown.items(), strict=True):
            frame = pd.DataFrame(part.readers)
            sized = frame[frame["pixels"] > 0].sort_values("pixels")
            pixels = sized["pixels"].tolist()
            drawing.line(panel, pixels, *(sized[part.headline + bound] for bound in BOUNDS), label="thumbnail")
            floors = frame[frame["kind"] == "floor"]
            for index, floor in enumerate(records(floors.iloc[[0, -1]]), 1):
                level = floor[part.headline]
                panel.axhline(level, color=drawing.colour(index), linestyle="--", linewidth=1.2, label=floor["reader"])
            drawn.title(panel, config)
            panel.set_xscale("log", base=2)
            panel.set_xticks(pixels, [str(size) for size in pixels])
            panel.minorticks_off()
            panel.set(ylim=(0, 1.02), xlabel="side of the thumbnail, px", ylabel=part.headline.replace("_", " "))
            drawing.percent(panel, "y")
        drawn.legend()
    return drawn.svg


def page(probes: Probes, recipe: Recipe) -> str:
    """Return a self-contained HTML page of the results, with the ``tables`` and the ``figure``."""
    return (
        environment("planimeter.evals.probes")
        .get_template("probes.html.j2")
        .render(
            heading=HEADING,
            introduction=INTRODUCTION,
            probes=probes,
            # Drawn by us; matplotlib escapes its texts.
            figure=Markup(figure(probes)),  # noqa: S704 - see above
            tables=[(table, *cells(table)) for table in tables(probes, recipe)],
        )
    )


def verdict(config: str, blind: Blind, recipe: Recipe) -> str:
    """Return the verdict on a blind probe: "at chance", "known" if the recipe declares it, or "above chance"."""
    if not blind.found:
        return "at chance"
    return "known" if (config, blind.probe) in declared_shortcuts(recipe) else "above chance"


def _readers(probes: Probes) -> Table:
    lines = [{**reader, "config": name} for name, part in probes.configs.items() for reader in part.readers]
    frame = pd.DataFrame(lines, columns=None if lines else (*_ABOUT, "config", "reader"))
    sized = frame["pixels"] > 0
    names = frame["reader"].where(~sized, frame["reader"].str.replace(r"-\d+$", "", regex=True))
    does = dict(zip(names, frame["does"], strict=True))
    shown = ["config", "reader", *(name for name in frame if name not in (*_ABOUT, "config", "reader"))]
    return Table(
        "readers",
        "Floors, half-blind readers, the certifier",
        frame=frame[shown].reset_index(drop=True),
        note=" ".join(f"`{name}`: {text}" for name, text in does.items()),
    )


def _blind(probes: Probes, recipe: Recipe) -> Table:
    lines = [
        {
            "config": config,
            "looks at": blind.probe,
            "verdict": verdict(config, blind, recipe),
            "guesses": blind.guesses,
            "right": blind.accuracy.mean,
            "right_low": blind.accuracy.low,
            "right_high": blind.accuracy.high,
            "permuted": 100 * blind.null,
            "deviation": 100 * blind.deviation,
            "above, in deviations": round(blind.deviations, 1),
        }
        for config, probed in probes.configs.items()
        for blind in probed.blind
    ]
    note = (
        "Guesses are cross-validated; no family, template, tree or path is learnt from and guessed at once (for the "
        "order of the files: no question). "
        "`permuted`: the same on answers that are exchanged between questions, mean and deviation of 200 times, in per "
        f"cent. Above chance: more than {DEVIATIONS} deviations and {100 * POINTS:.0f} points above that mean."
    )
    units: dict[str, Unit] = dict.fromkeys(("permuted", "deviation", "above, in deviations"), "number")
    return Table("blind", "Blind probes", frame=pd.DataFrame(lines), note=note, units=units)


def _strata(probes: Probes) -> Iterator[Table]:
    for config, probed in probes.configs.items():
        if probed.strata:
            frame = pd.DataFrame(probed.strata)
            yield Table(
                f"strata_{config}",
                f"What the half-blind readers solve, by stratum: {config}",
                frame=frame,
                note=" ".join([STRATA, *(in_words(axis, part) for axis, part in ordered(frame))]),
                units={"solved": "share"},
            )


def _shrunk(probes: Probes) -> Iterator[Table]:
    lines = [
        {"config": config, "longer side, px": line["side"], "rows": line["rows"], "readable": line["readable"]}
        for config, probed in probes.configs.items()
        for line in probed.shrunk
    ]
    if lines:
        note = (
            "Share of rows whose answer a program still reads when the picture is shrunk to this longer side, by "
            "averaging and by bicubic reduction: a lower bound, since in smaller pictures the program may give up "
            "first. `planimeter verify DIR --certify --at N` reads all rows at any size."
        )
        units: dict[str, Unit] = {"longer side, px": "number", "rows": "number", "readable": "share"}
        yield Table("shrunk", "Readable at which size", frame=pd.DataFrame(lines), note=note, units=units)


def in_words(axis: str, steps: pd.DataFrame) -> str:
    """Return a sentence on the rank correlation of ``axis`` with the scores of models that see little of a row.

    ``steps`` has a line with the mean score for each value of ``axis``, such as a level, in ascending order.
    """
    order = float(steps["solved"].corr(pd.Series(range(len(steps)), steps.index, dtype=float), method="spearman"))
    verdict = "harder" if order <= -_CLEAR else "easier" if order >= _CLEAR else "neither harder nor easier"
    return f"`{axis}`: higher bins are {verdict} for them (rank correlation {order:+.2f})."


def ordered(steps: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield (axis, the lines of ``steps`` for its values, in order) for each axis whose values have an order.

    These are the levels of problems, and axes of at least three numbers or ranges whose scores are not all equal.
    """
    for axis, part in steps.groupby("stratum", sort=False):
        if {*part["value"]} == {*LEVELS}:
            yield str(axis), part.sort_values("value", key=lambda values: values.map(LEVELS.index))
        elif len(part) > 2 and part["value"].str.match(r"\d").all() and part["solved"].nunique() > 1:
            yield str(axis), part


def _excused(probes: Probes, recipe: Recipe) -> Iterator[str]:
    reasons = declared_shortcuts(recipe)
    for config, blind in probes.found():
        if (config, blind.probe) in reasons:
            yield f"`{config}`, {blind.probe}: {reasons[config, blind.probe]}"
