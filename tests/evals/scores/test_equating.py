"""The gap between the public and the sealed edition of a dataset, for models that know public rows and others."""

import json
import shutil
from pathlib import Path

import command_line
import numpy as np
import pandas as pd
import pytest
from reply_files import lines
from sample_folder import ROWS
from simulated import tag

from planimeter.evals import suite
from planimeter.evals.scores.equating import gaps
from planimeter.evals.scores.forms import Scored

#: Chances of a right answer, by stratum.
CHANCES = (0.85, 0.6, 0.35, 0.15, 0.05)
METRIC = suite("geogram").HEADLINE


def edition(rng, rows=500, knows=0.0, models=("m",), chances=CHANCES):
    """An edition with the same rows in each stratum, and a model that knows this share of them."""
    stratum = np.arange(rows) % len(chances)
    ids = [f"r{number}" for number in range(rows)]
    parts = []
    for model in models:
        right = (rng.random(rows) < np.array(chances)[stratum]) | (rng.random(rows) < knows)
        parts.append(pd.DataFrame({"id": ids, "question": ids, "model": model, METRIC: right.astype(float)}))
    frame = pd.concat(parts, ignore_index=True).assign(config="geogram", split="test", variant="default")
    return Scored(suite="geogram", frame=frame), {"geogram": pd.Series([f"s{each}" for each in stratum], ids)}


def gap(rng, **public):
    (one, strata), (other, others) = edition(rng, **public), edition(rng)
    return gaps(one, other, (strata, others)).frame.iloc[0]


def test_a_model_that_knows_a_fifth_of_the_rows_is_found():
    rng = np.random.default_rng(12)
    found = [gap(rng, knows=0.2)["gap_low"] > 0 for _ in range(20)]
    alarms = [gap(rng)["gap_low"] > 0 for _ in range(100)]
    # Of 1,000 runs, 22 are false alarms.
    assert sum(found) >= 19 and sum(alarms) <= 5


def test_the_gap_is_the_difference_of_means_where_strata_are_equal():
    rng = np.random.default_rng(1)
    one, strata = edition(rng, knows=0.2, models=("both", "public"))
    other, others = edition(rng, models=("both", "sealed"))
    (line,) = gaps(one, other, (strata, others)).frame.to_dict("records")
    assert line["model"] == "both" and line["gap"] == pytest.approx(line["public_mean"] - line["sealed_mean"])
    assert line["gap_low"] < line["gap"] < line["gap_high"] and line["public_n"] == line["sealed_n"] == 500


def test_the_gap_is_taken_between_rows_of_one_stratum():
    """A run of the easy public rows alone is no gap."""
    rng = np.random.default_rng(2)
    (one, strata), (other, others) = edition(rng), edition(rng)
    easy = one.frame[one.frame["id"].map(strata["geogram"]).isin(["s0", "s1"])]
    line = gaps(Scored(suite="geogram", frame=easy), other, (strata, others)).frame.iloc[0]
    assert line["public_mean"] - line["sealed_mean"] > 0.2
    assert abs(line["gap"]) < 0.12 and line["gap_low"] < 0 < line["gap_high"]


# --- the command


@pytest.fixture
def editions(sample, tmp_path) -> tuple[Path, Path]:
    """The sample, and a stand-in for a sealed edition of it: other ids, and a seal in place of the seed."""
    other = Path(shutil.copytree(sample, tmp_path / "sealed"))
    manifest = json.loads((other / "manifest.json").read_text())
    del manifest["seed"]
    manifest["recipe"]["seed"] = None
    (other / "manifest.json").write_text(json.dumps(manifest | {"seal": "ab" * 32}))
    return sample, other


def replies(path: Path, *wrong: str) -> str:
    rows = [row for part in ROWS.values() for row in part]
    said = [{"id": row["id"], "model": "m", "reply": tag(99 if row["id"] in wrong else row["answer"])} for row in rows]
    path.mkdir()
    return str(lines(path / "r.jsonl", said))


def test_the_command_prints_the_gap_of_two_editions(editions, tmp_path):
    public, sealed = editions
    right, worse = replies(tmp_path / "a"), replies(tmp_path / "b", "c01", "c02", "t00", "t10")
    out = tmp_path / "out"
    # In either order.
    ended = command_line.here("score", str(sealed), worse, str(public), right, "--out", str(out))
    assert ended.code == 0, ended.err
    table = pd.read_csv(out / "tables" / "gap.csv").set_index("config")
    assert table.loc["counting", ["public_mean", "sealed_mean"]].tolist() == pytest.approx([1, 16 / 18])
    assert table.loc["transformation", "gap"] == pytest.approx(0.25)
    assert "public and sealed edition: " in ended.out and len(list(out.glob("*/scores.parquet"))) == 2


def test_editions_of_other_recipes_are_refused(editions, tmp_path):
    public, sealed = editions
    manifest = json.loads((sealed / "manifest.json").read_text())
    manifest["recipe"] |= {"scale": 0.5, "title": "Other"}
    (sealed / "manifest.json").write_text(json.dumps(manifest))
    right = replies(tmp_path / "a")
    ended = command_line.here("score", str(public), right, str(sealed), right)
    assert ended.code == 1 and "are not editions of one recipe: scale, title differ" in ended.err
