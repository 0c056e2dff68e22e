"""Replies for a person to judge: those in which nothing could be read, and those that only the lenient reader takes.

They go to a table with an empty column ``verdict``. A verdict says what a reply states: ``right`` (the true answer),
``wrong`` (another one), ``none`` (no answer), or the answer itself, as the dataset would write it. Scores then are by
the verdicts, and how often they contradict the reader is its rate of false refusals and of false acceptances.
"""

import hashlib
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from planimeter import evals
from planimeter.evals.scores.forms import STRICT, Scored, Table, Unit, records, row_of
from planimeter.evals.scores.replies.records import RepliesError
from planimeter.export.atomic import clear_errors, write_file
from planimeter.export.foreign import read_file
from planimeter.export.spreadsheets import csv_of
from planimeter.items.printing import command
from planimeter.items.values import Record, Row

#: What the table is called, and its columns; ``key`` says which reply it is, however a spreadsheet shows the others.
FILE = "review.csv"
COLUMNS = ("key", "id", "config", "model", "variant", "sample", "reply", "read", "answer", "reason", "verdict")

RIGHT, WRONG, NONE = "right", "wrong", "none"

#: How many refused and how many doubtful replies are in the table: more than a person judges.
MOST = 2_000

#: Characters at either end of a long reply that are shown: a cell of a spreadsheet holds 32,767.
SHOWN = 15_000


@dataclass(frozen=True, kw_only=True)
class Reviewed:
    """Scores by the verdicts on some of the replies.

    ``judged`` has a line for each of these: its ``config``, whether it is ``right``, and whether the reader had
    ``accepted`` it as right. ``unknown`` counts verdicts on replies that are not among the scores.
    """

    scored: Scored
    judged: pd.DataFrame
    unknown: int


def read(path: Path) -> dict[str, str]:
    """Return the verdicts in the table ``path`` by the key of the reply; an empty one is none.

    Raises:
        RepliesError: if it is no such table.
    """
    try:
        text = read_file(path).decode("utf-8-sig")
        head = text.partition("\n")[0]
        # Some spreadsheets write semicolons or tabs.
        separator = max(",;\t", key=head.count)
        lines = pd.read_csv(io.StringIO(text), sep=separator, dtype=str, keep_default_na=False, index_col=False)
    except (OSError, ValueError) as error:
        raise RepliesError(f"{path} cannot be read: {error}") from None
    if not {"key", "verdict"} <= {*lines}:
        raise RepliesError(f"{path} has no columns key and verdict; give a {FILE} of `planimeter score`")
    verdicts = zip(lines["key"], lines["verdict"].str.strip(), strict=True)
    return {key: verdict for key, verdict in verdicts if verdict}


def apply(scored: Scored, verdicts: Mapping[str, str]) -> Reviewed:
    """Return ``scored`` with the lenient metrics of judged replies by their verdicts; the strict ones stay.

    Raises:
        RepliesError: if a verdict is neither one of the three words nor an answer to its row.
    """
    frame, headline = scored.frame.copy(), evals.suite(scored.suite).HEADLINE
    keys = _keys(frame)
    places = frame.index[keys.isin(verdicts.keys())]
    judged = []
    for place, line in zip(places, records(frame.loc[places]), strict=True):
        changes = _by_verdict(scored, line, verdicts[keys[place]])
        for name, value in changes.items():
            frame.at[place, name] = value
        judged.append((line["config"], changes.get(headline, 0.0) >= 1, line[headline] >= 1))
    return Reviewed(
        scored=replace(scored, frame=frame),
        judged=pd.DataFrame(judged, columns=["config", "right", "accepted"]),
        unknown=len(verdicts.keys() - set(keys)),
    )


def _by_verdict(scored: Scored, line: Row, verdict: str) -> Record:
    """Return what a verdict changes in the line of a reply."""
    suite, config, word = evals.suite(scored.suite), line["config"], verdict.lower()
    row = row_of(scored, config, line["id"])
    stated = {RIGHT: str(line["answer"]), WRONG: "", NONE: ""}.get(word, verdict)
    scores = evals.grade(row, suite.render(stated) if stated else "", suite=scored.suite, config=config)
    if stated and not scores.answered:
        raise RepliesError(
            f"the verdict {verdict!r:.60} on {line['id']} is neither {RIGHT}, {WRONG}, {NONE} nor an answer in the "
            f"dataset's words: {scores.reason}"
        )
    if word == WRONG and line[suite.HEADLINE] < 1:
        # What was read is wrong, and by how much, the reader has found already.
        return {"verdict": verdict}
    reason = "no answer, as a person judged" if word == NONE else ""
    return {
        "verdict": verdict,
        "answered": word != NONE,
        "reason": reason,
        "read": scores.read,
        "correct": list(scores.correct),
        **scores.metrics,
    }


def table(judged: pd.DataFrame) -> Table:
    """Return how the reader did on judged replies: of right ones it refused some, of others it took some for right."""
    refused, accepted = judged["right"] & ~judged["accepted"], ~judged["right"] & judged["accepted"]
    counts = judged.assign(not_right=~judged["right"], false_refusals=refused, false_acceptances=accepted)
    frame = counts.groupby("config", sort=False).sum().astype(int)
    frame.insert(0, "judged", judged.groupby("config", sort=False).size())
    for fault, group in (("refusal", "right"), ("acceptance", "not_right")):
        frame[f"false_{fault}_rate"] = frame[f"false_{fault}s"] / frame[group]
    names = ["judged", "right", "false_refusals", "false_refusal_rate"]
    names += ["not_right", "false_acceptances", "false_acceptance_rate"]
    note = (
        "False refusals: replies that a person judged right and the lenient reader scored below 1; false acceptances: "
        "those judged not right that it scored 1. Judged were replies that were refused or doubtful, no others."
    )
    units: dict[str, Unit] = {"false_refusal_rate": "share", "false_acceptance_rate": "share"}
    return Table("reader", "The reader on judged replies", frame=frame[names].reset_index(), note=note, units=units)


def rates(judged: pd.DataFrame) -> list[str]:
    """Return the same as a line for each config."""
    return [
        f"the reader on {line['judged']:,} judged replies of {line['config']}: "
        f"false refusals {line['false_refusals']:,} of {line['right']:,} right{_share(line['false_refusal_rate'])}, "
        f"false acceptances {line['false_acceptances']:,} of {line['not_right']:,} not right"
        f"{_share(line['false_acceptance_rate'])}"
        for line in records(table(judged).frame)
    ]


def _share(rate: float) -> str:
    return "" if math.isnan(rate) else f" ({rate:.1%})"


def write(scored: Scored, folder: Path) -> str:
    """Write the table into ``folder``, and return a line about it; empty if no reply is refused, doubtful or judged.

    Refused ones come first; each kind is in an order that owes nothing to rows or models, so that the first hundred are
    a sample, and ends after ``MOST``. Those that were judged stay. A table that is there stays as it is if it has
    verdicts that ``scored`` has not.

    Raises:
        ExportError: if the folder cannot be written.
        RepliesError: if the table that is there cannot be read.
    """
    path, frame = folder / FILE, scored.frame
    judged, answered = frame["verdict"] != "", frame["answered"].astype(bool)
    there = (frame["reply"].str.strip() != "") & ~judged
    refused, doubtful = there & ~answered, there & answered & _differs(frame, [*evals.suite(scored.suite).METRICS])
    shown = frame[refused | doubtful | judged]
    shown = shown.assign(key=_keys(shown), answered=answered[shown.index]).sort_values(["answered", "key"])
    counts = shown.groupby(["answered", shown["verdict"] != ""]).cumcount()
    shown = shown[(counts < MOST) | (shown["verdict"] != "")]
    verdicts = dict(zip(shown["key"], shown["verdict"], strict=True))
    if path.is_file() and not read(path).items() <= verdicts.items():
        option = command("--verdicts", path)
        return f"{path} was left as it is: it has verdicts that these scores are not by; score with {option}"
    with clear_errors(path):
        path.unlink(missing_ok=True)
        if shown.empty:
            return ""
        # Without the mark a spreadsheet takes UTF-8 for something else.
        write_file(path, _csv(shown).encode("utf-8-sig"))
    most = f" (the first {MOST:,} of each)" if max(refused.sum(), doubtful.sum()) > MOST else ""
    kinds = f"{refused.sum():,} replies refused, {doubtful.sum():,} doubtful{most}, {judged.sum():,} judged"
    return f"review: {path}, {kinds}"


def _differs(frame: pd.DataFrame, metrics: list[str]) -> "pd.Series[bool]":
    """Return which replies the strict reader takes otherwise than the lenient one."""
    lenient, strict = frame[metrics], frame[[STRICT + name for name in metrics]].set_axis(metrics, axis="columns")
    return (frame["strict_reason"] != frame["reason"]) | ((lenient != strict) & lenient.notna()).any(axis="columns")


def _csv(shown: pd.DataFrame) -> str:
    lenient = "read leniently only: " + shown["strict_reason"].replace("", "strictly another answer")
    shown = shown.assign(reason=shown["reason"].where(shown["reason"] != "", lenient))
    texts = [name for name in COLUMNS if name not in ("key", "sample", "verdict")]
    shortened = {name: shown[name].map(_shortened) for name in texts}
    return csv_of(shown.assign(**shortened)[list(COLUMNS)])


def _keys(frame: pd.DataFrame) -> "pd.Series[str]":
    """Return an identifier of each reply and its text; it begins with a letter, so that none is a number."""
    names = ["model", "variant", "config", "id", "sample", "reply"]
    keys = [
        "r" + hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]
        for values in zip(*(frame[name].tolist() for name in names), strict=True)
    ]
    return pd.Series(keys, frame.index, dtype=str)


def _shortened(text: str) -> str:
    """Return ``text``, the middle of a long one left out."""
    if len(text) > 2 * SHOWN:
        text = f"{text[:SHOWN]}\n[... {len(text) - 2 * SHOWN:,} characters ...]\n{text[-SHOWN:]}"
    return text
