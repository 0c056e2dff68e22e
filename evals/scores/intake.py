"""Reads files of replies, matches them to the rows of a dataset, and reports unknown, repeated and missing replies."""

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
    Source,
    UnknownFormError,
    Unreadable,
    name_of,
    some,
)

#: The model and the prompt variant of replies, which are scored separately for each such pair.
Side = tuple[str, str]

#: The number of examples in the message of each kind of fault.
MOST_NAMED = 3

#: The most sample numbers of a config, as a multiple of those of the row with the most samples: with more, the numbers
#: are not those of the samples of a row.
MOST_SAMPLES = 4

_FIELDS = tuple(column.name for column in fields(Reply))
_SIDE, _ROW = ["model", "variant"], ["model", "variant", "id"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Intake:
    """The replies to grade, matched to the rows of a dataset; ``notes`` has a line on each kind of fault in the files.

    ``frame`` has a line for each expected reply, in the order of models, prompt variants, rows of the dataset and
    samples; ``text`` is missing if there is no reply. Samples are renumbered from 0, in the order of their numbers in
    the files. ``taken`` is the number of replies to rows of the requested configs, including repeated ones.
    """

    frame: pd.DataFrame
    taken: int
    notes: list[str]


@dataclass(kw_only=True)
class _Files:
    """The contents of all files of replies.

    Each of ``replies`` is a tuple: the values of ``Reply``'s fields, the number of the file, and True if the file is a
    log that lists the rows of its run.
    """

    replies: list[tuple[object, ...]] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    #: The reasons that files of a folder are not replies.
    left_out: list[str] = field(default_factory=list)
    #: By side: the number of samples of each row, according to logs.
    selected: dict[Side, dict[str, int]] = field(default_factory=dict)


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
    """Return the replies in ``files`` to the rows of ``configs`` of ``dataset``.

    ``model`` is the label of replies whose file names no model, by default the name of the file. Expected replies that
    are missing count as wrong. A reply is expected to each row that a harness's log lists. A file of another kind
    lists no rows: if it has a reply to any row of a split, one is expected to every row of this split. With
    ``asked_only``, replies are only expected to rows that have one. ``optional`` files may be without replies.
    ``progress`` is called after each file.

    Raises:
        RepliesError: if a file cannot be read or is about another dataset, if there is no reply at all, or if
            samples are numbered across rows and not from 0 for each row.
    """
    files, configs = list(files), list(configs)
    contents = _read_all(files, dataset, model, optional, progress)
    frame = _match_rows(contents, files, dataset)
    unknown, chosen = frame["config"].isna(), frame["config"].isin(configs)
    counts = {"unknown": Counter(frame.loc[unknown, "id"])}
    elsewhere = int((~unknown & ~chosen).sum())
    frame, taken = frame[chosen], int(chosen.sum())
    unlogged = {
        *frame.loc[~frame["logged"].astype(bool), [*_SIDE, "config", "split"]].itertuples(index=False, name=None)
    }
    frame, repeated = _without_repetitions(frame)
    notes = [*_notes_on_files(contents, counts | repeated, elsewhere), *_notes_on_replies(frame)]
    if not taken:
        listed = "; ".join(notes)
        raise RepliesError(
            f"{', '.join(map(str, files))}: no reply to a row of {dataset.name}" + (listed and f"; {listed}")
        )
    expected = _expected(frame, dataset, {} if asked_only else contents.selected, unlogged, asked_only=asked_only)
    replies = expected.merge(frame.drop(columns=["config", "split"]), on=[*_ROW, "sample"], how="left")
    notes += _notes_on_rows(
        replies, {name: len(rows) for name, rows in dataset.rows.items() if name in configs}, unlogged
    )
    replies["sample"] = replies.groupby(_ROW, sort=False).cumcount()
    return Intake(frame=replies, taken=taken, notes=notes)


def _read_all(
    files: list[Path], dataset: Dataset, model: str, optional: Collection[Path], progress: Callable[[], object]
) -> _Files:
    contents, stems = _Files(), Counter(map(stem, files))
    for number, path in enumerate(files):
        # Two files of one name are two models, as in m1/replies.jsonl and m2/replies.jsonl.
        name = stem(path) if stems[stem(path)] == 1 else f"{path.resolve().parent.name}/{stem(path)}"
        try:
            _read(contents, number, list(read(path)), path, dataset, model or name_of("model", name))
        except UnknownFormError as error:
            if path not in optional:
                raise
            contents.left_out.append(str(error))
        progress()
    return contents


def _read(contents: _Files, number: int, records: list[Found], path: Path, dataset: Dataset, model: str) -> None:
    logged = any(isinstance(record, Selection) for record in records)
    for record in records:
        if isinstance(record, Unreadable):
            contents.unreadable.append(record)
        elif isinstance(record, Source):
            _check_source(record, dataset, path)
        else:
            side = (record.model or model, record.variant or DEFAULT)
            if isinstance(record, Selection):
                rows = contents.selected.setdefault(side, {})
                rows |= {row: max(record.epochs, rows.get(row, 0)) for row in record.ids}
            else:
                values = {name: getattr(record, name) for name in _FIELDS}
                contents.replies.append((*(values | dict(zip(_SIDE, side, strict=True))).values(), number, logged))


def _check_source(source: Source, dataset: Dataset, path: Path) -> None:
    manifest = dataset.manifest
    if source.dataset not in ("", manifest.dataset) or source.version not in ("", manifest.version):
        stated = f"{source.dataset or manifest.dataset} {source.version}".strip()
        raise RepliesError(f"{path} has replies to {stated}, not {dataset.name}; give the folder of {stated}")


def _match_rows(contents: _Files, files: list[Path], dataset: Dataset) -> pd.DataFrame:
    """Return a table of all replies, with the config and split of their rows; both are missing for unknown row ids.

    Raises:
        RepliesError: unless most replies of each file are to rows of the dataset, under existing prompt variants.
    """
    frame = pd.DataFrame(contents.replies, columns=[*_FIELDS, "file", "logged"])
    splits = pd.concat(dataset.splits)
    configs, ids = (splits.index.get_level_values(level) for level in (0, 1))
    for name, values in (("config", configs), ("split", splits)):
        frame[name] = frame["id"].map(dict(zip(ids, values, strict=True)))
    for number, path in enumerate(files):
        replies = frame[frame["file"] == number]
        strange = replies.loc[replies["config"].isna(), "id"]
        if 2 * len(strange) > len(replies):
            raise RepliesError(
                f"{path}: {len(strange):,} of {len(replies):,} replies are to ids not in {dataset.name}, such as "
                f"{some(list(strange.unique()), MOST_NAMED)}; they are replies to another dataset, version or seed"
            )
        for variant, config in replies[["variant", "config"]].dropna().drop_duplicates().itertuples(index=False):
            if variant != DEFAULT and variant not in (known := variants(dataset.suite, config)):
                raise RepliesError(
                    f"{path}: {dataset.suite} {config} has no prompt variant {variant!r:.60}; it has "
                    f"{', '.join(known)}; for your own prompt, leave the variant empty and rename the model"
                )
    return frame


def _without_repetitions(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, "Counter[str]"]]:
    """Return only one reply for each sample of a row, and {kind: {id of the row: number of surplus replies}}.

    If all replies for a sample are from logs with a date, the newest without an error is returned, and the surplus ones
    are of the kind ``renewed``; otherwise the first without an error is returned, and the kind is ``repeated``.
    """
    unnumbered = frame["sample"].isna()
    frame = frame.assign(sample=frame["sample"].where(~unnumbered, frame.groupby(_ROW).cumcount()).astype("int64"))
    key = [*_ROW, "sample"]
    is_repetition, dated = frame.duplicated(key), frame.groupby(key)["created"].transform("min") != ""
    repeated = {
        "renewed": Counter(frame.loc[is_repetition & dated, "id"]),
        "repeated": Counter(frame.loc[is_repetition & ~dated, "id"]),
    }
    ranked = frame.assign(failed=_failed(frame), created=frame["created"].where(dated, ""))
    best = ranked.sort_values(["failed", "created"], ascending=[True, False])
    return best.drop_duplicates(key).sort_index().drop(columns="failed"), repeated


def _failed(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["finish_reason"] == "error"


def _expected(
    frame: pd.DataFrame,
    dataset: Dataset,
    selected: Mapping[Side, Mapping[str, int]],
    unlogged: Collection[object],
    *,
    asked_only: bool,
) -> pd.DataFrame:
    """Return a table of the expected replies: model, variant, config, split, id and sample.

    ``selected``: for each model and variant, the number of samples of each row that a log lists. ``unlogged``: the
    splits with replies from files that list no rows. In these splits, or in all if ``asked_only``, each expected row
    is expected to have every sample number that occurs in its split.
    """
    lines: list[tuple[object, ...]] = []
    for side, replies in _by_side(frame):
        samples = {name: set(numbers) for name, numbers in replies.groupby("id")["sample"]}
        of_log = selected.get(side, {})
        for config, splits in dataset.splits.items():
            for split, rows in splits.groupby(splits, sort=False):
                place = (*side, config, split)
                even, whole = asked_only or place in unlogged, place in unlogged and not asked_only
                names = [name for name in rows.index if whole or name in samples or name in of_log]
                numbers = set[int]().union(*(samples.get(name, ()) for name in names))
                most = max((len(samples.get(name, ())) for name in names), default=0)
                if len(numbers) > MOST_SAMPLES * most:
                    raise RepliesError(
                        f"{config}: {len(numbers):,} different sample numbers, and no row has more than {most:,}; "
                        "number the samples of each row from 0"
                    )
                for name in names if numbers else ():
                    own = numbers if even else samples.get(name, set()).union(range(of_log.get(name, 0)))
                    lines += [(*place, name, number) for number in sorted(own)]
    return pd.DataFrame(lines, columns=[*_SIDE, "config", "split", "id", "sample"])


def _notes_on_files(contents: _Files, counts: Mapping[str, "Counter[str]"], elsewhere: int) -> Iterator[str]:
    kinds = {
        "unknown": "{:,} replies to unknown ids",
        "renewed": "{:,} replies are in several logs; the newest without an error counts",
        "repeated": "{:,} repeated replies; the first without an error counts",
    }
    for kind, text in kinds.items():
        if ids := counts[kind]:
            yield f"{text.format(ids.total())}: {some(list(ids), MOST_NAMED)}"
    for record in contents.unreadable[:MOST_NAMED]:
        yield f"{record.place}: {record.reason}"
    if len(contents.unreadable) > MOST_NAMED:
        yield f"{len(contents.unreadable):,} unreadable replies in all"
    yield from (f"left out: {reason}" for reason in contents.left_out)
    if elsewhere:
        yield f"{elsewhere:,} replies to other configs are ignored"


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


def _notes_on_rows(frame: pd.DataFrame, sizes: Mapping[str, int], unlogged: Collection[object]) -> Iterator[str]:
    """Yield a note on the missing replies of each model and variant, and one on configs without any reply.

    ``sizes``: the number of rows of each config. ``unlogged``: the splits with replies from files that list no rows.
    """
    sides = _by_side(frame)
    for side, replies in sides:
        missing, none = int(replies["text"].isna().sum()), []
        for config, part in replies.groupby("config", sort=False):
            answered = part.groupby(["split", "id"], sort=False)["text"].count().reset_index()
            empty = answered.loc[answered["text"] == 0, "split"]
            lost = sum((*side, config, split) in unlogged for split in empty)
            none += [f"{lost:,} of {len(answered):,} rows of {config} have none"] if lost else []
        if missing:
            why = f": {'; '.join(none)} (--asked-only leaves out rows that were never asked)" if none else ""
            yield f"{missing:,} replies of {label(*side)} are missing and count as wrong{why}"
    for side, replies in sides:
        present, of_side = set(replies["config"]), f" of {label(*side)}" if len(sides) > 1 else ""
        absent = [f"{config}, {size:,} rows" for config, size in sizes.items() if config not in present]
        if absent:
            yield f"no replies{of_side} for {'; '.join(absent)}"


def _by_side(frame: pd.DataFrame) -> list[tuple[Side, pd.DataFrame]]:
    return [((str(key[0]), str(key[1])), replies) for key, replies in frame.groupby(_SIDE)]


def label(model: str, variant: str) -> str:
    """Return the label of a model with a prompt variant: "<model>, <variant>", or "<model>" for the default variant."""
    return model if variant == DEFAULT else f"{model}, {variant}"
