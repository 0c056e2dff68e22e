"""Verifies ``data/``: each file by itself, then the rules for all rows together, such as unique ids."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from planimeter import evals
from planimeter.export.checks import Checker
from planimeter.export.manifest import FILE_NAME, STRAYS, Manifest
from planimeter.export.promises import MISSHAPEN
from planimeter.export.schema import checker
from planimeter.export.verify.part import MAX_LISTED, Checked, Job, check
from planimeter.export.verify.problems import Problem
from planimeter.export.verify.repeats import Seen

#: A function like ``map``, which applies ``check`` to each job, in this or in other processes, in order.
Each = Callable[[Callable[[Job], Checked], Sequence[Job]], Iterable[Checked]]

#: A callback that gets the number of rows just checked.
Progress = Callable[[int], object]


def verify_data(folder: Path, manifest: Manifest, progress: Progress, each: Each) -> Generator[Problem, None, bool]:
    """Yield the problems of ``data/``; return True if no file that ``manifest`` lists is damaged.

    Every listed file is checked, and ``data/`` must contain no other one. If a file is damaged, the rules for all
    rows together, such as unique ids, are not checked, since the damage would break most of them.
    """
    suite, recipe, sampled = manifest.recipe["suite"], manifest.recipe, manifest.sample is not None
    yield from _verify_names(folder, manifest)
    try:
        evals.suite(suite)
    except (ImportError, LookupError) as error:
        yield Problem("evals", f"cannot score the answers: {error}", "add the suite's protocol")
        return True
    joined = _Joined(checker(suite, recipe), sampled=sampled)
    rows: list[Problem] = []
    sound = True
    sealed = bool(manifest.seal)
    jobs = [Job(folder, record, suite, recipe, manifest.canary, sealed) for record in manifest.files]
    for checked in each(check, jobs):
        progress(checked.rows)
        yield from (Problem(checked.path, fault) for fault in checked.file)
        sound = sound and not checked.file
        rows += () if checked.file else checked.row_problems()
        joined.add(checked)
    yield from split_faults(joined.own, manifest.configs, sampled=sampled)
    yield from rows
    if sound:
        yield from joined.problems()
    return sound


class _Joined:
    """A collector of the results of single files, for checks of all rows together; ``own`` is the suite's checker."""

    def __init__(self, own: Checker, *, sampled: bool) -> None:
        self.own = own
        self._sampled = sampled
        self._seen = Seen()
        self._order: list[Problem] = []
        self._repeated: list[Problem] = []
        #: The number of the last question in each split so far.
        self._ends: dict[str, int] = {}

    def add(self, checked: Checked) -> None:
        """Add the result of the next file."""
        if checked.questions:
            split = checked.path.rpartition("-of-")[0].rpartition("-")[0]
            if checked.questions[0] < self._ends.get(split, 0):
                what = "begins with a smaller seed than the file before it ends with"
                self._order.append(Problem(checked.path, what))
            self._ends[split] = checked.questions[1]
        for number, mark in checked.marks:
            where = f"{checked.path}: row {number} ({mark.id})"
            self._repeated += (Problem(where, fault) for fault in self._seen.faults(mark))
            self._seen.add(mark)
        if checked.memory is not None:
            self.own.recall(checked.memory)

    def problems(self) -> Iterator[Problem]:
        """Yield the problems of all added files together."""
        yield from self._order
        yield from self._repeated[:MAX_LISTED]
        if len(self._repeated) > MAX_LISTED:
            yield Problem("data", f"has {len(self._repeated) - MAX_LISTED} more ids or items that occur twice")
        try:
            for config, fault in self.own.whole(sampled=self._sampled):
                yield Problem(config, fault, "build the dataset again, or correct the numbers of rows in the recipe")
        except MISSHAPEN as error:
            yield Problem("manifest.json", f"recipe is misshapen, so quotas cannot be checked: {error!r}")


def _verify_names(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Yield a problem for each file in ``data/`` that is not listed, and each split whose files are misnumbered."""
    listed = {record.path for record in manifest.files}
    for path in sorted((folder / "data").rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in listed and path.name not in STRAYS:
            yield Problem(name, "is not listed in manifest.json", "remove it or build the dataset again")
    parts: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for match in (FILE_NAME.fullmatch(record.path) for record in manifest.files):
        if match:
            parts.setdefault((match["config"], match["split"]), []).append((int(match["part"]), int(match["parts"])))
    for (config, split), numbers in parts.items():
        if sorted(numbers) != [(part, len(numbers)) for part in range(len(numbers))]:
            yield Problem(f"data/{config}/{split}", "its files must be numbered 0 to N - 1, of N")


def split_faults(own: Checker, configs: Mapping[str, Mapping[str, int]], *, sampled: bool = False) -> Iterator[Problem]:
    """Yield a problem for each config whose splits, or their numbers of rows, are not those of the recipe.

    ``own`` is the suite's checker; ``configs`` maps config -> split -> number of rows in the dataset. The numbers of a
    sample (``sampled``) are not checked.
    """
    for config, splits in configs.items():
        try:
            promised = own.splits(config)
        except MISSHAPEN as error:
            yield Problem("manifest.json", f"recipe is misshapen, so splits cannot be checked: {error!r}")
            continue
        if not set(splits) <= set(promised):
            names = ", ".join(promised) or "none"
            yield Problem(config, f"has the splits {', '.join(splits)}, the recipe promises {names}")
        for split, rows in promised.items():
            if not sampled and rows is not None and splits.get(split, 0) != rows:
                yield Problem(config, f"the recipe promises {rows} rows in {split}, found {splits.get(split, 0)}")
