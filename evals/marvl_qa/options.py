"""Reads which of the five transformations a reply chooses, by number or in words; refuses what chooses none plainly.

A reply mentions options; each mention is affirmed, denied, or neither (in a question, under a condition, in a list).
What chooses, the plainest first: what is called the answer; an option alone in its sentence; a conclusion or a verdict
("so it is ...", "...: yes"); any affirmed mention. The plainest mentions must agree, but for those before a correction.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from planimeter.evals.answers import SEVERAL, TAKEN_BACK, Parsed
from planimeter.evals.marvl_qa.lexicon import Token, takes_back
from planimeter.evals.marvl_qa.transformations import Span, named_in, statements
from planimeter.items import OPTIONS, Option

_DENIED, _NO_SUCH, _UNCLEAR = "the answer is denied", "no such option", "no option is plainly chosen"
_CLASH = "the number and the text name different options"
_UNORDERED = "named by its text, and the order of the options is unknown"

#: "option 3", and a number that stands alone between signs or before a mention: "3", "3) No change", "No change (3)".
_NUMBERED = re.compile(
    r"O[q:(i]{0,2}(N)|V[qDPf]{0,3}(N)|r(N)(?=C)"
    r"|(?:^|(?<=[,;:)(=/joisTVIkdxQ-]))[vqDl(P]{0,2}(N)(?=[qC]{0,2}$|[),;:=(/?yRkjosxdCiIT-]|[0-9BYSFZE])|(?<=N[jo,])(N)"
)
_CONNECTED = re.compile(r"[,jo/]{1,2}[joDPfq]{0,3}O?|[):.(-]{1,2}")
#: Between a number and the text of the same option.
_APPOSED = re.compile(r"[):.(=-]{1,2}[qDi]{0,2}|,")
_VERDICT = re.compile(
    r"[)]?[:(=,-]{0,2}[qDilQ]{0,2}([dx])(?=$|[,;).:?])|[):]{1,2}[qDl]{0,2}([dx])(?=N)|[qDl]{0,2}([dx])"
)
#: "the answer is", "I decide for", and "all options are ruled out except"
_ANNOUNCED = re.compile(
    r"T[^N0-9;]{0,8}[i:=][qvDPlO]{0,4}$|T[qDPOvl:]{0,4}$|V[qDPfO]{0,3}$|O[^N0-9;]{0,4}i[qDvP]{0,3}$"
)
#: "A rotation by 180 degrees maps ...": a sentence about rotations, and not about the plots.
_GENERIC = re.compile(r"w[^Qx]*$")
#: Codes that leave an option alone in its sentence.
_ALONE = frozenset("RdkuxIVqvDPfojO:,()=-xlgUNBYSTis/Q347ZKECG")
_WINDOW = 40
_MOST_MENTIONS = 200


@dataclass(frozen=True, slots=True)
class _Mention:
    """What a mention is worth: ``strength`` from 1 to 4, and the ``reason`` why it chooses nothing, if so."""

    option: int | Option | None
    strength: int
    reason: str = ""


def option_in(phrase: str, options: Sequence[Option]) -> Parsed[int] | None:
    """Return the option that ``phrase`` chooses, which a reply marks as its answer, or None if it names none.

    ``options`` is the order shown; without it a text alone cannot be turned into a number.
    """
    groups = _mentions(phrase, options, marked=True)
    return _decided(groups) if any(groups) else None


def option_in_prose(text: str, options: Sequence[Option]) -> Parsed[int]:
    """Return the option that ``text`` chooses, a reply that marks nothing as its answer."""
    return _decided(_mentions(text, options, marked=False))


def _decided(groups: list[list[_Mention]]) -> Parsed[int]:
    """Return the option on which the plainest mentions behind the last correction agree, or why there is none."""
    for k in range(len(groups) - 1, -1, -1):
        if any(m.reason == _CLASH for m in groups[k]):
            return Parsed(value=None, reason=_CLASH)
        chosen = [m for m in groups[k] if not m.reason and m.strength >= (2 if k else 1)]
        if chosen:
            return _agreed(chosen, {m.option for m in groups[k] if m.reason == _DENIED})
        if k and groups[k]:
            return Parsed(value=None, reason=TAKEN_BACK)
    return Parsed(value=None, reason=groups[0][-1].reason or _UNCLEAR if groups[0] else "no answer found")


def _agreed(chosen: list[_Mention], denied: set[int | Option | None]) -> Parsed[int]:
    strongest = max(m.strength for m in chosen)
    level = {4: 4, 3: 2}.get(strongest, strongest)  # what stands alone must agree with what is concluded
    named = {m.option for m in chosen if m.strength >= level}
    places = {option for option in named if isinstance(option, int)}
    if len(named) > 1 and not (len(places) == 1 == len(named - places) and None not in named):
        return Parsed(value=None, reason=SEVERAL)
    if not places:
        return Parsed(value=None, reason=_NO_SUCH if None in named else _UNORDERED)
    (place,) = places
    if not 1 <= place <= len(OPTIONS):
        return Parsed(value=None, reason=_NO_SUCH)
    return Parsed(value=None, reason=_DENIED) if place in denied and strongest < 4 else Parsed(value=place)


def _mentions(text: str, options: Sequence[Option], *, marked: bool) -> list[list[_Mention]]:
    """Return the mentions of options in ``text``; each correction begins another list."""
    drafts: list[tuple[list[Token], str, list[Span]]] = []
    for tokens in statements(text):
        rest = tokens[1:] if tokens[0].code == "c" else tokens
        codes = "".join(token.code for token in rest)
        spans = sorted(_spans(rest, codes, options, marked=marked), key=lambda span: span.start)
        drafts.append((tokens, codes, spans[:_MOST_MENTIONS]))
    items = {span.option for _, _, spans in drafts for span in spans if span.how == "item"}
    groups: list[list[_Mention]] = [[]]
    for tokens, codes, spans in drafts:
        if tokens[0].code == "c":
            groups.append([_Mention(None, 0, TAKEN_BACK)] if takes_back(tokens) else [])
        groups[-1] += _judged(codes, spans, is_list=len(items) > 1, marked=marked)
    return groups


def _spans(tokens: list[Token], codes: str, options: Sequence[Option], *, marked: bool) -> Iterator[Span]:
    """Yield where a sentence mentions an option, in words or by number."""
    masked = list(codes)
    for named in named_in(tokens, codes, options):
        masked[named.start : named.end] = "0" * (named.end - named.start)
        yield named
    rest = "".join(masked)
    numbered: list[Span] = []
    for match in _NUMBERED.finditer(rest):
        place = match.end() - 1
        value = tokens[place].value
        last = numbered[-1] if numbered else Span(0, 0, None, "")
        joined = 0 < last.end >= place - 8 and _CONNECTED.fullmatch(rest[last.end : place]) is not None
        if joined and last.how == "bare":
            numbered[-1] = replace(last, how="explicit")
        how = _how(rest, place, marked=marked, sure=joined or bool(match[1] or match[2] or match[3]))
        closes = rest[place + 1 : place + 2] in ("x", "T")
        follows = re.search("N[jo,]$", rest[max(0, place - 2) : place]) and not closes
        if "K" not in rest[max(0, place - 4) : place] and (joined or not follows):
            numbered.append(Span(place, place + 1, -1 if value is None else value, how))
    yield from numbered


def _how(rest: str, place: int, *, marked: bool, sure: bool) -> str:
    """Return how a number mentions an option; ``sure`` says that a word or an option before it leaves no doubt."""
    if re.match("[):.(-]{1,2}0", rest[place + 1 : place + 4]) or (rest[place + 1 : place + 2] == "0" and place == 0):
        return "item"
    opens = (
        rest[place + 1 : place + 2] in tuple(",;:)y-(xT")
        if place == 0
        else re.search("kN[qx]{0,2}$", rest[place - 1 :])
    )
    announced = _ANNOUNCED.search(rest[max(0, place - 16) : place])
    return "explicit" if marked or sure or opens or announced else "bare"


def _judged(codes: str, spans: list[Span], *, is_list: bool, marked: bool) -> list[_Mention]:
    """Return what each mention of a sentence is worth; an item of a list without a verdict is worth nothing."""
    mentioned = {place for span in spans for place in range(span.start, span.end)}
    alone = _ALONE.issuperset(code for place, code in enumerate(codes) if place not in mentioned)
    reasons = _reasons(codes, spans)
    items = _items(codes, spans)
    worth: list[_Mention] = []
    chosen = False
    for k, (span, reason) in enumerate(zip(spans, reasons, strict=True)):
        if chosen and span.how != "text" and "y" in codes[max(0, span.start - _WINDOW) : span.start]:
            continue  # in an explanation
        leads = marked and span.start == 0 and re.match("N[,:(-]?y", codes) is not None  # "5, because ..."
        strength = 4 if leads else _strength(codes, span, alone=alone)
        unjudged = is_list and k in items and strength < 4 and not (reason == _DENIED or _says("x", codes, span))
        implied = span.how == "weak" and len(spans) > 1
        if unjudged or implied or (span.how == "bare" and not alone):
            continue
        clashes = k in items and k + 1 in items and isinstance(spans[k + 1].option, int | None)
        if clashes and spans[k + 1].option != span.option:
            worth.append(_Mention(None, 4, _CLASH))
        chosen |= not reason
        worth.append(_Mention(span.option, strength, reason))
    if len({mention.option for mention in worth if not mention.reason}) < 3:
        return worth
    return [mention for mention in worth if mention.reason or mention.strength == 4]  # most options: a list of them


def _strength(codes: str, span: Span, *, alone: bool) -> int:
    left, right = _clause(codes, span)
    if _ANNOUNCED.search(codes[max(0, span.start - _WINDOW) : span.start]):
        return 4
    if alone:
        return 3
    states = "M" not in left and re.search("i[qDlPvO]{0,4}$", left)
    concludes = (
        re.search("[s=]", codes[max(0, span.start - _WINDOW) : span.start]) or "x" in right or _says("x", codes, span)
    )
    return 2 if concludes or states or span.how in ("explicit", "item") else 1


def _doubtful(codes: str, span: Span) -> bool:
    """Whether a mention is asked, supposed, taken back later, or the subject of a sentence about anything."""
    before = re.split("[k;()]", codes[max(0, span.start - 5 * _WINDOW) : span.start])[-1]
    left, right = _clause(codes, span)
    starts = codes[: span.start] if span.start < 4 else ""
    is_generic = starts == "q" and _GENERIC.match(right) is not None
    is_topic = re.fullmatch("[PW][qD]?", starts) is not None and codes[span.end : span.end + 1] in tuple(",DM")
    result = re.search("G", codes[span.end : span.end + _WINDOW])
    leads = result is not None and "d" not in codes[span.end : span.end + result.start()]
    supposed = "h" in before + right or "b" in left + right or is_generic or is_topic
    weighed = not {"u", "m", "e"}.isdisjoint(left) or "m" in starts
    return codes.endswith("?") or weighed or (supposed and not leads)


def _items(codes: str, spans: list[Span]) -> set[int]:
    """Return which mentions are a number with the text of its option, or that text."""
    items = {k for k, span in enumerate(spans) if span.how == "item"}
    follow = {
        k + 1
        for k, (one, other) in enumerate(pairwise(spans))
        if k in items and other.how in ("text", "weak") and _APPOSED.fullmatch(codes[one.end : other.start])
    }
    return items | follow


def _clause(codes: str, span: Span) -> tuple[str, str]:
    """Return the codes before and behind a mention in its clause."""
    left = re.split("[,;()kyRN]", codes[max(0, span.start - _WINDOW) : span.start])[-1]
    right = re.split("[,;:()kyRI=]", codes[span.end : span.end + _WINDOW])[0]
    return left, right


def _says(verdict: str, codes: str, span: Span) -> bool:
    match = _VERDICT.match(codes, span.end)
    return match is not None and verdict in match.groups()


def _reasons(codes: str, spans: list[Span]) -> list[str]:
    """Return of each mention why it chooses nothing, if so; what is said of one in a row is said of its neighbours."""
    reasons = [_DENIED if _is_denied(codes, span) else _UNCLEAR if _doubtful(codes, span) else "" for span in spans]
    joined: list[bool] = []
    closed = False  # by "and": what a comma divides from it is another row
    for earlier, other in pairwise(spans):
        between = codes[earlier.end : other.start] if other.start - earlier.end < _WINDOW else ""
        joined.append(_CONNECTED.fullmatch(between) is not None and not (closed and between == ","))
        closed = joined[-1] and not {"j", "o"}.isdisjoint(between)
    for k, is_joined in enumerate(joined):
        if is_joined and not reasons[k + 1]:
            reasons[k + 1] = reasons[k]
    for k in range(len(joined) - 1, -1, -1):
        if joined[k] and not reasons[k]:
            reasons[k] = reasons[k + 1]
    return reasons


def _is_denied(codes: str, span: Span) -> bool:
    left, right = _clause(codes, span)
    if re.search("N[):]{1,2}[qDl]{0,2}d[,;]?$", codes[max(0, span.start - 8) : span.start]):
        left = ""  # the verdict on the number before
    left += "d" if re.search("d[^,;:k]*R$", codes[max(0, span.start - _WINDOW) : span.start - len(left)]) else ""
    label, _, left = left.rpartition(":")
    left += "d" if re.fullmatch("[qDvi]*d[qD]*", label) else ""
    left = left.rsplit("jT", 1)[-1]
    denies = "d" in left or "d" in right or _says("d", codes, span) or "I" in left
    return denies != (re.search("V[qDPfO]{0,4}$", left) is not None)
