r"""Finds where a reply states its answer; what the statement means is the suite's to say.

A reply is read in two ways. The strict way takes one exact format and nothing else. The lenient way looks for a
statement in the order of how plainly it is marked: a tag, then ``\boxed{}``, then words such as "the answer is". In
each kind the last statement wins, because models correct themselves downwards. Reasoning between ``<think>`` tags is
not part of the reply: a model that weighs an answer there has not given it.
"""

import re
import unicodedata
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
#: A reply may end in a loop of blanks; patterns with several optional blanks would take quadratic time over it.
_LONG_BLANK = re.compile(r"\s{9,}+")
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_LATEX_WRAP = re.compile(r"\\(?:text|textbf|mathbf|mathrm|mathit|bf|rm)\s*\{([^{}]*)\}")
_DECORATION = re.compile(
    r"\*\*+|(?<!\d)(?<!\d )\*|\*(?! ?\d)|`+|\$+|__+|\\[()\[\],!;]|</?(?:b|i|strong|em|u|p|br|span)\s*/?>", re.IGNORECASE
)
#: Bounds on characters and number: a reply that loops on "the answer is" would otherwise take quadratic time.
_LONGEST_STATEMENT = 300
_MOST_STATEMENTS = 50
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")

#: A graph in the asked format and nothing else: a number, then pairs of numbers, one a line.
PLAIN_GRAPH = re.compile(r"\s*\d+(?:\n\d+ \d+)*\s*")

#: The last opening tag before a closing one: "I answer in <answer> tags" opens nothing.
_BLOCK = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed(Generic[Value]):
    """What a parser took from a reply: a value, or None and the ``reason`` in a few words that do not vary."""

    value: Value | None
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ValueError(f"a refusal has a reason and nothing else has one, got {self}")


def visible(reply: str) -> str:
    """Return ``reply`` without reasoning blocks and invisible signs, and with digits of other scripts as ASCII.

    A run of more than eight blanks becomes one, a line break if it holds one.
    Only decimal digits, full-width forms and circled numbers are folded: full compatibility folding would read
    "10\u00b2" as 102.
    """
    ends = [m.end() for m in _THOUGHT_END.finditer(reply)]
    without = _THINKING.sub(" ", reply)
    if ends and not re.search(r"<(?:think|thinking|reasoning)>", reply, re.IGNORECASE):
        without = reply[ends[-1] :]  # the opening tag is often part of the chat template
    text = _shortened(_INVISIBLE.sub("", without.replace("\r\n", "\n")))
    return text if text.isascii() else "".join(map(_fold, text))


def _shortened(text: str) -> str:
    return _LONG_BLANK.sub(lambda run: "\n" if "\n" in run[0] else " ", text)


def _fold(sign: str) -> str:
    if sign == "\u2212":
        return "-"
    if sign.isascii():
        return sign
    if sign.isdecimal():
        return str(unicodedata.decimal(sign))
    if "\uff01" <= sign <= "\uff5e" or "\u2460" <= sign <= "\u2473":
        return unicodedata.normalize("NFKC", sign)
    return sign


def undecorated(text: str) -> str:
    """Return ``text`` without Markdown emphasis, inline code, dollar signs and LaTeX font commands.

    A mark becomes a space, never nothing: "3*4" must not turn into 34. Long runs of blanks are shortened, as in
    ``visible``.
    """
    return _shortened(_DECORATION.sub(" ", _LATEX_WRAP.sub(r" \1 ", text.replace("{,}", ","))))


def tagged(text: str, tag: str) -> str | None:
    """Return what stands in the last ``<tag>`` of ``text``, or None without any; an unclosed tag ends with its line.

    Spelling is forgiven where the meaning is plain: case, blanks, ``<final answer>``, an escaped underscore, and an
    opening tag where the closing one belongs.
    """
    name = r"\s*" + tag.replace("_", r"\\?[\s_-]?") + r"\s*"
    pieces = list(re.finditer(rf"<\s*(/?){name}>", text, re.IGNORECASE))
    opened = [i for i, piece in enumerate(pieces) if not piece[1]]
    if not opened:
        return None
    last = opened[-1]
    start = pieces[last].end()
    if last + 1 < len(pieces):
        return text[start : pieces[last + 1].start()].strip()
    rest = text[start:].strip()
    if not rest and len(opened) > 1 and opened[-2] == last - 1:
        return text[pieces[last - 1].end() : pieces[last].start()].strip()
    return rest.split("\n", 1)[0].split("<", 1)[0].strip()


def blocks(text: str) -> list[str]:
    """Return what stands between each ``<answer>`` and the closing tag behind it, in order."""
    return _BLOCK.findall(text)


def boxed(text: str) -> str | None:
    r"""Return what stands in the last ``\boxed{}`` of ``text``, braces balanced, or None without a complete one."""
    opened: list[tuple[int, bool]] = []
    last = (-1, "")
    for piece in re.finditer(r"\\f?box(?:ed)?\s*\{|[{}]", text):
        if piece[0] != "}":
            opened.append((piece.end(), piece[0] != "{"))
        elif opened:
            start, is_box = opened.pop()
            if is_box and start > last[0]:
                last = (start, text[start : piece.start()].strip())
    return None if last[0] < 0 else last[1]


def stated(text: str, marker: re.Pattern[str]) -> tuple[str, ...]:
    """Return what follows ``marker`` in ``text``, each to the end of its sentence; the last 50, in their order.

    A marker at the end of its line speaks of the next line that is not empty ("**Final answer:**", then "12").
    """
    statements = []
    for found in deque(marker.finditer(text), maxlen=_MOST_STATEMENTS):
        rest = text[found.end() : found.end() + _LONGEST_STATEMENT].lstrip()
        end = _SENTENCE_END.search(rest)
        statements.append(rest[: end.start()] if end else rest)
    return tuple(statements)


def last_line(text: str) -> str:
    """Return the last line of ``text`` that is not empty, stripped."""
    return text.strip().rsplit("\n", 1)[-1].strip()


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of ``text``; a line break ends one, a decimal point does not."""
    pieces = (piece.strip() for piece in _SENTENCE_END.split(text))
    return tuple(piece for piece in pieces if piece)
