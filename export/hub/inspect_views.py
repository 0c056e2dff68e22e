"""Writes and verifies views: copies of test rows for the evaluation framework Inspect.

Inspect loads pictures from the Hub only as data URIs. Therefore the view of a config is a further config
``<config>_inspect`` with the same test rows in the same order, and pictures as data URIs. That doubles the size of a
dataset, so that only ``planimeter publish --inspect`` adds views. Inspect's scorers compare texts, so that only configs
whose answers are single words have a view.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.atomic import explain_os_errors
from planimeter.export.built import Built
from planimeter.export.columns import COMMON, STRING, Column, Schema
from planimeter.export.parquet import row_table, write_part
from planimeter.export.verify.problems import Problem
from planimeter.items.values import data_url

#: The folder of the views in a repository, and the suffix of the names of their configs.
FOLDER, ENDING = "inspect", "_inspect"

#: The columns of a view: some common ones, and the picture as a data URI.
IMAGE = "image"
COLUMNS = (
    *(column for column in COMMON if column.name in ("id", "system_prompt", "prompt", "answer")),
    Column(IMAGE, STRING, "The picture as a data URI."),
)


def viewed(built: Built) -> dict[str, str]:
    """Return config -> test split for each config that Inspect can use: it has pictures, and one-word answers."""
    configs = built.tests.items() if built.shows_pictures else ()
    return {config: split for config, split in configs if split != "train" and _has_short_answers(built, config, split)}


def _has_short_answers(built: Built, config: str, split: str) -> bool:
    answers = [row["answer"] for group in built.groups(config, split) for row in group.rows(["answer"])]
    return bool(answers) and all(len(answer.split()) == 1 for answer in answers)


def write_views(built: Built, home: Path) -> dict[str, Path]:
    """Write the copies of test rows below the folder ``home``; return path in the repository -> local file."""
    files = {}
    for source, path in _files(built):
        config = Path(path).parent.name
        schema = Schema(config=config, columns=COLUMNS, canary=built.manifest.canary)
        files[path] = home / path
        with explain_os_errors(home / path):
            files[path].parent.mkdir(parents=True, exist_ok=True)
            write_part(files[path], _tables(built.folder / source, schema), schema)
    return files


def _files(built: Built) -> Iterator[tuple[str, str]]:
    """Yield (path of a data file, path of its copy for Inspect) for each data file that has one."""
    chosen = viewed(built)
    for config, split in chosen.items():
        for record, part in built.manifest.files_of(config):
            if part == split:
                yield record.path, f"{FOLDER}/{config}{ENDING}/{Path(record.path).name}"


def _tables(path: Path, schema: Schema) -> Iterator[pa.Table]:
    """Yield the rows of the data file at ``path``, as copied for Inspect: one table for each row group."""
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            rows = file.read_row_group(group, columns=list(schema.by_name)).to_pylist()
            yield row_table([{**row, IMAGE: data_url(row[IMAGE]["bytes"])} for row in rows], schema)


def configs_of_views(paths: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the entries for `configs` in a card's front matter, one for each copy of test rows at ``paths``."""
    places = dict.fromkeys((Path(path).parent.name, Path(path).name.partition("-")[0]) for path in sorted(paths))
    return [
        {"config_name": name, "data_files": [{"split": split, "path": f"{FOLDER}/{name}/{split}-*.parquet"}]}
        for name, split in places
    ]


def verify_views(built: Built) -> Iterator[Problem]:
    """Yield the problems of a dataset's copies of test rows for Inspect, if any: missing or extra files, wrong rows."""
    home = built.folder / FOLDER
    if not home.exists():
        return
    expected = {path: source for source, path in _files(built)}
    found = {path.relative_to(built.folder).as_posix() for path in home.rglob("*") if path.is_file()}
    for path in sorted({*expected} ^ found):
        yield Problem(path, "is missing" if path in expected else "is not a view of this dataset", "publish it again")
    for path in sorted({*expected} & found):
        schema = Schema(config=Path(path).parent.name, columns=COLUMNS, canary=built.manifest.canary)
        with pq.ParquetFile(built.folder / path) as file:
            groups = (file.read_row_group(group) for group in range(file.num_row_groups))
            wanted = _tables(built.folder / expected[path], schema)
            if not file.schema_arrow.equals(schema.arrow) or not _are_equal(groups, wanted):
                yield Problem(path, f"has other rows than {expected[path]}", "publish it again")


def _are_equal(groups: Iterator[pa.Table], others: Iterator[pa.Table]) -> bool:
    pairs = zip(groups, others, strict=True)
    try:
        return all(group.equals(other) for group, other in pairs)
    except ValueError:
        # One of them has fewer groups.
        return False
