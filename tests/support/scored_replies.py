"""Scores of simulated models: plain rows of a dataset, replies by rules that are known, graded by the real protocol."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from planimeter import evals
from planimeter.items import OPTIONS, TRANSFORMATIONS
from planimeter.scores.forms import STRICT, Scored

Row = dict[str, Any]
Model = Callable[[str, Row, np.random.Generator], str]

STYLES = [(kind, colours) for kind in ("heatmap", "heatmap-contour") for colours in ("inferno", "magma", "plasma")]
STYLES = [*STYLES, ("heatmap", "viridis"), ("heatmap-contour", "viridis"), ("contour", "")]


def counting_rows(questions: int, seed: int = 0) -> list[Row]:
    """Nine rows a question, with counts from 1 to 18."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(questions):
        count = int(rng.integers(1, 19))
        for kind, colours in STYLES:
            row = {"feature": ("maxima", "minima")[number % 2], "count": count, "answer": str(count)}
            row |= {"plot_type": kind, "colormap": colours, "family": f"f{number % 12}", "tier": 1 + number % 5}
            rows.append({"id": f"c{len(rows)}", "question": f"c{number}", **row})
    return rows


def transformation_rows(pairs: int, seed: int = 0, *, all_styles: bool = False) -> list[Row]:
    """Two rows a pair of plots, in the same style and in different ones, or all 81; each transformation as often."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(pairs):
        asked = TRANSFORMATIONS[number % 4]
        first, second = (STYLES[int(place)] for place in rng.choice(9, 2, replace=False))
        styles = product(STYLES, STYLES) if all_styles else ((first, first), (first, second))
        for (kind_a, colours_a), (kind_b, colours_b) in styles:
            options = [OPTIONS[place] for place in rng.permutation(5)]
            row = {"transformation": asked, "options": options, "answer": str(options.index(asked) + 1)}
            row |= {"plot_type_a": kind_a, "colormap_a": colours_a, "plot_type_b": kind_b, "colormap_b": colours_b}
            row |= {"family": f"f{number % 12}", "tier": 1 + number % 5}
            rows.append({"id": f"t{len(rows)}", "question": f"t{number}", **row})
    return rows


def geogram_rows(problems: Mapping[str, int]) -> list[Row]:
    """So many problems of each level, with distinct whole numbers as answers."""
    rows: list[Row] = []
    for level, number in problems.items():
        for place in range(number):
            language = ("asymptote", "matplotlib")[place % 2]
            code = "\n".join(f"draw(circle(({line},{place}), {line + 1}));" for line in range(8 + 5 * (place % 6)))
            row = {"level": level, "language": language, "template": f"{level}-{place % 5}", "code": code}
            row |= {"answer": str(100 + len(rows)), "answer_latex": str(100 + len(rows)), "problem": "How long?"}
            rows.append({"id": f"g{len(rows)}", "question": f"g{len(rows)}", **row})
    return rows


def scored(
    suite: str,
    rows: Mapping[str, Sequence[Row]],
    models: Mapping[str, Model],
    *,
    samples: int = 1,
    variant: str = "default",
    finish: str = "stop",
    seed: int = 0,
) -> Scored:
    """Ask every model every row so many times; equal seeds give equal replies."""
    lines, line = (
        [],
        lru_cache(maxsize=None)(lambda config, place, reply: _line(suite, config, rows[config][place], reply)),
    )
    for (name, model), config in product(sorted(models.items()), rows):
        rng = np.random.default_rng(zlib.crc32(f"{name} {config} {seed}".encode()))
        lines += [
            line(config, place, model(config, row, rng))
            | {"sample": sample, "model": name, "variant": variant, "finish_reason": finish}
            for place, row in enumerate(rows[config])
            for sample in range(samples)
        ]
    kept = {config: pd.DataFrame(found).set_index("id").drop(columns="question") for config, found in rows.items()}
    return Scored(dataset="made-up", version="1.0.0", suite=suite, frame=pd.DataFrame(lines), rows=kept)


def _line(suite: str, config: str, row: Row, reply: str) -> Row:
    lenient, strict = (evals.grade(row, reply, suite=suite, config=config, strict=how) for how in (False, True))
    line = {"id": row["id"], "config": config, "split": "test", "question": row["question"]}
    line |= {
        "completion_tokens": float(len(reply)),
        "reasoning_tokens": np.nan,
        "cost": np.nan,
        "answer": row["answer"],
    }
    line |= {"answered": lenient.answered, "reason": lenient.reason, "read": lenient.read, "reply": reply}
    line |= {"strict_reason": strict.reason, "correct": list(lenient.correct)}
    line |= {name: np.nan for metric in evals.suite(suite).METRICS for name in (metric, STRICT + metric)}
    return line | dict(lenient.metrics) | {STRICT + name: value for name, value in strict.metrics.items()}
