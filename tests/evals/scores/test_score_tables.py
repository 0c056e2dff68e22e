"""Simulated models whose behaviour is known are found out by the tables, within the printed intervals."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import simulated
from simulated import counting_rows, geogram_rows, gold, holds, line, named, silent, simulate, tag

from planimeter.evals.answers import PROTOCOL
from planimeter.evals.scores import tables as every
from planimeter.evals.scores.forms import Table

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
