"""The part of the verifier that looks at ``data/``: each file by itself, then what all rows promise together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from planimeter import evals
from planimeter.export.manifest import FILE_NAME, STRAYS, Manifest
from planimeter.export.promises import MISSHAPEN, Score
from planimeter.export.verify.checks import Checker, checker
from planimeter.export.verify.part import BAD_PARQUET, MAX_LISTED, Checked, Job, check, config_of
from planimeter.export.verify.problems import Problem
from planimeter.export.verify.repeats import Repeats

_REBUILD = "build the dataset again"

#: Returns what ``check`` finds in each file, in the order of the jobs, whoever does it and wherever: ``map``, say.
Each = Callable[[Callable[[Job], Checked], Sequence[Job]], Iterable[Checked]]

#: Told the number of rows that have just been checked.
Progress = Callable[[int], object]


def verify_data(
    folder: Path, manifest: Manifest, score: Score | None, progress: Progress, each: Each
) -> Iterator[Problem]:
    """Check every file that is listed, and that no other file lies under data/."""
    suite, sampled = manifest.recipe["suite"], manifest.sample is not None
    yield from _verify_names(folder, manifest)
    own, faults = _own_checks(suite, manifest.recipe, score)
    rows: list[Problem] = []
    repeats, files = Repeats(), []
    jobs = [
        Job(folder=folder, record=record, suite=suite, recipe=manifest.recipe, score=score) for record in manifest.files
    ]
    for found in each(check, jobs):
        progress(found.rows)
        yield from (Problem(found.path, fault, _REBUILD) for fault in found.file)
        rows += found.row_problems()
        if config_of(found.path, suite) and (folder / found.path).is_file():
            files.append(folder / found.path)
            repeats.extend(found.repeats)
        if own is not None and found.own is not None:
            own.merge(found.own)
    yield from faults
    if own is not None:
        yield from split_faults(own, manifest.configs, sampled=sampled)
    yield from rows
    yield from _repeat_faults(folder, files, repeats)
    if own is not None:
        try:
            for config, fault in own.whole(sampled=sampled):
                yield Problem(config, fault, "build the dataset again, or say in its recipe what it holds")
        except MISSHAPEN as error:
            yield Problem("manifest.json", f"recipe is misshapen, so quotas cannot be checked: {error!r}", _REBUILD)


def _own_checks(suite: str, recipe: Mapping[str, Any], score: Score | None) -> tuple[Checker | None, list[Problem]]:
    """Return the suite's checker, and what is missing of the suite's own checks and protocol."""
    faults: list[Problem] = []
    if score is None:
        try:
            evals.suite(suite)
        except LookupError as error:
            faults.append(Problem("evals", f"cannot score the answers: {error}", "add the suite's protocol"))
    try:
        return checker(suite, recipe), faults
    except LookupError as error:
        faults.append(Problem("export/checks", f"cannot check the rows of {suite}: {error}", "add the suite's checks"))
    return None, faults


def _verify_names(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    listed = {record.path for record in manifest.files}
    for path in sorted((folder / "data").rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in listed and path.name not in STRAYS:
            yield Problem(name, "is not listed in manifest.json", "remove it or build the dataset again")
    parts: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for record in manifest.files:
        match = FILE_NAME.fullmatch(record.path)
        if match is None or match["split"] not in manifest.configs.get(match["config"], {}):
            what = "must be data/<config>/<split>-00000-of-0000N.parquet of a config and split in configs"
            yield Problem(record.path, what, _REBUILD)
            continue
        parts.setdefault((match["config"], match["split"]), []).append((int(match["part"]), int(match["parts"])))
    for (config, split), numbers in parts.items():
        if sorted(numbers) != [(part, len(numbers)) for part in range(len(numbers))]:
            yield Problem(f"data/{config}/{split}", "its files must be numbered 0 to N - 1, of N", _REBUILD)


def split_faults(own: Checker, configs: Mapping[str, Mapping[str, int]], *, sampled: bool = False) -> Iterator[Problem]:
    """Yield where ``configs`` (rows of each config and split) are not the splits that the recipe asks for.

    Where they are ``sampled``, it promises nothing about their numbers.
    """
    for config, splits in configs.items():
        try:
            promised = own.splits(config)
        except MISSHAPEN as error:
            yield Problem("manifest.json", f"recipe is misshapen, so splits cannot be checked: {error!r}", _REBUILD)
            continue
        if not set(splits) <= set(promised):
            what = f"has the splits {', '.join(splits)}, the recipe promises {', '.join(promised) or 'none'}"
            yield Problem(config, what, _REBUILD)
        for split, rows in promised.items():
            if not sampled and rows is not None and splits.get(split, 0) != rows:
                what = f"the recipe promises {rows} rows in {split}, found {splits.get(split, 0)}"
                yield Problem(config, what, _REBUILD)


def _repeat_faults(folder: Path, files: Sequence[Path], repeats: Repeats) -> Iterator[Problem]:
    count = 0
    try:
        for count, (path, number, row, fault) in enumerate(repeats.faults(files), 1):
            if count <= MAX_LISTED:
                where = f"{path.relative_to(folder).as_posix()}: row {number} ({row['id']})"
                yield Problem(where, fault, _REBUILD)
    except BAD_PARQUET as error:
        yield Problem("data", f"cannot be read for ids and items that occur twice: {error}", _REBUILD)
    if count > MAX_LISTED:
        yield Problem("data", f"has {count - MAX_LISTED} more ids or items that occur twice", _REBUILD)
