"""Finds the transformations that a text mentions in words, those that are none of the options included."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from planimeter.evals.answers import undecorated
from planimeter.evals.marvl_qa.lexicon import Token, corrected, lexicon, without_coordinates
from planimeter.items import Option

_RIGHT = frozenset(
    {"right", "rightward", "rightwards", "rechts", "droite", "derecha", "direita", "вправо", "右", "오른쪽"}
)
_ORDINALS = {name: k for k, name in enumerate(("first", "second", "third", "fourth", "fifth"), 1)}
_KINDS_OF = r"(?:one|option|choice|transformation|item|answer)\b"
_ORDINAL = re.compile(rf"\b(?:the\s)?({'|'.join(_ORDINALS)})\s{_KINDS_OF}", re.IGNORECASE)
_YES, _NO = "[\u2713\u2714\u2705\u2611]\ufe0f?", "[\u2717\u2718\u274c\u2716]\ufe0f?"
#: What is written otherwise before a sentence is read, in this order.
_REWRITTEN = tuple(
    (re.compile(pattern, re.IGNORECASE | re.MULTILINE), text)
    for pattern, text in (
        (r"\boptions?\s1\s?(?:-|\u2013|to|through)\s?5\b", "options"),
        (r"^\s{0,8}K\s?(?=[:=])", "option "),  # as the prompt has it
        (rf"\b([1-5])(?:st|nd|rd|th)\s{_KINDS_OF}", r"option \1 "),
        (r"\brot(?:ate|ation)?[ _]?(?=[0-9])", "rotation "),
        (r"\?\s{1,4}(yes|no|correct|wrong)\b", r": \1 "),
        (rf"^[ \t>*-]{{0,6}}{_NO}", "not "),
        (rf"^[ \t>*-]{{0,6}}{_YES}", "so "),
        (_NO, ": no, "),
        (_YES, ": yes, "),
        (r"^([ \t(]{0,8}[0-9])[.)][ \t]{1,4}(?=\S)", r"\1) "),
        (r"\ubcc0\ud654(?:\uac00|\ub294)? (?=\uc5c6)", "\ubcc0\ud654"),
        (r"\s?(?:\^\s?\{?\s?\\circ\b\s?\}?|\^\s?\{?[o\u00b0]\}?|\u00ba)|(?<=[0-9])\s?deg\b", "\u00b0"),
        (r"(?:\\?\bpi\b|\u03c0)\s?/\s?2\b(?:\s?rad\w{0,5})?", " 90\u00b0 "),
        (r"(?:\\?\bpi\b|\u03c0)(?:\s?rad\w{0,5})?", " 180\u00b0 "),
        (r"(?<=[^\W_])-(?=[^\W\d_])", " "),
    )
)
#: "1. " within a line, where a sentence would seem to end.
_INLINE_MARK = re.compile(r"(?<=[\s:])([1-5])\.\s(?=[^\W\d])")

_FILL = "[PfqDlUi]"
#: A mention of a turn, a shift, or no change; "B" is 180, "Y" 90, "S" 270, "N" another number.
_SENSE = "(?:[,(PqDlfi]{0,4}[347])?"
_MENTION = re.compile(
    rf"(?P<half>9|(?:[34][qP]{{0,2}})?1{_FILL}{{0,4}}[34]?{_FILL}{{0,4}}B(?:g|(?![a-zA-Z]))|Bg?l?[34]?1|Bg){_SENSE}"
    rf"|(?P<quarter>(?:(?:[347][qPl]{{0,2}})?1{_FILL}{{0,4}}[347]?{_FILL}{{0,4}}[YZ]g?|(?:[34][qPl]{{0,2}})?[YZ]g?l?[34]?1|[34]P?Yg?|[YZ]g|Y(?=[34])|Z){_SENSE})"
    rf"|(?P<three>(?:[34]?1{_FILL}{{0,4}}[347]?{_FILL}{{0,4}}Sg?|Sg?l?[34]?1|Sg){_SENSE})"
    rf"|(?P<other>[34]?1{_FILL}{{0,3}}Ng|Ng[34]?1|F(?!l?M))"
    rf"|(?P<shift>[5-8]{{1,2}}[lPfq]{{0,4}}2|2(?:{_FILL}|[NBY(:e]){{0,8}}?[5-8]|2,P?D?[56])"
    r"|(?P<none>0)|(?P<same>(?:(?<!f)(?<!fD)Q[iqlvD]{0,3}E|(?:^|(?<=^[qDvs]))E)(?=$|[,;:)(kyRjPdsx])|E[Dl]?Q)"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A mention from token ``start`` to ``end``: its option, None for what is no option, and how it is made.

    The option is its place among those shown, from 1, or its name where these are unknown. ``how`` is "text", "weak"
    (words that may be about something else: "identical"), "explicit" ("option 3"), "item" ("3) No change"), or "bare".
    """

    start: int
    end: int
    option: int | Option | None
    how: str


def statements(text: str) -> Iterator[list[Token]]:
    """Yield the sentences of ``text``, divided where a correction begins; 180, 90 and 270 have their own codes."""
    for sentence in lexicon("transformation").sentences(_plain(text)):
        for piece in corrected(sentence):
            yield [_recoded(token, before) for before, token in pairwise((Token("", ""), *piece))]


def named_in(tokens: list[Token], codes: str, options: Sequence[Option]) -> Iterator[Span]:
    """Yield the transformations that a sentence mentions in words, of ``options`` as shown, if that is known."""
    for match in _MENTION.finditer(codes):
        is_weak = match.lastgroup == "same"
        start = codes.index("E", match.start()) if is_weak else match.start()
        named = _option(tokens, codes, match)
        option = options.index(named) + 1 if options and named else named
        yield Span(start, match.end(), option, "weak" if is_weak else "text")


def _plain(text: str) -> str:
    text = _ORDINAL.sub(lambda match: f" option {_ORDINALS[match[1].lower()]} ", without_coordinates(undecorated(text)))
    for pattern, replacement in _REWRITTEN:
        text = pattern.sub(replacement, text)
    return _INLINE_MARK.sub(r"\1) ", text) if len(_INLINE_MARK.findall(text)) > 1 else text


def _recoded(token: Token, before: Token) -> Token:
    """Return ``token`` with the code of an angle, and "one" as a pronoun unless "option" or nothing stands before."""
    code = {180: "B", 90: "Y", 270: "S"}.get(token.value or 0, "") if token.code == "N" else ""
    if token.text == "one" and before.code not in ("", "O"):
        code = "q"
    if token.text == "two" and before.code == "D":
        code = "Q"
    return Token(code, token.text, token.value) if code else token


def _option(tokens: list[Token], codes: str, match: re.Match[str]) -> Option | None:
    """Return the option that a mention in words means, None if it is none of the five."""
    kind = match.lastgroup
    if codes[: match.start()].endswith("2j") or codes.startswith("j2", match.end()):
        return None  # "shifted and rotated"
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
