"""The verifier finds nothing wrong with a good folder, and each kind of damage of its files makes it say what is."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sample_folder import RECIPE, edit_rows, said

from planimeter.export.verify.folder import verify

COUNTING_FILE = "data/counting/test-00000-of-00002.parquet"


def test_a_good_folder_has_no_problem(sample: Path) -> None:
    assert said(verify(sample)) == ""


def test_a_folder_that_was_moved_or_renamed_is_still_good(folder: Path, tmp_path: Path) -> None:
    assert said(verify(folder.rename(tmp_path / "elsewhere"))) == ""


def test_every_problem_names_place_rule_and_remedy(folder: Path) -> None:
    (folder / "croissant.json").unlink()
    (problem,) = verify(folder)
    assert str(problem) == "croissant.json: is missing; build the dataset again"


def _other_layout(folder: Path, **options: Any) -> None:
    path = folder / COUNTING_FILE
    pq.write_table(pq.read_table(path), path, **{"compression": "zstd", "write_page_index": True, **options})


def _without_image_feature(folder: Path) -> None:
    path = folder / COUNTING_FILE
    table = pq.read_table(path).replace_schema_metadata({"dataset_info": "{}"})
    pq.write_table(table, path, compression="zstd", write_page_index=True)


def _other_column_type(folder: Path) -> None:
    path = folder / COUNTING_FILE
    table = pq.read_table(path)
    place = table.schema.get_field_index("count")
    pq.write_table(table.set_column(place, "count", table["count"].cast(pa.int64())), path, compression="zstd")


FILE_DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a data file is gone": (lambda f: (f / COUNTING_FILE).unlink(), rf"{COUNTING_FILE}: is missing"),
    "a data file is empty": (lambda f: (f / COUNTING_FILE).write_bytes(b""), "has 0 bytes, not"),
    "a data file is not Parquet": (lambda f: (f / COUNTING_FILE).write_bytes(b"x" * 999), "cannot be read as Parquet"),
    "a byte is flipped": (
        lambda f: (f / COUNTING_FILE).write_bytes(
            bytes(b ^ (i == 3000) for i, b in enumerate((f / COUNTING_FILE).read_bytes()))
        ),
        "its SHA-256 is not the one in manifest.json",
    ),
    "a file that nobody listed": (
        lambda f: shutil.copy(f / COUNTING_FILE, f / "data/counting/test-00002-of-00003.parquet"),
        "is not listed in manifest.json",
    ),
    "a hidden file under data": (lambda f: (f / "data/.part.tmp").touch(), r"data/.part.tmp: is not listed"),
    "a stray file beside": (lambda f: (f / "notes.txt").touch(), "notes.txt: does not belong to a dataset"),
    "small row groups": (lambda f: _other_layout(f, row_group_size=5), "must have 100 rows each, got"),
    "another compression": (lambda f: _other_layout(f, compression="snappy"), "zstd, not SNAPPY"),
    "no page index": (lambda f: _other_layout(f, write_page_index=False), "lacks a page index"),
    "no image feature": (_without_image_feature, "shows `image` as a picture"),
    "a column of another type": (_other_column_type, "not those of the schema; look at: count"),
    "no report": (lambda f: (f / "report/index.html").unlink(), "report/index.html: is missing"),
    "no card": (lambda f: (f / "README.md").unlink(), "README.md: is missing"),
    "no data": (lambda f: shutil.rmtree(f / "data"), "data: is missing"),
}


@pytest.mark.parametrize("name", list(FILE_DAMAGES))
def test_damaged_files(name: str, folder: Path) -> None:
    damage, wanted = FILE_DAMAGES[name]
    damage(folder)
    assert re.search(wanted, said(verify(folder)))


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
    assert "cannot be read: Permission denied; mend the permissions" in said(verify(sample))


def test_an_empty_folder_lacks_everything(tmp_path: Path) -> None:
    assert [problem.where for problem in verify(tmp_path)] == [
        "README.md", "croissant.json", "manifest.json", "data", "report",
    ]  # fmt: skip


def test_the_sample_is_what_its_recipe_promises() -> None:
    assert RECIPE["transformation"]["pairs"] == 4
    assert sum(RECIPE["counting"]["questions"]) == 2


def test_one_damaged_byte_is_reported_by_its_cause_and_not_by_all_that_follows(folder: Path) -> None:
    """A row group that cannot be read takes 18 rows from their quotas, splits and styles."""
    path = folder / COUNTING_FILE
    with pq.ParquetFile(path) as file:
        chunk = file.metadata.row_group(0).column(file.schema_arrow.get_field_index("prompt"))
    content = bytearray(path.read_bytes())
    content[chunk.data_page_offset + chunk.total_compressed_size // 2] ^= 0xFF
    path.write_bytes(content)
    found = verify(folder)
    assert [problem.where for problem in found] == [COUNTING_FILE, COUNTING_FILE, "data"]
    assert "its SHA-256 is not the one in manifest.json" in found[0].what
    assert "cannot be read from row 0 on" in found[1].what
    assert re.search(r"has \d+ more problems, which may follow from the damaged files \(the first: ", found[2].what)


def test_a_changed_row_whose_hash_is_not_fitted_is_named_in_one_line(folder: Path) -> None:
    path = folder / COUNTING_FILE
    table = pq.read_table(path)
    answers = ["99", *table["answer"].to_pylist()[1:]]
    table = table.set_column(table.schema.get_field_index("answer"), "answer", pa.array(answers))
    pq.write_table(table, path, compression="zstd", write_page_index=True, row_group_size=100)
    assert re.search(r"\(the first: .*row 0 \(c00\): answer, count and extrema differ: '99'", said(verify(folder)))


def test_a_fault_of_an_undamaged_file_is_still_listed(folder: Path) -> None:
    edit_rows(folder, "transformation", lambda rows: rows[0].update(answer="2"))
    (folder / COUNTING_FILE).write_bytes(b"x")
    assert "row 0 (t00): answer must be 1, where rotate_90_clockwise stands" in said(verify(folder))
