"""Scores of simulated models, without files: plain rows, replies by known rules, graded by the real protocol."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from planimeter import evals
from planimeter.evals.curves.prompt import answer as tree_answer
from planimeter.evals.scores.forms import COLUMNS, STRICT, Scored
from planimeter.items import OPTIONS, TRANSFORMATIONS

Row = dict[str, Any]
#: The reply of a model to a row of a config; of a list of markers, which of them are right will do.
Model = Callable[[str, Row, np.random.Generator], str | Sequence[bool]]

STYLES = [(kind, colours) for kind in ("heatmap", "heatmap-contour") for colours in ("inferno", "magma", "plasma")]
STYLES = [*STYLES, ("heatmap", "viridis"), ("heatmap-contour", "viridis"), ("contour", "")]


def simulate(
    suite: str,
    rows: Mapping[str, Sequence[Row]],
    models: Mapping[str, Model],
    *,
    samples: int | Mapping[str, int] = 1,
    seed: int = 0,
    dataset: str = "made-up",
) -> Scored:
    """Ask every model every row so many times (by config); equal seeds give equal replies, an empty one was cut off."""
    graded = lru_cache(maxsize=None)(lambda config, place, reply: _line(suite, config, rows[config][place], reply))
    lines = []
    for (name, model), config in product(sorted(models.items()), rows):
        rng = np.random.default_rng(zlib.crc32(f"{name} {config} {seed}".encode()))
        number = samples if isinstance(samples, int) else samples.get(config, 1)
        for place, sample in product(range(len(rows[config])), range(number)):
            reply = model(config, rows[config][place], rng)
            line = graded(config, place, reply if isinstance(reply, str) else tuple(reply))
            lines.append(line | {"sample": sample, "model": name, "variant": "default"})
    metrics = list(evals.suite(suite).METRICS)
    frame = pd.DataFrame(lines, columns=[*COLUMNS, *metrics, *(STRICT + name for name in metrics)])
    frame = frame.sort_values(["model", "variant", "config", "id", "sample"], ignore_index=True)
    known = {config: pd.DataFrame(some).set_index("id") for config, some in rows.items()}
    known = {config: some.drop(columns="question", errors="ignore") for config, some in known.items()}
    return Scored(dataset=dataset, version="1.0.0", suite=suite, frame=frame, rows=known)


def _line(suite: str, config: str, row: Row, reply: str | tuple[bool, ...]) -> Row:
    question = next((row[name] for name in ("question", "source_id", "pair_id") if name in row), row["id"])
    line = {"id": row["id"], "config": config, "split": row.get("split", "test"), "question": question, "verdict": ""}
    line |= dict.fromkeys(("reasoning_tokens", "cost"), np.nan)
    if not isinstance(reply, str):
        metrics = {"exact": float(all(reply)), "token_accuracy": sum(reply) / len(reply)}
        line |= dict.fromkeys(("reason", "strict_reason", "reply", "read", "answer"), "")
        line |= {"finish_reason": "stop", "completion_tokens": 40.0, "answered": True}
        line |= {"correct": list(map(bool, reply))}
        return line | metrics | {STRICT + name: value for name, value in metrics.items()}
    lenient, strict = (evals.grade(row, reply, suite=suite, config=config, strict=how) for how in (False, True))
    line |= {"finish_reason": "stop" if reply else "length", "completion_tokens": float(len(reply)), "reply": reply}
    line |= {"answered": lenient.answered, "reason": lenient.reason, "read": lenient.read, "answer": row["answer"]}
    line |= {"strict_reason": strict.reason, "correct": list(lenient.correct)}
    return line | dict(lenient.metrics) | {STRICT + name: value for name, value in strict.metrics.items()}


def by_rows(right: int, number: int) -> Any:
    """Return Wilson's interval, which takes the rows as independent."""
    return binomtest(right, number).proportion_ci(method="wilson")


# --- rows


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


def transformation_rows(pairs: int) -> list[Row]:
    """Two rows a pair of plots, in the same style and in different ones; each transformation as often."""
    rng, rows = np.random.default_rng(0), []
    for number in range(pairs):
        asked = TRANSFORMATIONS[number % 4]
        first, second = (STYLES[int(place)] for place in rng.choice(9, 2, replace=False))
        for (kind_a, colours_a), (kind_b, colours_b) in ((first, first), (first, second)):
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


#: Curves of each category: the fewest and the most.
SIZES = {"easy": (1, 5), "polygon": (2, 12), "topographical": (6, 24), "maze": (4, 14), "counting": (15, 60)}


def curves_rows(rows: int = 12) -> dict[str, list[Row]]:
    """Return rows of each category; the easy ones have three splits."""
    rng = np.random.default_rng(1)
    made: dict[str, list[Row]] = {}
    for category, (least, most) in SIZES.items():
        for item in range(rows * (3 if category == "easy" else 1)):
            size = int(rng.integers(least, most + 1))
            parents = [int(rng.integers(max(0, node - 4), node)) for node in range(1, size + 1)]
            split = ("test", "train", "validation")[item % 3] if category == "easy" else "test"
            row = {"id": f"{category}-{item}", "category": category, "parents": parents, "split": split}
            made.setdefault(category, []).append({**row, "answer": tree_answer(parents), "num_nodes": size})
    return made


def ring(faces: int) -> str:
    """Return a ring of faces around the exterior."""
    pairs = [(face, face % faces + 1) for face in range(1, faces + 1)] if faces > 2 else []
    outer = [(0, face) for face in range(1, faces + 1)]
    return "\n".join([str(faces), *(f"{min(p)} {max(p)}" for p in outer + pairs)])


def map_rows(rows: int = 40) -> list[Row]:
    rng, made = np.random.default_rng(3), []
    for item in range(rows):
        faces, crossings = int(rng.integers(3, 16)), int(rng.integers(2, 15))
        row = {"id": f"map-{item}", "answer": ring(faces), "num_faces": faces, "num_crossings": crossings}
        made.append({**row, "num_curves": 3 + item % 5, "adjacent": [], "split": "test"})
    return made


# --- models


def tag(answer: object) -> str:
    return f"<final_answer>{answer}</final_answer>"


def gold(config: str, row: Row, rng: np.random.Generator) -> str:
    return tag(row["answer"])


def silent(config: str, row: Row, rng: np.random.Generator) -> str:
    return ""


def other_option(row: Row) -> int:
    """A wrong answer from 1 to 5."""
    return int(row["answer"]) % 5 + 1


# --- what tables say


def named(tables: Any, name: str) -> pd.DataFrame:
    return next(table.frame for table in tables if table.name == name)


def line(frame: pd.DataFrame, **where: Any) -> Any:
    """The one line of ``frame`` in which these columns have these values."""
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def holds(row: Any, name: str, truth: float) -> bool:
    """Whether the interval of a number holds the truth, and is one around the number."""
    low, high = float(row[f"{name}_low"]), float(row[f"{name}_high"])
    return low <= truth <= high and low <= float(row[name]) <= high and high - low > 0
