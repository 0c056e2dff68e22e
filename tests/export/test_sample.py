"""A stratified sample of a built dataset: its rows, its manifest, its card, and what the verifier says of it."""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import command_line
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_folder import (
    RECIPE,
    ROWS,
    Rows,
    any_row,
    drawn,
    edit_manifest,
    edit_rows,
    edit_text,
    problems,
    rows_of,
    said,
    write_folder,
    write_sample,
)

from planimeter.export import strata
from planimeter.export.atomic import ExportError
from planimeter.export.errors import CurationError
from planimeter.export.hub.diff import diff
from planimeter.export.hub.versions import Folder
from planimeter.export.manifest import Manifest
from planimeter.export.pages.card import canary
from planimeter.export.parquet import row_table, write_split
from planimeter.export.sampling import draw_of
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.verify.checks import checker
from planimeter.export.verify.data import split_faults
from planimeter.export.verify.folder import verify
from planimeter.flows.errors import VersionExistsError
from planimeter.flows.service.sample import is_drawn
from planimeter.flows.shards import Shard
from planimeter.flows.store.place import Destination
from planimeter.flows.suites import traversal
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load


def ids(folder: Path) -> set[str]:
    return {row["id"] for config in (folder / "data").iterdir() for row in rows_of(folder, config.name)}


def manifest_of(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    return document


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of nine paths, six of them with both confounded pictures, and two in lanes."""
    rows: dict[str, Rows] = {"base": [], "confounded": [], "reading_order": []}
    for config, cell, count in (
        ("base", (9, 0, 2, "paired"), 3),
        ("base", (9, 1, 2, "paired"), 3),
        ("base", (9, 0, 2, "single"), 3),
        ("reading_order", ("ttb_rl", 3, 11), 2),
    ):
        shard = Shard(suite="traversal", config=config, cell=cell, first=0, count=count)
        for item in traversal.SUITE.make(load("traversal"), shard).items:
            for name, part in item.items():
                rows[name] += part
    for part in rows.values():
        part.sort(key=lambda row: row["seed"] >> 8)
    funnel = {
        name: {"certify": {"seen": len(part), "kept": len(part), "rejected": {}, "strata": {}}}
        for name, part in rows.items()
    }
    recipe = load("traversal", scale=0.001).model_dump(mode="json")
    folder = tmp_path_factory.mktemp("traversal") / "1.0.0"
    write_folder(folder, recipe, {name: {"test": part} for name, part in rows.items()}, funnel)
    assert problems(folder) == ""
    return folder


def test_a_sample_keeps_every_promise_and_names_its_parent(sample: Path, tmp_path: Path) -> None:
    folder = drawn(sample, tmp_path / "s", 12, "plot_type")
    assert problems(folder) == ""
    parent, own = manifest_of(sample), manifest_of(folder)
    digest = hashlib.sha256((sample / "manifest.json").read_bytes()).hexdigest()
    assert own["sample"]["parent"] == {"dataset": "marvl-qa-mini", "version": "1.0.0", "manifest_sha256": digest}
    assert own["sample"]["strata"] == [
        {"stratum": ["counting", "contour"], "rows": 2, "of": 2},
        {"stratum": ["counting", "heatmap"], "rows": 4, "of": 8},
        {"stratum": ["counting", "heatmap-contour"], "rows": 3, "of": 8},
        {"stratum": ["transformation", ""], "rows": 3, "of": 8},
    ]
    assert all(own[key] == parent[key] for key in ("recipe", "seed", "code", "libraries", "funnel"))
    assert (own["dataset"], own["version"]) == ("a-sample", "2.0.0")
    assert own["configs"] == {"counting": {"test": 9}, "transformation": {"test": 3}}

    card = (folder / "README.md").read_text()
    assert "**A stratified sample**: 12 of 26 rows of marvl-qa-mini 1.0.0, in equal shares by config and plot" in card
    assert digest in card
    assert "| config / plot_type | rows | of |\n| --- | ---: | ---: |\n| counting/contour | 2 | 2 |\n" in card
    assert "- counting/contour has only 2 rows: all are taken, and the others make up for it\n" in card
    # Whoever leaves the parent out of training leaves its samples out, too.
    assert canary(Manifest.read(sample)) in card
    based = json.loads((folder / "croissant.json").read_bytes())["isBasedOn"]
    assert (based["name"], based["version"], based["identifier"]) == ("marvl-qa-mini", "1.0.0", f"sha256:{digest}")
    assert "A stratified sample" not in (sample / "README.md").read_text()
    assert "isBasedOn" not in (sample / "croissant.json").read_text()


def test_rows_are_those_of_the_parent_in_its_order(sample: Path, tmp_path: Path) -> None:
    folder = drawn(sample, tmp_path / "s", 15, "colormap", shares="proportional")
    for config in ("counting", "transformation"):
        own = rows_of(folder, config)
        assert own == [row for row in rows_of(sample, config) if row["id"] in ids(folder)]
        assert own
    compared = diff(Folder(sample), Folder(folder))
    assert sum(rows.same for rows in compared.rows.values()) == 15
    assert not any(rows.added or rows.changed for rows in compared.rows.values())
    assert not compared.recipe


@pytest.mark.parametrize("shares", ["equal", "proportional"])
def test_a_smaller_sample_lies_within_a_larger_one(sample: Path, tmp_path: Path, shares: str) -> None:
    samples = [ids(drawn(sample, tmp_path / str(n), n, "plot_type", shares=shares)) for n in (4, 7, 11, 18, 26)]
    assert [len(names) for names in samples] == [4, 7, 11, 18, 26]
    assert all(smaller < larger for smaller, larger in pairwise(samples))
    # A stratum that gives all is named only if it gives less than others.
    if shares == "equal":
        assert (tmp_path / "26" / "README.md").read_text().count("all are taken") == 1


def test_a_draw_is_decided_by_its_seed_and_not_by_the_files_of_its_parent(sample: Path, tmp_path: Path) -> None:
    first, second, other = (drawn(sample, tmp_path / str(n), 9, "feature", seed=n // 2) for n in range(3))
    assert command_line.digests(first) == command_line.digests(second)
    assert ids(first) != ids(other)
    otherwise_cut = write_sample(tmp_path / "1.0.0", recipe={**RECIPE, "rows_per_file": 7})
    assert ids(drawn(otherwise_cut, tmp_path / "c", 9, "feature")) == ids(first)


@given(
    st.lists(st.sampled_from(("plot_type", "feature", "count", "same_style", "transformation", "split")), unique=True)
)
def test_strata_are_the_combinations_of_config_and_values(sample: Path, by: list[str]) -> None:
    def text(row: dict[str, Any], name: str) -> str:
        value = "test" if name == "split" else row.get(name, "")
        return str(value).lower() if isinstance(value, bool) else str(value)

    wanted = Counter((config, *(text(row, name) for name in by)) for config in ROWS for row in ROWS[config])
    found = strata.population(sample, Manifest.read(sample), tuple(ROWS), by)
    assert dict(zip(found.labels, found.counts, strict=True)) == wanted
    assert set(found.sizes) == {1}


def test_one_config_can_be_drawn_alone(sample: Path, tmp_path: Path) -> None:
    folder = drawn(sample, tmp_path / "s", 4, "transformation", configs=["transformation"])
    assert problems(folder) == ""
    assert manifest_of(folder)["configs"] == {"transformation": {"test": 4}}
    transformations = [
        {row["transformation"] for row in rows_of(where, "transformation")} for where in (folder, sample)
    ]
    assert transformations[0] == transformations[1]


def test_rows_can_be_divided_by_their_split(tmp_path: Path) -> None:
    splits = {"validation": ROWS["counting"][:6], "test": ROWS["counting"][6:]}
    folder = drawn(write_folder(tmp_path / "p", RECIPE, {"counting": splits}), tmp_path / "s", 8, "split")
    assert manifest_of(folder)["configs"] == {"counting": {"test": 4, "validation": 4}}
    first = {row["id"] for row in splits["validation"]}
    assert [row["id"] in first for row in rows_of(folder, "counting")] == [False] * 4 + [True] * 4


def test_rows_are_found_in_every_row_group(tmp_path: Path) -> None:
    schema = schema_of("geogram", "geogram")
    table = row_table([any_row(schema, number) for number in range(230)], schema)
    (record,) = write_split(tmp_path, "geogram", "test", [table], schema, 1_000)
    wanted = np.isin(np.arange(230), [0, 99, 205, 229])
    chosen = [table["id"].to_pylist() for table in strata.chosen_rows(tmp_path, record.path, wanted)]
    assert chosen == [["item-0", "item-99"], ["item-205", "item-229"]]


def test_paths_come_with_both_of_their_confounded_pictures(paths: Path, tmp_path: Path) -> None:
    for rows in (9, 12, 5, 23):
        folder = drawn(paths, tmp_path / f"e{rows}", rows)
        assert rows in (9, 12) or problems(folder) == ""
        taken = sum(sum(splits.values()) for splits in manifest_of(folder)["configs"].values())
        assert rows - 2 <= taken <= rows
    assert manifest_of(folder)["sample"]["strata"] == [
        {"stratum": ["base"], "rows": 3, "of": 3},
        {"stratum": ["base+confounded"], "rows": 18, "of": 18},
        {"stratum": ["reading_order"], "rows": 2, "of": 2},
    ]
    assert ids(tmp_path / "e9") < ids(tmp_path / "e12")


def test_confounded_pictures_are_not_drawn_without_their_paths(paths: Path, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="the rows of confounded belong to those of base; name that config, too"):
        drawn(paths, tmp_path / "s", 4, configs=["confounded"])
    both = drawn(paths, tmp_path / "t", 10, "n_points", configs=["confounded", "base"])
    alone = drawn(paths, tmp_path / "u", 4, "tortuosity_bin", configs=["base"])
    assert said([*verify(both), *verify(alone)]) == ""


def test_a_picture_whose_path_is_lost_is_noticed(paths: Path, tmp_path: Path) -> None:
    folder = drawn(paths, tmp_path / "s", 12)
    name = rows_of(folder, "confounded")[0]["source_id"]
    assert strata.population(folder, Manifest.read(folder), ("base", "confounded"), ()).sizes == (1, 3)
    (path,) = (folder / "data" / "base").iterdir()
    pq.write_table(pq.read_table(path, filters=[("id", "!=", name)]), path)
    with pytest.raises(ExportError, match=f"there is no row {name}, to which one belongs"):
        strata.population(folder, Manifest.read(folder), ("base", "confounded"), ())
    assert f"source_id {name} is no row of base" in problems(folder)


@pytest.mark.parametrize("name", ["marvl-qa", "traversal", "curves", "curves-train", "curves-maps", "geogram"])
def test_quotas_bind_a_whole_dataset_and_no_sample(name: str) -> None:
    recipe = load(name)
    assert isinstance(recipe, Recipe)
    look = checker(recipe.suite, recipe.model_dump(mode="json"))
    assert any("promises" in line for _, line in look.whole())
    assert list(look.whole(sampled=True)) == []
    configs = {name: dict.fromkeys(splits, 1) for name in COLUMNS[recipe.suite] if (splits := look.splits(name))}
    assert list(split_faults(look, configs, sampled=True)) == []
    configs |= {next(iter(configs)): {"elsewhere": 1}}
    assert "has the splits elsewhere" in said(list(split_faults(look, configs, sampled=True)))


def _account(edit: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    """What changes the manifest's account of the sample."""
    return lambda folder: edit_manifest(folder, lambda document: edit(document["sample"]))


OTHER_PARENT = {"dataset": "marvl-qa-mini", "version": "1.1.0", "manifest_sha256": "0" * 64}
DAMAGES: list[tuple[Callable[[Path], object], str]] = [
    (_account(lambda a: a.update(rows=11)), "more rows than were asked for, or than there are"),
    (_account(lambda a: a.update(by=["feature"])), "counting/maxima has"),
    (_account(lambda a: a.update(by=["nrmse_identity"])), "be counted again: cannot divide rows by 'nrmse_identity'"),
    (_account(lambda a: a.update(parent=OTHER_PARENT)), "sample.parent is marvl-qa-mini 1.1.0, but the recipe"),
    (_account(lambda a: a.update(shares="some")), "sample.shares: Input should be 'equal' or 'proportional'"),
    (_account(lambda a: a.update(rows="12")), "sample.rows: Input should be a valid integer"),
    (_account(lambda a: a.update(more=1)), "sample.more: Extra inputs are not permitted"),
    (_account(lambda a: a["strata"][1].update(rows=5)), "counting/heatmap has 4 rows, sample.strata says 5"),
    (_account(lambda a: a["strata"].pop(0)), "counting/contour has 2 rows, sample.strata says 0"),
    (_account(lambda a: a["strata"][0].update(of=1)), "more rows than were asked for, or than there are"),
    (
        lambda folder: edit_manifest(folder, lambda document: document.pop("sample")),
        "(?s)dataset is 'a-sample', but its recipe says.*promises 4 pairs of plots, found 3",
    ),
    (lambda folder: edit_rows(folder, "counting", lambda rows: rows.pop()), "sample.strata says"),
    (lambda folder: edit_rows(folder, "counting", lambda rows: rows.append(rows[0])), "its id occurs twice"),
    (lambda folder: edit_text(folder, "croissant.json", '"version": "1.0.0"', '"version": "9"'), "isBasedOn"),
    (lambda folder: edit_text(folder, "README.md", "PLANIMETER-CANARY", "CANARY"), "is '`CANARY marvl-qa-mini"),
]


@pytest.fixture(scope="module")
def twelve(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn(sample, tmp_path_factory.mktemp("twelve") / "s", 12, "plot_type")


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=[words for _, words in DAMAGES])
def test_a_damaged_sample_is_noticed(
    twelve: Path, tmp_path: Path, damage: Callable[[Path], object], words: str
) -> None:
    folder = Path(shutil.copytree(twelve, tmp_path / "s"))
    damage(folder)
    assert re.search(words, problems(folder))


def _flip_last_byte(folder: Path) -> None:
    path = next((folder / "data" / "counting").iterdir())
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize(
    ("options", "damage", "words"),
    [
        ({"by": ["offset"]}, None, "cannot divide rows by 'offset'; the columns that fit are answer, family, tier"),
        ({"by": ["id"]}, None, "cannot divide rows by 'id'"),
        ({"by": ["options"]}, None, "cannot divide rows by 'options'"),
        ({"rows": 27}, None, r"--rows: need 2 \(one draw of each of 2 strata\) to 26 \(all there are\), got 27"),
        ({"rows": 3, "by": ["plot_type"]}, None, "--rows: need 4"),
        ({"configs": ["maze"]}, None, "has no config 'maze'; it has counting, transformation"),
        ({}, _flip_last_byte, "is not as manifest.json says|is not the file in manifest.json"),
        ({}, lambda folder: shutil.rmtree(folder / "data"), "cannot be read .*; `planimeter verify"),
        ({}, lambda folder: (folder / "manifest.json").unlink(), "holds no dataset"),
        ({}, lambda folder: edit_manifest(folder, lambda d: d.pop("libraries")), "lacks 'libraries'; `planimeter"),
        ({}, lambda folder: edit_manifest(folder, lambda d: d["recipe"].pop("title")), "cannot be read .*'title'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_line(
    folder: Path, tmp_path: Path, options: Any, damage: Any, words: str
) -> None:
    if damage:
        damage(folder)
    with pytest.raises((CurationError, ExportError), match=words) as raised:
        drawn(
            folder, tmp_path / "s", options.get("rows", 5), *options.get("by", ()), configs=options.get("configs", ())
        )
    assert "\n" not in str(raised.value)


def test_too_many_strata_are_refused(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strata, "MOST_STRATA", 5)
    with pytest.raises(ExportError, match="more than 5 strata; colormap alone has 5 values or more"):
        drawn(sample, tmp_path / "s", 20, "feature", "colormap")


def test_a_sample_of_a_sample_is_refused(twelve: Path, tmp_path: Path) -> None:
    with pytest.raises(CurationError, match=r"is itself a sample of marvl-qa-mini 1\.0\.0; draw from that dataset"):
        drawn(twelve, tmp_path / "t", 6)


def test_only_the_very_same_draw_is_found_in_place(sample: Path, twelve: Path, tmp_path: Path) -> None:
    def found(folder: Path, rows: int = 12, by: str = "plot_type", *more: Any) -> bool:
        shares, seed, configs = more or ("equal", 0, [])
        place = Destination(folder.parent.name, folder.name, folder.parent.parent)
        return is_drawn(place, draw_of(sample, rows, [by], shares, seed, configs))

    assert found(twelve)
    assert not found(tmp_path / "t")
    for draw in (
        (13,),
        (12, "feature"),
        (12, "plot_type", "proportional", 0, []),
        (12, "plot_type", "equal", 1, []),
        (12, "plot_type", "equal", 0, ["counting"]),
    ):
        with pytest.raises(VersionExistsError, match=r"exists with other content \(it is not this sample\); it is not"):
            found(twelve, *draw)  # type: ignore[arg-type]
    with pytest.raises(VersionExistsError):
        found(sample)
