"""The verifier finds nothing wrong with a good folder, and says what is wrong with each kind of damaged file."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sample_folder import edit_manifest, edit_rows, edit_text, problems

from planimeter.export import croissant
from planimeter.export.pages.pictures import picture_fault
from planimeter.export.verify.folder import verify
from planimeter.export.verify.problems import first_difference
from planimeter.rendering.png import IndexedImage, encode

DATA = "data/counting/test-00000-of-00002.parquet"
Damage = Callable[[Path], Any]


def _rewritten(change: Callable[[pa.Table], pa.Table] = lambda table: table, **options: Any) -> Damage:
    def rewrite(folder: Path) -> None:
        table = change(pq.read_table(folder / DATA))
        pq.write_table(table, folder / DATA, **{"compression": "zstd", "write_page_index": True, **options})

    return rewrite


def _widened(table: pa.Table) -> pa.Table:
    place = table.schema.get_field_index("count")
    return table.cast(table.schema.set(place, pa.field("count", pa.int64())))


def _flip(folder: Path) -> None:
    content = bytearray((folder / DATA).read_bytes())
    content[3000] ^= 1
    (folder / DATA).write_bytes(content)


def _located(kind: str) -> Damage:
    address = f"https://huggingface.co/{kind}/a/b"
    path = "croissant.json"
    return lambda folder: (folder / path).write_bytes(croissant.located((folder / path).read_bytes(), address))


def _no_row_group_of(column: str) -> Damage:
    def damage(folder: Path) -> None:
        content = bytearray((folder / DATA).read_bytes())
        with pq.ParquetFile(folder / DATA) as file:
            chunk = file.metadata.row_group(0).column(file.schema_arrow.get_field_index(column))
        content[chunk.data_page_offset + chunk.total_compressed_size // 2] ^= 0xFF
        (folder / DATA).write_bytes(content)

    return damage


def _renamed_split(folder: Path) -> None:
    for path in sorted((folder / "data").glob("*/test-*.parquet")):
        path.rename(path.with_name(path.name.replace("test-", "train-")))

    def rename(document: dict[str, Any]) -> None:
        for record in document["files"]:
            record["path"] = record["path"].replace("/test-", "/train-")
        document["configs"] = {config: {"train": splits["test"]} for config, splits in document["configs"].items()}

    edit_manifest(folder, rename)


def _foreign_config(folder: Path) -> None:
    (folder / "data/extra").mkdir()
    other = "data/extra/test-00000-of-00001.parquet"
    (folder / "data/transformation/test-00000-of-00001.parquet").rename(folder / other)
    edit_manifest(folder, lambda document: document["files"][-1].update(path=other))


def _row_and_file(folder: Path) -> None:
    edit_rows(folder, "transformation", lambda rows: rows[0].update(answer="2"))
    (folder / DATA).write_bytes(b"x")


FILE_DAMAGES: list[tuple[Damage, str]] = [
    (lambda f: (f / "croissant.json").unlink(), "^croissant.json: is missing; build the dataset again$"),
    (lambda f: (f / DATA).unlink(), rf"{DATA}: is missing"),
    (lambda f: (f / DATA).write_bytes(b"x" * 999), "cannot be read as Parquet"),
    (_flip, "its SHA-256 is not the one in manifest.json"),
    (lambda f: shutil.copy(f / DATA, f / "data/counting/test-00002-of-00003.parquet"), "is not listed in manifest"),
    (lambda f: (f / "notes.txt").touch(), "notes.txt: does not belong to a dataset"),
    (_rewritten(row_group_size=5), "must have 100 rows each, got"),
    (_rewritten(compression="snappy"), "zstd, not SNAPPY"),
    (_rewritten(write_page_index=False), "lacks a page index"),
    (_rewritten(lambda t: t.replace_schema_metadata({"dataset_info": "{}"})), "shows `image` as a picture"),
    (_rewritten(_widened), "its columns differ from the schema in count"),
    # A row group that cannot be read takes 18 rows from their quotas, splits and styles: these are not listed.
    (
        _no_row_group_of("prompt"),
        rf"^{DATA}: its SHA-256 is not the one in .*\n{DATA}: cannot be read from row 0 on[^;]*; build .* again$",
    ),
    (_row_and_file, r"row 0 \(t00\): answer must be 1, the place of rotate_90_clockwise in options"),
    (_renamed_split, "counting: has the splits train, the recipe promises test"),
    (_foreign_config, "manifest.json: files must be data/.*, got .data/extra/test-00000-of-00001.parquet"),
    (lambda f: (f / "report/index.html").unlink(), "report/index.html: is missing"),
    (lambda f: (f / "README.md").unlink(), "README.md: is missing"),
    (lambda f: shutil.rmtree(f / "data"), "data: is missing"),
]

GONE = object()
#: A place in the manifest, what is changed there, and words of the problem.
MANIFEST: list[tuple[str, dict[str, Any], str]] = [
    ("", {"funnel": GONE}, "lacks the keys funnel"),
    ("", {"architecture": GONE}, "lacks the keys architecture"),
    ("", {"architecture": 64}, "architecture: Input should be a valid string, got 64"),
    ("", {"seed": 8}, "seed is 8, but"),
    ("", {"seed": -1}, "seed: Input should be greater than or equal to 0"),
    ("", {"dataset": "../../x"}, "dataset: need lower-case words"),
    ("", {"code": ""}, "must be a hexadecimal digest"),
    ("", {"libraries": {}}, "libraries must give the version"),
    ("files.0", {"rows": "12"}, "files.0.rows: .* valid integer, got '12'"),
    ("files.0", {"path": "data/../../x.parquet"}, "must be data/<config>/<split>"),
    ("files.0", {"path": "data/counting/test-00002-of-00003.parquet"}, "must be numbered 0 to N - 1"),
    ("configs", {"x": {}}, "configs must be one or more of"),
    ("configs.counting", {"test": 19}, "promises 19 rows of counting/test, its files have 18"),
    ("recipe", {"suite": ["marvl_qa"]}, "recipe.suite must be one of"),
    ("recipe", {"title": GONE}, "manifest.json: recipe lacks a value that croissant.json needs: KeyError..title"),
    ("recipe", {"counting": [], "transformation": []}, "(?s)row 0 .*recipe in manifest.json is misshapen.*quotas can"),
    ("recipe.transformation.ambiguity", {"threshold": "x"}, "row 0 .*recipe in manifest.json is misshapen"),
    ("", {"funnel": {}}, "funnel.counting: no check kept as many items as counting has rows .18."),
    ("funnel.counting", {"certify": 3}, "funnel.counting.certify: Input should be a valid dictionary"),
    ("funnel.counting.prominence", {"kept": 4}, r"funnel.counting.prominence: seen 6 is not kept 4 \+ rejected 3"),
    ("funnel.counting.certify.strata.wave_surface", {"seen": 1}, "wave_surface: seen 1 is not kept 9"),
    ("funnel.transformation.certify.strata.plane", {"seen": 9, "kept": 9}, "plane: seen 9 is more than the 8"),
    ("funnel.transformation.certify", {"seen": 7, "kept": 7}, "transformation: no check kept as many items as transf"),
]


def _in_manifest(place: str, change: dict[str, Any]) -> Damage:
    def edit(document: dict[str, Any]) -> None:
        target: Any = document
        for key in filter(None, place.split(".")):
            target = target[int(key) if isinstance(target, list) else key]
        target.update(change)
        for key in [key for key, value in change.items() if value is GONE]:
            del target[key]

    return lambda folder: edit_manifest(folder, edit)


#: Of each file: a text in it, what takes its place, and words of the problem.
TEXTS: dict[str, list[tuple[str, str, str]]] = {
    "manifest.json": [
        ('"scale": 1.0', '"scale": NaN', "manifest.json: cannot be written as JSON: .*nan"),
        ('"title": "', r'"title": "\ud800', "manifest.json: .*surrogates not allowed"),
        ("{\n", "{\n\n", "not in canonical form"),
    ],
    "croissant.json": [
        ('"version": "1.0.0"', '"version": "1.0.1"', '"version": "1.0.1"'),
        ("counting/*.parquet", "x/*.parquet", r"data/x/\*.parquet.*, but"),
        ('"version":', '"url": [1], "version":', r"url is '\[1\]', which is not a dataset"),
    ],
    "README.md": [
        ("(report/index.html)", "(report/page.html)", "links to report/page.html, which does not exist"),
        ('<img src="report/', '<img src="report/x', "links to report/xcounting.png, which does not exist"),
        ("## Limits", "/home/ada/build\n\n## Limits", "README.md: names the local path /home/"),
    ],
    "report/index.html": [
        ('id="counting"', 'id="count"', "is cut short or lacks counting"),
        ('src="data:image/png;base64,', 'src="c00.png" alt="', "refers to c00.png, which does not exist"),
        ("base64,iVBOR", "base64,iVBOS", "report/index.html: contains a picture that is not a PNG"),
        ("</body>", '<script src="https://x.org/a.js"></script></body>', "to https://x.org/a.js, outside its folder"),
    ],
}
OTHERWISE = r"README.md: line \d+ is .*, but manifest.json and the rows make it"
TEXTS["README.md"] += [
    (old, new, OTHERWISE)
    for old, new in (
        ("license: cc-by-4.0", "license: mit"),
        ("| 18 | `test`: 18 |", "| 18 | `test`: 81 |"),
        ('os.getcwd(), "counting"', '"ada/other", "counting"'),
        ("## Changelog\n", "## Earlier\n"),
        ("### 1.0.0 (2026-11-20)", "### 0.9.0 (2026-11-20)"),
    )
]


def _replacing(name: str, old: str, new: str) -> Damage:
    return lambda folder: edit_text(folder, name, old, new)


def _written(name: str, content: str) -> Damage:
    return lambda folder: (folder / name).write_text(content)


DAMAGES = [
    *FILE_DAMAGES,
    *((_in_manifest(place, change), words) for place, change, words in MANIFEST),
    *((_replacing(name, old, new), words) for name, edits in TEXTS.items() for old, new, words in edits),
    (_written("manifest.json", "{"), "manifest.json: cannot be read as JSON"),
    (_written("manifest.json", "[]"), "must be a JSON object"),
    (_written("croissant.json", "x"), "croissant.json: cannot be read"),
    (_written("croissant.json", "[]"), "croissant.json: line 1 is '\\[\\]', but"),
    (_written("report/more.png", ""), "report/more.png: is not part of a report"),
    (
        _located("models"),
        "croissant.json: url is 'https://huggingface.co/models/a/b', which is not a dataset on the Hub",
    ),
    (_located("datasets"), "datasets/a/b', which is not a dataset on the Hub that README.md loads"),
    (lambda f: edit_text(f, "report/index.html", "</footer>", f"{f.resolve()}</footer>"), "names the local path"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES, ids=[words[:60] for _, words in DAMAGES])
def test_a_damaged_folder(damage: Damage, words: str, folder: Path) -> None:
    damage(folder)
    assert re.search(words, problems(folder))


def test_a_good_folder_has_no_problem_under_any_path(folder: Path, tmp_path: Path) -> None:
    assert problems(folder) == ""
    assert problems(folder.rename(tmp_path / "elsewhere")) == ""


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "directory"])
def test_any_damage_of_any_file_is_a_problem(damage: str, sample: Path, tmp_path: Path) -> None:
    names = [p.relative_to(sample).as_posix() for p in sorted(sample.rglob("*")) if p.is_file() and p.suffix != ".png"]
    assert len(names) == 7
    for number, name in enumerate(names):
        folder = Path(shutil.copytree(sample, tmp_path / str(number)))
        content = (folder / name).read_bytes()
        (folder / name).unlink()
        if damage == "directory":
            (folder / name).mkdir()
        else:
            noise = bytes((b * 7 + i) % 256 for i, b in enumerate(content[:5000]))
            (folder / name).write_bytes({"noise": noise, "cut": content[: len(content) // 2], "empty": b""}[damage])
        assert verify(folder), f"{damage} {name} went unnoticed"


def test_a_changed_claim_of_the_card_is_quoted_in_one_line(folder: Path) -> None:
    edit_text(folder, "README.md", "Every row was certified", "Some rows were certified")
    (problem,) = verify(folder)
    assert "Some rows were certified" in problem.what and "Every row was certified" in problem.what
    assert re.match(OTHERWISE, str(problem)) and "the Planimeter that built it" in problem.remedy


def test_a_foreign_section_of_the_card_is_found(folder: Path) -> None:
    edit_text(folder, "README.md", "## Load\n", "## What a score is worth\n\nNothing.\n\n## Load\n")
    assert "'## What a score is worth'" in problems(folder)
    (folder / "probes.json").write_text("{}")
    assert verify(folder) == []
    edit_text(folder, "README.md", "## Uses\n", "## Praise\n\nThe best dataset.\n\n## Uses\n")
    assert "'## Praise'" in problems(folder)


def test_the_end_of_a_longer_line_is_shown() -> None:
    line = "x" * 100
    (problem,) = first_difference("README.md", line, f"{line}, and more")
    shown = (repr("x" * 40), repr(f"{'x' * 40}, and more"))
    assert problem.what == "line 1 is {}, but manifest.json and the rows make it {}".format(*shown)


def test_a_single_pixel_outside_the_palette_is_found() -> None:
    indices = np.zeros((40, 40), np.uint8)
    indices[7, 9] = 4
    image = IndexedImage(indices, np.zeros((4, 3), np.uint8))
    assert "has index 4 in a palette of 4 colours" in picture_fault(encode(image))
