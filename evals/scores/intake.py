"""Takes in replies: matches them to the rows of a dataset, and counts what does not fit; nothing is dropped unsaid."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from planimeter.evals import DEFAULT, variants
from planimeter.evals.scores.dataset import Dataset
from planimeter.evals.scores.replies import (
    RepliesError,
    Reply,
    Selection,
    Source,
    UnknownFormError,
    Unreadable,
    read,
    stem,
)
from planimeter.evals.scores.replies.records import some

#: Whose replies: the model and the prompt variant.
Side = tuple[str, str]

#: How many places are named of each kind of fault.
MOST_NAMED = 3


@dataclass(kw_only=True)
class Intake:
    """The replies of each side by row and sample, and what was left out or is missing, in numbers and examples.

    Which rows a side was asked is what its logs say. Where a file does not say, the side is held to every row of a
    split of which it answered one, or, with ``asked_only``, to the rows that it answered.
    """

    configs: Collection[str]
    asked_only: bool = False
    replies: dict[Side, dict[str, dict[int, Reply]]] = field(default_factory=dict)
    taken: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    #: By row: replies of one sample beyond the first, in logs that have a date and elsewhere.
    renewed: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    unreadable: list[Unreadable] = field(default_factory=list)
    #: Why files of a folder are no replies.
    left_out: list[str] = field(default_factory=list)
    #: Replies to configs that were not to be scored.
    elsewhere: int = 0
    #: By side: how often each row was to be asked, as logs say.
    selected: dict[Side, dict[str, int]] = field(default_factory=dict)
    #: Sides, configs and splits with replies from a file that does not say which rows were asked.
    unsaid: set[tuple[Side, str, str]] = field(default_factory=set)
    #: By side, once they are scored: replies that the rows and samples lack; by config the rows that were asked and
    #: those of ``unsaid`` without any reply; and the configs, with their rows, that have no reply at all.
    missing: dict[Side, int] = field(default_factory=dict)
    unanswered: dict[Side, dict[str, tuple[int, int]]] = field(default_factory=dict)
    absent: dict[Side, dict[str, int]] = field(default_factory=dict)

    def asked(self, side: Side, config: str, split: str, names: Iterable[str]) -> list[str]:
        """Return which of the rows ``names`` of a split ``side`` was asked."""
        if (side, config, split) in self.unsaid and not self.asked_only:
            return list(names)
        selected = {} if self.asked_only else self.selected.get(side, {})
        return [name for name in names if name in self.replies[side] or name in selected]

    def notes(self) -> Iterator[str]:
        """Yield a line for each kind of fault there is."""
        if self.unknown:
            yield f"{self.unknown.total():,} replies to ids that no row has: {_some(self.unknown)}"
        if self.renewed:
            yield (
                f"{self.renewed.total():,} replies are in several logs; the newest that is no error counts: "
                f"{_some(self.renewed)}"
            )
        if self.repeated:
            yield (
                f"{self.repeated.total():,} repeated replies, of which the first that is no error counts: "
                f"{_some(self.repeated)}"
            )
        for record in self.unreadable[:MOST_NAMED]:
            yield f"{record.place}: {record.reason}"
        if len(self.unreadable) > MOST_NAMED:
            yield f"{len(self.unreadable):,} unreadable replies in all"
        yield from (f"left out: {reason}" for reason in self.left_out)
        if self.elsewhere:
            yield f"{self.elsewhere:,} replies to other configs, left out as asked"
        yield from self._notes_on_replies()
        yield from self._notes_on_rows()

    def _notes_on_replies(self) -> Iterator[str]:
        replies = [reply for rows in self.replies.values() for samples in rows.values() for reply in samples.values()]
        if failed := sum(map(_failed, replies)):
            yield f"{failed:,} replies ended in an error of the harness and count as wrong"
        if cut_off := sum(reply.finish_reason == "length" for reply in replies):
            yield f"{cut_off:,} replies were cut off at the limit of tokens"
        if empty := sum(not reply.text.strip() and not _failed(reply) for reply in replies):
            yield f"{empty:,} replies are empty (null or blank)"

    def _notes_on_rows(self) -> Iterator[str]:
        for (model, variant), number in self.missing.items():
            if number:
                rows = self.unanswered.get((model, variant), {})
                none = [f"{lost:,} of {asked:,} rows of {config} have none" for config, (asked, lost) in rows.items()]
                why = f": {'; '.join(none)} (--asked-only leaves out rows that were never asked)" if none else ""
                yield f"{number:,} replies of {label(model, variant)} are missing and count as wrong{why}"
        for (model, variant), sizes in self.absent.items():
            if sizes:
                whose = f" of {label(model, variant)}" if len(self.replies) > 1 else ""
                listed = "; ".join(f"{config}, {rows:,} rows" for config, rows in sizes.items())
                yield f"no replies{whose} for {listed}"


def label(model: str, variant: str) -> str:
    """Return a side in words."""
    return model if variant == DEFAULT else f"{model}, {variant}"


def take(
    files: Iterable[Path],
    dataset: Dataset,
    configs: Iterable[str],
    model: str = "",
    *,
    asked_only: bool = False,
    optional: Collection[Path] = (),
) -> Intake:
    """Return the replies in ``files`` to ``configs`` of ``dataset``.

    ``model`` is the label of those whose file names none; without it that is the name of the file. ``asked_only``: a
    row without a reply was not asked. Of ``optional`` files those that hold no replies are left out.

    Raises:
        RepliesError: if a file cannot be read, is about another dataset, or there is no reply at all.
    """
    intake, files = Intake(configs=tuple(configs), asked_only=asked_only), list(files)
    stems = Counter(map(stem, files))
    places = {str(row): (config, split) for config, splits in dataset.splits.items() for row, split in splits.items()}
    for path in files:
        # Two files of one name are two models, as in m1/replies.jsonl and m2/replies.jsonl.
        name = stem(path) if stems[stem(path)] == 1 else f"{path.resolve().parent.name}/{stem(path)}"
        try:
            _take_file(intake, path, dataset, places, model or name)
        except UnknownFormError as error:
            if path not in optional:
                raise
            intake.left_out.append(str(error))
    if not intake.taken:
        notes = "; ".join(intake.notes())
        raise RepliesError(
            f"{', '.join(map(str, files))}: no reply to a row of {dataset.name}" + (notes and f"; {notes}")
        )
    return intake


def _take_file(intake: Intake, path: Path, dataset: Dataset, places: Mapping[str, tuple[str, str]], model: str) -> None:
    before, strange = intake.taken + intake.elsewhere, Counter[str]()
    answered: set[tuple[Side, str, str]] = set()
    says_what_it_asked = False
    for record in read(path):
        if isinstance(record, Unreadable):
            intake.unreadable.append(record)
        elif isinstance(record, Source):
            _check(record, dataset, path)
        elif isinstance(record, Selection):
            says_what_it_asked = True
            rows = intake.selected.setdefault(_side(record, model), {})
            rows |= {name: max(record.epochs, rows.get(name, 0)) for name in record.ids}
        elif record.id not in places:
            strange[record.id] += 1
        elif places[record.id][0] not in intake.configs:
            intake.elsewhere += 1
        else:
            side, (config, split) = _side(record, model), places[record.id]
            _check_variant(side[1], dataset.suite, config, path)
            _put(intake, record, side)
            answered.add((side, config, split))
    if not says_what_it_asked:
        intake.unsaid |= answered
    known = intake.taken + intake.elsewhere - before
    if strange.total() > known:
        raise RepliesError(
            f"{path}: {strange.total():,} of {strange.total() + known:,} replies are to ids that {dataset.name} "
            f"has not, such as {_some(strange)}; they are replies to another dataset, version or seed"
        )
    intake.unknown += strange


def _side(record: Reply | Selection, model: str) -> Side:
    return record.model or model, record.variant or DEFAULT


def _check(source: Source, dataset: Dataset, path: Path) -> None:
    manifest = dataset.manifest
    if source.dataset not in ("", manifest.dataset) or source.version not in ("", manifest.version):
        stated = f"{source.dataset or manifest.dataset} {source.version}".strip()
        raise RepliesError(f"{path} holds replies to {stated}, and this is {dataset.name}; name the folder of {stated}")


def _check_variant(variant: str, suite: str, config: str, path: Path) -> None:
    if variant != DEFAULT and variant not in (known := variants(suite, config)):
        raise RepliesError(
            f"{path}: {suite} {config} has no prompt variant {variant!r:.60}; it has {', '.join(known)}; "
            "replies to your own prompt are distinguished by their model"
        )


def _put(intake: Intake, reply: Reply, side: Side) -> None:
    samples = intake.replies.setdefault(side, {}).setdefault(reply.id, {})
    sample = len(samples) if reply.sample is None else reply.sample
    intake.taken += 1
    known = samples.setdefault(sample, reply)
    if known is reply:
        return
    (intake.renewed if known.created and reply.created else intake.repeated)[reply.id] += 1
    if (not _failed(reply), reply.created) > (not _failed(known), known.created):
        samples[sample] = reply


def _failed(reply: Reply) -> bool:
    return reply.finish_reason == "error"


def _some(names: Mapping[str, int]) -> str:
    return some(list(names), MOST_NAMED)
