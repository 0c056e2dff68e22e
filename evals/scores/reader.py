"""Has a language model, the reader model, find the answer in unmarked replies, as MaRVL-QA does (sections 4, A.6.1).

Unmarked replies are those without answer tags or another mark that the parser knows. The reader model also reads
replies whose mark contains no answer in the requested form, such as "twelve".

The reader model sees the question and the reply, never the picture or the true answer. It writes the answer of the
reply in the form that the question requests, or ``none``. A reading is graded like a marked answer. Readings are stored
in ``readings.jsonl`` next to the scores, where a person may write or correct them; a reply with a reading there is not
read again.

The reader model also reads some marked replies, so that a table can show how often it agrees with the parser.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import pandas as pd

from planimeter import evals
from planimeter.evals.answers import UNMARKED, UNREADABLE
from planimeter.evals.scores.forms import Scored, Table, records, row_of
from planimeter.evals.scores.replies.records import RepliesError, opened
from planimeter.evals.wrapping import visible
from planimeter.export.atomic import explain_os_errors, write_file
from planimeter.export.foreign import lines_of, parse_json
from planimeter.items.values import Row

FILE = "readings.jsonl"

#: The reasons of the replies that the reader model reads: no mark, or no answer in the requested form in the mark.
UNREAD = frozenset({UNMARKED, UNREADABLE})

#: The reading of a reply that gives no answer.
NONE = "none"

#: The number of marked replies of each config that the model reads, to compare both readers.
COMPARED = 100

#: Maximum lengths in characters: of the end of a reply in a question to the reader, and of a stored reading.
LONGEST_REPLY, LONGEST_READING = 24_000, 8_000

#: Tokens of a reading at most, and characters of a token, about.
READING_TOKENS, CHARACTERS = 4_096, 4

#: The number of replies between two writes of the readings.
AT_ONCE = 200

#: Config, id of the row and digest of the reply.
Key = tuple[str, str, str]

#: Returns an answer to each question, empty if the model gave none.
Ask = Callable[[Sequence[str]], Sequence[str]]

_QUESTION = """\
Below are a question that was put to a model and the reply that the model gave. You cannot see the picture that the \
question may be about, and you do not need it: do not answer the question yourself, and do not correct the reply.

Find the answer that the reply gives in the end, however it is worded. Write that answer alone, in the form that the \
question asks for, without tags and without any other word. Write only the word none if the reply gives no answer, \
breaks off before it, gives several without choosing one, or answers something else.

<question>
{question}
</question>

<reply>
{reply}
</reply>"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A line of ``readings.jsonl``: the answer that ``reader``, a model or person, finds in ``reply``.

    ``reading`` is this answer, ``none`` if the reply gives none, or empty if nobody has read it yet. ``reply_sha256``
    is the reply's digest, ``model`` the model that replied.
    """

    id: str
    config: str
    model: str
    reply_sha256: str
    reading: str = ""
    reader: str = ""
    time: str = ""
    reply: str = ""

    @property
    def key(self) -> Key:
        """Config, id of the row and digest of the reply, which together identify the reading."""
        return self.config, self.id, self.reply_sha256


def load(path: Path) -> dict[Key, Reading]:
    """Return {key: the last ``Reading`` with this key} from the file ``path``; empty if there is no such file.

    Raises:
        RepliesError: if a line is not a reading.
    """
    readings: dict[Key, Reading] = {}
    if not path.exists():
        return readings
    names = [field.name for field in fields(Reading)]
    with opened(path) as lines:
        for number, line in enumerate(lines_of(lines), 1):
            if line is None or line.strip():
                try:
                    record = parse_json(line or "")
                    reading = Reading(**{name: record[name] for name in names if name in record})
                    if not all(isinstance(value, str) for value in asdict(reading).values()):
                        raise TypeError
                except (ValueError, TypeError):
                    raise RepliesError(
                        f"{path}:{number}: not a reading; need a JSON object with the texts {', '.join(names)}"
                    ) from None
                readings[reading.key] = reading
    return readings


def write(path: Path, readings: Mapping[Key, Reading]) -> None:
    """Write ``readings`` to ``path`` as JSON lines. Raises ``ExportError`` if ``path`` cannot be written."""
    with explain_os_errors(path):
        lines = (json.dumps(asdict(reading), ensure_ascii=False) + "\n" for reading in readings.values())
        write_file(path, "".join(lines).encode())


def needed(scored: Scored, readings: Mapping[Key, Reading], *, compared: int = COMPARED) -> dict[Key, Row]:
    """Return the replies that the reader model is to read, as rows of ``scored.frame``, by key.

    They are all replies without a readable marked answer and, to compare the reader model with the parser, ``compared``
    marked ones of each config, chosen by digest. Replies that have a reading already are omitted.
    """
    frame, chosen = scored.frame, dict[Key, Row]()
    marked = frame[frame["answered"].astype(bool)]
    digests = [_key(line)[2] for line in records(marked)]
    marked = marked.assign(key=digests).sort_values("key").groupby("config", sort=False).head(compared)
    for part in (frame[frame["reason"].isin(UNREAD)], marked):
        for line in records(part):
            chosen.setdefault(_key(line), line)
    return {key: line for key, line in chosen.items() if not (key in readings and readings[key].reading)}


def listed(scored: Scored, readings: Mapping[Key, Reading]) -> dict[Key, Reading]:
    """Return ``readings``, and an empty one for each reply that has neither a readable marked answer nor a reading.

    A person may fill in the empty ones.
    """
    unmarked = needed(scored, readings, compared=0)
    return {**{key: _line(key, line) for key, line in unmarked.items()}, **dict(readings)}


def questions(scored: Scored, replies: Mapping[Key, Row]) -> list[str]:
    """Return the text to send to the reader model for each of ``replies``: instructions, question and reply."""
    asked = []
    for line in replies.values():
        row, config = row_of(scored, line["config"], line["id"]), line["config"]
        prompts = evals.prompt_of(row, line["variant"], suite=scored.suite, config=config)
        asked.append(
            _QUESTION.format(question="\n\n".join(filter(None, prompts)), reply=line["reply"][-LONGEST_REPLY:])
        )
    return asked


def cost(reader: str, replies: Mapping[Key, Row], asked: Sequence[str]) -> str:
    """Return a sentence on the cost of reading ``replies``: their number, and the tokens of the texts ``asked``."""
    unmarked = sum(line["reason"] in UNREAD for line in replies.values())
    tokens = sum(map(len, asked)) // CHARACTERS
    return (
        f"{reader} reads {unmarked:,} unmarked replies, and {len(replies) - unmarked:,} marked ones to compare: about "
        f"{tokens:,} tokens of input, and a few of output for each"
    )


def parts(replies: Mapping[Key, Row], asked: Sequence[str]) -> Iterator[tuple[dict[Key, Row], Sequence[str]]]:
    """Yield ``replies`` and the texts ``asked`` about them, in parts of ``AT_ONCE`` replies."""
    keys = list(replies)
    for start in range(0, len(keys), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        yield {key: replies[key] for key in keys[some]}, asked[some]


def read(reader: str, replies: Mapping[Key, Row], asked: Sequence[str], ask: Ask, time: str) -> dict[Key, Reading]:
    """Return the answers that the model ``reader`` finds in ``replies``; ``ask`` sends it the texts ``asked``.

    ``time`` is stored in each reading. A reply for which the model returns an empty text has no reading.
    """
    readings = {}
    for (key, line), text in zip(replies.items(), ask(asked), strict=True):
        answer = visible(text).strip()[:LONGEST_READING]
        if answer:
            reading = NONE if answer.lower().strip(" .\"'`*") == NONE else answer
            readings[key] = replace(_line(key, line), reading=reading, reader=reader, time=time)
    return readings


def inspect_model(name: str) -> Ask:
    """Return a function that asks the model ``name`` of Inspect AI several questions at once and returns its answers.

    The answer to a question that fails is an empty text.
    """
    from inspect_ai.model import GenerateConfig, get_model

    model = get_model(
        name, config=GenerateConfig(temperature=0, max_tokens=READING_TOKENS, max_retries=4), memoize=False
    )

    async def one(question: str) -> str:
        try:
            return (await model.generate(question)).completion
        except Exception:  # noqa: BLE001 - of any provider's client; replies without a reading are counted
            return ""

    async def every(asked: Sequence[str]) -> list[str]:
        return list(await asyncio.gather(*map(one, asked)))

    return lambda asked: asyncio.run(every(asked))


def apply(scored: Scored, readings: Mapping[Key, Reading]) -> tuple[Scored, Table]:
    """Return ``scored`` with a reader model's answers, ``readings``, and a table of its agreement with the parser.

    The column ``with_reader`` is the headline metric, where a reply that the parser cannot read is graded by its
    reading; other metrics do not change. If no reply has a reading, ``scored`` is unchanged and the table is empty.
    """
    frame, headline = scored.frame.copy(), evals.suite(scored.suite).HEADLINE
    both: list[dict[str, object]] = []
    values = frame[headline].copy()
    for place, line in zip(frame.index, records(frame), strict=True):
        reading = readings.get(_key(line))
        if reading is None or not reading.reading or not (line["answered"] or line["reason"] in UNREAD):
            continue
        read = _graded(scored, line, reading.reading)
        frame.loc[place, ["reading", "reader"]] = [reading.reading, reading.reader]
        if not line["answered"]:
            values[place] = read.value if read else line[headline]
        agrees = read is not None and (read.read == line["read"] or min(read.value, line[headline]) == 1.0)
        both.append(
            {"config": line["config"], "reader": reading.reader, "marked": bool(line["answered"])}
            | {"agrees": agrees, "read": read is not None, "right": read is not None and read.value == 1.0}
        )
    table = _agreement(pd.DataFrame(both)) if both else Table("readers", "Both readers")
    return replace(scored, frame=frame.assign(with_reader=values) if both else frame), table


def _graded(scored: Scored, line: Row, reading: str) -> evals.Scores | None:
    """Return the scores of the answer ``reading`` to the row of ``line``; None if it is "none" or cannot be parsed."""
    if reading == NONE:
        return None
    row = row_of(scored, line["config"], line["id"])
    reply = evals.suite(scored.suite).render(reading)
    scores = evals.grade(row, reply, suite=scored.suite, config=line["config"])
    return scores if scores.answered else None


def _agreement(both: pd.DataFrame) -> Table:
    lines = []
    for (config, reader), part in both.groupby(["config", "reader"], sort=False):
        marked, unmarked = part[part["marked"]], part[~part["marked"]]
        line = {"config": config, "reader": reader, "marked": len(marked), "agree": int(marked["agrees"].sum())}
        line["agreement"] = marked["agrees"].mean() if len(marked) else float("nan")
        lines.append({**line, "unmarked": len(unmarked), "read": int(unmarked["read"].sum())})
        lines[-1]["right"] = int(unmarked["right"].sum())
    note = (
        "Marked: replies with a marked answer that the reader read too; agree: it read the same answer. Unmarked: "
        "replies that the reader alone read; in the others of these it found no answer."
    )
    return Table("readers", "Both readers", frame=pd.DataFrame(lines), note=note, units={"agreement": "share"})


def lines(agreement: Table) -> list[str]:
    """Return a sentence for each row of ``agreement``, the second result of ``apply``."""
    return [
        f"{line['reader']} on {line['config']}: agrees on {line['agree']:,} of {line['marked']:,} marked replies, and "
        f"finds an answer in {line['read']:,} of {line['unmarked']:,} unmarked ones, right in {line['right']:,}"
        for line in records(agreement.frame)
    ]


def _line(key: Key, line: Row) -> Reading:
    return Reading(id=line["id"], config=line["config"], model=line["model"], reply_sha256=key[2], reply=line["reply"])


def _key(line: Row) -> Key:
    return line["config"], line["id"], hashlib.sha256(line["reply"].encode()).hexdigest()
