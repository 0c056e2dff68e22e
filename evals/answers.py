r"""Finds the answer that a reply marks, as in ``<answer>6</answer>``; a suite's grader parses the marked text.

The rules are the same for every suite (docs/reference/readers.md). ``marks.toml`` lists the words that they look for.

* Marks are a tag (``<answer>``), a box (``\boxed{}``, GLM's box tokens), a JSON key, and a line that begins with
  "Answer:" or the like. If a reply has marks of several kinds, the kind that the prompt requests counts, else the first
  kind of this list; of several marks of one kind the last one counts.
* A mark is ignored if its sentence has a word such as "would" or "wrong".
* If there is no mark, the whole reply, its last line or its last paragraph counts if it is exactly in the requested
  form.
* Every other reply has no answer, for the reason ``UNMARKED``: nothing is guessed from prose.
"""

import re
import tomllib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

from planimeter.evals.wrapping import boxes, json_at, outside_reasoning, unwrapped, visible

Value = TypeVar("Value")

_MARKS: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("marks.toml").read_text(encoding="utf-8"))

#: The version of the contract, stated in every table of scores.
PROTOCOL: Final[int] = _MARKS["protocol"]

#: Reasons why a reply has no answer; tables count replies by them.
UNMARKED: Final = "unmarked"
UNREADABLE: Final = "no answer where it is marked"
EMPTY: Final = "empty reply"
SEVERAL: Final = "several answers"
NOT_ASKED: Final = "not the asked format"

#: The form that a prompt requests: an answer in a tag, in a box, or the bare answer.
Asked = Literal["tag", "box", "bare"]

#: The number of marks of a kind that are read, and of characters of the sentence around one.
_MOST_MARKS, _LONGEST_SENTENCE = 8, 300

#: A longer text (characters) is not an answer.
_LONGEST_ANSWER: Final = 100_000


def _any_of(words: str) -> str:
    escaped = (re.escape(word) for word in sorted(_MARKS[words], key=len, reverse=True))
    return "|".join(rf"{word}\b" if word[-1:].isascii() and word[-1:].isalpha() else word for word in escaped)


_NAME: Final = _any_of("names").replace(r"\b", "").replace(r"\ ", r"[\s\\_-]{0,3}")
#: An opening or a closing tag: <answer>, </final_answer>, \<answer\>, [answer], < Answer >, final\_answer>.
_TAG: Final = re.compile(
    rf"(?:\\?[<\[]\s{{0,4}}|(?<![\w<\[/\\-]))(/?)\s{{0,4}}(?:{_NAME})\s{{0,4}}(?:\\?[>\]]|\Z)", re.IGNORECASE
)
_GLM_BOX: Final = re.compile(r"<\|begin_of_box\|>([^<]{0,9000})")
_KEY: Final = re.compile(rf"[{{,]\s{{0,8}}([\"'])(?:{_NAME})\1\s{{0,4}}:\s{{0,4}}", re.IGNORECASE)
_QUOTED: Final = re.compile(r"'([^'\n]{0,4000})'")
_LINE: Final = re.compile(
    rf"^[ \t>#*_`•-]{{0,12}}(?:(?:{_any_of('leads')})\b,?[ \t]{{1,4}})?(?:{_any_of('lines')})"
    rf"[ \t*_]{{0,6}}(?:(?:{_any_of('links')})[ \t*_]{{0,6}}:?|$)",
    re.IGNORECASE | re.MULTILINE,
)
#: The answers of GSM8K: a line "#### 24", which may also be a heading.
_HASHES: Final = re.compile(r"^[ \t>]{0,8}####[ \t]{1,4}(?=\S)", re.MULTILINE)
#: The placeholder between the tags of an instruction.
_PLACEHOLDER: Final = re.compile(r"[\W_]*(?:(?:and|or)[\W_]*)?|[A-Z]")
_VOIDS: Final = re.compile(rf"\b(?:{_any_of('voids')})\b", re.IGNORECASE)
_HARMLESS: Final = re.compile(_any_of("harmless"), re.IGNORECASE)
#: The text between two alternative answers.
_ALTERNATIVE: Final = re.compile(rf"[\W_]*(?:{_any_of('alternatives')})[^<\n.]{{0,60}}\s*", re.IGNORECASE)
_DENIED: Final = re.compile(r"(?:\bnot|n['\u2019]t)(?:\s+be)?[\s:$*`(\[\\]*\Z", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!?;](?=[\s*_]|\Z)|\u3002")
_COLON: Final = re.compile(r"[:,\uff1a][\s*_`]{0,20}\n\s*(?:```\w*\s*)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed(Generic[Value]):
    """The result of parsing a reply: the answer as ``value``, or None and the ``reason`` why it has no answer.

    The reason is one of a fixed set of short texts. ``bare`` is True for an answer without a mark such as ``<answer>``:
    the whole reply, or its end, is exactly in the requested form.
    """

    value: Value | None
    reason: str = ""
    bare: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ValueError(f"need either a value or a reason, got {self}")


#: A parser of the text of an answer, which has no mark and no wrapping.
Meaning = Callable[[str], Parsed[Value]]


class Mark(NamedTuple):
    """A marked answer in a reply, such as ``<answer>6</answer>``: its ``text``, 6, and the offsets of the whole mark.

    ``sure`` is False for an incomplete mark, such as a tag without its partner, which counts only if its text can be
    parsed.
    """

    text: str
    start: int
    end: int
    sure: bool = True


def answer_of(
    reply: str,
    meaning: Meaning[Value],
    *,
    bare: Meaning[Value] | None = None,
    asked: Asked = "tag",
    multiline: bool = False,
) -> Parsed[Value]:
    """Return the answer that ``reply`` marks, as by tags or a box, or the reason why it has none.

    ``meaning`` parses a marked answer. ``bare`` parses an answer without a mark, and accepts exactly the requested
    form; if it is None, such an answer does not count. ``asked`` is the form that the prompt requests: it counts before
    the other forms. A ``multiline`` answer ends at an empty line, any other answer at a line break.
    """
    text = visible(reply)
    if not text.strip():
        return Parsed(value=None, reason=EMPTY)
    alone = _bare(text, bare, asked, multiline=multiline) if bare else None
    if asked == "bare" and alone:
        return alone
    kinds = [_tags(text, multiline=multiline), _boxes(text), _keys(text), _lines(text, multiline=multiline)]
    if asked == "box":
        kinds[:2] = kinds[1::-1]
    for kind in kinds:
        answer = _last(text, _valid(text, list(deque(kind, maxlen=_MOST_MARKS))), meaning)
        if answer:
            return answer
    return replace(alone, bare=True) if alone else Parsed(value=None, reason=UNMARKED)


def stated(reply: str, meaning: Meaning[Value], asked: str, *, strict: bool, multiline: bool = False) -> Parsed[Value]:
    """Return the answer that ``reply`` marks, parsed by ``meaning``; simpler than ``answer_of``, for other packages.

    ``asked`` is a regular expression of the form that the prompt requests, including its tags. If ``strict``, the whole
    reply except its reasoning must match it; else an answer without a mark counts if it matches ``asked`` without tags.
    """
    if strict:
        text = outside_reasoning(reply)
        return meaning(text) if re.fullmatch(asked, text) else Parsed(value=None, reason=NOT_ASKED)
    form = re.compile(_TAG.sub("", asked), re.IGNORECASE)

    def bare(text: str) -> Parsed[Value]:
        return meaning(text) if form.fullmatch(text) else Parsed(value=None, reason=UNMARKED)

    return answer_of(reply, meaning, bare=bare, multiline=multiline)


def _last(text: str, marks: Sequence[Mark], meaning: Meaning[Value]) -> Parsed[Value] | None:
    """Return the answer of the last of ``marks``, parsed by ``meaning``; None if no mark counts.

    If the last mark is joined by "or" to one with another answer, the result has no value but the reason ``SEVERAL``.
    """
    answer: Parsed[Value] | None = None
    start = len(text)
    for mark in reversed(marks):
        if answer and not _ALTERNATIVE.fullmatch(text, mark.end, start):
            break
        parsed = _parse(mark.text, meaning)
        if parsed.value is None and not mark.sure:
            continue
        if answer and parsed != answer:
            return Parsed(value=None, reason=SEVERAL)
        answer, start = parsed, mark.start
    return answer


def _parse(text: str, meaning: Meaning[Value]) -> Parsed[Value]:
    """Remove enclosing markup and a final full stop from a marked text, and return the result of ``meaning`` for it."""
    if len(text) > _LONGEST_ANSWER:
        return Parsed(value=None, reason=UNREADABLE)
    text = unwrapped(unwrapped(text).rstrip(" .\u3002"))
    keys = list(_keys(text)) if text.startswith("{") else []
    return meaning(unwrapped(keys[-1].text) if keys else text)


def _tags(text: str, *, multiline: bool) -> Iterator[Mark]:
    """Yield a mark for each text between two tags, and for the line or paragraph next to a tag without its partner."""
    opened: re.Match[str] | None = None
    last = 0
    for tag in _TAG.finditer(text):
        start = opened.end() if opened else last
        content = text[start : tag.start()]
        if opened and not _PLACEHOLDER.fullmatch(content):
            yield Mark(content, opened.start(), tag.end(), sure=bool(tag[1]))
        elif tag[1] and not opened and (before := _end_of(content, multiline=multiline)):
            yield Mark(before, tag.start() - len(before), tag.end(), sure=False)
        opened, last = None if tag[1] else tag, tag.end()
    if opened:
        content = _beginning_of(text[opened.end() :], multiline=multiline)
        yield Mark(content, opened.start(), opened.end() + len(content), sure=False)


def _boxes(text: str) -> Iterator[Mark]:
    marks = [Mark(text[inner:end], start, end + 1) for start, inner, end in boxes(text) if text[inner:end].strip()]
    marks += [Mark(box[1], box.start(), box.end()) for box in _GLM_BOX.finditer(text)]
    yield from sorted(marks, key=lambda mark: mark.start)


def _keys(text: str) -> Iterator[Mark]:
    for key in deque(_KEY.finditer(text), maxlen=_MOST_MARKS):
        item, quoted = json_at(text, key.end()), _QUOTED.match(text, key.end())
        if item is not None:
            value, end = item
            yield Mark(value if isinstance(value, str) else text[key.end() : end], key.start(), end)
        elif quoted:
            yield Mark(quoted[1], key.start(), quoted.end())


def _lines(text: str, *, multiline: bool) -> Iterator[Mark]:
    matches = [(line, True) for line in _LINE.finditer(text)] + [(line, False) for line in _HASHES.finditer(text)]
    for line, sure in deque(sorted(matches, key=lambda match: match[0].start()), maxlen=_MOST_MARKS):
        content = _beginning_of(text[line.end() :], multiline=multiline)
        # A mark in a line of its own applies to the next line.
        yield Mark(content.strip(" \t\n*_.\u3002"), line.start(), line.end() + len(content), sure=sure)


def _beginning_of(text: str, *, multiline: bool) -> str:
    """Return ``text`` up to the end of its first non-empty line, or paragraph if ``multiline``."""
    skipped = re.match(r"[\s*_]*", text)
    start = skipped.end() if skipped else 0
    end = text.find("\n\n" if multiline else "\n", start)
    return text[: end if end >= 0 else len(text)]


def _end_of(text: str, *, multiline: bool) -> str:
    return text.rstrip().rsplit("\n\n" if multiline else "\n", 1)[-1].lstrip("\n")


def _bare(text: str, meaning: Meaning[Value], asked: Asked, *, multiline: bool) -> Parsed[Value] | None:
    """Return the answer in ``text``, a reply without marks, parsed by ``meaning``; None if it has no answer.

    It is the whole text, its last paragraph, its last line or a final code block. If the prompt requests a derivation
    that ends with a box, only the whole text counts: its last line is often a step of the derivation.
    """
    body = text.strip()
    fence = body.removesuffix("```").rfind("```") if body.endswith("```") else -1
    pieces = [body, _end_of(body, multiline=multiline), _end_of(body, multiline=False)]
    pieces += [body[fence:]] if fence >= 0 else []
    for piece in dict.fromkeys(pieces[:1] if asked == "box" else pieces):
        parsed = meaning(unwrapped(piece)) if 0 < len(piece) < _LONGEST_ANSWER else None
        start = text.rfind(piece)
        if parsed and parsed.value is not None and not _is_void(text, start, start + len(piece)):
            return parsed
    return None


def _valid(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Return ``marks`` except those whose sentence has a word such as "wrong", which voids them.

    Words between two marks of one sentence apply to the first mark only.
    """
    ends = [0, *(mark.end for mark in marks)]
    starts = [*(mark.start for mark in marks[1:]), len(text)]
    return [
        mark
        for mark, floor, ceiling in zip(marks, ends, starts, strict=False)
        if not _is_void(text, mark.start, mark.end, floor, ceiling)
    ]


def _is_void(text: str, start: int, end: int, floor: int = 0, ceiling: int | None = None) -> bool:
    """Return True if the sentence around ``text[start:end]``, a mark, has a word that voids it, such as "wrong".

    A line break ends a sentence, unless it follows a colon or a comma. ``floor`` is the end of the previous mark and
    ``ceiling`` the start of the next one.
    """
    before = _COLON.sub(": ", text[max(floor, start - _LONGEST_SENTENCE) : start])
    *others, head = _SENTENCE_END.split(before.rpartition("\n")[2])
    if floor > start - _LONGEST_SENTENCE and floor and not others and "\n" not in before:
        head = ""
    tail = _SENTENCE_END.split(text[end:ceiling][:_LONGEST_SENTENCE].partition("\n")[0])[0]
    return bool(_VOIDS.search(_HARMLESS.sub(" ", f"{head} | {tail}")) or _DENIED.search(head))
