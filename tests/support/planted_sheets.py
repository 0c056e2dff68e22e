"""Rows made of lots, in which nothing tells the answer but what is planted, in a share of the rows or as a shift."""

from typing import Any

import numpy as np

from planimeter.evals.probes import blind
from planimeter.evals.probes.part import parts_of
from planimeter.evals.probes.results import Blind
from planimeter.evals.probes.sheets import Sheet
from planimeter.evals.probes.suites import marvl_qa
from planimeter.items import OPTIONS, TRANSFORMATIONS

QUESTIONS = 600
FAMILIES = 24

#: What is planted -> the probe that is to find it, and three strengths.
LEAKS: dict[str, tuple[str, tuple[float, float, float]]] = {
    "option order": ("option order", (0.25, 0.4, 0.7)),
    "file size": ("PNG size", (0.8, 1.5, 4.0)),
    "panel position": ("plot B alone: moments", (0.8, 1.5, 4.0)),
}


def pairs(leak: str, strength: float, seed: int = 0) -> tuple[Sheet, blind.Seen]:
    """Transformation rows, and what the blind probes see of them."""
    rng = np.random.default_rng(seed)
    asked = rng.integers(len(TRANSFORMATIONS), size=QUESTIONS)
    rows, sizes, panels = [], [], []
    for number, kind in enumerate(asked):
        options = [OPTIONS[place] for place in rng.permutation(len(OPTIONS))]
        if leak == "option order" and rng.random() < strength:
            options.remove(TRANSFORMATIONS[kind])
            options.insert(0, TRANSFORMATIONS[kind])
        shift = strength * (kind - 1.5)
        sizes.append(int(20_000 + 500 * (rng.normal() + shift * (leak == "file size"))))
        panels.append(panel(16 + 2 * rng.normal() + 2 * shift * (leak == "panel position"), 16 + 2 * rng.normal()))
        row = {"id": f"transformation-{rng.integers(2**62):016x}", "seed": int(rng.integers(2**62))}
        row |= {"system_prompt": "Look.", "prompt": "Which one?\n" + "\n".join(options), "options": options}
        row |= {"answer": str(options.index(TRANSFORMATIONS[kind]) + 1), "transformation": TRANSFORMATIONS[kind]}
        row |= {"family": f"family {number % FAMILIES}", "x_min": -4.0, "x_max": 4.0, "y_min": -4.0, "y_max": 4.0}
        row |= {f"plot_type_{side}": str(rng.choice(["heatmap", "contour"])) for side in "ab"}
        rows.append(row | {f"colormap_{side}": str(rng.choice(["viridis", "magma"])) for side in "ab"})
    sheet = sheet_of("marvl_qa", "transformation", rows)
    looks = {"plot B alone: moments": np.array([marvl_qa.moments(one) for one in panels])}
    return sheet, blind.seen(sheet, sizes, looks)


def sheet_of(suite: str, config: str, rows: list[dict[str, Any]]) -> Sheet:
    numbers = np.arange(len(rows), dtype=np.int64)
    part = parts_of(suite)[config]
    return Sheet(suite=suite, config=config, recipe={}, rows=rows, questions=numbers, part=part)


def panel(x: float, y: float) -> np.ndarray:
    """A thumbnail of one bump at (x, y) px."""
    down, across = np.mgrid[0:32, 0:32]
    return np.exp(-((across - x) ** 2 + (down - y) ** 2) / 60).astype(np.float32) * 255


def probed(leak: str, strength: float, seed: int = 0) -> list[Blind]:
    """What the blind probes find where ``leak`` is planted."""
    return blind.probe(*pairs(leak, strength, seed), lambda: None)[0]
