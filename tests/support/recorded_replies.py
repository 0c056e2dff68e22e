"""Replies to a dataset's rows as models give them: right, wrong, unfinished, malformed, empty; each run the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from reply_files import lines
from small_datasets import Small

from planimeter.evals import suite
from planimeter.evals.scores import dataset, intake, scored

Row = Mapping[str, Any]
#: What a reply is made of: the right one, one to another row, the row, and the dice.
Kind = Callable[[str, str, Row, np.random.Generator], str]


def _cut(right: str, other: str, row: Row, dice: np.random.Generator) -> str:
    return right[: dice.integers(len(right))]


def _worn(right: str, other: str, row: Row, dice: np.random.Generator) -> str:
    letters = list(right)
    for place in dice.integers(len(letters), size=dice.integers(1, 4)):
        letters[place] = str(dice.choice(list("0123456789 ,\n<>/abcé²→")))
    return "".join(letters)


KINDS: dict[str, Kind] = {
    "right": lambda right, other, row, dice: right,
    "reasoned": lambda right, other, row, dice: f"<think>Perhaps {other}?</think>\n\nIn 7 steps:\n{right}",
    "bare": lambda right, other, row, dice: f"The answer is {row['answer']}.",
    "repeated": lambda right, other, row, dice: f"> {row['prompt']}\n\n{right}",
    "prompt": lambda right, other, row, dice: f"{row['system_prompt']}\n{row['prompt']}",
    "other": lambda right, other, row, dice: other,
    "corrected": lambda right, other, row, dice: f"{other}\nWait. {right}",
    "unfinished": lambda right, other, row, dice: f"<think>It may be {right}",
    "number": lambda right, other, row, dice: str(dice.integers(0, 30)),
    "json": lambda right, other, row, dice: f'```json\n{{"answer": "{row["answer"]}"}}\n```',
    "prose": lambda right, other, row, dice: "I cannot see the picture… sorry, 見えません.",
    "empty": lambda right, other, row, dice: " " * dice.integers(3),
    "cut": _cut,
    "worn": _worn,
}


def recorded(name: str, rows: Sequence[Row], count: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield ``count`` replies to ``rows`` of the suite ``name``, as `planimeter score` reads them."""
    dice, kinds = np.random.default_rng(seed), list(KINDS)
    for number in range(count):
        row, other = rows[number % len(rows)], rows[dice.integers(len(rows))]
        right, wrong = (suite(name).render(one["answer"]) for one in (row, other))
        kind = kinds[dice.integers(len(kinds))]
        yield {"id": row["id"], "sample": number // len(rows), "reply": KINDS[kind](right, wrong, row, dice)}


def scores(made: Small, replies: list[dict[str, Any]], file: Path) -> list[tuple[float, float]]:
    """The headline score of each reply, and whether it was read, as `planimeter score` finds them."""
    data = dataset.load(made.folder)
    frame = scored.score(data, intake.take([lines(file, replies)], data, list(data.rows))).frame
    values = zip(frame[suite(made.suite).HEADLINE], (frame["reason"] == "").astype(float), strict=True)
    known = dict(zip(zip(frame["id"], frame["sample"], strict=True), values, strict=True))
    return [known[reply["id"], reply["sample"]] for reply in replies]
