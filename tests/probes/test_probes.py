"""Probes find what is planted and nothing else, never learn from what they guess, and stop a release."""

import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_sheets import LEAKS, pairs, probed, sheet_of
from rich.console import Console
from sample_folder import edit_manifest
from small_datasets import make, solved, written

from planimeter.evals import grade, suite
from planimeter.export.hub.addition import Addition
from planimeter.export.manifest import Manifest
from planimeter.export.measures import beside
from planimeter.export.pages.sections import put, section
from planimeter.export.verify.folder import verify
from planimeter.flows.commands import probe as command
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service import hub
from planimeter.flows.service.probe import probe_folder
from planimeter.items.suites import SUITES, part_of
from planimeter.probes import against, blind, learning, page, probing, readers, tables
from planimeter.probes.results import FILE, Blind, Figure, Probed, Probes, Reader, data_of
from planimeter.probes.suites import marvl_qa
from planimeter.recipes.loading import parse
from planimeter.scores import dataset
from planimeter.scores.intake import take
from planimeter.scores.scored import score
from planimeter.solvers import curves
from planimeter.solvers.solving import solvers

QUIET = Console(quiet=True)


def found(results: list[Blind]) -> list[str]:
    return [one.probe for one in results if one.found]


@pytest.mark.parametrize(("leak", "strength"), [(leak, one) for leak, (_, given) in LEAKS.items() for one in given])
def test_what_is_planted_is_found_and_nothing_else(leak: str, strength: float) -> None:
    assert found(probed(leak, strength)) == [LEAKS[leak][0]]


@pytest.mark.parametrize("leak", LEAKS)
def test_where_nothing_is_planted_nothing_is_found(leak: str) -> None:
    results = probed(leak, 0.0)
    assert found(results) == []
    assert {"PNG size", "file order", "id", "seed"} < {one.probe for one in results}


def alarms(sheets: tuple, rounds: int) -> tuple[int, int]:
    """How many of so many clean permutations alarm any blind probe, and how many probes there are."""
    sheet, given = sheets
    part, strata = sheet.part, [sheet.part.stratum(row) for row in sheet.rows]
    own = np.unique(part.targets(sheet.rows), return_inverse=True)[1].astype(np.int64)
    clean = learning.permuted(own, sheet.questions, strata, 77, rounds)
    alarmed, probes = np.zeros(rounds, bool), 0
    for measures in given.values():
        numbers = measures if isinstance(measures, np.ndarray) else blind.features.matrix(measures)
        if not numbers.shape[1]:
            continue
        probes += 1
        asked = np.column_stack([clean, learning.permuted(own, sheet.questions, strata, 78)])
        hits = learning.hits(numbers, [part.group(row) for row in sheet.rows], asked, 3).mean(axis=0)
        null = hits[rounds:]
        excess = hits[:rounds] - null.mean()
        alarmed |= (excess > 3.5 * null.std(ddof=1)) & (excess > 0.02)
    return int(alarmed.sum()), probes


@pytest.mark.slow
def test_of_200_clean_permutations_two_alarm_at_most() -> None:
    count, probes = alarms(pairs("", 0.0), 200)
    assert probes >= 7
    assert count <= 2


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=40),
    st.integers(0, 2**32),
)
def test_answers_are_exchanged_within_strata_and_by_question(rows: list[tuple[int, int]], seed: int) -> None:
    questions = np.array([question for question, _ in rows])
    strata = questions % 2
    answers = questions * 3 % 4
    mixed = learning.permuted(answers, questions, strata, seed, 5)
    first = np.unique(questions, return_index=True)[1]
    for column in mixed.T:
        assert all(len(set(column[questions == one])) == 1 for one in questions)
        for one in (0, 1):
            pool = first[strata[first] == one]
            assert sorted(column[pool]) == sorted(answers[pool])


def test_no_group_is_learnt_from_and_guessed_at_once() -> None:
    """The group tells the answer, and nothing else does: whoever saw the group would be right."""
    groups = np.repeat(np.arange(30), 10)
    answers = np.random.default_rng(1).integers(3, size=30)[groups][:, None]
    shown = np.eye(30)[groups]
    alone = learning.hits(shown, groups, answers, 0).mean()
    mixed = learning.hits(shown, np.arange(300), answers, 0).mean()
    assert alone < 0.6
    assert mixed > 0.95
    assert learning.hits(shown, np.zeros(300), answers, 0).sum() == 0


def test_rows_that_are_sorted_by_their_answers_are_found_by_their_order() -> None:
    sheet, _ = pairs("", 0.0)
    ordered = sorted(sheet.rows, key=lambda row: (row["family"], row["transformation"]))
    given = sheet_of("marvl_qa", "transformation", ordered)
    results, _ = blind.probe(given, {"file order": blind.features.order(given)}, lambda: None)
    assert found(results) == ["file order"]
    assert (results[0].accuracy.mean or 0) > 0.6


def test_a_verdict_takes_deviations_and_points() -> None:
    def one(mean: float, deviation: float) -> Blind:
        return Blind(probe="p", guesses="g", accuracy=Figure(mean=mean, low=0, high=1), null=0.25, deviation=deviation)

    assert one(0.3, 0.01).found
    assert not one(0.3, 0.02).found, "2.5 deviations"
    assert not one(0.265, 0.001).found, "1.5 points"
    assert not one(0.1, 0.01).found, "less than chance"
    assert one(0.3, 0.0).found
    assert not one(0.25, 0.0).found


def test_a_panel_is_seen_alone() -> None:
    picture = np.full((580, 1280), 20, np.uint8)
    cv2.circle(picture, (86 + 240, 50 + 240), 60, 250, -1)
    cv2.circle(picture, (640 + 86 + 360, 50 + 120), 60, 250, -1)
    looks = marvl_qa.PARTS["transformation"].looks
    assert looks is not None
    shown = looks(cv2.imencode(".png", picture)[1].tobytes())
    first, second = (shown[f"plot {name} alone: moments"] for name in "AB")
    assert np.abs(first[:2]).max() < 0.01
    assert second[0] == pytest.approx(0.25, abs=0.01)
    assert second[1] == pytest.approx(-0.25, abs=0.01)
    assert shown["plot A alone: 8 x 8 px"].shape == (64,)


def test_curves_of_a_thumbnail_are_nested_as_drawn() -> None:
    picture = np.full((400, 400), 255, np.uint8)
    for centre, radius in (((200, 200), 180), ((130, 200), 80), ((130, 200), 40), ((290, 200), 60)):
        cv2.circle(picture, centre, radius, 0, 6)
    png = cv2.imencode(".png", picture)[1].tobytes()
    _, found = solvers("curves", "thumbnail-200", {}, ["easy"])
    said = found["easy"].answer({"image": {"bytes": png}}, np.random.default_rng(0))
    row = {"answer": "4\n1 0\n2 1\n3 1\n4 2", "parents": [0, 1, 1, 2], "id": "x"}
    assert grade(row, suite("curves").render(said), suite="curves", config="easy").value == 1.0
    assert curves._nested([-1, 0, 1, 2, 0, 4]) == [0, 1, 0]


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_says_what_there_is_to_probe(name: str) -> None:
    parts = part_of("planimeter.probes.suites", name).PARTS
    protocol = suite(name)
    assert list(parts) == list(protocol.CONFIGS)
    for part in parts.values():
        assert part.metrics[0] == protocol.HEADLINE
        assert set(part.metrics) <= set(protocol.METRICS)


@pytest.mark.parametrize("name", ["marvl-qa-mini", "traversal", "curves", "curves-maps", "geogram"])
def test_a_dataset_is_probed_whole_and_twice_alike(name: str, tmp_path: Path) -> None:
    small = make(name, tmp_path / "1.0.0")
    home = beside(small.folder)
    first = probe_folder(small.folder, home)
    written = (home / FILE).read_bytes()
    assert Probes.parse(written, "") == first
    probe_folder(small.folder, home)
    assert (home / FILE).read_bytes() == written
    for config, one in first.configs.items():
        assert one.rows == len(small.rows[config])
        assert one.certifier is not None
        assert one.certifier.metrics[one.headline].mean == 1.0
    assert tables.HEADING in (home / "report.html").read_text()
    recipe = Manifest.read(small.folder).recipe
    assert (home / "probes.svg").exists() == bool(tables.figure(first))
    section_of_card = tables.section(first, recipe, {})
    for config in first.configs:
        assert f"| {config} |" in section_of_card
    assert " 100.0 [" in section_of_card and "±" not in section_of_card, "low to high: 100 is no middle"


@pytest.mark.parametrize("name", ["marvl-qa-mini", "traversal", "curves", "geogram"])
def test_the_card_has_no_random_model_of_its_own(name: str, tmp_path: Path) -> None:
    """Its floors are what `score` makes of the replies of `solve`, and training rows are in neither."""
    made = make(name, tmp_path / "all")
    recipe = Manifest.read(made.folder).recipe
    rows = {config: rows for config, rows in made.rows.items() if len(rows) > 1}
    small = written(tmp_path / "1.0.0", recipe, rows, ("train", "test"))
    replies = solved(small, "random,majority", tmp_path / "replies.jsonl")
    scored = score(dataset.load(small.folder), take([tmp_path / "replies.jsonl"], dataset.load(small.folder), rows))
    probed = probing.run(small.folder, lambda *_: lambda: None)
    for (model, config), frame in scored.frame.groupby(["model", "config"]):
        (floor,) = [reader for reader in probed.configs[config].floors if reader.name == model]
        assert floor.rows == len(frame) == len(rows[config]) // 2
        for metric, figure in floor.metrics.items():
            assert figure.mean == pytest.approx(frame[metric].mean(), abs=5e-5)
    assert {reply["id"] for reply in replies} == set(scored.frame["id"])


def test_a_half_blind_reader_that_draws_lots_is_that_of_solve(tmp_path: Path) -> None:
    small = make("geogram", tmp_path / "1.0.0")
    (copy,) = [one for one in readers.half_blind("geogram", "geogram", {}) if one.name == "copy"]
    replies = {reply["id"]: reply["reply"] for reply in solved(small, "copy", tmp_path / "replies.jsonl")}
    for row in small.rows["geogram"]:
        assert replies[row["id"]] == suite("geogram").render(copy.answer(row))


def test_a_dataset_is_of_one_kind_with_itself_but_not_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = make("traversal", tmp_path / "1.0.0")
    command.compare(small.folder, small.folder, Console(soft_wrap=True))
    told = capsys.readouterr().out
    assert "base: 3 near duplicates in both" in told
    assert "not apart: base, confounded, reading_order\n" in told and "not of one kind" not in told
    other = make("curves", tmp_path / "2.0.0")
    with pytest.raises(PlanimeterError, match=r"is of the suite traversal, .* of curves"):
        command.compare(small.folder, other.folder, QUIET)


def test_a_fresh_half_is_of_one_kind_and_another_window_or_picture_is_not() -> None:
    rows = sorted(pairs("", 0.0)[0].rows, key=lambda row: str(row["id"]))
    part = replace(marvl_qa.PARTS["transformation"], twins=lambda *_: [])
    halves = [sheet_of("marvl_qa", "transformation", rows[side::2]) for side in (0, 1)]
    small = [np.random.default_rng(side).random((len(one.rows), 4)) for side, one in enumerate(halves)]
    same = against._compared(halves, small, part)
    assert found(list(same.tests)) == [] and same.rows == tuple(len(one.rows) for one in halves)
    wider = replace(halves[1], rows=[{**row, "x_max": row["x_max"] + 0.2} for row in halves[1].rows])
    assert found(list(against._compared([halves[0], wider], small, part).tests)) == ["measures"]
    assert found(list(against._compared(halves, [small[0], small[1] + 0.4], part).tests)) == ["thumbnails"]
    fewer = [one for one in halves[1].rows if int(one["family"].split()[1]) % 3]
    other = sheet_of("marvl_qa", "transformation", fewer)
    differing = against._compared([halves[0], other], [small[0], small[1][: len(fewer)]], part)
    assert found(list(differing.tests)) == ["shares of strata"]


# --- publishing


def probes_of(folder: Path, results: list[Blind], certified: float = 1.0) -> Probes:
    """What `planimeter probe` would have written of ``folder``, with ``results`` of its transformations."""
    manifest = Manifest.read(folder)
    all_read = Figure(mean=certified, low=certified, high=certified)
    certifier = Reader(name="certifier", does="Recovers.", rows=4, metrics={"accuracy": all_read})
    reader = Reader(name="r", does="Reads.", rows=4, metrics={"accuracy": Figure(mean=0.5, low=0.4, high=0.6)})
    one = Probed(
        rows=4, questions=4, headline="accuracy", floors=(reader,), blind=tuple(results), silent=(), readers=(),
        certifier=certifier, strata=(),
    )  # fmt: skip
    return Probes(
        dataset=manifest.dataset,
        version=manifest.version,
        suite="marvl_qa",
        data=data_of(manifest),
        configs={"transformation": one},
    )


def put_beside(folder: Path, results: list[Blind], certified: float = 1.0) -> Addition:
    home = beside(folder)
    home.mkdir(exist_ok=True)
    (home / FILE).write_bytes(probes_of(folder, results, certified).to_json())
    return hub.probed(folder)


def test_a_release_whose_certifier_was_measured_below_all_rows_is_refused(folder: Path) -> None:
    refused = put_beside(folder, [], certified=0.99).refused
    assert "does not recover all rows that were probed (transformation: 99.0%)" in refused
    assert f"`planimeter verify {folder} --certify` lists them" in refused
    assert put_beside(folder, []).refused == ""


def test_a_release_with_a_leak_is_refused_unless_the_recipe_names_it(folder: Path) -> None:
    assert f"run `planimeter probe {folder}`" in hub.probed(folder).refused
    for leak, (name, strengths) in LEAKS.items():
        for strength in strengths:
            refused = put_beside(folder, probed(leak, strength)).refused
            assert "its answers are told without sight" in refused
            assert f"transformation: {name} tells" in refused
        assert put_beside(folder, probed(leak, 0.0)).refused == ""
    excuse = {"config": "transformation", "probe": "option order", "reason": "It is planted."}
    results = probed("option order", 0.4)
    edit_manifest(folder, lambda found: found["recipe"].update(known_shortcuts=[excuse]))
    added = put_beside(folder, results)
    assert added.refused == ""
    assert "`transformation`, option order: It is planted." in added.section
    card = added.in_card((folder / "README.md").read_text())
    assert section(card, tables.HEADING) == added.section
    assert added.in_card(card) == card


def test_what_was_measured_on_other_data_counts_for_nothing(folder: Path) -> None:
    put_beside(folder, [])
    path = beside(folder) / FILE
    path.write_text(path.read_text().replace(data_of(Manifest.read(folder)), "0" * 64))
    assert "was measured on other data" in hub.probed(folder).refused


def test_a_folder_with_what_publishing_adds_keeps_its_promises(folder: Path) -> None:
    added = put_beside(folder, probed("option order", 0.0))
    for name, content in added.files.items():
        (folder / name).write_bytes(content)
    (folder / "README.md").write_text(added.in_card((folder / "README.md").read_text()))
    assert verify(folder) == []
    shutil.rmtree(beside(folder))
    assert hub.probed(folder) == added


def test_a_section_goes_before_another_and_replaces_itself() -> None:
    card = "## A\n\na\n\n## Limits\n\nl\n"
    once = put(card, "## W\n\nw\n\n", "Limits")
    assert once == "## A\n\na\n\n## W\n\nw\n\n## Limits\n\nl\n"
    assert put(once, "## W\n\nv\n\n", "Limits") == once.replace("w", "v")
    assert put("## A\n", "## W\n\n", "Limits") == "## A\n"


def test_a_recipe_without_known_shortcuts_says_nothing_of_them() -> None:
    import tomllib

    from planimeter.recipes.loading import FOLDER

    values = tomllib.loads((FOLDER / "geogram.toml").read_text())
    assert "known_shortcuts" not in parse(values, source="").model_dump(mode="json")
    excuse = {"config": "geogram", "probe": "PNG size", "reason": "r"}
    assert parse({**values, "known_shortcuts": [excuse]}, source="").model_dump(mode="json")["known_shortcuts"] == [
        excuse
    ]


def test_the_page_shows_every_table(tmp_path: Path) -> None:
    small = make("curves", tmp_path / "1.0.0")
    found = probing.run(small.folder, lambda *_: lambda: None)
    shown = page.render(found, Manifest.read(small.folder).recipe, {})
    assert shown.count("<table>") == len(tables.tables(found, {}, {}))
    assert "planimeter-figure" in shown
