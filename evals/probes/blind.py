"""Runs the blind probes of a config: what each guesses, and what it guesses of permuted answers."""

from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

import numpy as np

from planimeter.evals.probes import features, learning
from planimeter.evals.probes.part import Floats, Ints, Measures
from planimeter.evals.probes.results import Blind, Figure
from planimeter.evals.probes.sheets import Sheet
from planimeter.evals.scores.intervals import clustered
from planimeter.items.values import Row

#: Name -> the measures that it sees; of a picture as (n, d).
Seen = Mapping[str, Sequence[Measures] | Floats]

#: Classes of answers: all that occur so often, and one for the others, which no guess of it meets.
_OFTEN = 2

#: Probes that may learn from rows of the same family or tree, but for those of the same question.
BY_QUESTION = frozenset({"file order", "file order, in cycles"})

#: The probe of answers that the row's words state.
STATED = "numbers of the statement"


def seen(sheet: Sheet, sizes: Sequence[int], looks: Mapping[str, Floats]) -> Seen:
    """Return what each blind probe sees; ``sizes`` (n,) are the bytes of the pictures."""
    part = sheet.part
    return {
        "text": features.words(sheet),
        **{name: [of(row) for row in sheet.rows] for name, of in part.blind.items()},
        "PNG size": features.sizes(sizes, [part.style(row) for row in sheet.rows]),
        "file order": features.order(sheet),
        "file order, in cycles": features.cycles(sheet),
        "id": features.names(sheet),
        "seed": features.seeds(sheet),
        **looks,
    }


def probe(sheet: Sheet, inputs: Seen, advance: Callable[[], object]) -> tuple[list[Blind], list[str]]:
    """Return what the blind probes found, and the names of those that had nothing to look at.

    ``advance`` is called after each.
    """
    results: list[Blind] = []
    silent: list[str] = []
    part, questions = sheet.part, sheet.questions
    groups = [part.group(row) for row in sheet.rows]
    answers, classes = _classes(part.targets(sheet.rows))
    strata = [part.stratum(row) for row in sheet.rows]
    for name, measures in inputs.items():
        numbers = measures if isinstance(measures, np.ndarray) else features.matrix(measures)
        numbers = numbers[:, np.ptp(numbers, axis=0) > 0]
        if not numbers.shape[1] or len(classes) < 2 or len(set(groups)) < 2:
            silent.append(name)
        else:
            seed = crc32(name.encode(), sheet.seed)
            targets = np.column_stack([answers, learning.permuted(answers, questions, strata, seed)])
            # Neighbours in the files reveal one another's answers, whichever family or tree they are of.
            apart = questions if name in BY_QUESTION else groups
            hits = learning.hits(numbers, apart, targets, seed)
            # Rare answers form no class, and a guess of "rare" never counts as a hit.
            hits[targets == len(classes)] = 0.0
            results.append(result(name, part.guesses, hits, questions))
        advance()
    if part.met:
        results.append(result(STATED, "answer", _met(sheet, part.met, strata), questions))
        advance()
    return results, silent


def _met(sheet: Sheet, met: Callable[[Row, str], bool], strata: Sequence[str]) -> Floats:
    """Return whether the words of each row state its answer, and its permuted ones, as (n, 1 + permutations)."""
    answers = [str(row["answer"]) for row in sheet.rows]
    names, member = np.unique(answers, return_inverse=True)
    truth = np.asarray(member, np.int64)
    targets = np.column_stack([truth, learning.permuted(truth, sheet.questions, strata, sheet.seed)])
    hits = np.zeros(targets.shape)
    for place, row in enumerate(sheet.rows):
        stated = np.array([met(row, str(name)) for name in names])
        hits[place] = stated[targets[place]]
    return hits


def _classes(targets: Sequence[str]) -> tuple[Ints, list[str]]:
    """Return the class of each of ``targets``, and the names of the classes but for the last, of all that is rare."""
    names, member, times = np.unique(targets, return_inverse=True, return_counts=True)
    kept = times >= _OFTEN
    place = np.where(kept, np.cumsum(kept) - 1, kept.sum())
    return np.asarray(place[member], np.int64), names[kept].tolist()


def result(name: str, guesses: str, hits: Floats, questions: Ints) -> Blind:
    """Return what came of ``hits`` (n, 1 + permutations), the rows' own answers first."""
    accuracy = clustered(np.round(hits[:, 0], 9), questions)
    null = hits[:, 1:].mean(axis=0)
    return Blind(
        probe=name,
        guesses=guesses,
        accuracy=Figure.of(accuracy.estimate, accuracy.low, accuracy.high),
        null=round(float(null.mean()), 4),
        deviation=round(float(null.std(ddof=1)), 4),
    )
