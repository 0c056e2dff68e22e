"""Whole numbers as models write them: in digits, with separators, and in the words of seven languages."""

import re
from collections.abc import Mapping
from types import MappingProxyType

_UNIT_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEEN_NAMES = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS_NAMES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
#: From two on, since "one" is an article elsewhere; "-" stands for a name that is a common word of another language.
_FOREIGN = (
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn",
    "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze - dix-sept dix-huit dix-neuf",
    "dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince dieciséis diecisiete dieciocho",
    "dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito",
    "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать",
    "две - - - - - - - - - - - - - шестнадцать семнадцать восемнадцать девятнадцать двадцать",
    "- ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "اثنان ثلاث أربع خمس ست سبع ثماني تسع عشر",
    "दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह",
    "duas - - पांच छः",
)
_WORTH: Mapping[str, int] = MappingProxyType(
    {
        **{name: value for value, name in enumerate((*_UNIT_NAMES, *_TEEN_NAMES))},
        **{name: 10 * tens for tens, name in enumerate(_TENS_NAMES, 2)},
        "fourty": 40,  # a common misspelling
        "dozen": 12,
        "single": 1,
        **{name: value for names in _FOREIGN for value, name in enumerate(names.split(), 2) if name != "-"},
    }
)

_UNIT = rf"(?:{'|'.join(_UNIT_NAMES)})"
_BELOW_HUNDRED = rf"(?:(?:{'|'.join((*_TENS_NAMES, 'fourty'))})(?:[\s-]+{_UNIT})?|{'|'.join(_TEEN_NAMES)}|{_UNIT})"
_OTHERS = "|".join(sorted({name for names in _FOREIGN for name in names.split() if name != "-"}, key=len, reverse=True))
_WORDS = (
    rf"(?:(?:a|{_UNIT})[\s-]+hundred(?:(?:[\s-]+and)?[\s-]+{_BELOW_HUNDRED})?|half[\s-]+a[\s-]+dozen|(?:a[\s-]+)?half[\s-]dozen"
    rf"|(?:a|{_UNIT})\s+dozen|a\s+single|single|{_BELOW_HUNDRED}|{_OTHERS})"
)
#: Digits glued to a letter ("3D", "x2", "1e3", "90-degree") are names, not numbers, and so is "one-sided".
NUMBER = re.compile(
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

NOT_WHOLE = "not a plain whole number"
BOUND = "a bound and no number"


def value_of(match: re.Match[str]) -> tuple[int | None, str]:
    """Return the value of a match of ``NUMBER``, or None and what keeps it from being a plain whole number."""
    value, problem = _digits(match["digits"]) if match["digits"] else (_words(match["words"]), "")
    sign = (match["sign"] or "").strip().lower()
    if sign and sign != "+" and value != 0:
        return None, "a negative number"
    if match["after"]:
        return None, BOUND if match["after"].strip() == "+" else NOT_WHOLE
    return value, problem


def _digits(digits: str) -> tuple[int | None, str]:
    decimal = _WHOLE_DECIMAL.fullmatch(digits)
    if decimal:
        digits = decimal[1]
    elif _GROUPED.fullmatch(digits):
        digits = re.sub(r"\D", "", digits)
    return (int(digits), "") if digits.isdecimal() and len(digits) <= _MOST_DIGITS else (None, NOT_WHOLE)


def _words(phrase: str) -> int:
    words = re.split(r"[\s-]+", phrase.lower())
    if phrase.lower() in _WORTH:
        return _WORTH[phrase.lower()]
    if "dozen" in words:
        return 6 if "half" in words else 12 * _WORTH.get(words[0], 1)
    total = 0
    for word in words:
        total = 100 * max(total, 1) if word == "hundred" else total + _WORTH.get(word, 0)
    return total  # "a" and "and" are worth nothing
