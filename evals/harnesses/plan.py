"""Plans an evaluation: counts its replies and tokens, and finds the least difference in accuracy that it detects."""

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from planimeter.evals import prompt_of, question
from planimeter.evals.power import INDEPENDENT, TYPICAL, smallest_difference
from planimeter.evals.scores.forms import Table
from planimeter.export.built import Built
from planimeter.items.declaration import Sampling
from planimeter.items.suites import declared
from planimeter.items.values import Record

#: About the number of characters of a token: English text and drawing code by the tokenizers of 2025.
CHARACTERS = 4

_NOTE = (
    "prompt tokens: about, of texts alone; pictures are not counted. most reply tokens: all replies at the paper's "
    "limit, – where it states none. difference (%): the smallest in accuracy that two models show with a power of 80% "
    "(paired, two-sided at 5%, clustered by question), around 50%: of independent models, and of models whose scores "
    f"of a row correlate by {TYPICAL:g}."
)


def plan(data: Built, configs: Iterable[str], variant: str) -> Table:
    """Return the plan as a table with a row for each of ``configs``, if models are sampled as in the suite's paper.

    Raises:
        LookupError: if a config has no prompt variant ``variant``.
    """
    sampled = declared(data.suite).sampling_of
    frame = pd.DataFrame([_line(data, config, variant, sampled(config)) for config in configs])
    return Table(
        "plan",
        "Plan of an evaluation",
        # Whole numbers, some of which are missing.
        frame=frame.astype({"most_reply_tokens": "Int64"}),
        note=_NOTE,
        units={"difference": "share", "difference_correlated": "share"},
    )


def _line(data: Built, config: str, variant: str, sampling: Sampling) -> Record:
    sizes: Counter[str] = Counter()
    characters = 0
    for row in data.rows(config, data.tests[config], pictures=False):
        sizes[question(row, suite=data.suite, config=config)] += 1
        characters += sum(map(len, prompt_of(row, variant, suite=data.suite, config=config)))
    rows, samples = sizes.total(), sampling.samples
    independent, typical = (
        smallest_difference(sizes.values(), samples=samples, correlation=r) for r in (INDEPENDENT, TYPICAL)
    )
    return {
        "config": config,
        "split": data.tests[config],
        "rows": rows,
        "questions": len(sizes),
        "samples": samples,
        "replies": rows * samples,
        "prompt_tokens": samples * characters // CHARACTERS,
        "most_reply_tokens": rows * samples * sampling.max_tokens if sampling.max_tokens else None,
        "difference": independent,
        "difference_correlated": typical,
    }
