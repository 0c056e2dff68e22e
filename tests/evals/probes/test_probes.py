"""Probes find what is planted and nothing else, never learn from what they guess, and stop a release."""

import shutil
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_folder import edit_manifest
from small_datasets import solved

from planimeter.evals import grade, suite
from planimeter.evals.baselines.solving import solvers
from planimeter.evals.probes import blind, learning, probing, readers, tables
from planimeter.evals.probes.part import Part, parts_of
from planimeter.evals.probes.results import FILE, Blind, Figure, Probed, Probes, data_of, probes_folder
from planimeter.evals.probes.sheets import Sheet
from planimeter.export.manifest import Manifest
from planimeter.export.pages.sections import section
from planimeter.export.verify.folder import verify
from planimeter.flows.probing import is_probed, probe_folder
from planimeter.flows.service import hub
from planimeter.items import OPTIONS, TRANSFORMATIONS
from planimeter.items.suites import SUITES
from planimeter.suites.marvl_qa import probes as marvl_qa

#: What is planted -> the probe that is to find it, and the strength.
LEAKS = {
    "option order": ("option order", 0.4),
    "file size": ("PNG size", 1.5),
    "panel position": ("plot B alone: moments", 1.5),
}


def sheet_of(suite: str, config: str, rows: list[dict[str, Any]]) -> Sheet:
    numbers = np.arange(len(rows), dtype=np.int64)
    part = parts_of(suite)[config]
    return Sheet(suite=suite, config=config, recipe={}, rows=rows, questions=numbers, part=part)


def panel(x: float, y: float) -> np.ndarray:
    """A thumbnail of one bump at (x, y) px."""
    down, across = np.mgrid[0:32, 0:32]
    return np.exp(-((across - x) ** 2 + (down - y) ** 2) / 60).astype(np.float32) * 255


def pairs(leak: str = "", strength: float = 0.0, questions: int = 300) -> tuple[Sheet, blind.Seen]:
    """Transformation rows of random draws, in which nothing but what is planted shows the answer; and what the blind
    probes see of them. It is planted in a share of the rows, or as a shift.
    """
    rng = np.random.default_rng(0)
    asked = rng.integers(len(TRANSFORMATIONS), size=questions)
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
        row |= {"family": f"family {number % 24}", "x_min": -4.0, "x_max": 4.0, "y_min": -4.0, "y_max": 4.0}
        row |= {f"plot_type_{side}": str(rng.choice(["heatmap", "contour"])) for side in "ab"}
        rows.append(row | {f"colormap_{side}": str(rng.choice(["viridis", "magma"])) for side in "ab"})
    sheet = sheet_of("marvl_qa", "transformation", rows)
    looks = {"plot B alone: moments": np.array([marvl_qa.moments(one) for one in panels])}
    return sheet, blind.seen(sheet, sizes, looks)


def alarmed(results) -> list[str]:
    return [one.probe for one in results if one.found]


@pytest.mark.parametrize("leak", ["", *LEAKS])
def test_what_is_planted_is_found_and_nothing_else(leak):
    probe, strength = LEAKS.get(leak, ("", 0.0))
    results, _ = blind.probe(*pairs(leak, strength), lambda: None)
    assert alarmed(results) == [probe] * bool(leak)
    assert {"PNG size", "file order", "id", "seed"} < {one.probe for one in results}


def test_rows_sorted_by_their_answers_are_found():
    sheet, _ = pairs()
    ordered = sorted(sheet.rows, key=lambda row: (row["family"], row["transformation"]))
    shown = sheet_of("marvl_qa", "transformation", ordered)
    results, _ = blind.probe(shown, {"file order": blind.order(shown)}, lambda: None)
    assert alarmed(results) == ["file order"]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=40), st.integers(0, 2**32))
def test_answers_are_exchanged_within_strata_and_by_question(rows, seed):
    questions = np.array([question for question, _ in rows])
    strata, answers = questions % 2, questions * 3 % 4
    first = np.unique(questions, return_index=True)[1]
    for column in learning.permuted(answers, questions, strata, seed, 5).T:
        assert all(len(set(column[questions == one])) == 1 for one in questions)
        for stratum in (0, 1):
            pool = first[strata[first] == stratum]
            assert sorted(column[pool]) == sorted(answers[pool])


def test_no_group_is_learnt_from_and_guessed_at_once():
    """The group determines the answer, and nothing else does: a reader of the group would be right."""
    groups = np.repeat(np.arange(30), 10)
    answers = np.random.default_rng(1).integers(3, size=30)[groups][:, None]
    shown = np.eye(30)[groups]
    assert learning.hits(shown, groups, answers, 0).mean() < 0.6
    assert learning.hits(shown, np.arange(300), answers, 0).mean() > 0.95
    assert learning.hits(shown, np.zeros(300), answers, 0).sum() == 0
    # Of measures that tell something, the guesser makes what it made.
    rng = np.random.default_rng(2)
    measures = rng.normal(size=(300, 5))
    answers = (measures @ [1, 0.5, 0, 0, 0] + rng.normal(0, 1, 300) > 0).astype(int)[:, None]
    assert learning.hits(measures, np.arange(300), answers, 0).mean() == pytest.approx(0.747, abs=0.015)


def test_a_twin_is_not_guessed_from_its_twin():
    """Where a suite names no groups, all rows of a question are guessed at once, which share a seed and an answer."""
    rng = np.random.default_rng(0)
    questions = np.repeat(np.arange(200), 2)
    rows = [
        {"id": str(place), "answer": "ab"[kind]} for place, kind in enumerate(np.repeat(rng.integers(2, size=200), 2))
    ]
    sheet = Sheet(suite="dots", config="discs", recipe={}, rows=rows, questions=questions, part=Part())
    (seeds,), _ = blind.probe(sheet, {"seed": np.eye(200)[questions]}, lambda: None)
    assert (seeds.accuracy.mean or 0) < 0.6
    # Two groups are enough to learn and guess.
    halves = replace(sheet, part=Part(group=lambda row: str(int(row["id"]) < 200)))
    shown = np.array([[float(row["answer"] == "a")] for row in rows])
    assert [one.accuracy.mean for one in blind.probe(halves, {"seed": shown}, lambda: None)[0]] == [1.0]


def result(mean: float, deviation: float, probe: str = "p", null: float = 0.25) -> Blind:
    accuracy = Figure(mean=mean, low=0, high=1)
    return Blind(probe=probe, guesses="g", accuracy=accuracy, null=null, deviation=deviation)


def test_a_verdict_takes_deviations_and_points():
    # 2.5 deviations, 1.5 points and less than chance are nothing.
    verdicts = {(0.3, 0.01): 1, (0.3, 0.02): 0, (0.265, 0.001): 0, (0.1, 0.01): 0, (0.3, 0.0): 1, (0.25, 0.0): 0}
    assert {measured: result(*measured).found for measured in verdicts} == verdicts


def test_a_panel_is_seen_alone():
    picture = np.full((580, 1280), 20, np.uint8)
    cv2.circle(picture, (86 + 240, 50 + 240), 60, 250, -1)
    cv2.circle(picture, (640 + 86 + 360, 50 + 120), 60, 250, -1)
    shown = marvl_qa.PARTS["transformation"].looks(cv2.imencode(".png", picture)[1].tobytes())
    first, second = (shown[f"plot {name} alone: moments"] for name in "AB")
    assert np.abs(first[:2]).max() < 0.01
    assert second[:2] == pytest.approx([0.25, -0.25], abs=0.01)
    assert shown["plot A alone: 8 x 8 px"].shape == (64,)


def test_curves_of_a_thumbnail_are_nested_as_drawn():
    picture = np.full((400, 400), 255, np.uint8)
    for centre, radius in (((200, 200), 180), ((130, 200), 80), ((130, 200), 40), ((290, 200), 60)):
        cv2.circle(picture, centre, radius, 0, 6)
    png = cv2.imencode(".png", picture)[1].tobytes()
    _, readers_of = solvers("curves", "thumbnail-200", {}, ["easy"])
    reply = suite("curves").render(readers_of["easy"].answer({"image": {"bytes": png}}, np.random.default_rng(0)))
    row = {"answer": "4\n1 0\n2 1\n3 1\n4 2", "parents": [0, 1, 1, 2], "id": "x"}
    assert grade(row, reply, suite="curves", config="easy").value == 1.0


def test_every_suite_has_a_part_for_each_config():
    for name in SUITES:
        parts, protocol = parts_of(name), suite(name)
        assert list(parts) == list(protocol.CONFIGS)
        assert all(part.metrics[0] == protocol.HEADLINE for part in parts.values())
        assert all(set(part.metrics) <= set(protocol.METRICS) for part in parts.values())


@pytest.fixture(scope="module", params=["marvl-qa-mini", "traversal", "curves", "curves-maps", "geogram"])
def whole(small, request, tmp_path_factory):
    """A dataset that was probed, where what was measured lies, and what was returned of it."""
    given, home = small(request.param), tmp_path_factory.mktemp("probed") / "probes"
    return request.param, given, home, probe_folder(given.folder, home)


def test_a_dataset_is_probed_whole(whole):
    name, given, home, probes = whole
    assert Probes.parse((home / FILE).read_bytes(), "") == probes
    recipe = Manifest.read(given.folder).recipe
    card = tables.section(probes, recipe)
    for config, one in probes.configs.items():
        assert one.rows == len(given.rows[config])
        (certifier,) = one.of_kind("certifier")
        assert certifier[one.headline] == 1.0
        assert f"| {config} |" in card
    assert " 100.0 [" in card and "±" not in card, "low to high: 100 is no middle"
    # Narrow pages show the first columns.
    assert ("| config | looks at | verdict |" in card) == any(one.blind for one in probes.configs.values())
    shown = (home / "report.html").read_text()
    assert tables.HEADING in shown and shown.count("<table>") == len(tables.tables(probes, {}))
    drawn = 'class="planimeter-figure' in shown
    assert (home / "probes.svg").exists() == drawn == (name in ("marvl-qa-mini", "curves"))
    if name == "traversal":
        assert probing.run(given.folder, lambda *_: lambda: None).to_json() == probes.to_json(), "not twice alike"


def test_a_half_blind_reader_that_draws_lots_is_that_of_solve(small, tmp_path):
    given = small("geogram")
    (copy,) = [one for one in readers.half_blind("geogram", "geogram", {}) if one.name == "copy"]
    replies = {reply["id"]: reply["reply"] for reply in solved(given, "copy", tmp_path / "replies.jsonl")}
    for row in given.rows["geogram"]:
        assert replies[row["id"]] == suite("geogram").render(copy.answer(row))


# --- what publish asks for


def put_beside(folder, results=(), certified: float = 1.0):
    """Write what `planimeter probe` would have written of ``folder``, with ``results`` of its transformations."""
    manifest = Manifest.read(folder)
    readers = [
        {"reader": name, "kind": kind, "does": "Reads.", "pixels": 0, "rows": 4, "accuracy": mean}
        for name, kind, mean in (("r", "floor", 0.5), ("certifier", "certifier", certified))
    ]
    readers = [reader | {"accuracy_low": reader["accuracy"], "accuracy_high": 1.0} for reader in readers]
    counts = {"rows": 4, "questions": 4, "headline": "accuracy"}
    one = Probed(**counts, blind=tuple(results), silent=(), readers=tuple(readers), strata=())
    named = {"dataset": manifest.dataset, "version": manifest.version, "suite": "marvl_qa"}
    probes = Probes(**named, data=data_of(manifest), configs={"transformation": one})
    probes_folder(folder).mkdir(exist_ok=True)
    (probes_folder(folder) / FILE).write_bytes(probes.to_json())
    return hub.probe_files(folder)


def test_a_release_that_is_not_certified_whole_is_refused(folder):
    refused = put_beside(folder, certified=0.99).refused
    assert "does not recover all rows that were probed (transformation: 99.0%)" in refused
    assert f"`planimeter verify {folder} --certify` lists them" in refused
    assert put_beside(folder).refused == ""
    path = probes_folder(folder) / FILE
    path.write_text(path.read_text().replace(data_of(Manifest.read(folder)), "0" * 64))
    assert "was measured on other data" in hub.probe_files(folder).refused


def test_what_was_probed_is_not_probed_again(folder):
    home = probes_folder(folder)
    assert not is_probed(folder, home)
    put_beside(folder)
    assert not is_probed(folder, home), "stopped before its page was written"
    (home / "report.html").touch()
    assert is_probed(folder, home)
    edit_manifest(folder, lambda manifest: manifest["files"].pop())
    assert not is_probed(folder, home)


def test_a_leak_that_the_recipe_does_not_name_is_refused(folder):
    assert f"run `planimeter probe {folder}`" in hub.probe_files(folder).refused
    for probe, _ in LEAKS.values():
        refused = put_beside(folder, [result(0.3, 0.01, probe)]).refused
        assert "its answers are predicted without the picture" in refused
        assert f"transformation: {probe} predicts" in refused
        assert put_beside(folder, [result(0.26, 0.01, probe)]).refused == ""
    excuse = {"config": "transformation", "probe": "option order", "reason": "It is planted."}
    edit_manifest(folder, lambda manifest: manifest["recipe"].update(known_shortcuts=[excuse]))
    added = put_beside(folder, [result(0.3, 0.01, "option order")])
    assert added.refused == ""
    assert "`transformation`, option order: It is planted." in added.section
    card = added.in_card((folder / "README.md").read_text())
    assert section(card, tables.HEADING) == added.section
    assert added.in_card(card) == card


def test_a_folder_with_what_publishing_adds_is_verified(folder):
    added = put_beside(folder, [result(0.26, 0.01)])
    for name, content in added.files.items():
        (folder / name).write_bytes(content)
    (folder / "README.md").write_text(added.in_card((folder / "README.md").read_text()))
    assert verify(folder) == []
    shutil.rmtree(probes_folder(folder))
    assert hub.probe_files(folder) == added
