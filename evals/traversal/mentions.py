"""Reads the list of markers that a reply states, in whatever form it stands: prose, steps, a table, JSON.

Every mention of a marker is located; what stands between two of them says how closely they belong together. The row
knows how many markers the path has: of several runs of mentions, the one of that length is the list.
"""

import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Final

from planimeter.evals.answers import Parsed, corrected, turns
from planimeter.items import MARKER_COLORS, MARKER_SHAPES

Markers = tuple[str, ...]

#: What models write for a color or a shape, in the protocol's words.
_COLORS: Final = {
    **{color: color for color in MARKER_COLORS},
    **dict.fromkeys(
        ("turquoise", "aqua", "teal", "lightblue", "skyblue", "light blue", "sky blue", "pale blue"), "cyan"
    ),
    **dict.fromkeys(("scarlet", "crimson"), "red"),
    "violet": "purple",
    "navy": "blue",
    "lime": "green",
}
_SHAPES: Final = {
    **{shape: shape for shape in MARKER_SHAPES},
    **dict.fromkeys(("triangle", "triangular"), "tri"),
    **dict.fromkeys(("disc", "disk", "dot", "round"), "circle"),
    **dict.fromkeys(("cross", "+"), "plus"),
    "box": "square",
}
#: Others are kept, so that those behind them keep their positions; they equal no marker.
_FOREIGN_COLORS: Final = ("pink", "magenta", "black", "white", "gray", "grey", "gold", "golden", "maroon", "tan")
_FOREIGN_SHAPES: Final = ("diamond", "pentagon", "hexagon", "heart", "rectangle", "oval", "ellipse")
_SHADES: Final = ("light", "pale", "sky", "dark", "deep", "bright")
_FILLING: Final = "colou?red|colou?r|filled|solid|shaped|small|large|five|5|pointed|upward|round"

#: Names in the other languages of the models' users; those of Chinese and Japanese need no blanks around them.
_NAMES: Final = {
    "red": ("rot(?:e[rsnm]?)?|rouges?|roj[oa]s?|vermelh[oa]s?|ross[oaie]|красн[а-я]{2}", "[红紅赤]色?い?"),
    "blue": ("blau(?:e[rsnm]?)?|bleue?s?|azul(?:es)?|azuis|blu|син[а-я]{2}", "[蓝藍]色?"),
    "green": ("grün(?:e[rsnm]?)?|verte?s?|verdes?|verdi|зел[её]н[а-я]{2}", "[绿綠緑]色?"),
    "orange": ("orange[rsnm]|naranjas?|laranjas?|arancion[ei]|оранжев[а-я]{2}", "橙色?|橘色?|オレンジ色?"),
    "yellow": (
        "gelb(?:e[rsnm]?)?|jaunes?|amarill[oa]s?|amarel[oa]s?|gial{1,2}[oaei]|ж[её]лт[а-я]{2}",
        "黄色?い?|黃色?",
    ),
    "cyan": ("türkis(?:e[rsnm]?)?|cian[oa]?|celestes?|бирюзов[а-я]{2}|голуб[а-я]{2}", "青色|水色|シアン"),
    "purple": ("lila|violett?e?[rsnm]?s?|morad[oa]s?|púrpuras?|rox[oa]s?|viol[ae]|фиолетов[а-я]{2}", "紫色?"),
    "brown": ("braun(?:e[rsnm]?)?|marron[ei]?s?|marrón|brune?s?|коричнев[а-я]{2}", "[棕褐茶]色?"),
    "circle": ("kreis|cercle|círculo|cerchio|круг", "圆形?|圓形?|円形?|丸"),
    "square": ("quadrate?|carré|cuadrado|quadrado|quadrato|квадрат", "正方形|方形|方块|四角形?"),
    "tri": ("dreieck|triángulo|triângulo|triangolo|треугольник", "三角形?"),
    "star": ("stern|étoile|estrella|estrela|stella|звезд[аы]", "五角星|星形?"),
    "plus": ("kreuz|croix|cruz|croce|крест|плюс", "十字形?|加号|プラス"),
}
_TRANSLATED: Final = re.compile(
    "|".join(rf"(?P<{name}>(?<!\w)(?:{words})(?!\w)|(?:{signs})の?的?)" for name, (words, signs) in _NAMES.items())
)

_BLANKS: Final = re.compile(r"[ \u00a0\u3000]{2,}")


def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_HUE: Final = rf"(?:{_any((*_COLORS, *_FOREIGN_COLORS))})(?![a-z])"
_COLOR: Final = rf"(?<![a-z])(?:(?:{_any(_SHADES)})[ -])?(?:{_HUE}[ /-])?{_HUE}"
_SHAPE: Final = rf"(?<![a-z])(?:{_any((*_SHAPES, *_FOREIGN_SHAPES))})(?![a-z])"
_FILLED: Final = rf"(?:[ -]{{1,3}}(?:{_FILLING})(?![a-z])){{0,3}}"
#: Between the cells of a table row, the members of a pair, or those of a JSON object.
_KEY: Final = r"\s{0,9}[\"']?(?:colou?r|shape)[\"']?\s?[:=]\s?[\"']?"
_APART: Final = rf"[ \t\"']{{0,3}}(?:[,|:/_(=-][ \t\"']{{0,3}})?(?:{_KEY})?"
_ASIDE: Final = r"(?: ?[(\[] ?(?:colou?red )?| ?[-/:_] ?| (?:(?:in|colou?red|that is) )?)"
_OPENING: Final = rf"(?:^[ \t]{{0,8}}(?:\d{{1,3}}[.):,]?[ \t]{{0,3}})?|[(\[{{|]\s{{0,9}})[\"']?(?:{_KEY})?"
_COMPLETE: Final = rf"(?!{_FILLED}[ _-]{_SHAPE})"
_MENTION: Final = re.compile(
    rf"({_COLOR}){_FILLED}{_APART}({_SHAPE})"
    rf"|({_SHAPE}){_ASIDE}({_COLOR}){_COMPLETE}"
    rf"|{_OPENING}({_SHAPE}){_APART}({_COLOR}){_COMPLETE}",
    re.MULTILINE,
)

_WORD: Final = re.compile(r"[^\W\d_]+")
#: What may stand between two markers of one list, beside punctuation, numbers and line breaks.
_CONNECTING: Final = frozenset(
    _WORD.findall(
        "and then to the a an next now followed by finally lastly before after first second third last from at in of on"
        " marker markers step vertex point position index order number shape shaped color colour path line sign symbol"
        " go goes going move moves moving continue continues lead leads leading pass passes passing through reach"
        " reaches reaching arrive arrives arriving connect connects connected end ends ending start starts starting"
        " begin begins beginning it there is are which where that this rightarrow longrightarrow"
    )
)
_NUMBERING: Final = re.compile(r"\b\d{1,4}\b[.):]{1,2}")
_STOP: Final = re.compile(r"[.:!?](?=\s|$)|\n")
_BLANK_LINE: Final = re.compile(r"\n[ \t]{0,8}\n")
#: What is said before a list that is not the path, or its reverse, or what the picture shows in any order.
_DENIED: Final = re.compile(
    r"(?:\bnot(?!\s(?:\w{1,12}\s)?(?:sure|certain|clear))|n['’]t|\brevers\w{1,9}|\bbackwards?)\b[^.,;\n]{0,40}\Z"
    r"|\b(?:for example|such as|e\.g|i (?:can )?see|there are|visible|no particular order|unordered"
    r"|in (?:the|this) (?:picture|image|figure|plot)|(?:picture|image|figure|plot) (?:shows|contains|has))\b"
    r"(?![^.\n]{0,60}\b(?:path|order|follow))[^.\n]{0,60}\Z"
)
_SUPERSEDED: Final = re.compile(
    r"\b(?:first (?:thought|guess|attempt)|initial\w{0,2}|at first|previous\w{0,2})\b[^.\n]{0,60}\Z"
)
#: What stands between two markers of which not both are meant, or between which some are missing.
_EITHER: Final = re.compile(r"\b(?:or|either|vs)\b")
_MISSING: Final = re.compile(r"\.\.\.|…|\?|\[[a-z]")
_REFUSING: Final = re.compile(
    r"\b(?:can(?:not| not|['’]t)|unable|(?:im|not )possible|sorry|unclear)\b|n['’]t (?:know|see)\b"
)
_DOUBTING: Final = re.compile(
    r"\b(?:unsure|uncertain|not (?:\w{1,12} )?(?:sure|certain)|hard|difficult|guess\w{0,4})\b"
)
#: What stands behind a list that breaks off.
_BROKEN_OFF: Final = re.compile(
    r"\W{0,4}(?:\.\.\.|…|and so on|etc\b)|\s*(?:[,;→>|-]|\b(?:to|and|then)\b)[^.!?\n]{0,20}\Z"
    r"|\s*\n\W{0,4}\d{0,3}\W{0,4}\Z"
)
_STEP: Final = re.compile(r"\n[ \t]{0,8}(?:[-*•]|(?:step )?\(?\d{1,3}[.):])")

Span = tuple[int, int]


def listed(text: str, n: int, start: str = "") -> Parsed[Markers] | None:
    """Return the list of ``n`` markers from ``start`` that ``text`` states, or else its only list of another length.

    None where it states none. A marker that is named twice in a row counts once if that makes ``n`` of them: chains of
    steps name each as an end and as a start.
    """
    text = text.lower()
    if not _MENTION.search(text):
        text = _BLANKS.sub(" ", _TRANSLATED.sub(lambda name: f" {name.lastgroup} ", text))
    mentions = _Mentions(text, n, start)
    if not mentions.markers:
        return None
    spans = list(mentions.of_length((0, len(mentions.markers)))) or mentions.of_other_length()
    spans = [span for span in spans if mentions.is_stated(span)]
    spans = [span for span in spans if not mentions.follows(_SUPERSEDED, span)] or spans
    if not spans:
        return None if _DOUBTING.search(text) else Parsed(value=None, reason="no plain list")
    last = mentions.listed(spans[-1])
    for span in spans[:-1]:
        between = text[mentions.end(span) : mentions.start(spans[-1])]
        if mentions.listed(span) != last and not turns(between):
            return Parsed(value=None, reason="several lists")
    tail = text[mentions.end(spans[-1]) :]
    return corrected(Parsed(value=last), tail, lambda phrase: listed(phrase, n, start), multiline=True)


class _Mentions:
    """The markers that a text names, and what stands between them."""

    def __init__(self, text: str, n: int, start: str) -> None:
        self._text, self._n, self._first = text, n, start
        self._found = list(_MENTION.finditer(text))
        self._gaps = [text[mention.end() : other.start()] for mention, other in pairwise(self._found)]
        self._apart = list(map(_apart, self._gaps))
        self.markers = tuple(map(_marker, self._found))

    def start(self, span: Span) -> int:
        return self._found[span[0]].start()

    def end(self, span: Span) -> int:
        return self._found[span[1] - 1].end()

    def listed(self, span: Span) -> Markers:
        """Return the markers of ``span``, or the list of ``n`` that they are if it is said several times."""
        markers = self.markers[slice(*span)]
        once = tuple(marker for marker, _ in groupby(markers))
        for some in (markers, once):
            if some == some[: self._n] * (len(some) // self._n):
                return some[: self._n]
        return once

    def follows(self, words: re.Pattern[str], span: Span) -> bool:
        """Whether ``words`` stand before the markers of ``span``."""
        return bool(words.search(self._text, max(0, self.start(span) - 80), self.start(span)))

    def is_stated(self, span: Span) -> bool:
        """Whether the list of ``span`` is said to be the path, in full."""
        gaps = self._gaps[span[0] : span[1] - 1]
        if self.follows(_DENIED, span) or any("/" in marker for marker in self.listed(span)):
            return False
        if any(map(_EITHER.search, gaps)):
            return False
        if len(self.listed(span)) == self._n:
            return True
        if any(map(_MISSING.search, gaps)):
            return False
        cut = len(self.listed(span)) < self._n and _BROKEN_OFF.match(self._text, self.end(span))
        return not cut and not _REFUSING.search(self._text)

    def of_length(self, span: Span, level: int = 3) -> Iterator[Span]:
        """Yield the spans of ``n`` markers, dividing the text at foreign words, blank lines and then ends of lines."""
        if len(self.listed(span)) == self._n:
            if self._divided(span, 3) == [span] or self._is_stepwise(span) or self._is_narrated(span):
                yield span
        elif level and span[1] - span[0] > self._n:
            for part in self._divided(span, level):
                yield from self.of_length(part, level - 1)

    def of_other_length(self) -> list[Span]:
        """Return the spans that are lists, where ``of_length`` has found none."""
        whole = (0, len(self.markers))
        runs = [part for run in self._divided(whole, 3) for part in self._repeated(run)]
        longest = max(end - start for start, end in runs)
        if longest > 2:
            return [(start, end) for start, end in runs if 2 * (end - start) >= longest]
        return [whole] if self._is_stepwise(whole) or not _WORD.search(_MENTION.sub("", self._text)) else []

    def _is_stepwise(self, span: Span) -> bool:
        """Whether each marker begins a numbered or marked line."""
        return span[1] - span[0] > 2 and all(map(_STEP.search, self._gaps[span[0] : span[1] - 1]))

    def _is_narrated(self, span: Span) -> bool:
        """Whether different markers from the first one on are named, in prose."""
        markers = self.listed(span)
        return markers[0] == self._first and len(set(markers)) == len(markers)

    def _repeated(self, run: Span) -> list[Span]:
        parts = self._divided(run, 2)
        return parts if len({self.markers[slice(*part)] for part in parts}) == 1 else [run]

    def _divided(self, span: Span, level: int) -> list[Span]:
        cuts = [k + 1 for k in range(span[0], span[1] - 1) if self._apart[k] >= level]
        return list(pairwise((span[0], *cuts, span[1])))


def _marker(match: re.Match[str]) -> str:
    color, shape = (match[1], match[2]) if match[1] else (match[4] or match[6], match[3] or match[5])
    color = color.replace("-", " ")
    shade, _, hue = color.partition(" ")
    plain = color if color in _COLORS or shade not in _SHADES else hue
    return f"{_COLORS.get(plain, plain)} {_SHAPES.get(shape, shape)}"


def _foreign(gap: str) -> bool:
    return not _CONNECTING.issuperset(_WORD.findall(gap))


def _apart(gap: str) -> int:
    """Return what parts two mentions: 3 for a foreign word, 2 for a blank line, 1 for the end of a line or sentence."""
    if _foreign(gap):
        return 3
    if _BLANK_LINE.search(gap):
        return 2
    return 1 if _STOP.search(_NUMBERING.sub("", gap)) else 0
