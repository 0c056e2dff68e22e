"""Tables find simulated models out within their intervals, are printed, and have the numbers that they had."""

from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import simulated
import simulated_traversal
from simulated import (
    Model,
    counting_rows,
    curves_rows,
    geogram_rows,
    gold,
    holds,
    line,
    map_rows,
    named,
    other_option,
    silent,
    simulate,
    tag,
    transformation_rows,
)

from planimeter.evals.answers import PROTOCOL
from planimeter.evals.scores import tables
from planimeter.evals.scores import tables as every
from planimeter.evals.scores.comparison import average, differences
from planimeter.evals.scores.forms import Scored, Table

QUESTIONS, PAIRS = 172, 300
LEVELS = {"primitive": 52, "compositional": 140, "abstract": 60}
SKILL = {"primitive": 0.9, "compositional": 0.5, "abstract": 0.1}


def undercounts(config, row, rng):
    """Right below 8, and one too few from there on; every tenth reply cannot be read."""
    count = int(row["answer"])
    return "I see hills." if rng.random() < 0.1 else tag(count - (count >= 8))


def talkative(config, row, rng):
    """Right in 60%, but of what it says a quarter is not in the asked format."""
    said = row["answer"] if rng.random() < 0.6 else int(row["answer"]) + 7
    return f"The answer is {said}." if rng.random() < 0.25 else tag(said)


def always_x(config, row, rng):
    return tag(row["options"].index("translate_x") + 1)


def by_level(config, row, rng):
    right = rng.random() < SKILL[row["level"]]
    return f"Thus \\boxed{{{row['answer'] if right else int(row['answer']) + int(rng.integers(1, 4))}}}"


def test_models_are_ranked_with_intervals_by_question():
    models = {"gold": gold, "silent": silent, "undercounts": undercounts, "talkative": talkative}
    of_counting = every.tables(simulate("marvl_qa", {"counting": counting_rows(QUESTIONS)}, models))
    overview = named(of_counting, "overview")
    assert overview["model"].tolist()[::3] == ["gold", "silent"]
    assert named(of_counting, "t1_counting")["model"].tolist() == overview["model"].tolist()
    perfect, talks, under = (line(overview, model=model) for model in ("gold", "talkative", "undercounts"))
    assert (talks["n"], talks["questions"]) == (9 * QUESTIONS, QUESTIONS)
    assert holds(talks, "accuracy", 0.6)
    # Nine rows of one question are right or wrong together.
    by_rows = simulated.by_rows(round(under["accuracy"] * under["n"]), int(under["n"]))
    assert under["accuracy_high"] - under["accuracy_low"] > 2.5 * (by_rows.high - by_rows.low)
    # What replies are like has no interval where all are alike.
    assert holds(under, "answered", 0.9)
    assert (perfect["answered"], perfect["cut_off"], perfect["lenient_less_strict"]) == (1, 0, 0)
    assert perfect[["answered_low", "cut_off_low", "lenient_less_strict_high"]].isna().all()
    assert perfect["accuracy_low"] < 1
    shown = every.markdown(next(table for table in of_counting if table.name == "overview"))
    assert "| gold | 1548 | 172 | 100.0 [97.8, 100.0] | 0.0 | 100.0 [97.8, 100.0] | 0.0 | 100.0 | 0.0 |" in shown


def test_a_model_that_always_says_the_same_is_found():
    models = {"gold": gold, "always-x": always_x, "always-second": lambda *_: tag(2)}
    scored = simulate("marvl_qa", {"transformation": simulated.transformation_rows(PAIRS)}, models)
    of_transformation = every.tables(scored)
    collapse = named(of_transformation, "collapse")
    x, second, perfect = (line(collapse, model=name) for name in ("always-x", "always-second", "gold"))
    assert (x["most_given_option"], x["collapse_index"]) == ("translate_x", 1)
    assert (second["most_given_position"], second["position_share"]) == ("2", 1)
    assert perfect["collapse_index"] == pytest.approx(0.25)
    assert second["collapse_index"] < 0.3 > x["position_share"]
    assert holds(x, "position_share", 0.2) or x["position_share"] < 0.25
    bias = named(of_transformation, "fig6_option_bias")
    row = line(bias, model="always-x")
    assert (row["n"], row["translate_x"]) == (2 * PAIRS * 3 // 4, 1)
    assert "gold" not in set(bias["model"])
    for asked in ("rotate_180", "translate_y"):
        row = line(named(of_transformation, "confusion"), model="always-x", transformation=asked)
        assert (row["translate_x"], row[asked]) == (1, 0)
    each = line(named(of_transformation, "t13_transformations"), model="always-x")
    assert (each["translate_x"], each["rotate_180"]) == (1, 0)
    assert holds(each, "accuracy", 0.25)


def test_levels_of_geogram_are_as_planted():
    scored = simulate("geogram", {"geogram": geogram_rows(LEVELS)}, {"by-level": by_level}, samples=8)
    row = line(named(every.tables(scored), "t1_levels"), model="by-level")
    assert all(holds(row, level, truth) for level, truth in SKILL.items())
    assert holds(row, "mean_of_levels", 0.5)
    assert holds(row, "all", sum(LEVELS[level] * truth for level, truth in SKILL.items()) / 252)
    assert row["all"] != row["mean_of_levels"]
    half_wide = (row["mean_of_levels_high"] - row["mean_of_levels_low"]) / 2
    assert half_wide < max(row[f"{level}_high"] - row[f"{level}_low"] for level in LEVELS) / 2


def test_tables_are_printed_with_their_intervals(tmp_path):
    columns = {"model": ["a|b", "c\nd"], "n": [1548, 3], "tokens": [1234.5, np.nan], "named": [True, False]}
    columns |= {"accuracy": [0.6314, 0.0], "accuracy_low": [0.6074, np.nan], "accuracy_high": [0.6554, np.nan]}
    columns |= {"error": [-0.001, 1.5], "error_low": [-0.101, 1.0], "error_high": [0.099, 2.0]}
    frame = pd.DataFrame(columns)
    table = Table(name="t", title="T", source="Table 1", frame=frame, note="N.", units={"error": "number"})
    assert every.markdown(table) == (
        "## T (Table 1)\n\nN.\n\n"
        "| model | n | tokens | named | accuracy (%) | error |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n"
        "| a\\|b | 1548 | 1.23e+03 | yes | 63.1 [60.7, 65.5] | 0.00 [-0.10, 0.10] |\n"
        "| c d | 3 | – | no | 0.0 | 1.50 [1.00, 2.00] |\n"
    )
    assert every.terminal(table).splitlines() == [
        "model     n    tokens  named       accuracy (%)               error",
        "a|b    1548  1.23e+03    yes  63.1 [60.7, 65.5]  0.00 [-0.10, 0.10]",
        "c d       3         –     no                0.0   1.50 [1.00, 2.00]",
        "N.",
    ]
    paths = every.write(tmp_path, [table])
    assert [path.name for path in paths] == ["t.csv", "t.md", "t.tex"]
    written = pd.read_csv(paths[0])
    assert set(written.pop("protocol")) == {PROTOCOL}
    pd.testing.assert_frame_equal(written, frame)


def test_the_name_of_a_model_is_text_to_latex():
    frame = pd.DataFrame({"model": ["\\input{secret} $x_1$ & 5%"], "accuracy": [0.5]})
    shown = every.latex(Table(name="t", title="T", frame=frame, units={"accuracy": "share"}))
    assert "\\textbackslash input\\{secret\\} \\$x\\_1\\$ \\& 5\\% & 50.0 \\\\" in shown
    assert shown.startswith("\\begin{tabular}{lr}\n\\toprule\nmodel & accuracy (\\%) \\\\")


@pytest.mark.parametrize("model", [gold, silent], ids=["gold", "silent"])
def test_models_always_right_or_never_read_have_tables(small, model):
    rows = {
        config: [{**row, "image": None, "question": str(row["seed"] // 256)} for row in part]
        for config, part in small("marvl-qa-mini").rows.items()
    }
    scored = simulate("marvl_qa", rows, {"m": model})
    tables = every.tables(scored)
    assert max(Counter(table.name for table in tables).values()) == 1
    assert named(tables, "overview")["accuracy"].tolist() == [float(model is gold)] * 2
    for table in tables if model is gold else ():
        assert (table.frame.filter(regex="^(strict_)?accuracy$") == 1).all(axis=None), table.name
    figures = every.figures(tables) if model is silent else ()
    assert len({figure.name for figure in figures}) == len(figures) == (8 if model is silent else 0)


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
