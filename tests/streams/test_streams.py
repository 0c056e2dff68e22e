"""Rows are functions of their addresses; none is a test item; ladders hold a target; the command writes equal files."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import command_line
import numpy as np
import pyarrow.parquet as pq
import pytest
from datasets.distributed import split_dataset_by_node
from hypothesis import given
from hypothesis import strategies as st
from listed import listed
from small_datasets import Small

from planimeter.evals import grade
from planimeter.evals.grading import protocol
from planimeter.export.columns import STRING
from planimeter.flows import streaming as command
from planimeter.flows.errors import PlanimeterError
from planimeter.items.builtin_suites import SUITES
from planimeter.streams import LADDERS, Adaptive, levels, row_at, stream
from planimeter.streams.items import Item, Items
from planimeter.streams.ladders import ROOTS, SEEDS, Source, parsed
from planimeter.streams.stream import SHARD, Stream
from planimeter.suites import editions
from planimeter.suites import write_signatures as writer
from planimeter.suites.base import Recipe
from planimeter.suites.drawing.signature import HALF, Alike
from planimeter.suites.editions import CHECK, Likeness, judge_of, likeness, refusal
from planimeter.suites.loading import available, load
from planimeter.suites.pipeline import suite_of


def quick(**more: int):
    """The stream whose rows take the least time."""
    return stream("curves", level=1, seed=11, **more)


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return list(islice(quick(), 20))


EACH = [pytest.param(name, marks=[pytest.mark.slow] * (name == "traversal-curved")) for name in LADDERS]


@pytest.mark.parametrize("ladder", EACH)
def test_rows_are_right_and_have_the_training_columns(ladder: str) -> None:
    made = stream(ladder, level=2, seed=3)
    row = next(iter(made))
    suite, config = made.source.recipe.suite, made.source.config
    assert set(row) == set(made.schema.by_name)
    assert row.get("difficulty", row["level"]) == 2
    assert grade(row, protocol(suite).render(row["answer"]), suite=suite, config=config).value == 1.0
    assert row["image"]["bytes"].startswith(b"\x89PNG") and row["certified_by"]
    assert row_at(row["address"]) == row
    assert all(made.funnel[config][check]["kept"] >= 1 for check in (CHECK, "certify"))


@pytest.mark.parametrize("ladder", LADDERS)
def test_levels_and_seeds_share_no_item(ladder: str) -> None:
    sources = [Source(ladder=ladder, level=level, seed=seed) for level, seed in ((1, 0), (2, 0), (1, 1))]

    def item_seed(source: Source, k: int) -> int:
        return next(iter(source.suite.maker(source.recipe, source.cell_of(k)).seeds(k)))

    seeds = [{item_seed(source, k) for k in range(100)} for source in sources]
    assert all(len(drawn) == 100 for drawn in seeds) and len(set.union(*seeds)) == 300
    cells, ends = sources[0].cells
    drawn = [cells.index(sources[0].cell_of(k)) for k in range(2000)]
    share = np.bincount(drawn, minlength=len(cells)) / len(drawn)
    assert abs(share - np.diff(ends, prepend=0)).max() < 0.05


def test_roots_of_streams_are_apart_from_those_of_recipes() -> None:
    recipes = [recipe for name in available() if isinstance(recipe := load(name), Recipe)]
    assert max(recipe.seed for recipe in recipes) < ROOTS
    assert Source(ladder="curves", level=1, seed=SEEDS - 1).recipe.seed < 2**63
    assert Source(ladder="curves", level=1, seed=0).recipe.seed == ROOTS
    source = Source(ladder="geogram", level=3, seed=9)
    assert parsed(source.address(4)) == (source, 4) and levels("geogram") >= 3


def test_what_is_asked_for_decides_nothing(rows: list[dict]) -> None:
    assert list(islice(quick(start=5), 15)) == rows[5:]
    items = Items(Source(ladder="curves", level=1, seed=11))
    assert [items.item(k).row for k in (19, 3, 7)] == [rows[19], rows[3], rows[7]]
    assert [item.row for item in quick().shard(1)] == rows[SHARD : 2 * SHARD]


def test_a_resumed_stream_continues_without_repeats(rows: list[dict], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = quick(), quick()
    assert list(islice(first, 9)) == rows[:9]
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert list(islice(second, 2)) == rows[9:11]
    assert next(iter(pickle.loads(pickle.dumps(first)))) == rows[9]
    made = Items.item
    monkeypatch.setattr(Items, "item", lambda self, k: made(self, k // 2))
    whole, later = quick(), quick()
    assert list(islice(whole, 3)) == rows[:3]
    later.load_state_dict(whole.state_dict())
    assert next(iter(later)) == rows[3]


def refusing(row: dict):
    refused = likeness("curves", "curriculum", row)
    return SimpleNamespace(judge=lambda item: refusal(1.0, 0.6, refused=item == refused))


def test_what_looks_like_a_test_item_is_refused(rows: list[dict], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planimeter.streams.items.judge_of", lambda _: refusing(rows[1]))
    kept = quick()
    first, other, third = islice(kept, 3)
    assert [first, third] == [rows[0], rows[2]]
    # The next candidate at the address takes its place.
    assert other["address"] == rows[1]["address"] and other["curves"] != rows[1]["curves"]
    assert kept.funnel["curriculum"][CHECK]["rejected"] == {"is like a published test item": 1}


def test_the_build_too_replaces_a_drawing_like_a_test_item(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = load("curves-train")
    assert isinstance(recipe, Recipe)
    suite = suite_of(recipe)
    shard = replace(suite.plan(recipe)[0], count=2)
    assert suite.contamination_filter(shard) is not None
    first, second = (item["curriculum"][0] for item in suite.make(recipe, shard).items)
    monkeypatch.setattr("planimeter.suites.editions.judge_of", lambda _: refusing(first))
    made = suite.make(recipe, shard)
    (other, same) = (item["curriculum"][0] for item in made.items)
    assert made.missing == 0 and same == second
    assert other["curves"] != first["curves"] and other["seed"] == first["seed"]
    assert suite.rebuild(recipe, other) == other


def test_a_dataset_resumes_within_a_shard_and_splits_among_nodes(
    rows: list[dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, later = quick().dataset(shards=2), quick().dataset(shards=2)
    addresses = [row["address"] for row in rows[: 2 * SHARD]]
    first = iter(dataset)
    assert [next(first)["address"] for _ in range(SHARD + 3)] == addresses[: SHARD + 3]
    later.load_state_dict(dataset.state_dict())
    made: list[int] = []
    item = Stream.item
    monkeypatch.setattr(Stream, "item", lambda self, k: made.append(k) or item(self, k))
    row = next(iter(later))
    assert (row["address"], row["image"].size) == (addresses[SHARD + 3], (1024, 1024))
    assert min(made) >= SHARD, "no item of an earlier shard is made again"
    nodes = [[row["address"] for row in split_dataset_by_node(dataset, rank, 2)] for rank in (0, 1)]
    assert nodes == [addresses[:SHARD], addresses[SHARD:]]
    assert quick().dataset().num_shards == 100_000


@given(skill=st.floats(1.5, 7.5), target=st.floats(0.3, 0.7), begin=st.floats(1, 8))
def test_a_ladder_rests_where_the_reward_is_the_target(skill: float, target: float, begin: float) -> None:
    """By a learner whose chance falls by a quarter a level."""
    ladder = Adaptive("curves", target=target, level=begin, gain=0.2)
    for _ in range(400):
        ladder.report(round(ladder.position), float(np.clip(0.5 + (skill - ladder.position) / 4, 0, 1)))
    wanted = np.clip(skill + 4 * (0.5 - target), 1, 8)
    assert ladder.position == pytest.approx(wanted, abs=0.05)


def test_a_ladder_draws_the_levels_about_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = Adaptive("curves", level=1.5, seed=2)
    first = list(islice(ladder, 6))
    assert {row["level"] for row in first} == {1, 2} and len({row["address"] for row in first}) == 6
    ladder.report(first[0]["address"], 1.0)
    assert ladder.position == pytest.approx(1.5 + 0.05 * 0.5)
    later = Adaptive("curves", seed=2)
    later.load_state_dict(json.loads(json.dumps(ladder.state_dict())))
    assert list(islice(later, 3)) == list(islice(ladder, 3))
    ladder = Adaptive("curves", level=5.0)
    ladder.report(3, 1.0)
    assert ladder.position == 5.0
    ladder.report(4, 1.0)
    assert ladder.position > 5.0
    monkeypatch.setattr(Items, "item", lambda self, _: Item({"level": self.source.level}, b""))
    drawn = [row["level"] for row in islice(Adaptive("curves", level=1.8), 400)]
    assert np.mean(drawn) == pytest.approx(1.8, abs=0.06)


def test_what_is_wrong_is_named() -> None:
    for wrong, message in (
        (lambda: stream("curves", level=0), "levels 1 .easiest. to 8, got 0"),
        (lambda: stream("curves", seed=-1), "seed"),
        (lambda: row_at("curves/1"), "LADDER/LEVEL/SEED/NUMBER"),
        (lambda: row_at(f"curves/1/0/{2**32}"), "another seed"),
        (lambda: Adaptive("curves", target=1.0), "target"),
        (lambda: Adaptive("curves", gain=0.0), "gain"),
        (lambda: Adaptive("curves", level=9), "levels"),
        (lambda: Adaptive("curves").report(1, 1.5), "0 to 1"),
        (lambda: Adaptive("curves").report("geogram/1/0/0", 1.0), "curves has no row geogram"),
    ):
        with pytest.raises(PlanimeterError, match=message):
            wrong()


Find = Callable[[str], Small]
#: An edition and a config of it, whose first item is made again.
FIRST = [
    tuple(pair.split())
    for pair in listed("""
marvl-qa-mini counting ¦ marvl-qa transformation ¦ curves-maps planar_map ¦ curves easy ¦ curves maze
traversal base ¦ traversal reading_order ¦ traversal-hard base ¦ traversal-curved curved
curves-looks polygon ¦ curves-polygons polygon ¦ geogram geogram ¦ geogram-paired asymptote ¦ geogram-programs geogram
""")
]
AGAIN = "published test items changed: write their signatures by `make editions` (see suites/write_signatures.py)"


@cache
def made(dataset: str, config: str):
    recipe = load(dataset)
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


def test_a_path_turned_mirrored_or_hardly_bent_is_refused() -> None:
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


def test_a_test_item_with_other_numbers_or_looks_is_refused() -> None:
    row = made("geogram", "geogram")
    assert not kept("geogram", "geogram", {**row, "problem": f"{row['problem']} So?"})
    other = {"problem": " ".join(map(str, range(40))), "code": " ".join(map(str, range(40, 90)))}
    assert kept("geogram", "geogram", other)
    row = made("marvl-qa-mini", "counting")
    assert not kept("marvl_qa", "counting", {**row, "feature": "other", "plot_type": "contour"})
    assert kept("marvl_qa", "counting", {**row, "x_min": row["x_min"] - 1})


def test_every_edition_has_a_signature_of_each_question() -> None:
    # Of 1.1, 1.2 and 1.3 together.
    questions = {"marvl-qa-mini": 2 * 172 + 1190 + 107, "marvl-qa": 2 * 172 + 1948 + 182, "geogram": 500}
    questions |= {"traversal": 7800 + 600, "traversal-curved": 1450}
    # Of 1.2 and 1.3, and of the 1.0 and 1.1 of polygons; one in eight drawings is in both.
    questions |= {"curves": 2 * (45 + 45 + 199 + 100 + 100 + 57) - 68, "curves-polygons": 2 * 199 - 25}
    questions |= {"curves-looks": 2 * 320 - 54, "curves-maps": 2 * 300 - 31}
    names = [name for suite in SUITES.values() for name in suite.editions]
    found = {name: len(list(editions.signatures(name))) for name in names}
    assert {name: found[name] for name in questions} == questions
    assert sum(editions.file_of(name).stat().st_size for name in names) < 3_000_000


def test_a_built_dataset_gives_its_signatures(small: Find, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editions, "file_of", lambda dataset, _: tmp_path / f"{dataset}.parquet")
    path = writer.write(small("marvl-qa-mini").folder)
    first = path.read_bytes()
    assert writer.write(small("marvl-qa-mini").folder).read_bytes() == first
    assert {*pq.read_table(path)["pool"].to_pylist()} == {"counting", "transformation"}


def test_wrong_folders_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert writer.main([]) == 2
    assert writer.main([str(tmp_path)]) == 1
    assert "is not a dataset" in capsys.readouterr().err
    with pytest.raises(LookupError, match=r"planimeter\.suites\.write_signatures outputs"):
        list(editions.signatures("marvl-qa-train", "marvl_qa"))
    with pytest.raises(LookupError, match="no edition of the suite"):
        judge_of("geogram_import")


ASKED = ("curves", 1, 6, 20)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "rows.parquet"
    command.write_stream(*ASKED, path, 1)
    return path


def test_the_file_holds_the_first_rows_of_the_stream(file: Path) -> None:
    rows = pq.read_table(file).to_pylist()
    assert [row["address"] for row in rows] == [row["address"] for row in islice(stream("curves", seed=6), 20)]
    assert row_at(rows[7]["address"]) == rows[7]
    assert pq.read_schema(file).field("address").type == STRING
    account = json.loads(file.with_name("rows.funnel.json").read_text())
    assert (account["rows"], account["addresses"], account["repeats"]) == (20, 24, 0)
    assert account["funnel"]["curriculum"]["certify"]["kept"] == 24
    assert sorted(path.name for path in file.parent.iterdir()) == ["rows.funnel.json", "rows.parquet"]


def test_repeats_are_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Items.item
    command._stream.cache_clear()
    monkeypatch.setattr(Items, "item", lambda self, k: made(self, k // 3))
    command.write_stream("curves", 1, 6, 4, tmp_path / "rows.jsonl", 1)
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["address"] for row in rows] == [f"curves/1/6/{k}" for k in range(4)]
    assert rows[0]["image"].startswith("data:image/png;base64,")
    assert json.loads((tmp_path / "rows.funnel.json").read_text())["repeats"] == 6
    monkeypatch.setattr(Items, "item", lambda self, _: made(self, 0))
    command._stream.cache_clear()
    with pytest.raises(PlanimeterError, match="further attempts"):
        command.write_stream("curves", 1, 7, 4, tmp_path / "none.jsonl", 1)


@pytest.mark.slow
def test_neither_a_kill_nor_the_number_of_workers_changes_a_byte(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    line = ("stream", "curves", "--seed", "6", "--count", "20", "--workers", "2", "--out", str(out / "rows.parquet"))
    process = command_line.start(*line, home=tmp_path)
    command_line.wait_until(lambda: process.poll() is not None or list(out.glob(".*.tmp")))
    process.kill()
    process.communicate()
    assert not (out / "rows.parquet").exists()
    assert command_line.run(*line, home=tmp_path).code == 0
    assert command_line.digests(out) == command_line.digests(file.parent)
