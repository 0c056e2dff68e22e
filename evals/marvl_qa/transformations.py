"""Finds the transformations that a text mentions in words, those that are none of the options included."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from planimeter.evals.answers import undecorated
from planimeter.evals.marvl_qa.lexicon import Lexicon, Token, corrected, without_coordinates
from planimeter.evals.marvl_qa.vocabulary import SHARED, TURNING
from planimeter.items import Option

_DEGREES = re.compile(r"\s?(?:\^\s?\{?\s?\\circ\b\s?\}?|\^\s?\{?[o\u00b0]\}?|\u00ba)|(?<=[0-9])\s?deg\b", re.IGNORECASE)
_HALF_PI = re.compile(r"(?:\\?\bpi\b|\u03c0)\s?/\s?2\b(?:\s?rad\w{0,5})?", re.IGNORECASE)
_PI = re.compile(r"(?:\\?\bpi\b|\u03c0)(?:\s?rad\w{0,5})?", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[^\W_])-(?=[^\W\d_])")

_RIGHT = frozenset(
    {"right", "rightward", "rightwards", "rechts", "droite", "derecha", "direita", "вправо", "右", "오른쪽"}
)
#: "1. " at the start of a line, and within it, where a sentence would seem to end.
_LINE_MARK = re.compile(r"^([ \t(]{0,8}[0-9])[.)][ \t]{1,4}(?=\S)", re.MULTILINE)
_INLINE_MARK = re.compile(r"(?<=[\s:])([1-5])\.\s(?=[^\W\d])")

#: "the third one", "2nd option"; and "K = 3", as the prompt has it
_ORDINALS = ("fir", "sec", "thi", "fou", "fif")
_ORDINAL = re.compile(
    r"\b(?:the\s)?(first|second|third|fourth|fifth)\s(?:one|option|choice|transformation|item|answer)\b", re.IGNORECASE
)
_LETTER = re.compile(r"^\s{0,8}K\s?(?=[:=])", re.MULTILINE)

_FILL = "[PfqDlUi]"
#: A mention of a turn, a shift, or no change; "B" is 180, "Y" 90, "S" 270, "N" another number.
_SENSE = "(?:[,(PqDlfi]{0,4}[347])?"
_MENTION = re.compile(
    rf"(?P<half>9|[34]?1{_FILL}{{0,4}}[34]?{_FILL}{{0,4}}B(?:g|(?![a-zA-Z]))|Bg?l?[34]?1|Bg){_SENSE}"
    rf"|(?P<quarter>(?:[34]?1{_FILL}{{0,4}}[347]?{_FILL}{{0,4}}[YZ]g?|[34]?[YZ]g?l?[34]?1|[YZ]g|Z){_SENSE})"
    rf"|(?P<three>(?:[34]?1{_FILL}{{0,4}}[347]?{_FILL}{{0,4}}Sg?|Sg?l?[34]?1|Sg){_SENSE})"
    rf"|(?P<other>[34]?1{_FILL}{{0,3}}Ng|Ng[34]?1|F)"
    rf"|(?P<shift>[5-8]{{1,2}}[lPf]{{0,2}}2|2(?:{_FILL}|[NBY(:e]){{0,8}}?[5-8])"
    r"|(?P<none>0)|(?P<same>(?<!f)(?<!fD)Q[iqlvDm]{0,3}E|E[Dl]?Q|(?:^|(?<=^[qDvs]))E(?=[),]{0,2}$))"
)


@dataclass(frozen=True, slots=True)
class Named:
    """A transformation in words, from token ``start`` to ``end``; ``option`` is None for one that is no option.

    ``weak`` says that the words may be about something else: "identical", "unchanged".
    """

    start: int
    end: int
    option: Option | None
    weak: bool = False


@lru_cache(maxsize=1)
def _lexicon() -> Lexicon:
    return Lexicon(SHARED, TURNING)


def statements(text: str) -> Iterator[list[Token]]:
    """Yield the sentences of ``text``, divided where a correction begins; 180, 90 and 270 have codes of their own."""
    for sentence in _lexicon().sentences(_plain(text)):
        for piece in corrected(sentence):
            yield [_angle(token) for token in piece]


def named_in(tokens: list[Token], codes: str) -> Iterator[Named]:
    """Yield the transformations that a sentence mentions in words."""
    for match in _MENTION.finditer(codes):
        is_weak = match.lastgroup == "same"
        start = codes.index("E", match.start()) if is_weak else match.start()
        yield Named(start, match.end(), _option(tokens, codes, match), weak=is_weak)


def _plain(text: str) -> str:
    text = _ORDINAL.sub(
        lambda match: f" option {1 + _ORDINALS.index(match[1].lower()[:3])} ", _LETTER.sub("option ", text)
    )
    text = _LINE_MARK.sub(r"\1) ", without_coordinates(undecorated(text)))
    if len(_INLINE_MARK.findall(text)) > 1:
        text = _INLINE_MARK.sub(r"\1) ", text)
    text = _DEGREES.sub("\u00b0", _HALF_PI.sub(" 90\u00b0 ", text))
    return _HYPHEN.sub(" ", _PI.sub(" 180\u00b0 ", text))


def _angle(token: Token) -> Token:
    code = {180: "B", 90: "Y", 270: "S"}.get(token.value or 0, "") if token.code == "N" else ""
    return Token(code, token.text, token.value) if code else token


def _option(tokens: list[Token], codes: str, match: re.Match[str]) -> Option | None:
    """Return the option that a mention in words means, None if it is none of the five."""
    kind = match.lastgroup
    if kind == "shift":
        return _shift(codes, match)
    if kind in ("half", "none", "same"):
        return "rotate_180" if kind == "half" else "no_change"
    if kind == "other":
        return None
    turns = [token for token in tokens[match.start() : match.end()] if token.code in "347"]
    senses = {token.code if token.code != "7" else "3" if token.text in _RIGHT else "4" for token in turns}
    wanted = "3" if kind == "quarter" else "4"
    return "rotate_90_clockwise" if senses == {wanted} or (not senses and kind == "quarter") else None


def _shift(codes: str, match: re.Match[str]) -> Option | None:
    """Return the axis of a shift; one along both is no option."""
    clause = re.split("[,;.()kyR]", codes[match.end() : match.end() + 40])[0]
    axes = {"x" if code in "57" else "y" for code in match[0] + clause if code in "5678"}
    return None if len(axes) > 1 else "translate_x" if "x" in axes else "translate_y"
