"""Judges each number of a sentence by its surroundings: what it counts, and why it may be no count of the whole.

A clause is a string of codes (see ``vocabulary.toml``); most of what is asked of it is one pattern.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planimeter.evals.marvl_qa.lexicon import Token
from planimeter.evals.marvl_qa.numbers import BOUND
from planimeter.evals.marvl_qa.sums import ONES

DENIED, OTHER, PARTIAL = "the answer is denied", "the other feature is counted", "a part of the count"
_CONDITIONAL, _ASKED = "the answer is conditional", "asked and not stated"

#: Codes of words that leave a statement plain.
_PLAIN = frozenset("qvDNiAFtTsfCPxj:=,()Kl-QH")
#: "6 clear local maxima", "6 of the spots are maxima", "6 points that are maxima", "6 of which are maxima"
_NOUN = re.compile(
    r"[lwC]{0,6}?([AOF])|[lw]{1,3},[lw]{1,3}([AO])|(?:f[DN]{0,2}[lwFz]{0,3}|[lwF]{0,3}[RH]?)i[lwqD]{0,3}([AO])"
    r"|[lw]{0,3}z(?:R[ilqDwQ]{0,6}?|f)[lD]{0,3}([AO])"
)
_PRODUCT_NOUN = re.compile(r"G(?:f[lwqD]{0,4}([AOF]))?")
_LABEL = re.compile(r"([AOF])[^AOFgzN]*[i:=-][qvDtTP:lf]*$|(?:[t#]|^|j)[lqD]{0,3}([AO])$")
_ANSWER = re.compile(r"T[^NgZ]*[i:=-][qvDtP]*$|T[qDPW]*$")
_ANSWERED = re.compile(r"i[qDtl]{0,4}T")
_TOTAL = re.compile(r"[t#][^NgZ]*[i:=-][qvDtPlf]*$|[t#][fqvD]*$|[t#][lqD]{0,3}[AF]$")
_TOTALLED = re.compile(r"[^N]{0,6}t|i[qDlw]{0,3}t")
_BOUND_BEFORE = re.compile(r"[ab][qvDwfi]{0,3}$")
_DENIED_AFTER = re.compile(r"d|[^dPN]{0,4}i[^dPN]{0,6}d")
#: "but there may be more", "others may be hidden"
AND_MORE = re.compile(r"[hv][qiv]{0,3}n|n[qlw]{0,3}h")
#: Codes that make a number a part of the count: places, "each", "another".
_PART = frozenset("peLBn+*")
#: "... : 6" behind other numbers
_RESULT = re.compile(r"N[^NpgLe:=]+[:=][vD]?$")
#: A number alone in its sentence, with a hedge and its noun.
_BARE = re.compile(r"[v(,]{0,3}N[lwC]{0,6}A?[),v]{0,3}")
_LONGEST_WINDOW = 40
#: Kinds of numbers that state a count, the plainest first.
KINDS = ("answer", "total", "noun", "bare", "spot")


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that a reply claims to be the count: how plainly, from 1 to 5, or why it does not after all.

    ``counted`` says that the feature stands beside it, ``again`` that it repeats a count ("the 6 local maxima").
    """

    strength: int
    value: int | None
    reason: str = ""
    again: bool = False
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What a number of a sentence is: one of ``KINDS``, "loose" (it may contradict), or "other"."""

    kind: str
    claim: Claim
    at: int


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


def judged(tokens: list[Token], *, marked: bool) -> Iterator[Judged]:
    """Yield what each number of a sentence is, where it matters; ``tokens`` are ``prepared``."""
    codes = "".join(token.code for token in tokens)
    claimed = False
    may_be_more = AND_MORE.search(codes) is not None
    for k, (token, context) in enumerate(zip(tokens, _contexts(tokens, codes), strict=True)):
        if token.code == "X":
            yield Judged("other", Claim(1, None, DENIED), k)
        if token.code == "y" and claimed:
            return  # what follows is an explanation
        if context is None:
            continue
        reason = token.problem or (_ASKED if codes.endswith("?") else "")
        if not reason and _is_supposed(codes, k):
            reason = _CONDITIONAL
        number = _judge(token, context, reason or (BOUND if may_be_more else ""), marked=marked)
        if number is not None:
            claimed |= number.kind in KINDS
            yield number


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


def _judge(token: Token, context: _Context, reason: str, *, marked: bool) -> Judged | None:
    """Return what the number ``token`` is in its ``context``, or None where it is about something else."""
    left, right, noun = context.left, context.right, context.noun
    label = _LABEL.search(left)
    if not noun and label:
        noun = "O" if {"A", "O"} <= set(left) else label[1] or label[2]
    elif not noun and left.endswith(("A", "O")) and right.startswith("C"):
        noun = left[-1]
    if noun == "O" or (context.other == "alone" and noun != "A"):
        return Judged("other", Claim(1, None, OTHER), context.end)
    kind, strength = _kind(token, context, noun, marked=marked)
    alone = context.lone or context.other or kind in ("answer", "total")
    unsure = token.text in ONES and (strength < 2 or right.startswith("i") or not alone)
    if kind == "other" or unsure or (token.value == 0 and strength < 3):
        return None
    reason = reason or _against(kind, context, noun, is_product=token.text == "*", is_one=token.value == 1)
    if kind == "loose" and reason not in ("", BOUND):
        return None
    value = None if reason else token.value
    again = left.endswith("D") or token.text in "+*"
    return Judged(kind, Claim(strength, value, reason, again=again, counted=noun == "A"), context.end)


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
    plain = _PLAIN.issuperset(left + right)
    product = token.text == "*"
    if _is_aside(context, noun) or (product and not (noun or marked or context.bare)):
        return "other", 0
    if noun == "A" and fits:
        return "noun", 1 + (plain and not product) * (1 + context.alone)
    if noun == "F" and (marked or context.alone or (plain and re.search("[qi]", left))):
        return "spot", 2 if marked or context.alone else 1
    begins = not context.before and not left.strip("v") and not right  # "6: ..."
    ends = context.lone and context.closes and not left and not {"d", "K", "h"} & set(context.before)  # "..., 6."
    framed = fits and (noun == "" or (noun == "G" and marked)) and (context.alone or marked or re.search("[qi]", left))
    if plain and (framed or begins or ends):
        return "bare", (3 if context.alone and not product else 1) if framed else 2
    return ("loose", 0) if not left.strip("qvDjoiw") and not right.strip("qC") else ("other", 0)


def _is_aside(context: _Context, noun: str) -> bool:
    """Whether a number is about something else: at first sight, of them, confidence, an unknown thing, a subject."""
    left, right = context.left, context.right
    apart = "u" in left + right or re.search("^[^PW]*K", left + right) or right.startswith("=")
    of_them = right.startswith("H") and not (context.lone and _PLAIN.issuperset(right))
    unknown = ("#" in left and not noun) or re.search("f[Dq]?$", left) or (noun == "F" and context.contrasted)
    subject = noun == "A" and not left and right.startswith("w") and not context.before  # "Two peaks merge"
    return bool(apart or of_them or unknown or subject)


def _against(kind: str, context: _Context, noun: str, *, is_product: bool, is_one: bool) -> str:
    """Return why a number is no count of the whole after all, or nothing."""
    left, right = context.left, context.right
    if _BOUND_BEFORE.search(left) or right[:1] == "a":
        return BOUND
    if "d" in left or _DENIED_AFTER.match(right):
        return DENIED
    if re.search("d[^,;:k]*R$", context.before):
        return DENIED
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
        return PARTIAL
    return ""
