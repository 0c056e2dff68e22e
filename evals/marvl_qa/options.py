"""Reads which of the five transformations a reply chooses, by number or in words; refuses what chooses none plainly.

A reply mentions options; each mention is affirmed, denied, or neither (in a question, under a condition). What
chooses, the plainest first: an option alone in its sentence; a conclusion or a verdict ("so it is ...", "...: yes");
any affirmed mention. The plainest mentions must agree, but for those before a correction.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from planimeter.evals.answers import Parsed, undecorated
from planimeter.evals.marvl_qa.lexicon import Lexicon, Token, corrected
from planimeter.evals.marvl_qa.vocabulary import SHARED, TURNING
from planimeter.items import OPTIONS, Option

_SEVERAL, _DENIED, _NO_SUCH = "several options in the answer", "the answer is denied", "no such option"
_UNCLEAR, _TAKEN_BACK = "no option is plainly chosen", "taken back without a plain answer"
_CLASH = "the number and the text name different options"
_UNORDERED = "named by its text, and the order of the options is unknown"

_DEGREES = re.compile(r"\s?(?:\^\s?\{?\s?\\circ\b\s?\}?|\^\s?\{?[o\u00b0]\}?|\u00ba)|(?<=[0-9])\s?deg\b", re.IGNORECASE)
_HALF_PI = re.compile(r"(?:\\?\bpi\b|\u03c0)\s?/\s?2\b(?:\s?rad\w{0,5})?", re.IGNORECASE)
_PI = re.compile(r"(?:\\?\bpi\b|\u03c0)(?:\s?rad\w{0,5})?", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[^\W_])-(?=[^\W\d_])")
_COORDINATES = re.compile(r"\(\s?[-+]?[\w.]{1,9}\s?,\s?[-+]?[\w.]{1,9}\s?\)")

_RIGHT = frozenset(
    {"right", "rightward", "rightwards", "rechts", "droite", "derecha", "direita", "вправо", "右", "오른쪽"}
)
#: "1. " at the start of a line, and within it, where a sentence would seem to end.
_LINE_MARK = re.compile(r"^([ \t(]{0,8}[0-9])[.)][ \t]{1,4}(?=\S)", re.MULTILINE)
_INLINE_MARK = re.compile(r"(?<=[\s:])([1-5])\.\s(?=[^\W\d])")

_FILL = "[PfqDlUi]"
#: A mention of a turn, a shift, or no change; "B" is 180, "Y" 90, "S" 270, "N" another number.
_SENSE = "(?:[,(PqDlfi]{0,4}[347])?"
_MENTION = re.compile(
    rf"(?P<half>9|[34]?1{_FILL}{{0,4}}[34]?{_FILL}{{0,4}}B(?:g|(?![a-zA-Z]))|Bg?l?[34]?1|Bg){_SENSE}"
    rf"|(?P<quarter>(?:[34]?1{_FILL}{{0,4}}[347]?{_FILL}{{0,4}}[YZ]g?|[34]?[YZ]g?l?[34]?1|[YZ]g|Z){_SENSE})"
    rf"|(?P<three>(?:[34]?1{_FILL}{{0,4}}[347]?{_FILL}{{0,4}}Sg?|Sg?l?[34]?1|Sg){_SENSE})"
    rf"|(?P<other>[34]?1{_FILL}{{0,3}}Ng|Ng[34]?1|F)"
    rf"|(?P<shift>[5-8]{{1,2}}[lPf]{{0,2}}2|2(?:{_FILL}|[NBY(:e]){{0,8}}?[5-8])"
    r"|(?P<none>0)"
)
#: "option 3", and a number that stands alone between signs or before a mention: "3", "3) No change", "No change (3)".
_NUMBERED = re.compile(r"O[q:(i]{0,2}(N)|(?:^|(?<=[,;:(=/joi-]))[vqDl(]{0,2}(N)(?=$|[),;:=(/?yRkjosxd-]|[0-9BYSFZ])")
_CONNECTED = re.compile(r"[,jo/]{1,2}[joDPfq]{0,3}O?|[):.(-]{1,2}")
#: Between a number and the text of the same option.
_APPOSED = re.compile(r"[):.(=-]{1,2}[qDi]{0,2}|,")
_VERDICT = re.compile(r"[)]?[:(=,-]{1,2}[qDilQ]{0,2}([dx])(?=$|[,;).:?])|[qDl]{0,2}([dx])")
#: Codes that leave an option alone in its sentence.
_ALONE = frozenset("qvDPfojO:,()=-xlgUNBYSTis/jQ347ZK")
_MOST_MENTIONS = 200


@dataclass(frozen=True, slots=True)
class _Mention:
    """An option that a reply names: its place among those shown or, where these are unknown, its name.

    ``option`` is None for what is no option, such as a turn by 270 degrees. A ``reason`` says why the mention chooses
    nothing; ``strength`` from 1 to 3 is how plainly it does.
    """

    option: int | Option | None
    strength: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    option: int | Option | None
    bare: bool = False


@lru_cache(maxsize=1)
def _lexicon() -> Lexicon:
    return Lexicon(SHARED, TURNING)


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
            return Parsed(value=None, reason=_TAKEN_BACK)
    return Parsed(value=None, reason=groups[0][-1].reason or _UNCLEAR if groups[0] else "no answer found")


def _agreed(chosen: list[_Mention], denied: set[int | Option | None]) -> Parsed[int]:
    strongest = max(m.strength for m in chosen)
    named = {m.option for m in chosen if m.strength >= min(strongest, 2)}
    places = {option for option in named if isinstance(option, int)}
    if len(named) > 1 and not (len(places) == 1 == len(named - places) and None not in named):
        return Parsed(value=None, reason=_SEVERAL)
    if not places:
        return Parsed(value=None, reason=_NO_SUCH if None in named else _UNORDERED)
    (place,) = places
    if not 1 <= place <= len(OPTIONS):
        return Parsed(value=None, reason=_NO_SUCH)
    return Parsed(value=None, reason=_DENIED) if place in denied else Parsed(value=place)


def _mentions(text: str, options: Sequence[Option], *, marked: bool) -> list[list[_Mention]]:
    """Return the mentions of options in ``text``; each correction begins another list."""
    groups: list[list[_Mention]] = [[]]
    for sentence in _lexicon().sentences(_plain(text)):
        for piece in corrected(sentence):
            if piece[0].code == "c":
                groups.append([])
                piece = piece[1:]
            codes = "".join(_code(token) for token in piece)
            spans = sorted(_spans(piece, codes, options, marked=marked), key=lambda span: span.start)[:_MOST_MENTIONS]
            groups[-1].extend(_judged(codes, spans))
    return groups


def _plain(text: str) -> str:
    text = _LINE_MARK.sub(r"\1) ", _COORDINATES.sub(" there ", undecorated(text)))
    if len(_INLINE_MARK.findall(text)) > 1:
        text = _INLINE_MARK.sub(r"\1) ", text)
    text = _DEGREES.sub("\u00b0", _HALF_PI.sub(" 90\u00b0 ", text))
    return _HYPHEN.sub(" ", _PI.sub(" 180\u00b0 ", text))


def _code(token: Token) -> str:
    """Return the code of ``token``, where an angle has one of its own."""
    return {180: "B", 90: "Y", 270: "S"}.get(token.value or 0, "N") if token.code == "N" else token.code


def _spans(piece: list[Token], codes: str, options: Sequence[Option], *, marked: bool) -> Iterator[_Span]:
    """Yield where a sentence mentions an option, in words or by number."""
    named = [*_MENTION.finditer(codes)]
    for match in named:
        option = _option(piece, codes, match)
        if option is None or not options:
            yield _Span(match.start(), match.end(), option)
        else:
            yield _Span(match.start(), match.end(), options.index(option) + 1)
    rest = _MENTION.sub(lambda match: "0" * len(match[0]), codes)
    for match in _NUMBERED.finditer(rest):
        place = match.start(1) if match[1] else match.start(2)
        leads = re.match("[):,.(-]{0,2}0", rest[place + 1 : place + 4]) is not None
        answers = re.search("T[^N]{0,8}[i:=][qvDP]{0,3}$", rest[max(0, place - 16) : place])
        opens = place == 0 and rest[1:2] in tuple(",;:)y")
        bare = not (match[1] or leads or marked or answers or opens)
        value = piece[place].value
        yield _Span(match.start(), place + 1, -1 if value is None else value, bare=bare)


def _option(piece: list[Token], codes: str, match: re.Match[str]) -> Option | None:
    """Return the option that a mention in words means, None if it is none of the five."""
    kind = match.lastgroup
    if kind == "shift":
        return _shift(codes, match)
    if kind in ("half", "none"):
        return "rotate_180" if kind == "half" else "no_change"
    if kind == "other":
        return None
    turns = [token for token in piece[match.start() : match.end()] if token.code in "347"]
    senses = {token.code if token.code != "7" else "3" if token.text in _RIGHT else "4" for token in turns}
    wanted = "3" if kind == "quarter" else "4"
    return "rotate_90_clockwise" if senses == {wanted} or (not senses and kind == "quarter") else None


def _shift(codes: str, match: re.Match[str]) -> Option | None:
    """Return the axis of a shift; one along both is no option."""
    clause = re.split("[,;.()kyR]", codes[match.end() : match.end() + 40])[0]
    axes = {"x" if code in "57" else "y" for code in match[0] + clause if code in "5678"}
    return None if len(axes) > 1 else "translate_x" if "x" in axes else "translate_y"


def _judged(codes: str, spans: list[_Span]) -> Iterator[_Mention]:
    """Yield what each mention of a sentence is worth."""
    for one, other in pairwise(spans):
        differ = one.option != other.option and not isinstance(other.option, str)
        is_numbered = codes[one.end - 1] == "N" != codes[other.end - 1]
        if differ and is_numbered and _APPOSED.fullmatch(codes[one.end : other.start]):
            yield _Mention(one.option, 3, _CLASH)
    residue = _outside(codes, spans)
    alone = _ALONE.issuperset(residue)
    denied = _denials(codes, spans)
    for span, is_denied in zip(spans, denied, strict=True):
        left, right = _clause(codes, span)
        if span.bare and not alone:
            continue
        reason = ""
        if is_denied:
            reason = _DENIED
        elif codes.endswith("?") or "h" in codes[: span.start] + right or "u" in left + right:
            reason = _UNCLEAR
        yield _Mention(span.option, 3 if alone else _strength(codes, span, left, right), reason)


def _strength(codes: str, span: _Span, left: str, right: str) -> int:
    verdict = _VERDICT.match(codes, span.end)
    concludes = re.search("[sT]", codes[: span.start]) or "x" in right or (verdict and "x" in verdict.groups())
    states = "M" not in left and re.search("i[qDlPvO]{0,4}$", left)
    return 2 if concludes or states or codes[span.start] in "ON" else 1


def _outside(codes: str, spans: list[_Span]) -> str:
    pieces, end = [], 0
    for span in spans:
        pieces.append(codes[end : span.start])
        end = max(end, span.end)
    return "".join((*pieces, codes[end:]))


def _clause(codes: str, span: _Span) -> tuple[str, str]:
    """Return the codes before and behind a mention in its clause."""
    left = re.split("[,;:()kyR]", codes[max(0, span.start - 40) : span.start])[-1]
    right = re.split("[,;:()kyRI=]", codes[span.end : span.end + 40])[0]
    return left, right


def _denials(codes: str, spans: list[_Span]) -> list[bool]:
    """Return of each mention whether it is denied: in its clause, by a verdict behind it, or in a list with others."""
    denied = []
    for span in spans:
        left, right = _clause(codes, span)
        verdict = _VERDICT.match(codes, span.end)
        denied.append("d" in left or "I" in left or "d" in right or bool(verdict and "d" in verdict.groups()))
    joined = [bool(_CONNECTED.fullmatch(codes[one.end : other.start])) for one, other in pairwise(spans)]
    for k, is_joined in enumerate(joined):
        denied[k + 1] |= is_joined and denied[k]
    for k in range(len(joined) - 1, -1, -1):
        denied[k] |= joined[k] and denied[k + 1]
    return denied
