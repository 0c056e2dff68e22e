"""A stratified sample of a built dataset: its rows, its documents, what the verifier says of it, the command."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_line
import pytest
from sample_folder import RECIPE, ROWS, drawn, edit_manifest, edit_rows, edit_text, problems, rows_of, write_folder
from small_datasets import Small, whole

from planimeter.export import strata
from planimeter.export.atomic import ExportError
from planimeter.export.errors import CurationError
from planimeter.export.hub.diff import diff
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import Manifest


def ids(folder: Path) -> set[str]:
    return {row["id"] for config in (folder / "data").iterdir() for row in rows_of(folder, config.name)}


def manifest_of(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    return document


@pytest.fixture(scope="module")
def paths(small: Callable[[str], Small], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three paths, two of them with both confounded pictures, and two in lanes."""
    made = small("traversal")
    return whole(tmp_path_factory.mktemp("traversal") / "1.0.0", made, made.rows)


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
    # A stratum that gives all is named only if it gives less than others.
    assert (drawn(sample, tmp_path / "all", 26, "plot_type") / "README.md").read_text().count("all are taken") == 1
    # Someone who leaves the parent out of training leaves its samples out, too.
    assert Manifest.read(sample).canary in card and own["canary"] == Manifest.read(sample).canary
    based = json.loads((folder / "croissant.json").read_bytes())["isBasedOn"]
    assert (based["name"], based["version"], based["identifier"]) == ("marvl-qa-mini", "1.0.0", f"sha256:{digest}")
    assert "A stratified sample" not in (sample / "README.md").read_text()
    assert "isBasedOn" not in (sample / "croissant.json").read_text()


def test_rows_are_those_of_the_parent_in_its_order(sample: Path, tmp_path: Path) -> None:
    folder = drawn(sample, tmp_path / "s", 15, "colormap", shares="proportional")
    for config in ("counting", "transformation"):
        taken = rows_of(folder, config)
        assert taken and taken == [row for row in rows_of(sample, config) if row["id"] in ids(folder)]
    compared = diff(Version.in_folder(sample), Version.in_folder(folder))
    assert sum(rows.same for rows in compared.rows.values()) == 15
    assert not any(rows.added or rows.changed for rows in compared.rows.values()) and not compared.recipe


def test_a_draw_is_decided_by_its_seed_alone(sample: Path, tmp_path: Path) -> None:
    first, second, other = (drawn(sample, tmp_path / str(n), 9, "feature", seed=n // 2) for n in range(3))
    assert command_line.digests(first) == command_line.digests(second)
    assert ids(first) != ids(other)
    rows = {config: {"test": part} for config, part in ROWS.items()}
    otherwise_cut = write_folder(tmp_path / "1.0.0", {**RECIPE, "rows_per_file": 7}, rows)
    assert ids(drawn(otherwise_cut, tmp_path / "c", 9, "feature")) == ids(first)


def test_paths_come_with_both_of_their_confounded_pictures(paths: Path, tmp_path: Path) -> None:
    for rows in (5, 6, 9):
        folder = drawn(paths, tmp_path / f"e{rows}", rows)
        assert rows != 6 or problems(folder) == ""
        taken = sum(sum(splits.values()) for splits in manifest_of(folder)["configs"].values())
        assert rows - 2 <= taken <= rows
    assert manifest_of(folder)["sample"]["strata"] == [
        {"stratum": ["base"], "rows": 1, "of": 1},
        {"stratum": ["base+confounded"], "rows": 6, "of": 6},
        {"stratum": ["reading_order"], "rows": 2, "of": 2},
    ]
    assert ids(tmp_path / "e5") < ids(tmp_path / "e6") < ids(tmp_path / "e9")
    with pytest.raises(ExportError, match="the rows of confounded belong to those of base; name that config, too"):
        drawn(paths, tmp_path / "s", 4, configs=["confounded"])
    both = drawn(paths, tmp_path / "t", 4, "n_points", configs=["confounded", "base"])
    alone = drawn(paths, tmp_path / "u", 2, "tortuosity_bin", configs=["base"])
    assert problems(both) == problems(alone) == ""


def _account(edit: Callable[[dict[str, Any]], object]) -> Callable[[Path], object]:
    return lambda folder: edit_manifest(folder, lambda document: edit(document["sample"]))


OTHER_PARENT = {"dataset": "marvl-qa-mini", "version": "1.1.0", "manifest_sha256": "0" * 64}
DAMAGES: list[tuple[Callable[[Path], object], str]] = [
    (_account(lambda a: a.update(rows=11)), "more rows than requested or available"),
    (_account(lambda a: a.update(by=["nrmse_identity"])), "be counted again: cannot divide rows by 'nrmse_identity'"),
    (_account(lambda a: a.update(parent=OTHER_PARENT)), "sample.parent is marvl-qa-mini 1.1.0, but the recipe"),
    (_account(lambda a: a.update(shares="some")), "sample.shares: Input should be 'equal' or 'proportional'"),
    (_account(lambda a: a["strata"][1].update(rows=5)), "counting/heatmap has 4 rows, sample.strata says 5"),
    (
        lambda f: edit_manifest(f, lambda d: d.pop("sample")),
        "(?s)'a-sample', but its recipe says.*promises 8 rows, found",
    ),
    (lambda folder: edit_rows(folder, "counting", lambda rows: rows.pop()), "sample.strata says"),
    (lambda folder: edit_rows(folder, "counting", lambda rows: rows.append(rows[0])), "its id occurs twice"),
    (lambda folder: edit_text(folder, "croissant.json", '"version": "1.0.0"', '"version": "9"'), '"version": "9"'),
]


@pytest.fixture(scope="module")
def twelve(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn(sample, tmp_path_factory.mktemp("twelve") / "s", 12, "plot_type")


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=[words for _, words in DAMAGES])
def test_a_damaged_sample_is_noticed(twelve: Path, tmp_path: Path, damage: Any, words: str) -> None:
    folder = Path(shutil.copytree(twelve, tmp_path / "s"))
    damage(folder)
    assert re.search(words, problems(folder))


def _flip_last_byte(folder: Path) -> None:
    path = next((folder / "data" / "counting").iterdir())
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize(
    ("options", "damage", "words"),
    [
        ({"by": ["offset"]}, None, "cannot divide rows by 'offset'; the possible columns are answer, family, tier"),
        ({"rows": 27}, None, r"--rows: need 2 \(one row or group of each of 2 strata\) to 26 \(all rows\), got 27"),
        ({"configs": ["maze"]}, None, "has no config 'maze'; it has counting, transformation"),
        ({"rows": 20, "by": ["feature", "colormap"]}, None, "more than 5 strata; colormap alone has 5 values or more"),
        ({}, _flip_last_byte, "is not as manifest.json says|differs from its entry in manifest.json"),
        ({}, lambda folder: shutil.rmtree(folder / "data"), "cannot be read .*; `planimeter verify"),
        ({}, lambda folder: (folder / "manifest.json").unlink(), "is not a dataset"),
        ({}, lambda folder: edit_manifest(folder, lambda d: d.pop("libraries")), "lacks 'libraries'; `planimeter"),
    ],
)
def test_an_impossible_sample_is_refused_in_one_line(
    folder: Path, tmp_path: Path, options: Any, damage: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strata, "MOST_STRATA", 5)
    if damage:
        damage(folder)
    rows, by, configs = options.get("rows", 5), options.get("by", ()), options.get("configs", ())
    with pytest.raises((CurationError, ExportError), match=words) as raised:
        drawn(folder, tmp_path / "s", rows, *by, configs=configs)
    assert "\n" not in str(raised.value)


def test_a_sample_is_not_drawn_from_a_sample(twelve: Path, tmp_path: Path) -> None:
    with pytest.raises(CurationError, match=r"is itself a sample of marvl-qa-mini 1\.0\.0; draw from that dataset"):
        drawn(twelve, tmp_path / "t", 6)


def test_the_command_draws_once_and_replaces_nothing(sample: Path, tmp_path: Path) -> None:
    left = tmp_path / "marvl-qa-mini-sample-9" / ".1.0.0.staging"  # by a command that was killed
    left.mkdir(parents=True)
    folder = tmp_path / "marvl-qa-mini-sample-9" / "1.0.0"
    given = ("sample", str(sample), "--rows", "9", "--by", "feature")
    for _ in range(2):
        ended = command_line.here(*given, "--out", str(tmp_path))
        assert (ended.code, f"{folder}\nreport: " in ended.out) == (0, True), ended.err
    assert not left.exists() and problems(folder) == ""
    inside = ("--out", str(tmp_path))
    for more, message in (
        ((*inside, "--seed", "1"), "(it is not this sample); it is not replaced. Give another --version, --name or"),
        ((*inside, "--equal"), "(it is not this sample)"),
        ((*inside, "--config", "counting"), "(it is not this sample)"),
        ((*inside, "--name", "Sample!"), "--name: need lower-case words joined by hyphens, such as marvl-qa, got"),
        (("--out", "s3://bucket/x"), "--out: need a local folder here, got s3://bucket/x"),
    ):
        ended = command_line.here(*given, *more)
        assert (ended.code, len(ended.lines)) == (1, 1) and message in ended.err
