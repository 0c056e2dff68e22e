"""Takes in replies: matches them to the rows of a dataset, and counts what does not fit; nothing is dropped unsaid."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

import pandas as pd

from planimeter.evals import DEFAULT, variants
from planimeter.evals.scores.dataset import Dataset
from planimeter.evals.scores.replies.reading import read, stem
from planimeter.evals.scores.replies.records import (
    Found,
    RepliesError,
    Reply,
    Selection,
    Settings,
    Source,
    UnknownFormError,
    Unreadable,
    differing,
    name_of,
    some,
)

#: Whose replies: the model and the prompt variant.
Side = tuple[str, str]

#: How many places are named of each kind of fault.
MOST_NAMED = 3

#: More sample numbers than this times those of the row that has most, and they do not number the samples of a row.
MOST_SAMPLES = 4

_FIELDS = tuple(column.name for column in fields(Reply))
_SIDE, _ROW = ["model", "variant"], ["model", "variant", "id"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Intake:
    """The replies that are to be graded, and a line on each kind of fault there is.

    ``frame`` has a line for each model, variant, row that it was asked and sample, in this order; ``text`` is missing
    where there is no reply. Samples are numbered from 0 in the order of their numbers in the files. ``taken`` counts
    the replies to rows of the configs.
    """

    frame: pd.DataFrame
    taken: int
    notes: list[str]


@dataclass(kw_only=True)
class _Files:
    """What files hold: ``replies`` with the number of the file, and whether it says which rows were asked."""

    replies: list[tuple[object, ...]] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    #: Why files of a folder are no replies.
    left_out: list[str] = field(default_factory=list)
    #: By side: how often each row was to be asked, as logs say.
    selected: dict[Side, dict[str, int]] = field(default_factory=dict)
    #: By side: the settings of its runs, as logs say.
    settings: dict[Side, set[Settings]] = field(default_factory=dict)


def take(
    files: Iterable[Path],
    dataset: Dataset,
    configs: Iterable[str],
    model: str = "",
    *,
    asked_only: bool = False,
    optional: Collection[Path] = (),
    progress: Callable[[], object] = lambda: None,
) -> Intake:
    """Return the replies in ``files`` to ``configs`` of ``dataset``.

    ``model`` is the label of those whose file names none; without it that is the name of the file. Which rows a side
    was asked is what its logs say. Where a file does not say, the side is held to every row of a split of which it
    answered one, or, with ``asked_only``, to the rows that it answered. Of ``optional`` files those that hold no
    replies are left out. ``progress`` is called after each file.

    Raises:
        RepliesError: if a file cannot be read, is about another dataset, there is no reply at all, or samples are not
            numbered row by row.
    """
    files, configs = list(files), list(configs)
    held = _read_all(files, dataset, model, optional, progress)
    frame = _matched(held, files, dataset)
    unknown, chosen = frame["config"].isna(), frame["config"].isin(configs)
    counts = {"unknown": Counter(frame.loc[unknown, "id"])}
    elsewhere = int((~unknown & ~chosen).sum())
    frame, taken = frame[chosen], int(chosen.sum())
    unsaid = {*frame.loc[~frame["said"].astype(bool), [*_SIDE, "config", "split"]].itertuples(index=False, name=None)}
    frame, repeated = _once(frame)
    notes = [*_notes_on_files(held, counts | repeated, elsewhere), *_notes_on_replies(frame)]
    if not taken:
        listed = "; ".join(notes)
        raise RepliesError(
            f"{', '.join(map(str, files))}: no reply to a row of {dataset.name}" + (listed and f"; {listed}")
        )
    asked = _asked(frame, dataset, {} if asked_only else held.selected, unsaid, asked_only=asked_only)
    replies = asked.merge(frame.drop(columns=["config", "split"]), on=[*_ROW, "sample"], how="left")
    notes += _notes_on_rows(
        replies, {name: len(rows) for name, rows in dataset.rows.items() if name in configs}, unsaid
    )
    replies["sample"] = replies.groupby(_ROW, sort=False).cumcount()
    return Intake(frame=replies, taken=taken, notes=notes)


def _read_all(
    files: list[Path], dataset: Dataset, model: str, optional: Collection[Path], progress: Callable[[], object]
) -> _Files:
    held, stems = _Files(), Counter(map(stem, files))
    for number, path in enumerate(files):
        # Two files of one name are two models, as in m1/replies.jsonl and m2/replies.jsonl.
        name = stem(path) if stems[stem(path)] == 1 else f"{path.resolve().parent.name}/{stem(path)}"
        try:
            _read(held, number, list(read(path)), path, dataset, model or name_of("model", name))
        except UnknownFormError as error:
            if path not in optional:
                raise
            held.left_out.append(str(error))
        progress()
    return held


def _read(held: _Files, number: int, records: list[Found], path: Path, dataset: Dataset, model: str) -> None:
    said = any(isinstance(record, Selection) for record in records)
    for record in records:
        if isinstance(record, Unreadable):
            held.unreadable.append(record)
        elif isinstance(record, Source):
            _check_source(record, dataset, path)
        else:
            side = (record.model or model, record.variant or DEFAULT)
            if isinstance(record, Selection):
                rows = held.selected.setdefault(side, {})
                rows |= {row: max(record.epochs, rows.get(row, 0)) for row in record.ids}
            elif isinstance(record, Settings):
                held.settings.setdefault(side, set()).add(record)
            else:
                values = {name: getattr(record, name) for name in _FIELDS}
                held.replies.append((*(values | dict(zip(_SIDE, side, strict=True))).values(), number, said))


def _check_source(source: Source, dataset: Dataset, path: Path) -> None:
    manifest = dataset.manifest
    if source.dataset not in ("", manifest.dataset) or source.version not in ("", manifest.version):
        stated = f"{source.dataset or manifest.dataset} {source.version}".strip()
        raise RepliesError(f"{path} holds replies to {stated}, and this is {dataset.name}; name the folder of {stated}")


def _matched(held: _Files, files: list[Path], dataset: Dataset) -> pd.DataFrame:
    """Return the replies with the config and the split of their rows; both are missing where no row has the id.

    Raises:
        RepliesError: unless most replies of each file are to rows of the dataset, under prompt variants of theirs.
    """
    frame = pd.DataFrame(held.replies, columns=[*_FIELDS, "file", "said"])
    splits = pd.concat(dataset.splits)
    configs, ids = (splits.index.get_level_values(level) for level in (0, 1))
    for name, values in (("config", configs), ("split", splits)):
        frame[name] = frame["id"].map(dict(zip(ids, values, strict=True)))
    for number, path in enumerate(files):
        replies = frame[frame["file"] == number]
        strange = replies.loc[replies["config"].isna(), "id"]
        if 2 * len(strange) > len(replies):
            raise RepliesError(
                f"{path}: {len(strange):,} of {len(replies):,} replies are to ids that {dataset.name} has not, such as "
                f"{some(list(strange.unique()), MOST_NAMED)}; they are replies to another dataset, version or seed"
            )
        for variant, config in replies[["variant", "config"]].dropna().drop_duplicates().itertuples(index=False):
            if variant != DEFAULT and variant not in (known := variants(dataset.suite, config)):
                raise RepliesError(
                    f"{path}: {dataset.suite} {config} has no prompt variant {variant!r:.60}; it has "
                    f"{', '.join(known)}; replies to your own prompt are distinguished by their model"
                )
    return frame


def _once(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, "Counter[str]"]]:
    """Return the replies with one of each sample, and, by row, those in several logs that have a date, and others.

    The newest that is no error counts, or the first.
    """
    unnumbered = frame["sample"].isna()
    frame = frame.assign(sample=frame["sample"].where(~unnumbered, frame.groupby(_ROW).cumcount()).astype("int64"))
    key = [*_ROW, "sample"]
    again, dated = frame.duplicated(key), frame["created"] != ""
    dated &= frame.groupby(key)["created"].transform("first") != ""
    repeated = {
        "renewed": Counter(frame.loc[again & dated, "id"]),
        "repeated": Counter(frame.loc[again & ~dated, "id"]),
    }
    best = frame.assign(failed=_failed(frame)).sort_values(["failed", "created"], ascending=[True, False])
    return best.drop_duplicates(key).sort_index().drop(columns="failed"), repeated


def _failed(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["finish_reason"] == "error"


def _asked(
    frame: pd.DataFrame,
    dataset: Dataset,
    selected: Mapping[Side, Mapping[str, int]],
    unsaid: Collection[object],
    *,
    asked_only: bool,
) -> pd.DataFrame:
    """Return side, config, split, id and sample of each reply that there should be.

    A side is held to the samples that its log says; of a split of ``unsaid``, and with ``asked_only``, to as many of
    each row as it gave of any.
    """
    lines: list[tuple[object, ...]] = []
    for side, replies in _by_side(frame):
        samples = {name: set(numbers) for name, numbers in replies.groupby("id")["sample"]}
        of_log = selected.get(side, {})
        for config, splits in dataset.splits.items():
            for split, rows in splits.groupby(splits, sort=False):
                place = (*side, config, split)
                even, whole = asked_only or place in unsaid, place in unsaid and not asked_only
                names = [name for name in rows.index if whole or name in samples or name in of_log]
                numbers = set[int]().union(*(samples.get(name, ()) for name in names))
                most = max((len(samples.get(name, ())) for name in names), default=0)
                if len(numbers) > MOST_SAMPLES * most:
                    raise RepliesError(
                        f"{config}: {len(numbers):,} different sample numbers, and no row has more than {most:,}; "
                        "samples are numbered within their row, from 0"
                    )
                for name in names if numbers else ():
                    there = numbers if even else samples.get(name, set()).union(range(of_log.get(name, 0)))
                    lines += [(*place, name, number) for number in sorted(there)]
    return pd.DataFrame(lines, columns=[*_SIDE, "config", "split", "id", "sample"])


def _notes_on_files(held: _Files, counts: Mapping[str, "Counter[str]"], elsewhere: int) -> Iterator[str]:
    kinds = {
        "unknown": "{:,} replies to ids that no row has",
        "renewed": "{:,} replies are in several logs; the newest that is no error counts",
        "repeated": "{:,} repeated replies, of which the first that is no error counts",
    }
    for kind, text in kinds.items():
        if ids := counts[kind]:
            yield f"{text.format(ids.total())}: {some(list(ids), MOST_NAMED)}"
    for record in held.unreadable[:MOST_NAMED]:
        yield f"{record.place}: {record.reason}"
    if len(held.unreadable) > MOST_NAMED:
        yield f"{len(held.unreadable):,} unreadable replies in all"
    yield from (f"left out: {reason}" for reason in held.left_out)
    for side, several in sorted(held.settings.items()):
        if names := differing(several):
            yield f"{label(*side)} is scored as one model, but its logs differ in {names}; score them apart to compare"
    if elsewhere:
        yield f"{elsewhere:,} replies to other configs, left out as asked"


def _notes_on_replies(frame: pd.DataFrame) -> Iterator[str]:
    failed = _failed(frame)
    empty = (frame["text"].str.strip() == "") & ~failed
    for number, text in (
        (failed.sum(), "replies ended in an error of the harness and count as wrong"),
        ((frame["finish_reason"] == "length").sum(), "replies were cut off at the limit of tokens"),
        (empty.sum(), "replies are empty (null or blank)"),
    ):
        if number:
            yield f"{number:,} {text}"


def _notes_on_rows(frame: pd.DataFrame, sizes: Mapping[str, int], unsaid: Collection[object]) -> Iterator[str]:
    """Yield how many replies each side lacks, and the configs, whose rows are ``sizes``, of which it answered none."""
    sides = _by_side(frame)
    for side, replies in sides:
        missing, none = int(replies["text"].isna().sum()), []
        for config, part in replies.groupby("config", sort=False):
            answered = part.groupby(["split", "id"], sort=False)["text"].count().reset_index()
            empty = answered.loc[answered["text"] == 0, "split"]
            lost = sum((*side, config, split) in unsaid for split in empty)
            none += [f"{lost:,} of {len(answered):,} rows of {config} have none"] if lost else []
        if missing:
            why = f": {'; '.join(none)} (--asked-only leaves out rows that were never asked)" if none else ""
            yield f"{missing:,} replies of {label(*side)} are missing and count as wrong{why}"
    for side, replies in sides:
        there, whose = set(replies["config"]), f" of {label(*side)}" if len(sides) > 1 else ""
        absent = [f"{config}, {size:,} rows" for config, size in sizes.items() if config not in there]
        if absent:
            yield f"no replies{whose} for {'; '.join(absent)}"


def _by_side(frame: pd.DataFrame) -> list[tuple[Side, pd.DataFrame]]:
    return [((str(key[0]), str(key[1])), replies) for key, replies in frame.groupby(_SIDE)]


def label(model: str, variant: str) -> str:
    """Return a side in words."""
    return model if variant == DEFAULT else f"{model}, {variant}"
