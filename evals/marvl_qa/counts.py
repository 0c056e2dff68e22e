"""Reads a count of local maxima or minima from what a reply says, and refuses what does not plainly state one.

Every number of a sentence is judged by its surroundings: whether it counts the feature that is asked for, the other
one, rows, or a part of the whole ("3 in the top row"); whether it is a bound, denied, conditional or one of several.
What counts as a claim, the plainest first: what is called the answer, or stands alone in its sentence; a total; a plain
sentence with the feature ("There are 6 local maxima"); the feature's only count in a longer sentence. The plainest
claims of a reply must agree, but for those before a correction.
"""

import re
from math import prod

from planimeter.evals.answers import TAKEN_BACK, Parsed, undecorated
from planimeter.evals.marvl_qa.judging import AND_MORE, KINDS, OTHER, PARTIAL, Claim, Judged, judged
from planimeter.evals.marvl_qa.lexicon import Sentence, Token, corrected, lexicon, takes_back, without_coordinates
from planimeter.evals.marvl_qa.numbers import BOUND
from planimeter.evals.marvl_qa.sums import SEVERAL, prepared
from planimeter.items import Feature

_LIST_MARK = re.compile(r"^[ \t]{0,8}(?:[-*\u2022]|\(?([0-9]{1,3})[.)])[ \t]{1,4}(?=\S)", re.MULTILINE)
#: "peak no. 6"
_ORDER = re.compile(r"(?<=[a-z] )no\.\s?(?=[0-9])", re.IGNORECASE)
#: N_{\max}
_SUBSCRIPT = re.compile(r"\b[nN]\s?_\s?\{?\s?\\?(?:[a-z]{2,8}\s?\{)?\s?(max|min)\w{0,6}\s?\}{0,2}")

#: "6 or 7", "5 to 7", "6 peaks or maybe 7"
_ALTERNATIVES = re.compile(r"N[^N;]{0,8}o[qvDwPbl]{0,4}N|NPN|bN[^N]{0,3}[jP,]N|N[^N]{0,6}\([ovh][qviDn]{0,5}N")
#: "3 large peaks and 2 small ones", "and several others"
_AND_OTHERS = re.compile("jN?[lw]{0,2}n")
#: Codes with which no sum is taken for a count.
_REFUTES = frozenset("OdhbaoXz?")
_MOST_PARTS = 40


def count_in(phrase: str, feature: Feature | None) -> Parsed[int] | None:
    """Return the count that ``phrase`` states, which a reply marks as its answer, or None without any number in it."""
    claims = _claims(phrase, feature, marked=True)
    return _decided(claims) if any(claims) else None


def count_in_prose(text: str, feature: Feature | None) -> Parsed[int]:
    """Return the count that ``text`` states, a reply that marks none of its numbers as the answer."""
    return _decided(_claims(text, feature, marked=False))


def is_bare_count(line: str) -> bool:
    """Whether ``line`` is a number and nothing else but the features counted: "12", "about 12", "12 local maxima"."""
    claims = [claim for group in _claims(line, None, marked=True) for claim in group]
    return len(claims) == 1 and claims[0].strength == 5


def _claims(text: str, feature: Feature | None, *, marked: bool) -> list[list[Claim]]:
    """Return the claims of ``text``; each correction begins another list."""
    groups: list[list[Claim]] = [[]]
    for sentence in lexicon("counting").sentences(_plain(text)):
        for piece in corrected(_featured(sentence, feature)):
            if piece[0].code == "c":
                groups.append([])
                if takes_back(piece):
                    groups[-1].append(Claim(0, None, TAKEN_BACK))
                piece = piece[1:]
            groups[-1].extend(_stated(prepared(piece), marked=marked))
    return groups


def _plain(text: str) -> str:
    """Return ``text`` without emphasis, coordinates, and the marks of lists."""
    text = _SUBSCRIPT.sub(r"number of \1ima ", without_coordinates(undecorated(text)))
    text = _ORDER.sub("", text)
    numbers = [mark for mark in _LIST_MARK.findall(text) if mark]
    is_list = len(numbers) > 1 or numbers == ["1"]
    return _LIST_MARK.sub(lambda mark: mark[0] if mark[1] and not is_list else "", text)


def _featured(sentence: Sentence, feature: Feature | None) -> list[Token]:
    """Return ``sentence`` with A for the feature that is asked for and O for the other one; without one, both are A."""
    codes = {"M": "A", "m": "A", "E": "O", "Y": "F", "U": "F"}
    if feature is not None:
        codes |= dict.fromkeys("mU" if feature == "maxima" else "MY", "O")
    return [Token(codes.get(t.code, t.code), t.text, t.value, t.problem) for t in sentence]


def _decided(groups: list[list[Claim]]) -> Parsed[int]:
    """Return the value on which the plainest claims behind the last correction agree, or why there is none."""
    if groups[-1] and groups[-1][-1] == Claim(0, None, BOUND):  # "There may be more."
        return Parsed(value=None, reason=BOUND)
    for k in range(len(groups) - 1, -1, -1):
        accepted = [claim for claim in groups[k] if claim.value is not None and claim.strength >= (2 if k else 1)]
        if any(claim.reason == OTHER for group in groups for claim in group):  # a total may be that of both features
            accepted = [claim for claim in accepted if claim.strength != 4 or claim.counted] or accepted
        if any(claim.strength == 6 for claim in groups[k]):
            return Parsed(value=None, reason=SEVERAL)
        if accepted:
            return _agreement(accepted)
        if k and groups[k]:
            return Parsed(value=None, reason=groups[k][-1].reason or TAKEN_BACK)
    return Parsed(value=None, reason=groups[0][-1].reason if groups[0] else "no answer found")


def _agreement(accepted: list[Claim]) -> Parsed[int]:
    strongest = max(claim.strength for claim in accepted)
    plainest = [claim for claim in accepted if claim.strength == strongest]
    if len({claim.value for claim in plainest}) > 1:
        return Parsed(value=None, reason="several answers")
    if strongest <= 2 and not all(claim.again for claim in plainest[1:]):
        return Parsed(value=None, reason=PARTIAL)
    return Parsed(value=plainest[0].value)


def _stated(tokens: list[Token], *, marked: bool) -> list[Claim]:
    """Return what a sentence claims: one count, or why it claims none; nothing where it counts nothing of the kind."""
    codes = "".join(token.code for token in tokens)
    if summed := _summed(tokens):
        return summed
    numbers = [*judged(tokens, marked=marked)]
    if not numbers and AND_MORE.search(codes):
        return [Claim(0, None, BOUND)]
    if codes.startswith("o") and numbers:
        return [Claim(6, None, SEVERAL)]
    accepted = [number for number in numbers if number.claim.value is not None and number.kind in KINDS]
    if any(number.claim.reason == OTHER for number in numbers):  # a total may be that of both features
        accepted = [number for number in accepted if number.kind != "total" or number.claim.counted] or accepted
    refused = [number.claim for number in numbers if number.claim.reason]
    if not accepted:
        return refused
    if _ALTERNATIVES.search(codes):
        return [Claim(2, None, SEVERAL)]
    if _AND_OTHERS.search(codes):
        accepted = [number for number in accepted if number.kind in ("answer", "total")]
        if not accepted:
            return [Claim(2, None, PARTIAL)]
    plainest = min(KINDS.index(number.kind) for number in accepted)
    return [*refused, _agreed([number for number in accepted if number.kind == KINDS[plainest]], numbers)]


def _summed(tokens: list[Token]) -> list[Claim]:
    """Return the number that ends a sentence if it is the sum of those before: "3 on top and 3 at the bottom: 6"."""
    values = [token.value or 0 for token in tokens if token.code == "N"]
    is_sum = 2 < len(values) <= _MOST_PARTS and values[-1] == sum(values[:-1]) > 0
    if not is_sum or _REFUTES & {token.code for token in tokens}:
        return []
    return [Claim(4, values[-1])] if tokens[-1].code == "N" and tokens[-2].code in ":=i,ts-" else []


def _agreed(chosen: list[Judged], numbers: list[Judged]) -> Claim:
    """Return the claim of ``chosen`` that the other numbers of its sentence explain, or that it has several."""
    first = chosen[0].claim
    states = chosen[0].kind in ("answer", "total")
    others = {"loose", "bare"} - {chosen[0].kind}
    loose = [
        number
        for number in numbers
        if number.kind in others and number.claim.reason in ("", BOUND) and (not states or number.at > chosen[0].at)
    ]
    rest = [number.claim.value or 0 for number in (*chosen[1:], *loose)]
    if {first.value} >= set(rest) and (states or all(number.claim.again for number in chosen[1:])):
        return first
    if 1 < len(rest) <= _MOST_PARTS and (
        first.value in (sum(rest), prod(rest)) or rest == [*range(1, (first.value or 0) + 1)]
    ):
        return first
    return Claim(2, None, SEVERAL)
