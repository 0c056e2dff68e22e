"""Runs the blind probes of a config, which look for shortcuts: ways to know the answer without seeing the picture.

Each probe predicts answers from one input, such as the words of the prompt, the size of the picture's file, the row's
position, id or seed. Its accuracy is compared with its accuracy on permuted answers, the null distribution.
"""

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from zlib import crc32

import numpy as np
from sklearn.feature_extraction import DictVectorizer

from planimeter.evals.probes import learning
from planimeter.evals.probes.part import Floats, Ints, Measures
from planimeter.evals.probes.results import Blind, Figure
from planimeter.evals.probes.sheets import Sheet
from planimeter.evals.scores.intervals import clustered
from planimeter.items.values import Row

#: The maximum number of words that are counted in prompts: the most frequent ones whose counts differ between rows.
WORDS = 200

#: The lengths of cycles that answers may follow in the order of the files.
CYCLES = range(2, 10)

_HEXADECIMAL = re.compile(r"[0-9a-f]*$")
_WORD = re.compile(r"\w+|[^\w\s]")


def matrix(rows: Sequence[Measures]) -> Floats:
    """Return the input of a probe for n rows as an array (n, d), texts one-hot encoded, without constant columns."""
    values = np.asarray(DictVectorizer(sparse=False).fit_transform(rows), np.float64)
    return values[:, np.ptp(values, axis=0) > 0]


def _words(sheet: Sheet) -> list[Measures]:
    """Return for each row the counts of frequent words in its two prompts, and their length in characters."""
    texts = [f"{row['system_prompt']}\n{row['prompt']}" for row in sheet.rows]
    counts = [Counter(_WORD.findall(text)) for text in texts]
    least, most = reduce(operator.and_, counts), reduce(operator.or_, counts)
    times = Counter(word for count in counts for word in count if least[word] < most[word])
    frequent = [word for word, _ in times.most_common(WORDS)]
    return [
        {"length": len(text), **{f"times {word}": float(count[word]) for word in frequent}}
        for text, count in zip(texts, counts, strict=True)
    ]


def order(sheet: Sheet) -> list[Measures]:
    """Return for each row two positions of its question, from 0 to 1: among all questions, and in the row's stratum.

    A model that sees a row's stratum in the picture, such as its family, could predict from the second position.
    """
    strata = [sheet.part.stratum(row) for row in sheet.rows]
    pools: dict[str, list[int]] = {}
    for stratum, place in dict.fromkeys(zip(strata, sheet.questions.tolist(), strict=True)):
        pools.setdefault(stratum, []).append(place)
    rank = {
        (stratum, place): number / max(1, len(pool) - 1)
        for stratum, pool in pools.items()
        for number, place in enumerate(pool)
    }
    last = max(1, int(sheet.questions.max(initial=0)))
    return [
        {"place": place / last, "place in its stratum": rank[stratum, place]}
        for stratum, place in zip(strata, sheet.questions.tolist(), strict=True)
    ]


def _cycles(sheet: Sheet) -> list[Measures]:
    """Return for each row the position of its question modulo each of ``CYCLES``, to find periodic answers."""
    return [
        {f"{turn} of {cycle}": float(place % cycle == turn) for cycle in CYCLES for turn in range(cycle)}
        for place in sheet.questions.tolist()
    ]


def _bits(number: int) -> Measures:
    return {f"bit {place}": float(number >> place & 1) for place in range(64)}


#: Name of a probe -> its input for n rows: measures of each, or an array (n, d) made of pictures.
Seen = Mapping[str, Sequence[Measures] | Floats]

#: An answer that occurs less often has no class of its own: all these form one class, which no guess can hit.
_OFTEN = 2

#: Probes whose folds separate only questions: they may learn from rows of the same family or tree.
BY_QUESTION = frozenset({"file order", "file order, in cycles"})

#: The probe that finds answers in the words of a row, without learning.
STATED = "numbers of the statement"


def seen(sheet: Sheet, sizes: Sequence[int], looks: Mapping[str, Floats]) -> Seen:
    """Return the input of each blind probe for the n rows of ``sheet``.

    ``sizes`` (n,) are the sizes of the PNG files in bytes; ``looks`` maps names of further probes to their inputs,
    which are arrays (n, d) computed from the pictures.
    """
    part, rows = sheet.part, sheet.rows
    sized = ({"bytes": math.log(max(1, size)), **part.style(row)} for size, row in zip(sizes, rows, strict=True))
    # Rows of a sealed edition have no seed.
    seeds = [_bits(int(row["seed"])) for row in rows if "seed" in row]
    return {
        "text": _words(sheet),
        **{name: [of(row) for row in rows] for name, of in part.blind.items()},
        "PNG size": list(sized),
        "file order": order(sheet),
        "file order, in cycles": _cycles(sheet),
        "id": [_bits(int("0" + _HEXADECIMAL.findall(str(row["id"]))[0], 16)) for row in rows],
        **({"seed": seeds} if len(seeds) == len(rows) else {}),
        **looks,
    }


def probe(sheet: Sheet, inputs: Seen, advance: Callable[[], object]) -> tuple[list[Blind], list[str]]:
    """Return the results of the blind probes, and the names of those that cannot learn, as their input is constant.

    ``inputs`` is the result of ``seen``; ``advance`` is called after each probe.
    """
    results: list[Blind] = []
    silent: list[str] = []
    part, questions = sheet.part, sheet.questions
    groups = _groups(sheet)
    answers, classes = _classes(part.targets(sheet.rows))
    strata = [part.stratum(row) for row in sheet.rows]
    for name, measures in inputs.items():
        numbers = measures if isinstance(measures, np.ndarray) else matrix(measures)
        numbers = numbers[:, np.ptp(numbers, axis=0) > 0]
        if not numbers.shape[1] or len(classes) < 2 or len(set(groups)) < 2:
            silent.append(name)
        else:
            seed = crc32(name.encode(), sheet.seed)
            targets = np.column_stack([answers, learning.permuted(answers, questions, strata, seed)])
            # Neighbours in the files reveal one another's answers, regardless of family and tree.
            fold_groups = questions if name in BY_QUESTION else groups
            hits = learning.hits(numbers, fold_groups, targets, seed)
            # Rare answers form no class, and a guess of "rare" never counts as a hit.
            hits[targets == len(classes)] = 0.0
            results.append(result(name, part.guesses, hits, questions))
        advance()
    if part.met:
        results.append(result(STATED, "answer", _stated_hits(sheet, part.met, strata), questions))
        advance()
    return results, silent


def _groups(sheet: Sheet) -> list[str]:
    """Return the cross-validation group of each row, by default its question, named by the id of its first row.

    All rows of a group are in the same fold.
    """
    if sheet.part.group:
        return [sheet.part.group(row) for row in sheet.rows]
    named: dict[int, str] = {}
    return [named.setdefault(number, str(row["id"])) for number, row in zip(sheet.questions, sheet.rows, strict=True)]


def _stated_hits(sheet: Sheet, met: Callable[[Row, str], bool], strata: Sequence[str]) -> Floats:
    """Return an array (n, 1 + permutations), 1 where the words of a row state its answer, else 0.

    In column 0 the rows have their true answers, in the others permuted ones. ``met(row, answer)`` is True if the words
    of the row state the answer.
    """
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
    """Return the class number of each of ``targets``, and the names of the classes.

    All rare targets share one further class without a name, which has the highest number.
    """
    names, member, times = np.unique(targets, return_inverse=True, return_counts=True)
    kept = times >= _OFTEN
    place = np.where(kept, np.cumsum(kept) - 1, kept.sum())
    return np.asarray(place[member], np.int64), names[kept].tolist()


def result(name: str, guesses: str, hits: Floats, questions: Ints) -> Blind:
    """Return the result of the probe ``name``, whose ``hits`` (n, 1 + permutations) are the shares of right guesses.

    Column 0 of ``hits`` is for true answers, the others for permuted ones; ``guesses`` describes the predicted text.
    """
    accuracy = clustered(np.round(hits[:, 0], 9), questions)
    null = hits[:, 1:].mean(axis=0)
    return Blind(
        probe=name,
        guesses=guesses,
        accuracy=Figure.of(accuracy.estimate, accuracy.low, accuracy.high),
        null=round(float(null.mean()), 4),
        deviation=round(float(null.std(ddof=1)), 4),
    )
