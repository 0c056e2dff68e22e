"""Reads a count of local maxima or minima from what a reply says, and refuses what does not plainly state one.

Every number of a sentence is judged by its surroundings: whether it counts the feature that is asked for, the other
one, rows, or a part of the whole ("3 in the top row"); whether it is a bound, denied, conditional or one of several.
What counts as a claim, the plainest first: what is called the answer, or stands alone in its sentence; a total; a plain
sentence with the feature ("There are 6 local maxima"); the feature's only count in a longer sentence. The plainest
claims of a reply must agree, but for those before a correction.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from planimeter.evals.answers import TAKEN_BACK, Parsed, undecorated
from planimeter.evals.marvl_qa.lexicon import Lexicon, Sentence, Token, corrected, takes_back, without_coordinates
from planimeter.evals.marvl_qa.numbers import BOUND
from planimeter.evals.marvl_qa.sums import ONES, SEVERAL, prepared
from planimeter.evals.marvl_qa.vocabulary import COUNTING, SHARED
from planimeter.items import Feature

_DENIED, _CONDITIONAL, _OTHER = "the answer is denied", "the answer is conditional", "the other feature is counted"
_PARTIAL = "a part of the count"

_LIST_MARK = re.compile(r"^[ \t]{0,8}(?:[-*\u2022]|\(?([0-9]{1,3})[.)])[ \t]{1,4}(?=\S)", re.MULTILINE)
#: "peak no. 6"
_ORDER = re.compile(r"(?<=[a-z] )no\.\s?(?=[0-9])", re.IGNORECASE)
#: N_{\max}
_SUBSCRIPT = re.compile(r"\b[nN]\s?_\s?\{?\s?\\?(?:[a-z]{2,8}\s?\{)?\s?(max|min)\w{0,6}\s?\}{0,2}")

#: Codes of words that leave a statement plain.
_PLAIN = frozenset("qvDNiAFtTsfCPxj:=,()Kl-QH")
#: "6 clear local maxima", "6 of the spots are maxima", "6 points that are maxima", "6 of which are maxima"
_NOUN = re.compile(
    r"[lwC]{0,6}?([AOF])|[lw]{1,3},[lw]{1,3}([AO])|(?:f[DN]{0,2}[lwFz]{0,3}|[lwF]{0,3}[RH]?)i[lwqD]{0,3}([AO])"
    r"|[lw]{0,3}z(?:R[ilqDwQ]{0,6}?|f)[lD]{0,3}([AO])"
)
_PRODUCT_NOUN = re.compile(r"G(?:f[lwqD]{0,4}([AOF]))?")
_LABEL = re.compile(r"([AOF])[^AOFgzN]*[i:=-][qvDtTP:l]*$|[t#][lqD]{0,3}([AO])$")
_ANSWER = re.compile(r"T[^NgZ]*[i:=-][qvDtP]*$|T[qDPW]*$")
_ANSWERED = re.compile(r"i[qDtl]{0,4}T")
_TOTAL = re.compile(r"[t#][^NgZ]*[i:=-][qvDtPl]*$|[t#][fqvD]*$|[t#][lqD]{0,3}[AF]$")
_TOTALLED = re.compile(r"[^N]{0,6}t|i[qDlw]{0,3}t")
_BOUND_BEFORE = re.compile(r"[ab][qvDwfi]{0,3}$")
_DENIED_AFTER = re.compile(r"d|[^dPN]{0,4}i[^dPN]{0,6}d")
#: "6 or 7", "5 to 7", "6 peaks or maybe 7"
_ALTERNATIVES = re.compile(r"N[^N;]{0,8}o[qvDwPbl]{0,4}N|NPN|bN[^N]{0,3}[jP,]N|N[^N]{0,6}\([ovh][qviDn]{0,5}N")
#: "but there may be more", "others may be hidden"
_AND_MORE = re.compile(r"h[qiv]{0,3}n|n[qlw]{0,3}h")
#: Codes with which no sum is taken for a count.
_REFUTES = frozenset("OdhbaoXz?")
#: Codes that make a number a part of the count: places, "each", "another".
_PART = frozenset("peLBn+*")
#: "... : 6" behind other numbers
_RESULT = re.compile(r"N[^NpgLe:=]+[:=][vD]?$")
#: A number alone in its sentence, with a hedge and its noun.
_BARE = re.compile(r"[v(,]{0,3}N[lwC]{0,6}[AF]?[),v]{0,3}")
_LONGEST_WINDOW = 40
_MOST_PARTS = 40
#: Kinds of numbers that state a count, the plainest first.
_KINDS = ("answer", "total", "noun", "bare", "spot")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A number that a reply claims to be the count: how plainly, from 1 to 5, or why it does not after all.

    ``counted`` says that the feature stands beside it, ``again`` that it repeats a count ("the 6 local maxima").
    """

    strength: int
    value: int | None
    reason: str = ""
    again: bool = False
    counted: bool = False


@lru_cache(maxsize=1)
def _lexicon() -> Lexicon:
    return Lexicon(SHARED, COUNTING)


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


def _claims(text: str, feature: Feature | None, *, marked: bool) -> list[list[_Claim]]:
    """Return the claims of ``text``; each correction begins another list."""
    groups: list[list[_Claim]] = [[]]
    for sentence in _lexicon().sentences(_plain(text)):
        for piece in corrected(_featured(sentence, feature)):
            if piece[0].code == "c":
                groups.append([])
                if takes_back(piece):
                    groups[-1].append(_Claim(0, None, TAKEN_BACK))
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


def _decided(groups: list[list[_Claim]]) -> Parsed[int]:
    """Return the value on which the plainest claims behind the last correction agree, or why there is none."""
    if groups[-1] and groups[-1][-1] == _Claim(0, None, BOUND):  # "There may be more."
        return Parsed(value=None, reason=BOUND)
    for k in range(len(groups) - 1, -1, -1):
        accepted = [claim for claim in groups[k] if claim.value is not None and claim.strength >= (2 if k else 1)]
        if any(claim.reason == _OTHER for group in groups for claim in group):  # a total may be that of both features
            accepted = [claim for claim in accepted if claim.strength != 4 or claim.counted] or accepted
        if any(claim.strength == 6 for claim in groups[k]):
            return Parsed(value=None, reason=SEVERAL)
        if accepted:
            return _agreement(accepted)
        if k and groups[k]:
            return Parsed(value=None, reason=groups[k][-1].reason or TAKEN_BACK)
    return Parsed(value=None, reason=groups[0][-1].reason if groups[0] else "no answer found")


def _agreement(accepted: list[_Claim]) -> Parsed[int]:
    strongest = max(claim.strength for claim in accepted)
    plainest = [claim for claim in accepted if claim.strength == strongest]
    if len({claim.value for claim in plainest}) > 1:
        return Parsed(value=None, reason="several answers")
    if strongest <= 2 and not all(claim.again for claim in plainest[1:]):
        return Parsed(value=None, reason=_PARTIAL)
    return Parsed(value=plainest[0].value)


@dataclass(frozen=True, slots=True)
class _Judged:
    """What a number of a sentence is: one of ``_KINDS``, "loose" (it may contradict), or "other"."""

    kind: str
    claim: _Claim
    at: int


def _stated(tokens: list[Token], *, marked: bool) -> list[_Claim]:
    """Return what a sentence claims: one count, or why it claims none; nothing where it counts nothing of the kind."""
    codes = "".join(token.code for token in tokens)
    if summed := _summed(tokens):
        return summed
    judged = [*_judged(tokens, codes, marked=marked)]
    if not judged and _AND_MORE.search(codes):
        return [_Claim(0, None, BOUND)]
    if codes.startswith("o") and judged:
        return [_Claim(6, None, SEVERAL)]
    accepted = [one for one in judged if one.claim.value is not None and one.kind in _KINDS]
    if any(one.claim.reason == _OTHER for one in judged):  # a total may be that of both features
        accepted = [one for one in accepted if one.kind != "total" or one.claim.counted] or accepted
    refused = [one.claim for one in judged if one.claim.reason]
    if not accepted:
        return refused
    if _ALTERNATIVES.search(codes):
        return [_Claim(2, None, SEVERAL)]
    plainest = min(_KINDS.index(one.kind) for one in accepted)
    return [*refused, _agreed([one for one in accepted if one.kind == _KINDS[plainest]], judged)]


def _summed(tokens: list[Token]) -> list[_Claim]:
    """Return the number that ends a sentence if it is the sum of those before: "3 on top and 3 at the bottom: 6"."""
    values = [token.value or 0 for token in tokens if token.code == "N"]
    is_sum = 2 < len(values) <= _MOST_PARTS and values[-1] == sum(values[:-1]) > 0
    if not is_sum or _REFUTES & {token.code for token in tokens}:
        return []
    return [_Claim(4, values[-1])] if tokens[-1].code == "N" and tokens[-2].code in ":=i,ts" else []


def _agreed(chosen: list[_Judged], judged: list[_Judged]) -> _Claim:
    """Return the claim of ``chosen`` that the other numbers of its sentence explain, or that it has several."""
    first = chosen[0].claim
    states = chosen[0].kind in ("answer", "total")
    others = {"loose", "bare"} - {chosen[0].kind}
    loose = [
        one
        for one in judged
        if one.kind in others and one.claim.reason in ("", BOUND) and (not states or one.at > chosen[0].at)
    ]
    rest = [one.claim.value or 0 for one in (*chosen[1:], *loose)]
    if {first.value} >= set(rest) and (states or all(one.claim.again for one in chosen[1:])):
        return first
    if 1 < len(rest) <= _MOST_PARTS and (
        first.value in (sum(rest), prod(rest)) or rest == [*range(1, (first.value or 0) + 1)]
    ):
        return first
    return _Claim(2, None, SEVERAL)


@dataclass(frozen=True, slots=True)
class _Context:
    """The codes around a number: its clause on both sides, without its ``noun``, and what stands ``before`` the clause.

    Of the sentence, ``alone`` says that it is plain, ``bare`` that it holds nothing else, and ``lone`` that it has no
    other number; ``computed`` says that a sum or a product is begun before, ``contrasted`` that a "but" stands behind,
    ``results`` that it closes with this number, and ``other`` whether the other feature is mentioned alone or before.
    """

    before: str
    left: str
    right: str
    noun: str
    adjectives: str
    end: int
    alone: bool
    bare: bool
    lone: bool
    computed: bool
    contrasted: bool
    closes: bool
    results: bool
    other: str


def _judged(tokens: list[Token], codes: str, *, marked: bool) -> Iterator[_Judged]:
    """Yield what each number of a sentence is, where it matters."""
    claimed = False
    for k, (token, context) in enumerate(zip(tokens, _contexts(tokens, codes), strict=True)):
        if token.code == "X":
            yield _Judged("other", _Claim(1, None, _DENIED), k)
        if token.code == "y" and claimed:
            return  # what follows is an explanation
        if context is None:
            continue
        reason = token.problem or ("asked and not stated" if codes.endswith("?") else "")
        if not reason and _is_supposed(codes, k):
            reason = _CONDITIONAL
        elif not reason and _AND_MORE.search(codes):
            reason = BOUND
        judged = _judge(token, context, reason, marked=marked)
        if judged is not None:
            claimed |= judged.kind in _KINDS
            yield judged


def _is_supposed(codes: str, k: int) -> bool:
    """Whether a condition governs the token at ``k``: in its part of the sentence, up to "but" or a parenthesis."""
    before = re.split("[k;()]", codes[max(0, k - 5 * _LONGEST_WINDOW) : k])[-1]
    return "h" in before + re.split("[k;()yR]", codes[k : k + _LONGEST_WINDOW])[0]


def _contexts(tokens: list[Token], codes: str) -> Iterator[_Context | None]:
    """Yield the context of each token that is a number, else None."""
    start = 0
    strange = sum(code not in _PLAIN for code in codes)
    bare = _BARE.fullmatch(codes) is not None
    lone = codes.count("N") == 1
    operator = re.search("[+*/]", codes)
    signs = [k for k, token in enumerate(tokens) if token.code == "N" and token.text in ("+", "*")][:1]
    contrast = codes.rfind("k")
    first_other, only_other = codes.find("O"), "O" in codes and "A" not in codes
    for k, token in enumerate(tokens):
        if token.code != "N" or k < start:
            yield None
            continue
        whole = codes[max(start, k - _LONGEST_WINDOW) : k]
        left = re.split("[,;()ksRVIyNX]", whole)[-1]
        if len(re.findall("[:=]", left)) > 1:
            left = re.split("[:=]", left)[-2] + left[-1]
        rest = codes[k + 1 : k + 1 + _LONGEST_WINDOW]
        noun = (_PRODUCT_NOUN.match(rest) if token.text == "*" else None) or _NOUN.match(rest)
        if noun and noun[0].count("w") > 2:
            noun = None
        adjectives = noun[0] if noun else ""
        start = k + 1 + len(adjectives)
        yield _Context(
            before=whole[: len(whole) - len(left)],
            left=left,
            right=re.split("[,;:()kRVIysNX]", rest[len(adjectives) :])[0].rstrip("j"),
            noun=next(filter(None, noun.groups()), "G") if noun else "",
            adjectives=adjectives,
            end=start,
            alone=strange == sum(code not in _PLAIN for code in adjectives),
            bare=bare,
            lone=lone,
            computed=(operator is not None and operator.start() < k) or bool(signs and signs[0] < k),
            contrasted=contrast > k,
            closes=k == len(codes) - 1,
            results=k == len(codes) - 1
            and codes.count(":") + codes.count("=") == 1
            and _RESULT.search(codes, max(0, k - 2 * _LONGEST_WINDOW), k) is not None,
            other="alone" if only_other else "before" if 0 <= first_other < k else "",
        )


def _judge(token: Token, context: _Context, reason: str, *, marked: bool) -> _Judged | None:
    """Return what the number ``token`` is in its ``context``, or None where it is about something else."""
    left, right, noun = context.left, context.right, context.noun
    label = _LABEL.search(left)
    if not noun and label:
        noun = "O" if {"A", "O"} <= set(left) else label[1] or label[2]
    elif not noun and left.endswith(("A", "O")) and right.startswith("C"):
        noun = left[-1]
    if noun == "O" or (context.other == "alone" and noun != "A"):
        return _Judged("other", _Claim(1, None, _OTHER), context.end)
    kind, strength = _kind(token, context, noun, marked=marked)
    unsure = token.text in ONES and (strength < 2 or right.startswith("i"))
    if kind == "other" or unsure or (token.value == 0 and strength < 3):
        return None
    reason = reason or _against(kind, context, noun, is_product=token.text == "*", is_one=token.value == 1)
    if kind == "loose" and reason not in ("", BOUND):
        return None
    value = None if reason else token.value
    again = left.endswith("D") or token.text in "+*"
    return _Judged(kind, _Claim(strength, value, reason, again=again, counted=noun == "A"), context.end)


def _kind(token: Token, context: _Context, noun: str, *, marked: bool) -> tuple[str, int]:
    """Return the kind of a number and how plainly it is stated."""
    left, right = context.left, context.right
    fits = bool(context.noun) or not right or right[0] in _PLAIN
    announced = _ANSWER.search(left) or context.before.endswith("T,") or _ANSWERED.match(right)
    if fits and (announced or (context.alone and context.bare)):
        return "answer", 5
    concludes = re.search("s,?$", context.before) is not None and not left.strip("qDijtTfvl:")
    equals = token.text == "=" or (context.computed and re.search("[=i]$", left) is not None)
    sums_up = concludes or context.results or _TOTAL.search(left) or _TOTALLED.match(right)
    if fits and (equals or (sums_up and not {"g", "z"} & set(left))):
        return "total", 4
    if (
        not {"u", "K"}.isdisjoint(left + right)
        or context.before.endswith("V")
        or (right.startswith("H") and not (context.lone and _PLAIN.issuperset(right)))
    ):
        return "other", 0
    if right.startswith("=") or (token.text == "*" and not (noun or marked or context.bare or equals)):
        return "other", 0
    plain = _PLAIN.issuperset(left + right)
    if "#" in left and not noun:
        return "other", 0
    if re.search("f[Dq]?$", left) or (noun == "F" and context.contrasted):
        return "other", 0
    if noun == "F" and (marked or context.alone or (plain and re.search("[qi]", left))):
        return "spot", 2 if marked or context.alone else 1
    if noun == "A" and fits:
        return "noun", 3 if plain and context.alone and token.text != "*" else 2 if plain and token.text != "*" else 1
    if (
        noun in ("", "G")
        and fits
        and plain
        and (noun != "G" or marked)
        and (context.alone or marked or re.search("[qi]", left))
    ):
        return "bare", 3 if context.alone and token.text != "*" else 1
    if plain and not context.before and not left.strip("v") and not right:
        return "bare", 2  # "6: ..."
    if context.lone and context.closes and not left and not {"d", "K", "h"} & set(context.before):
        return "bare", 2  # "By symmetry, 6."
    return ("loose", 0) if not left.strip("qvDjoiw") and not right.strip("qC") else ("other", 0)


def _against(kind: str, context: _Context, noun: str, *, is_product: bool, is_one: bool) -> str:
    """Return why a number is no count of the whole after all, or nothing."""
    left, right = context.left, context.right
    if _BOUND_BEFORE.search(left) or right[:1] == "a":
        return BOUND
    if "d" in left or _DENIED_AFTER.match(right):
        return _DENIED
    if re.search("d[^,;:k]*R$", context.before):
        return _DENIED
    before = "" if kind == "total" else re.sub("[RV][^,]*,?", "", context.before)
    around = left.rsplit("=", 1)[-1] + context.adjectives + right
    if left.endswith("D") or (noun == "A" and is_one):
        around = around.replace("B", "")
    if context.results:
        around = ""
    if context.other:
        around = around.replace("n", "")  # "... and the other 6 are maxima"
    is_part = not _PART.isdisjoint(around) or re.search("L|(?:^|[P:(,])[Dlqw]{0,2}p|e[^,;]*$", before)
    if is_part or (not noun and not is_product and right[:1] in ("f", "g", "z", "Q")):
        return _PARTIAL
    return ""
