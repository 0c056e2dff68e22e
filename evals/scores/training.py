"""How a reward rose while a model trained (CurveBench, Fig. 2), from the log of TRL, ms-swift or any `Trainer`.

They keep `trainer_state.json` in the folder of a run and in each of its checkpoints: a list of what was logged, with
the step, and with `eval_` before the names of what was measured on held-out questions.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planimeter.evals.scores import drawing

FILE = "trainer_state.json"

#: Steps and values, in the order of the steps.
Points = tuple[Sequence[float], Sequence[float]]


class LogError(ValueError):
    """A log cannot be read, or does not hold what is asked of it; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run: ``held`` are the points measured on held-out questions, often none."""

    name: str
    train: Points
    held: Points


def read(place: Path, metric: str) -> Run:
    """Return the run in the folder or the file ``place``: of a folder the newest log, which may be a checkpoint's.

    ``metric`` is a name as it is logged, such as ``reward``, or that of one of several rewards.

    Raises:
        LogError: if there is no log, it cannot be read, or nothing in it is called ``metric``.
    """
    file = _file(place)
    try:
        history = json.loads(file.read_text(encoding="utf-8"))["log_history"]
        lines = [line for line in history if "step" in line]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LogError(f"{file} is no log of a trainer: {error.__class__.__name__}: {error}") from None
    names = (metric, f"rewards/{metric}/mean")
    run = Run(
        name=_name(file),
        train=_points(lines, names),
        held=_points(lines, [f"eval_{name}" for name in names]),
    )
    if not run.train[0] and not run.held[0]:
        logged = {key.removeprefix("eval_") for line in lines for key in line if "reward" in key}
        known = sorted(
            key.removeprefix("rewards/").removesuffix("/mean")
            for key in logged
            if key == "reward" or (key.startswith("rewards/") and key.endswith("/mean"))
        )
        raise LogError(f"{file} holds no metric {metric!r}; its rewards: {', '.join(known) or 'none'}")
    return run


def figure(runs: Sequence[Run], metric: str, window: int) -> str:
    """Return the curves as SVG: on the questions trained on, with the mean of the last ``window`` points, and held out.

    The panel of held-out questions is left out where no run has any.
    """
    sides: list[tuple[str, list[Points], int]] = [("questions trained on", [run.train for run in runs], window)]
    if any(run.held[0] for run in runs):
        sides.append(("held-out questions", [run.held for run in runs], 1))
    with drawing.sheet(len(sides), size=(4.2, 2.9)) as page:
        for panel, (title, points, width) in zip(page.panels, sides, strict=True):
            for index, (run, (steps, values)) in enumerate(zip(runs, points, strict=True)):
                if width > 1:
                    panel.plot(steps, values, color=drawing.colour(index), linewidth=0.8, alpha=0.3)
                    panel.plot(
                        steps, smoothed(values, width), color=drawing.colour(index), linewidth=1.6, label=run.name
                    )
                else:
                    drawing.line(panel, steps, values, index=index, label=run.name)
            panel.set(title=title, xlabel="step", ylabel=metric.replace("_", " "))
            if all(0 <= value <= 1 for _, values in points for value in values):
                panel.set_ylim(0, 1)
        page.legend()
    return page.svg


def smoothed(values: Sequence[float], window: int) -> list[float]:
    """Return at each place the mean of the last ``window`` values, or of those that there are."""
    return [float(np.mean(values[max(0, end - window) : end])) for end in range(1, len(values) + 1)]


def _points(lines: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Points:
    """Return the points of the first of ``names`` that is there; of a step logged twice, by a resumed run, the last."""
    for name in names:
        values = {line["step"]: line[name] for line in lines if _is_number(line.get(name))}
        if values:
            steps = sorted(values)
            return steps, [float(values[step]) for step in steps]
    return [], []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _file(place: Path) -> Path:
    if not place.is_dir():
        return place
    checkpoints = (path for path in place.glob(f"checkpoint-*/{FILE}") if path.parent.name[11:].isdigit())
    newest = [place / FILE, *sorted(checkpoints, key=lambda path: -int(path.parent.name[11:]))]
    for file in newest:
        if file.is_file():
            return file
    raise LogError(f"{place} holds no {FILE}; give the folder of a run, which has one from its first checkpoint on")


def _name(file: Path) -> str:
    folder = file.resolve().parent
    return folder.parent.name if folder.name.startswith("checkpoint-") else folder.name
