"""Takes in replies: matches them to the rows of a dataset, and counts what does not fit; nothing is dropped unsaid."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from planimeter.evals import DEFAULT
from planimeter.scores.dataset import Dataset
from planimeter.scores.replies import RepliesError, Reply, Source, Unreadable, read

#: Whose replies: the model and the prompt variant.
Side = tuple[str, str]

#: How many places are told of each kind of fault.
MOST_TOLD = 3


@dataclass(kw_only=True)
class Intake:
    """The replies of each side by row and sample, and what was left out or is missing, in numbers and examples."""

    replies: dict[Side, dict[str, dict[int, Reply]]] = field(default_factory=dict)
    taken: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    unreadable: list[Unreadable] = field(default_factory=list)
    #: Replies to configs that were not asked for.
    elsewhere: int = 0
    cut_off: int = 0
    failed: int = 0
    #: By side: replies that the rows and samples lack.
    missing: dict[Side, int] = field(default_factory=dict)

    def told(self) -> Iterator[str]:
        """Yield a line for each kind of fault there is."""
        if self.unknown:
            yield f"{self.unknown.total():,} replies to ids that no row has: {_some(self.unknown)}"
        if self.repeated:
            yield f"{self.repeated.total():,} repeated replies, of which the first counts: {_some(self.repeated)}"
        for found in self.unreadable[:MOST_TOLD]:
            yield f"{found.place}: {found.reason}"
        if len(self.unreadable) > MOST_TOLD:
            yield f"{len(self.unreadable):,} unreadable replies in all"
        if self.elsewhere:
            yield f"{self.elsewhere:,} replies to other configs, left out as asked"
        if self.failed:
            yield f"{self.failed:,} replies ended in an error of the harness"
        if self.cut_off:
            yield f"{self.cut_off:,} replies were cut off at the limit of tokens"
        for (model, variant), number in self.missing.items():
            if number:
                yield f"{number:,} replies of {label(model, variant)} are missing and count as wrong"


def label(model: str, variant: str) -> str:
    """Return a side in words."""
    return model if variant == DEFAULT else f"{model}, {variant}"


def take(files: Iterable[Path], dataset: Dataset, configs: Iterable[str], model: str = "") -> Intake:
    """Return the replies in ``files`` to ``configs`` of ``dataset``.

    ``model`` is the label of those whose file names none; without it that is the name of the file.

    Raises:
        RepliesError: if a file cannot be read, is about another dataset, or there is no reply at all.
    """
    found, asked, files = Intake(), set(configs), list(files)
    stems = Counter(path.stem for path in files)
    config_of = {row: config for config, rows in dataset.rows.items() for row in rows.index}
    for path in files:
        # Two files of one name are two models, as in m1/replies.jsonl and m2/replies.jsonl.
        own = path.stem if stems[path.stem] == 1 else f"{path.resolve().parent.name}/{path.stem}"
        before = found.taken + found.elsewhere
        strange: Counter[str] = Counter()
        for one in read(path):
            if isinstance(one, Unreadable):
                found.unreadable.append(one)
            elif isinstance(one, Source):
                _check(one, dataset, path)
            elif one.id not in config_of:
                strange[one.id] += 1
            elif config_of[one.id] not in asked:
                found.elsewhere += 1
            else:
                _put(found, one, model or own)
        known = found.taken + found.elsewhere - before
        if strange.total() > known:
            raise RepliesError(
                f"{path}: {strange.total():,} of {strange.total() + known:,} replies are to ids that {dataset.name} "
                f"has not, such as {_some(strange)}; they are replies to another dataset, version or seed"
            )
        found.unknown += strange
    if not found.taken:
        said = "; ".join(found.told())
        raise RepliesError(
            f"{', '.join(map(str, files))}: no reply to a row of {dataset.name}" + (said and f"; {said}")
        )
    return found


def _check(source: Source, dataset: Dataset, path: Path) -> None:
    own = dataset.manifest
    if source.dataset not in ("", own.dataset) or source.version not in ("", own.version):
        said = f"{source.dataset or own.dataset} {source.version}".strip()
        raise RepliesError(f"{path} holds replies to {said}, and this is {dataset.name}; name the folder of {said}")


def _put(found: Intake, reply: Reply, model: str) -> None:
    side = (reply.model or model, reply.variant or DEFAULT)
    samples = found.replies.setdefault(side, {}).setdefault(reply.id, {})
    sample = len(samples) if reply.sample is None else reply.sample
    found.taken += 1
    if sample in samples:
        found.repeated[reply.id] += 1
        return
    samples[sample] = reply
    found.cut_off += reply.finish_reason == "length"
    found.failed += reply.finish_reason == "error"


def _some(names: Mapping[str, int]) -> str:
    listed = [f"{name!s:.60}" for name in list(names)[:MOST_TOLD]]
    return ", ".join(listed) + (", ..." if len(names) > MOST_TOLD else "")
