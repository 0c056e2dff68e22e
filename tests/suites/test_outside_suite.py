"""What `planimeter new` writes has every command, a deployment and a place on the Hub without a line of ours."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command_line
import outsiders
import plain
import prefect_server
import pyarrow.parquet as pq
import pytest

from planimeter import evals, streams
from planimeter.evals import rewards
from planimeter.export.manifest import Manifest
from planimeter.export.schema import checker
from planimeter.flows.store import sources
from planimeter.items import suites
from planimeter.items.values import Row
from planimeter.suites.loading import RecipeError, available, load, parse


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    """Both distributions, of which one cannot be imported, as pip leaves them."""
    with outsiders.installed():
        yield


def command(*arguments: object) -> str:
    """Run a command in this process, and return what it prints."""
    ended = command_line.here(*map(str, arguments))
    assert ended.code == 0, ended.err
    return ended.out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The dataset, built where the distributions are installed."""
    with outsiders.installed():
        yield plain.build("dots", tmp_path_factory.mktemp("outside"), scale=0.1).folder


def test_it_is_built_verified_certified_shown_and_made_again(folder: Path) -> None:
    assert Manifest.read(folder).configs == {"discs": {"test": 12}}
    assert "In which corner is the hole?" in (folder / "README.md").read_text()
    assert "recovers the answers of all 12 rows" in command("verify", folder, "--certify")
    assert "dots" in command("show", folder)
    assert "no difference in rows, recipe and funnel" in command("diff", folder, folder)
    first = pq.read_table(next((folder / "data").rglob("*.parquet")))["id"][0].as_py()
    assert "same bytes" in command("rebuild", folder, first)


def test_its_replies_are_solved_scored_and_rewarded(folder: Path, tmp_path: Path) -> None:
    for model in ("certifier", "majority", "random"):
        command("solve", folder, "--by", model, "--out", tmp_path / f"replies/{model}.jsonl")
    command("score", folder, tmp_path / "replies", "--out", tmp_path / "scores")
    assert "| discs | certifier | 12 | 12 | 100.0 [" in (tmp_path / "scores/tables/overview.md").read_text()
    assert (
        evals.grade(ROW, "top left").value == 1.0 and evals.question(ROW) == "x" and evals.strata(ROW) == {"discs": "3"}
    )
    replies = ["top left", "It is in the top-left corner."]
    assert rewards.reward(replies, ["top left"] * 2, data_source=["dots/discs"] * 2) == [1.0, 0.0]


def test_a_grader_that_reads_its_own_column_rewards(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dots.grader

    def score(_: str, row: Row, parsed: Any) -> dict[str, float]:
        return {"accuracy": float(row["discs"] > 0 and parsed.value == row["answer"])}

    monkeypatch.setattr(dots.grader, "score", score)
    row = pq.read_table(next((folder / "data").rglob("*.parquet"))).to_pylist()[0]
    packed = json.loads(rewards.packed(row, suite="dots", config="discs"))
    assert packed["discs"] == row["discs"] and "centres" not in packed
    given = {name: [row[name]] for name in row}
    assert rewards.reward([row["answer"]], **given, data_source=["dots/discs"]) == [1.0]
    assert rewards.compute_score("dots/discs", row["answer"], row["answer"], {"row": json.dumps(packed)})["acc"] == 1.0


def test_its_card_and_croissant_name_its_distribution(folder: Path) -> None:
    card, croissant = (folder / "README.md").read_text(), json.loads((folder / "croissant.json").read_text())
    assert "Code: the distribution `dots-bench`, made with [Planimeter]" in card and "Paper:" not in card
    assert "and the distribution `dots-bench` installed" in card and "@misc{dots,\n  title = {The disc with" in card
    assert croissant["creator"] == {"@type": "sc:Organization", "name": "dots-bench"}
    report = (folder / "report/index.html").read_text()
    assert "<label>Discs<select" in report and "Family" not in report


def test_quotas_follow_from_cells_with_names() -> None:
    quotas = list(checker("dots", load("dots").model_dump(mode="json")).quotas())
    assert len(quotas) == 12 and quotas[0] == ("discs", {"discs": 4, "answer": "top left"}, 10)


def test_a_few_items_are_shown_without_a_dataset(tmp_path: Path) -> None:
    page = tmp_path / "try.html"
    command("try", "dots", "--cell", "discs/4/*", "--count", 2, "--out", page)
    text = page.read_text()
    assert text.count("<figure") == 8 and text.count("the same, margin") == 8 and "CPU ms an item" in text
    assert [*tmp_path.iterdir()] == [page]
    assert "no cell is called rings" in command_line.here("try", "dots", "--cell", "rings").err


#: What its columns are known by.
ROW = {"id": "x", "answer": "top left", "discs": 3, "centres": [[60.0, 60.0]] * 3}

#: A shell without a checkout's help: both distributions, as pip leaves them, are on its path.
SHELL = {"PYTHONPATH": f"{command_line.ROOT}:{outsiders.FOLDER}"}


@pytest.mark.slow
def test_a_run_of_its_deployment_builds_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    (home := tmp_path / "prefect").mkdir()
    with prefect_server.started(home) as server:
        server.env.update(SHELL)
        assert server.prefect("work-pool", "create", "dots", "--type", "process").code == 0
        program = (sys.executable, *command_line.PROGRAM)
        deployed = command_line.child(*program, "deploy", "--pool", "dots", env=server.env)
        assert deployed.code == 0 and "build-dots/default" in deployed.out, deployed.err
        server.background(*prefect_server.PREFECT, "worker", "start", "--pool", "dots")
        assert server.ended(server.run("build-dots", out=str(tmp_path / "out"), workers=1, scale=0.1)) == "Completed"
    assert command_line.digests(tmp_path / "out/dots/0.1.0") == command_line.digests(folder)


def test_it_streams_its_training_rows() -> None:
    assert "dots" in streams.LADDERS
    rows = [row for row, _ in zip(streams.stream("dots"), range(3), strict=False)]
    assert all(streams.row_at(row["address"]) == row for row in rows)


def test_its_datasets_are_listed_with_their_distribution(tmp_path: Path) -> None:
    listed = " ".join(command("list").split())
    assert "dots 0.1.0 120" in listed and "(dots-bench 0.3)" in listed
    assert "the suite broken of broken-bench 9.9: its declaration broken_suite:SUITE cannot be imported" in listed
    script = f"import sys; sys.path.insert(0, {str(outsiders.FOLDER)!r})\n"
    script += "from planimeter.flows.display import flow_names; assert flow_names.FLOW_OF['dots'] == 'build-dots'"
    ended = command_line.python(script, tmp_path)
    assert ended.code == 0, ended.err


def test_an_edit_of_its_distribution_changes_its_code_alone() -> None:
    before = [sources.code_digest(suite) for suite in ("dots", "marvl_qa")]
    prompt = outsiders.FOLDER / "dots/prompt.py"
    text = prompt.read_text()
    try:
        prompt.write_text(f"{text}\n")
        sources.code_digest.cache_clear()
        after = [sources.code_digest(suite) for suite in ("dots", "marvl_qa")]
    finally:
        prompt.write_text(text)
        sources.code_digest.cache_clear()
    assert (after[0] != before[0], after[1] == before[1]) == (True, True)


def test_its_faults_are_reported_as_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import dots.grader
    import dots.pipeline

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a fault of theirs")

    monkeypatch.setattr(dots.grader, "score", fails)
    with pytest.raises(suites.SuiteError, match=r"dots of dots-bench 0\.3: .*ZeroDivisionError: a fault of theirs"):
        evals.grade(ROW, "top left")
    monkeypatch.setattr(dots.pipeline.DiscsMaker, "attempt", fails)
    with pytest.raises(suites.SuiteError, match=r"suite dots of dots-bench 0\.3: making discs/4/top left.* failed"):
        plain.build("dots", tmp_path)


def test_one_that_cannot_be_imported_breaks_nothing_but_itself() -> None:
    assert "broken" in suites.names() and {"dots", "curves-maps"} <= {*available()}
    with pytest.raises(suites.SuiteError, match=r"suite broken of broken-bench 9\.9"):
        evals.suite("broken")
    with pytest.raises(suites.SuiteError, match=r"there is no suite 'rings'; there are: marvl_qa, .*, broken, dots"):
        evals.suite("rings")
    with pytest.raises(RecipeError, match=r"suite: need one of marvl_qa, .* got 'rings'"):
        parse({"dataset": "rings", "suite": "rings"}, source="rings.toml")
