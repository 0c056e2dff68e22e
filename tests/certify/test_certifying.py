"""A picture or program of another row under fitting hashes: only the certifier finds it, and nothing is published."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import command_line
import plain
import pytest
import stand_in_hub
from huggingface_hub import HfApi
from sample_folder import edit_manifest, rows_of
from small_datasets import Rows, Small, probe, whole
from stand_in_hub import Hub

from planimeter.evals.geogram import grader
from planimeter.export.hub.faults import PublishError
from planimeter.export.manifest import Manifest
from planimeter.export.verify import croissant
from planimeter.flows import certifying
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.imports.chunks import Options
from planimeter.flows.service import hub as publishing

Exchange = Callable[[dict[str, Any], dict[str, Any]], None]
Made = Callable[..., Path]


def exchanged(rows: Rows, config: str, exchange: Exchange) -> Rows:
    """A copy of ``rows`` where ``exchange`` has had two rows of ``config`` whose answers differ."""
    copies = {name: [dict(row) for row in found] for name, found in rows.items()}
    first, *others = copies[config]
    exchange(first, next(row for row in others if row["answer"] != first["answer"]))
    return copies


def pictures(one: dict[str, Any], other: dict[str, Any]) -> None:
    first, second = one["image"], other["image"]
    one["image"], other["image"] = {**first, "bytes": second["bytes"]}, {**second, "bytes": first["bytes"]}


def programs(one: dict[str, Any], other: dict[str, Any]) -> None:
    """With the pictures, and in the prompts too, so that only the solution shows it."""
    pictures(one, other)
    for name in ("code", "language"):
        one[name], other[name] = other[name], one[name]
    for row in (one, other):
        row["prompt"] = grader.prompt(row["problem"], row["code"], row["language"])


CONFIGS = {"marvl-qa-mini": "transformation", "traversal": "confounded", "curves": "polygon"}
CONFIGS |= {"curves-maps": "planar_map", "geogram": "geogram"}
FORGERIES = [(name, config, pictures) for name, config in CONFIGS.items()] + [("geogram", "geogram", programs)]


def uncertified(folder: Path, workers: int = 1) -> list[str]:
    with bars() as shown:
        return [str(problem) for problem in certifying.uncertified(folder, shown, workers)]


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture(autouse=True)
def client(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(publishing, "client", lambda: HfApi(hub.url))
    # Most of a verification's time is spent in mlcroissant; test_export tries the descriptions of all suites.
    monkeypatch.setattr(croissant, "mlcroissant_says", lambda path: [])


def publish(folder: Path, repo: str, *, private: bool = False) -> list[str]:
    """Publish ``folder``; return what is reported meanwhile."""
    said: list[str] = []
    publishing.publication(folder, repo, private=private, dry_run=False, log=said.append)()
    return said


@pytest.fixture
def made(small: Callable[[str], Small], tmp_path: Path) -> Made:
    """Makes a small dataset that was probed; if a ``config`` is named, two of its rows are exchanged."""

    def of(name: str, config: str = "", exchange: Exchange = pictures) -> Path:
        given = small(name)
        rows = exchanged(given.rows, config, exchange) if config else given.rows
        return probe(whole(tmp_path / (config or "sound"), given, rows))

    return of


@pytest.mark.parametrize(("name", "config", "exchange"), FORGERIES)
def test_a_picture_of_another_row_is_never_published(name, config, exchange, made, hub):
    forged = made(name, config, exchange)
    found = uncertified(forged)
    assert len(found) == 2 and all(problem.startswith(f"{config}: ") for problem in found)
    with pytest.raises(PlanimeterError, match=r"has 2 problems .*verify .*` lists all"):
        publish(forged, "tester/forged")
    assert "tester/forged" not in hub.repos


def test_the_command_names_rows_and_what_was_recovered(made: Made, hub: Hub) -> None:
    sound, forged = made("curves-maps"), made("curves-maps", "planar_map")
    uncertain = command_line.here("verify", str(forged))
    assert (uncertain.code, uncertain.out.splitlines()[0]) == (0, f"{forged}: no problem found")
    assert uncertain.out.splitlines()[1].startswith("not checked: whether the certifier recovers each answer")
    assert uncertain.out.endswith(f"run `planimeter verify {forged} --certify`\n")
    named = command_line.here("verify", str(forged), "--certify")
    assert (named.code, len(named.lines)) == (1, 3)
    row = rows_of(forged, "planar_map")[0]
    assert f"planar_map: {row['id']}: the certifier recovers " in named.err
    assert f"from what a model sees, but the stored answer is {row['answer']!r}" in named.err
    certain = command_line.here("verify", str(sound), "--certify")
    recovered = f"the certifier recovers the answers of all {Manifest.read(sound).files[0].rows} rows"
    assert certain.code == 0 and recovered in certain.out
    assert f"verified; {recovered}" in publish(sound, "tester/certain") and hub.files("tester/certain", "v1.0.0")
    (forged / "croissant.json").unlink()
    broken = command_line.here("verify", str(forged), "--certify")
    lines = ["croissant.json: is missing; build the dataset again", f"planimeter: {forged}: 1 problem"]
    assert broken.lines == lines, "nothing is certified of a dataset that breaks another promise"


def test_a_misshapen_recipe_is_no_traceback(made: Made, monkeypatch):
    forged = made("curves", "polygon")
    alone = uncertified(forged)
    monkeypatch.setattr(certifying, "MAX_LISTED", 1)
    assert uncertified(forged) == [alone[0], "data: has 1 more rows with unrecovered answers; build the dataset again"]
    edit_manifest(forged, lambda m: m["recipe"]["polygon"].update(look=3))
    (problem,) = uncertified(forged)
    assert problem.startswith("manifest.json: recipe is misshapen, so rows cannot be certified")


@pytest.mark.slow
def test_two_workers_recover_the_same_answers_as_one(made: Made, monkeypatch):
    forged = made("curves", "polygon")
    alone = uncertified(forged)
    monkeypatch.setattr(certifying, "MANY", 1)
    assert uncertified(forged, 2) == alone


def test_an_imported_corpus_says_that_it_has_no_certifier(hub: Hub, tmp_path: Path) -> None:
    lines = tmp_path / "corpus.jsonl"
    code = "[asy] draw((0,0)--(4.2,1)--(1,5)--cycle); [/asy]"
    lines.write_text(json.dumps({"problem": f"Triangle ABC has which area? {code}", "answer": "84"}))
    folder = plain.curate(Options(files=(str(lines),), outputs=tmp_path / "out"))
    verified = command_line.here("verify", str(folder), "--certify")
    assert (verified.code, verified.out.splitlines()) == (0, [f"{folder}: no problem found", certifying.UNCERTIFIED])
    assert f"verified; {certifying.UNCERTIFIED}" in publish(probe(folder), "tester/imported")
    assert hub.files("tester/imported", "v1.0.0")


def test_cheap_refusals_come_before_verification(hub: Hub, certified: Path, monkeypatch) -> None:
    """A name, a probe, a private repository that is public: to verify a large dataset takes minutes."""
    monkeypatch.setattr(certifying.writing, "problems_of", lambda *_: pytest.fail("the folder was verified first"))
    HfApi(hub.url).create_repo("tester/everyones", repo_type="dataset")

    def refused(words: str, repo: str, **how: bool) -> None:
        with pytest.raises(PublishError, match=words):
            publish(certified, repo, **how)

    refused("need a repository as owner/name, got 'x'", "x")
    refused("is not published before it is probed", "tester/cheap")
    refused("exists and is public", "tester/everyones", private=True)
    probe(certified)
    with pytest.raises(pytest.fail.Exception, match="was verified first"):
        publish(certified, "tester/cheap")
    assert "tester/cheap" not in hub.repos
