"""Reads a count of features from free prose, where neither tag nor box nor "the answer is" marks it.

Numbers of rows, coordinates and partial sums abound in such replies, so a number is taken only where the text sums up
("3 rows of 4 peaks, so 12"), or where it is the only number and counts features ("There are 12 local maxima").
"""

import re

from planimeter.evals.answers import Parsed, sentences, stated
from planimeter.evals.marvl_qa.numbers import NO_NUMBER, Number, committed, numbers, the_number

_NOUN = (
    r"(?:maxim(?:a|um|ums)|minim(?:a|um|ums)|peaks?|summits?|valleys?|hollows?|basins?|pits?|bumps?|hills?|extrem(?:a|um)"
    r"|features?)"
)
#: Words may repeat a few times only: a loop of one word would otherwise be followed to its end from each of them.
_ADJECTIVES = (
    r"(?:\s+(?:distinct|clear|clearly|visible|separate|local|interior|individual|strict|bright|dark|true)){0,6}"
)
_PLACE = r"(?:visible|(?:in|on|of)\s+(?:this|the)\s+(?:plot|picture|image|figure|graph|heatmap|map|surface|function))"
_SUM = r"(?:in\s+total|in\s+all|altogether|overall)"
_IS = r"\s*[\"']?\s*(?:\b(?:is|are|comes\s+to)\b\s*:?|[:=])"

_TOTAL = re.compile(
    rf"\b(?:grand\s+total|total(?:\s+(?:number|count))?(?:\s+of{_ADJECTIVES}\s+{_NOUN})?(?:\s+{_PLACE}){{0,3}}"
    rf"|in\s+total|final\s+count){_IS}|\btotal\s+of\b",
    re.IGNORECASE,
)
#: Weaker: partial counts are written so too ("Row 1 count: 3"), hence all of a reply must agree.
_COUNT = re.compile(
    rf"\b(?:number\s+of{_ADJECTIVES}\s+{_NOUN}|(?:{_NOUN}\s+)?count)(?:\s+{_PLACE}){{0,3}}{_IS}"
    rf"|\b{_NOUN}\s*[\"']?\s*[:=]",
    re.IGNORECASE,
)
_COUNTED = re.compile(rf"{_ADJECTIVES}\s+{_NOUN}\b", re.IGNORECASE)
_COUNTING_VERB = re.compile(r"\b(?:count(?:ed)?|there\s+(?:are|is)|total(?:\s+of)?)\s*:?\s*$", re.IGNORECASE)
_CLOSING = re.compile(rf"(?:{_ADJECTIVES}\s+{_NOUN})?(?:\s+(?:{_SUM}|{_PLACE})){{0,4}}\s*", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"(?:^[\s)]*=|\b(?:so|therefore|thus|hence|giving|makes|making|totall?ing)\b,?"
    r"(?:\s+(?:there\s+(?:are|is)|that\s+is|that's|i\s+count|we\s+(?:have|get)|(?:a|the)\s+total(?:\s+(?:of|is))?))?)\s*$",
    re.IGNORECASE,
)
_SUMS_UP = re.compile(rf"\b{_SUM}\b", re.IGNORECASE)
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s+(?=\S)", re.MULTILINE)
_HEDGE = re.compile(r"\b(?:about|approximately|approx|around|roughly|circa)\b", re.IGNORECASE)


def is_bare_count(line: str) -> bool:
    """Whether ``line`` is a number and nothing else but the features counted: "12", "about 12", "12 local maxima"."""
    found = numbers(line)
    if not found:
        return False
    around = line[: found[0].start] + " " + line[found[-1].end :]
    return not re.search(r"\w", _HEDGE.sub("", _COUNTED.sub("", around)))


def count_in_prose(text: str) -> Parsed[int]:
    """Read a count from a reply that does not say which of its numbers is the answer."""
    totals = [r for r in map(the_number, stated(text, _TOTAL)) if r.reason != NO_NUMBER]
    if totals:
        return totals[-1]
    counts = [r for r in map(the_number, stated(text, _COUNT)) if r.value is not None]
    if counts:
        agreed = len({r.value for r in counts}) == 1
        return counts[-1] if agreed else Parsed(value=None, reason="several answers")
    spoken = sentences(_LIST_MARK.sub("", text))
    concluded = _conclusion(spoken[-1]) if spoken else None
    return _only_count(spoken) if concluded is None else concluded


def _conclusion(sentence: str) -> Parsed[int] | None:
    """Return the last number of "3 rows of 4, so 12" or "5 and 7, 12 peaks in total", None where nothing sums up."""
    found = numbers(sentence)
    if not found:
        return None
    last = found[-1]
    before = sentence[found[-2].end if len(found) > 1 else 0 : last.start]
    after = sentence[last.end :]
    if not _CLOSING.fullmatch(after) or not (_CONCLUDES.search(before) or _SUMS_UP.search(after)):
        return None
    return committed(sentence, last)


def _only_count(spoken: tuple[str, ...]) -> Parsed[int]:
    found = [
        (sentence, number) for sentence in spoken for number in numbers(sentence) if not _pronoun(sentence, number)
    ]
    if len({(number.value, number.problem) for _, number in found}) > 1:
        return Parsed(value=None, reason="several numbers and no marker")
    for sentence, number in found:
        counting = _COUNTING_VERB.search(sentence[max(0, number.start - 40) : number.start]) and _CLOSING.fullmatch(
            sentence[number.end :]
        )
        if counting or _COUNTED.match(sentence, number.end):
            return committed(sentence, number)
    return Parsed(value=None, reason="no answer found")


def _pronoun(sentence: str, number: Number) -> bool:
    return sentence[number.start : number.end].lower() == "one" and not _COUNTED.match(sentence, number.end)
