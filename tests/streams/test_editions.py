"""The signatures of the published test items: they fit what is built, and their judges refuse what is like one."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_datasets import Small

from planimeter.flows.suites import suite_of
from planimeter.generators.curves.signatures import signature, similarity
from planimeter.recipes import editions
from planimeter.recipes.editions import EDITIONS, Likeness, judge_of, likeness
from planimeter.recipes.editions import __main__ as writer
from planimeter.recipes.editions.curves import HALF, Alike, packed
from planimeter.recipes.loading import load

#: An edition and a config of it, whose first item is made again.
FIRST = [
    ("marvl-qa-mini", "counting"),
    ("marvl-qa", "transformation"),
    ("traversal", "base"),
    ("traversal", "reading_order"),
    ("traversal-hard", "base"),
    ("traversal-curved", "curved"),
    ("curves", "easy"),
    ("curves", "maze"),
    ("curves-looks", "polygon"),
    ("curves-polygons", "polygon"),
    ("curves-maps", "planar_map"),
    ("geogram", "geogram"),
    ("geogram-paired", "asymptote"),
    ("geogram-programs", "geogram"),
]
AGAIN = "published test items changed: write their signatures anew with `make editions` (see recipes/editions/__main__.py)"


def made(dataset: str, config: str, **changes: object):
    """Return the first row to be tested with of a published config."""
    recipe = load(dataset, **changes)
    suite = suite_of(recipe)
    shard = next(s for s in suite.plan(recipe) if s.config == config and s.split in writer.HELD_OUT)
    return suite.make(recipe, replace(shard, count=1)).items[0][config][0]


@pytest.mark.parametrize(("dataset", "config"), FIRST)
def test_a_published_item_that_is_made_again_is_refused(dataset: str, config: str) -> None:
    suite = load(dataset).suite
    found = likeness(suite, config, made(dataset, config))
    assert found in set(editions.signatures(dataset)), AGAIN
    verdict = judge_of(suite).judge(found)
    assert (verdict.kept, verdict.check) == (False, editions.CHECK)


def kept(suite: str, config: str, row: dict) -> bool:
    return judge_of(suite).judge(likeness(suite, config, row)).kept


@pytest.mark.parametrize(
    ("dataset", "config"), [("marvl-qa-mini", "counting"), ("traversal", "base"), ("curves", "polygon")]
)
def test_an_item_of_another_seed_is_kept(dataset: str, config: str) -> None:
    assert kept(load(dataset).suite, config, made(dataset, config, seed=5))


def test_a_path_that_is_turned_mirrored_or_bent_by_less_than_a_glyph_is_refused() -> None:
    row = made("traversal", "base")
    points = np.array(row["points"])

    def is_new(changed: np.ndarray) -> bool:
        return kept("traversal", "base", {**row, "points": changed.round().tolist()})

    assert not is_new(row["view"] - points[::-1])
    assert not is_new(points[:, ::-1])
    inner = np.zeros_like(points)
    inner[len(points) // 2] = 1
    assert not is_new(points + 10 * inner)
    assert is_new(np.where(inner > 0, row["view"] / 2 + (row["view"] / 2 - points) * 0.9, points))


def test_a_drawing_that_is_turned_scaled_or_bent_is_refused_whatever_its_look() -> None:
    row = made("curves", "polygon")

    def is_new(change) -> bool:
        return kept("curves", "polygon", {**row, "curves": [change(np.array(c)) for c in row["curves"]]})

    assert not is_new(lambda c: c[:, ::-1] * 0.5)
    assert not is_new(lambda c: c + 6 * np.sin(c[:, ::-1] / 90))
    assert is_new(lambda c: c + 120 * np.sin(c[:, ::-1] / 60))


def test_the_smaller_grid_refuses_whatever_the_published_likeness_does() -> None:
    curves = [np.array(c) for c in made("curves", "counting")["curves"]]
    whole = signature(curves)
    held = Alike([Likeness("x", packed(whole))], {"x": 2.0})
    alike = []
    for bend in range(0, 60, 2):
        other = signature([c + bend * np.sin(c[:, ::-1] / 90) for c in curves])
        alike.append((similarity(whole, other), held.judge(Likeness("x", packed(other))).measured))
    true, found = np.array(alike).T
    decided = (true > 0.5) & (true < 0.85)
    assert decided.sum() >= 3
    assert ((found - true)[decided] > -0.01).all()
    assert (abs(found - true) < 0.05).all()


def test_a_drawing_is_refused_under_every_symmetry_of_the_square() -> None:
    grids = np.random.default_rng(3).integers(-7, 8, (3, HALF, HALF)).astype(np.int8)
    held = Alike([Likeness("x", grid.tobytes()) for grid in grids], {"x": 0.6})
    for turned in (np.rot90(view, turns) for view in (grids[1], grids[1].T) for turns in range(4)):
        verdict = held.judge(Likeness("x", turned.tobytes()))
        assert verdict.measured == pytest.approx(1.0) and not verdict.kept
    other = grids[1].copy()
    other[:, :9] = grids[2][:, :9]
    pair = [grid.astype(float) for grid in (other, grids[1])]
    plain = float((pair[0] * pair[1]).sum() / np.linalg.norm(pair[0]) / np.linalg.norm(pair[1]))
    assert held.judge(Likeness("x", other.tobytes())).measured == pytest.approx(plain, abs=1e-6)


def test_a_problem_with_other_numbers_in_a_few_places_is_refused() -> None:
    row = made("geogram", "geogram")
    statement = row["problem"].replace(row["problem"].split()[-1], "so?")
    assert not kept("geogram", "geogram", {**row, "problem": statement})
    other = {"problem": " ".join(map(str, range(40))), "code": " ".join(map(str, range(40, 90)))}
    assert kept("geogram", "geogram", other)


def test_a_question_is_refused_whatever_is_asked_and_shown() -> None:
    row = made("marvl-qa-mini", "counting")
    assert not kept("marvl_qa", "counting", {**row, "feature": "other", "plot_type": "contour"})
    assert kept("marvl_qa", "counting", {**row, "x_min": row["x_min"] - 1})


def test_every_edition_has_its_file_with_as_many_signatures_as_questions() -> None:
    questions = {
        "marvl-qa-mini": 2 * 172 + 1190,  # of 1.1 and 1.2 together
        "marvl-qa": 2 * 172 + 1948,
        "traversal": 7800 + 600,
        "traversal-curved": 1450,
        "curves": 45 + 45 + 199 + 100 + 100 + 57,
        "curves-looks": 320,
        "curves-polygons": 199,
        "curves-maps": 300,
        "geogram": 500,
    }
    names = [name for names in EDITIONS.values() for name in names]
    found = {name: len(list(editions.signatures(name))) for name in names}
    assert {name: found[name] for name in questions} == questions
    assert sum(path.stat().st_size for path in editions.FOLDER.glob("*.parquet")) < 3_000_000


def test_a_built_dataset_gives_its_signatures(
    small: Callable[[str], Small], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editions, "FOLDER", tmp_path)
    dataset = small("marvl-qa-mini").folder
    path = writer.write(dataset)
    first = path.read_bytes()
    assert writer.write(dataset).read_bytes() == first
    rows = pq.read_table(path).to_pylist()
    assert rows and {row["pool"] for row in rows} == {"counting", "transformation"}


def test_wrong_folders_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert writer.main([]) == 2
    assert writer.main([str(tmp_path)]) == 1
    assert "holds no dataset" in capsys.readouterr().err
    with pytest.raises(LookupError, match="make editions"):
        list(editions.signatures("nothing"))
    with pytest.raises(LookupError, match="there are: marvl_qa"):
        judge_of("geogram_import")
