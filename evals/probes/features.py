"""What a blind probe may look at, of any suite: the words, the file, the row's place, its id and its seed."""

import math
import operator
import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce

import numpy as np
from sklearn.feature_extraction import DictVectorizer

from planimeter.evals.probes.part import Floats, Measures
from planimeter.evals.probes.sheets import Sheet

#: Words of the prompts that are looked at: those that do not stand in all as often, the commonest first.
WORDS = 200

#: Lengths of cycles in which answers may come in the files.
CYCLES = range(2, 10)

_HEXADECIMAL = re.compile(r"[0-9a-f]*$")
_WORD = re.compile(r"\w+|[^\w\s]")


def matrix(rows: Sequence[Measures]) -> Floats:
    """Return measures as (n, d): each word has its own column. Columns that are alike in all rows are left out."""
    values = np.asarray(DictVectorizer(sparse=False).fit_transform(rows), np.float64)
    return values[:, np.ptp(values, axis=0) > 0]


def words(sheet: Sheet) -> list[Measures]:
    """Return how often each row's two prompts have each word, and how long they are."""
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
    """Return where the question of each row stands in the files, and among those of its stratum (which a picture may
    show, such as a family).
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


def cycles(sheet: Sheet) -> list[Measures]:
    """Return where the question of each row stands in each of the short cycles in which answers may come."""
    return [
        {f"{turn} of {cycle}": float(place % cycle == turn) for cycle in CYCLES for turn in range(cycle)}
        for place in sheet.questions.tolist()
    ]


def names(sheet: Sheet) -> list[Measures]:
    """Return the bits of each row's id, of its hexadecimal end."""
    return [_bits(int("0" + _HEXADECIMAL.findall(str(row["id"]))[0], 16)) for row in sheet.rows]


def seeds(sheet: Sheet) -> list[Measures]:
    """Return the bits of each row's seed."""
    return [_bits(int(row["seed"])) for row in sheet.rows]


def sizes(number: Sequence[int], style: Sequence[Measures]) -> list[Measures]:
    """Return how many bytes each picture takes, beside the style on which they depend."""
    return [{"bytes": math.log(max(1, size)), **measures} for size, measures in zip(number, style, strict=True)]


def _bits(number: int) -> Measures:
    return {f"bit {place}": float(number >> place & 1) for place in range(64)}
