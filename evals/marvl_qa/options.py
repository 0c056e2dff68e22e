"""The five options of the transformation task: their labels, and which of them a phrase of a reply chooses."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from planimeter.evals.answers import Parsed, sentences
from planimeter.evals.marvl_qa.numbers import Number, denies, numbers
from planimeter.items import OPTIONS, Option

#: The reason of a phrase that mentions no option.
NO_OPTION = "no option in the answer"

_DEGREES = r"(?:\s*\u00b0|\s*\^\s*\{?\\circ\}?|[\s-]*deg(?:rees?)?\b)?"
_TURN = r"(?:rotat\w*|turn\w*)"
_MOVE = r"(?:translat\w*|shift\w*|mov\w*|displace\w*)"
_LINK = r"(?:\s+|\s*[-_(]\s*)(?:(?:is|along|in|on|by|to|of|the|a|positive|negative|direction)\s+){0,6}"


_WITHIN = r"(?:(?!\b[xy]\b)[^.;,\n]){0,30}?"


def _axis(letter: str, adverb: str) -> str:
    return (
        rf"\btranslate_{letter}\b|\b{_MOVE}{_LINK}{letter}\b(?:[\s-]*(?:axis|direction)\b)?"
        rf"|\b{_MOVE}{_WITHIN}\b{letter}[\s-]*(?:axis|direction)\b|\b{letter}[\s-]+(?:(?:axis|direction)\s+)?{_MOVE}"
        rf"|\b{_MOVE}\s+{adverb}|\b{adverb}\s+{_MOVE}"
    )


def _angle(degrees: int, code: str, sense: str = "") -> str:
    amount = rf"(?<![\d.]){degrees}(?![\d.]*\d){_DEGREES}"
    return rf"\b{code}\b|(?:\b{_TURN}\s+(?:by\s+)?)?{amount}(?:\s+{_TURN})?{sense}(?:\s+{_TURN})?"


_TEXTS: Mapping[Option, re.Pattern[str]] = MappingProxyType(
    {
        "rotate_90_clockwise": re.compile(
            _angle(90, "rotate_90_clockwise", r"(?:\s*,?\s*\(?(?:clockwise|cw)\b\)?)?"), re.IGNORECASE
        ),
        "rotate_180": re.compile(_angle(180, "rotate_180"), re.IGNORECASE),
        "translate_x": re.compile(_axis("x", r"horizontal(?:ly)?"), re.IGNORECASE),
        "translate_y": re.compile(_axis("y", r"vertical(?:ly)?"), re.IGNORECASE),
        "no_change": re.compile(r"\bno[\s_-]*change\b|\bunchanged\b", re.IGNORECASE),
    }
)
_OTHER_WAY = re.compile(r"\b(?:counter|anti)[\s-]*clockwise\b|\bccw\b", re.IGNORECASE)
_AXIS = re.compile(r"\b[xy]\b", re.IGNORECASE)

_EXPLICIT = re.compile(r"\b(?:option|choice|number|no\.)\s*(?:is\s*)?[:#(]?\s*$", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\b(?:or|either|and|maybe|perhaps|possibly)\b|\d\s*[,/&-]\s*\d", re.IGNORECASE)


def the_option(phrase: str, options: Sequence[Option] = ()) -> Parsed[int]:
    """Return the number of the one option to which ``phrase`` commits, by number, by text, or by both if they agree.

    ``options`` is the order shown; without it a text alone cannot be turned into a number.
    """
    named, rest = _named(phrase)
    chosen = _numbers(rest)
    if not chosen and not named:
        return Parsed(value=None, reason=NO_OPTION)
    if denies(phrase):
        return Parsed(value=None, reason="the answer is denied")
    if "rotate_90_clockwise" in named and _OTHER_WAY.search(phrase):
        return Parsed(value=None, reason="no such option")
    both_axes = any(option.startswith("translate") for option in named) and _AXIS.search(rest)
    if len(chosen) > 1 or (not chosen and (len(named) > 1 or both_axes)):
        return Parsed(value=None, reason="several options in the answer")
    if not chosen:
        if not options:
            return Parsed(value=None, reason="named by its text, and the order of the options is unknown")
        return Parsed(value=options.index(named[0]) + 1)
    value = chosen[0]
    if value is None or not 1 <= value <= len(OPTIONS):
        return Parsed(value=None, reason="no such option")
    if options and named and options[value - 1] not in named:
        return Parsed(value=None, reason="the number and the text name different options")
    return Parsed(value=value)


def is_bare_option(line: str) -> bool:
    """Whether ``line`` is an option's number and nothing else but its text: "3", "Option 3", "3) No change"."""
    _, rest = _named(line)
    found = numbers(rest)
    around = rest[: found[0].start] + rest[found[-1].end :] if found else rest
    return bool(found) and not re.search(r"\w", re.sub(r"\b(?:option|choice)\b", "", around, flags=re.IGNORECASE))


def option_in_prose(text: str, options: Sequence[Option] = ()) -> Parsed[int]:
    """Read an option from a reply that does not say which is the answer: the only one that it mentions."""
    readings = [the_option(sentence, options) for sentence in sentences(text) if _mentions_option(sentence)]
    if not readings:
        return Parsed(value=None, reason="no answer found")
    if len({(r.value, r.reason) for r in readings}) > 1:
        return Parsed(value=None, reason="several options and no marker")
    return readings[-1]


def _mentions_option(phrase: str) -> bool:
    """Whether ``phrase`` speaks of an option by its text or as "option 3"; a number alone may be about anything."""
    named, rest = _named(phrase)
    return bool(named) or any(_is_explicit(rest, n) for n in numbers(rest))


def _named(phrase: str) -> tuple[tuple[Option, ...], str]:
    """Return the options that ``phrase`` names by their texts, and what is left of it without those."""
    named = []
    rest = phrase
    for option in OPTIONS:
        without = _TEXTS[option].sub(lambda found: "\0" * len(found[0]), rest)
        if without != rest:
            named.append(option)
        rest = without
    return tuple(named), rest.replace("\0", "~")


def _numbers(rest: str) -> tuple[int | None, ...]:
    """Return the distinct option numbers of ``rest``: those called an option, else a leading "3)", else all numbers."""
    found = numbers(rest)
    every = tuple(dict.fromkeys(n.value for n in found))
    small = [value for value in every if value is not None and 1 <= value <= len(OPTIONS)]
    if len(small) > 1 and _ALTERNATIVES.search(rest):
        return tuple(small)
    explicit = tuple(dict.fromkeys(n.value for n in found if _is_explicit(rest, n)))
    if explicit:
        return explicit
    if found and not re.search(r"\w", rest[: found[0].start]) and _leads(rest[found[0].end :]):
        return (found[0].value,)
    return every


def _is_explicit(rest: str, number: Number) -> bool:
    return bool(_EXPLICIT.search(rest[max(0, number.start - 30) : number.start]))


def _leads(after: str) -> bool:
    return bool(re.match(r"\s*(?:[).:]+|\s[-\u2013\u2014])\s*~?\s*[A-Za-z~(\"']", after))
