"""Reads whole numbers as models write them: in digits, in English words, with separators, and never too eagerly.

The rule throughout: a phrase yields a number only if it commits to one. Two different numbers, a bound ("at least
12"), a denial, a decimal or a negative number is refused with its reason, since a wrong reading is worse than none.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from planimeter.evals.answers import Parsed

#: The reason of a phrase without any number, which so states nothing.
NO_NUMBER = "no number in the answer"

_UNIT_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEEN_NAMES = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS_NAMES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORTH: Mapping[str, int] = MappingProxyType(
    {
        **{name: value for value, name in enumerate((*_UNIT_NAMES, *_TEEN_NAMES))},
        **{name: 10 * tens for tens, name in enumerate(_TENS_NAMES, 2)},
        "fourty": 40,  # a common misspelling
        "dozen": 12,
    }
)

_UNIT = rf"(?:{'|'.join(_UNIT_NAMES)})"
_BELOW_HUNDRED = rf"(?:(?:{'|'.join((*_TENS_NAMES, 'fourty'))})(?:[\s-]+{_UNIT})?|{'|'.join(_TEEN_NAMES)}|{_UNIT})"
_WORDS = rf"(?:(?:a|{_UNIT})[\s-]+hundred(?:(?:[\s-]+and)?[\s-]+{_BELOW_HUNDRED})?|(?:a|one)\s+dozen|{_BELOW_HUNDRED})"
#: Digits glued to a letter ("3D", "x2", "1e3", "90-degree") are names, not numbers, and so is "one-sided".
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.)])[-+]|\b(?:minus|negative)\s+)?"
    rf"(?:(?<![\w.,])(?P<digits>\d++(?:[.,'\u2019\u00a0\u2009\u202f]\d++)*+)(?!\w|-[A-Za-z])|"
    rf"(?<![\w-])(?P<words>{_WORDS})(?!\w|-[A-Za-z]))"
    r"(?P<after>\s*%|\s+percent\b|\s*\^|\+(?!\s*\d)|\s+(?:and\s+)?(?:a\s+)?(?:hal(?:f|ves)|thirds?|quarters?)\b"
    r"|\s*-?\s*(?:hundred|thousand|million|billion|dozen)\b)?",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[,'\u2019\u00a0\u2009\u202f]\d{3})+")
_WHOLE_DECIMAL = re.compile(r"(\d+)\.0+")
#: More digits than any answer has; Python itself refuses to convert thousands of them.
_MOST_DIGITS = 9

_ASIDE = re.compile(r"\((?![^()]*\b(?:or|maybe|perhaps|possibly|not)\b)[^()]*\)|\[[^\[\]]*\]", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|given that|as there|which|that is|i\.e\.|made up|consisting|arranged|with|from)\b",
    re.IGNORECASE,
)
_OPERATOR = re.compile(r"[+*\u00d7\u00b7]|\bx\b|\\times|\\cdot|\bplus\b|\btimes\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|never|neither|nor|cannot|unable)\b|n['\u2019]t\b", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:at\s+(?:least|most)|(?:more|fewer|less|greater|higher|lower|larger|smaller)\s+than|over|under|above|below|up\s+to|no\s+more|minimum\s+of)"
    r"(?:\s+\S+)?\s*$|[<>\u2264\u2265]\s*=?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """One number in a text: its place, and its value or the ``problem`` that keeps it from being a whole number."""

    start: int
    end: int
    value: int | None
    problem: str = ""


def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of ``text`` from left to right, those that are no plain whole numbers included."""
    return tuple(_number(found) for found in _NUMBER.finditer(text))


def _number(found: re.Match[str]) -> Number:
    value, problem = _value(found)
    sign = (found["sign"] or "").strip().lower()
    if sign and sign != "+" and value != 0:
        value, problem = None, "a negative number"
    if (found["after"] or "").strip() == "+":
        value, problem = None, "a bound and no number"
    elif found["after"]:
        value, problem = None, "not a plain whole number"
    return Number(start=found.start(), end=found.end(), value=value, problem=problem)


def _value(found: re.Match[str]) -> tuple[int | None, str]:
    digits = found["digits"]
    if digits is None:
        return _words(found["words"]), ""
    decimal = _WHOLE_DECIMAL.fullmatch(digits)
    if decimal:
        digits = decimal[1]
    elif _GROUPED.fullmatch(digits):
        digits = re.sub(r"\D", "", digits)
    elif not digits.isdigit():
        return None, "not a plain whole number"
    return (int(digits), "") if len(digits) <= _MOST_DIGITS else (None, "not a plain whole number")


def _words(phrase: str) -> int:
    total = 0
    for word in re.split(r"[\s-]+", phrase.lower()):
        if word == "hundred":
            total = 100 * max(total, 1)
        elif word == "dozen":
            total = _WORTH[word]
        else:
            total += _WORTH.get(word, 0)  # "a" and "and" are worth nothing
    return total


def the_number(phrase: str) -> Parsed[int]:
    """Return the one whole number to which ``phrase`` commits.

    ``phrase`` is an answer with its surroundings: "12 local maxima (4 rows of 3)", "3 + 4 = 7", "twelve (12)".
    """
    last = _right_side(phrase)
    for part in (_REASON.split(_ASIDE.sub(" ", last), maxsplit=1)[0], last, phrase):
        found = numbers(part)
        if found:
            return _only(part, found)
    return Parsed(value=None, reason=NO_NUMBER)


def _right_side(phrase: str) -> str:
    """Return the result of a sum or of "N = 12"; "maxima = 12, minima = 3" is neither and stays whole."""
    left, sign, right = phrase.rpartition("=")
    if sign and "=" not in left and (_OPERATOR.search(left) or not numbers(left)):
        return right
    return phrase


def _only(phrase: str, found: tuple[Number, ...]) -> Parsed[int]:
    if len({(n.value, n.problem) for n in found}) > 1:
        return Parsed(value=None, reason="several numbers in the answer")
    return committed(phrase, found[0])


def committed(phrase: str, number: Number) -> Parsed[int]:
    """Return the value of ``number``, one of ``numbers(phrase)``, unless ``phrase`` denies it or makes it a bound."""
    if number.value is None:
        return Parsed(value=None, reason=number.problem)
    before = phrase[: number.start]
    if denies(before):
        return Parsed(value=None, reason="the answer is denied")
    if _BOUND.search(before):
        return Parsed(value=None, reason="a bound and no number")
    return Parsed(value=number.value)


def denies(phrase: str) -> bool:
    """Whether ``phrase`` contains a word of denial."""
    return bool(_DENIED.search(phrase))
