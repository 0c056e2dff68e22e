"""All tables of every suite have the numbers that they had, for replies of two simulated models."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
import simulated_traversal
from simulated import (
    Model,
    counting_rows,
    curves_rows,
    geogram_rows,
    map_rows,
    other_option,
    simulate,
    tag,
    transformation_rows,
)

from planimeter.evals.scores import tables
from planimeter.evals.scores.comparison import average, differences
from planimeter.evals.scores.forms import Scored

GOLDEN = Path(__file__).with_name("golden_tables")


def right_in(share: float) -> Model:
    """Return a model that is right in this share of the replies; others are wrong, or not read."""

    def model(config, row, rng):
        kind, answer = rng.random(), row["answer"]
        wrong = other_option(row) if answer.isdigit() else "1\n1 0" if "parents" in row else "2\n0 1\n0 2"
        said = answer if kind < share else wrong
        if "code" in row:
            return row["code"] if kind > 0.9 else f"\\boxed{{{said}}}"
        if not answer.isdigit():
            return "" if kind > 0.9 else f"<answer>\n{said}\n</answer>"
        return "I cannot tell." if kind > 0.95 else f"The answer is {said}." if kind > 0.85 else tag(said)

    return model


def of(suite: str, rows: dict[str, list], **more: object) -> Scored:
    return simulate(suite, rows, {"often": right_in(0.7), "rarely": right_in(0.3)}, **more)


def problems() -> list:
    rows = geogram_rows({"primitive": 8, "compositional": 10, "abstract": 6})
    levels = ("Level 1", "Level 5", "")
    more = ({"pair_id": f"p{k // 2}" if k < 8 else "", "source_level": levels[k % 3]} for k in range(len(rows)))
    return [row | others for row, others in zip(rows, more, strict=True)]


def leveled(rows: list) -> list:
    return [row | {"level": 1 + place % 3} for place, row in enumerate(rows)]


CASES = {
    "marvl_qa": lambda: of("marvl_qa", {"counting": counting_rows(12), "transformation": transformation_rows(16)}),
    "geogram": lambda: of("geogram", {"geogram": problems()}, samples=4),
    "curves": lambda: of("curves", curves_rows(6), samples={"easy": 2}),
    "levels": lambda: of(
        "curves", {"curriculum": [r | {"level": 1 + k % 3} for k, r in enumerate(curves_rows()["maze"])]}
    ),
    "curves_maps": lambda: of("curves_maps", {"planar_map": map_rows(20)}),
    "traversal": lambda: simulated_traversal.scored(
        simulated_traversal.rows(1),
        {"bins": simulated_traversal.by_bins, "rightwards": simulated_traversal.reads_rightwards},
    ),
}


def parsed(text: str) -> dict[str, pd.DataFrame]:
    parts = (part.split("\n", 1) for part in text.split("# ")[1:])
    return {name: pd.read_csv(StringIO(frame)) for name, frame in parts}


@pytest.mark.parametrize("case", CASES)
def test_tables_have_the_numbers_that_they_had(case: str) -> None:
    """Where a table is meant to change, delete its file and run the test: it writes the file, and fails once."""
    scored = CASES[case]()
    made = [*tables.tables(scored), *differences(scored), average([scored, replace(scored, dataset="other")])]
    text = "".join(f"# {one.name}\n{one.frame.to_csv(index=False, float_format='%.6g')}" for one in made)
    path = GOLDEN / f"{case}.csv"
    if not path.exists():
        path.write_text(text)
        pytest.fail(f"{path} is new: look at its numbers")
    found, kept = parsed(text), parsed(path.read_text())
    assert list(found) == list(kept)
    for name, frame in kept.items():
        pd.testing.assert_frame_equal(found[name], frame, rtol=1e-4, obj=name)
