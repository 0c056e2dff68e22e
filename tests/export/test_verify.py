"""The verifier finds nothing wrong with a good folder, and says what is wrong with each kind of damaged file."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sample_folder import edit_manifest, edit_rows, edit_text, problems, said

from planimeter.export.verify.folder import verify
from planimeter.flows import writing
from planimeter.flows.display.bars import bars

DATA = "data/counting/test-00000-of-00002.parquet"


def test_a_good_folder_has_no_problem_wherever_it_stands(folder: Path, tmp_path: Path) -> None:
    assert problems(folder) == ""
    assert problems(folder.rename(tmp_path / "elsewhere")) == ""


def test_every_problem_names_place_rule_and_remedy(folder: Path) -> None:
    (folder / "croissant.json").unlink()
    assert problems(folder) == "croissant.json: is missing; build the dataset again"


def _rewritten(change: Callable[[pa.Table], pa.Table] = lambda table: table, **options: Any) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        path = folder / DATA
        table = change(pq.read_table(path))
        pq.write_table(table, path, **{"compression": "zstd", "write_page_index": True, **options})

    return rewrite


def _with_column(name: str, change: Callable[[pa.ChunkedArray], Any]) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.set_column(table.schema.get_field_index(name), name, change(table[name]))


def _flip(folder: Path) -> None:
    content = bytearray((folder / DATA).read_bytes())
    content[3000] ^= 1
    (folder / DATA).write_bytes(content)


def _changed_answer(answers: pa.ChunkedArray) -> pa.Array:
    return pa.array(["99", *answers.to_pylist()[1:]])


FILE_DAMAGES: list[tuple[Callable[[Path], Any], str]] = [
    (lambda f: (f / DATA).unlink(), rf"{DATA}: is missing"),
    (lambda f: (f / DATA).write_bytes(b""), "has 0 bytes, not"),
    (lambda f: (f / DATA).write_bytes(b"x" * 999), "cannot be read as Parquet"),
    (_flip, "its SHA-256 is not the one in manifest.json"),
    (lambda f: shutil.copy(f / DATA, f / "data/counting/test-00002-of-00003.parquet"), "is not listed in manifest"),
    (lambda f: (f / "data/.part.tmp").touch(), r"data/.part.tmp: is not listed"),
    (lambda f: (f / "notes.txt").touch(), "notes.txt: does not belong to a dataset"),
    (_rewritten(row_group_size=5), "must have 100 rows each, got"),
    (_rewritten(compression="snappy"), "zstd, not SNAPPY"),
    (_rewritten(write_page_index=False), "lacks a page index"),
    (_rewritten(lambda t: t.replace_schema_metadata({"dataset_info": "{}"})), "shows `image` as a picture"),
    (_rewritten(_with_column("count", lambda c: c.cast(pa.int64()))), "not those of the schema; look at: count"),
    # A changed row whose hash is not fitted: one line names it.
    (
        _rewritten(_with_column("answer", _changed_answer), row_group_size=100),
        r"\(the first: .*row 0 \(c00\): answer, count and extrema differ: '99'",
    ),
    (lambda f: (f / "report/index.html").unlink(), "report/index.html: is missing"),
    (lambda f: (f / "README.md").unlink(), "README.md: is missing"),
    (lambda f: shutil.rmtree(f / "data"), "data: is missing"),
]


@pytest.mark.parametrize(("damage", "words"), FILE_DAMAGES, ids=[words for _, words in FILE_DAMAGES])
def test_damaged_files(damage: Callable[[Path], Any], words: str, folder: Path) -> None:
    damage(folder)
    assert re.search(words, problems(folder))


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "directory"])
def test_no_damage_of_any_file_is_a_traceback(damage: str, sample: Path, tmp_path: Path) -> None:
    names = [p.relative_to(sample).as_posix() for p in sorted(sample.rglob("*")) if p.is_file() and p.suffix != ".png"]
    assert len(names) == 7
    for number, name in enumerate(names):
        folder = Path(shutil.copytree(sample, tmp_path / str(number)))
        path = folder / name
        content = path.read_bytes()
        path.unlink()
        if damage == "directory":
            path.mkdir()
        elif damage == "noise":
            path.write_bytes(bytes((b * 7 + i) % 256 for i, b in enumerate(content[:5000])))
        else:
            path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
        assert verify(folder), f"{damage} {name} went unnoticed"


@pytest.mark.parametrize("path", ["missing", "file"])
def test_a_place_that_is_no_folder(path: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (problem,) = verify(tmp_path / path)
    assert "is not a folder" in str(problem)


@pytest.mark.parametrize("method", ["is_dir", "iterdir", "rglob"])
def test_a_folder_that_may_not_be_read(method: str, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, method, refuse)
    assert "cannot be read: Permission denied; mend the permissions" in problems(sample)


def test_an_empty_folder_lacks_everything(tmp_path: Path) -> None:
    lacking = ["README.md", "croissant.json", "manifest.json", "data", "report"]
    assert [problem.where for problem in verify(tmp_path)] == lacking


def test_one_damaged_byte_is_reported_by_its_cause_and_not_by_all_that_follows(folder: Path) -> None:
    """A row group that cannot be read takes 18 rows from their quotas, splits and styles."""
    path = folder / DATA
    with pq.ParquetFile(path) as file:
        chunk = file.metadata.row_group(0).column(file.schema_arrow.get_field_index("prompt"))
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset + chunk.total_compressed_size // 2] ^= 0xFF
    path.write_bytes(content)
    found = verify(folder)
    assert [problem.where for problem in found] == [DATA, DATA, "data"]
    assert "its SHA-256 is not the one in manifest.json" in found[0].what
    assert "cannot be read from row 0 on" in found[1].what
    assert re.search(r"has \d+ more problems, which may follow from the damaged files \(the first: ", found[2].what)


def test_a_fault_of_an_undamaged_file_is_still_listed(folder: Path) -> None:
    edit_rows(folder, "transformation", lambda rows: rows[0].update(answer="2"))
    (folder / DATA).write_bytes(b"x")
    assert "row 0 (t00): answer must be 1, where rotate_90_clockwise stands" in problems(folder)


def test_a_split_that_the_recipe_does_not_ask_for(folder: Path) -> None:
    """Rows for training, made of the files of a benchmark by their names alone."""
    for path in sorted((folder / "data").glob("*/test-*.parquet")):
        path.rename(path.with_name(path.name.replace("test-", "train-")))

    def rename(document: dict[str, Any]) -> None:
        for record in document["files"]:
            record["path"] = record["path"].replace("/test-", "/train-")
        document["configs"] = {config: {"train": splits["test"]} for config, splits in document["configs"].items()}

    edit_manifest(folder, rename)
    assert "counting: has the splits train, the recipe promises test" in problems(folder)


def test_a_file_of_a_config_that_the_suite_has_not(folder: Path) -> None:
    other = "data/extra/test-00000-of-00001.parquet"
    (folder / "data/extra").mkdir()
    (folder / "data/transformation/test-00000-of-00001.parquet").rename(folder / other)
    edit_manifest(folder, lambda document: document["files"][-1].update(path=other))
    assert f"{other}: must be data" in problems(folder)


@pytest.mark.parametrize("rows", ["1e999", "-1e999"])
def test_an_infinite_number_of_rows_is_no_traceback(folder: Path, rows: str) -> None:
    edit_text(folder, "manifest.json", '"rows": 8', f'"rows": {rows}')
    with bars() as shown:
        assert "files must be a list of" in said(writing.problems_of(folder, shown, 1))
