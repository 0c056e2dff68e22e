"""Reads the list of markers that a reply states, in whatever form it stands: prose, steps, a table, JSON.

Every mention of a marker is located; what stands between two of them says how closely they belong together. The row
knows how many markers the path has: of several runs of mentions, the one of that length is the list.
"""

import re
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Final

from planimeter.evals.answers import CORRECTION, Parsed, corrected
from planimeter.items import MARKER_COLORS, MARKER_SHAPES

Markers = tuple[str, ...]

#: What models write for a color or a shape, in the protocol's words.
_COLORS: Final = {
    **{color: color for color in MARKER_COLORS},
    **dict.fromkeys(("turquoise", "aqua", "teal", "lightblue", "skyblue", "light blue", "sky blue"), "cyan"),
    **dict.fromkeys(("scarlet", "crimson"), "red"),
    "violet": "purple",
    "navy": "blue",
    "lime": "green",
}
_SHAPES: Final = {
    **{shape: shape for shape in MARKER_SHAPES},
    **dict.fromkeys(("triangle", "triangular"), "tri"),
    **dict.fromkeys(("disc", "disk", "dot"), "circle"),
    "cross": "plus",
}
#: Others are kept, so that those behind them keep their positions; they equal no marker.
_FOREIGN_COLORS: Final = ("pink", "magenta", "black", "white", "gray", "grey", "gold", "golden", "maroon", "tan")
_FOREIGN_SHAPES: Final = ("diamond", "pentagon", "hexagon", "heart", "rectangle", "oval", "ellipse")
_SHADES: Final = ("light", "pale", "sky", "dark", "deep", "bright")
_FILLING: Final = ("colored", "coloured", "filled", "solid", "shaped", "small", "large", "pointed", "five", "upward")


def _any(words: tuple[str, ...]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_HUE: Final = rf"(?:{_any((*_COLORS, *_FOREIGN_COLORS))})(?![a-z])"
_COLOR: Final = rf"(?<![a-z])(?:(?:{_any(_SHADES)})[ -])?(?:{_HUE}[ /-])?{_HUE}"
_SHAPE: Final = rf"(?<![a-z])(?:{_any((*_SHAPES, *_FOREIGN_SHAPES))})(?![a-z])"
_FILLED: Final = rf"(?:[ -]{{1,3}}(?:{_any(_FILLING)})(?![a-z])){{0,3}}"
#: Between the cells of a table row, the members of a pair, or those of a JSON object.
_KEY: Final = r"\s{0,9}[\"']?(?:colou?r|shape)[\"']?\s?[:=]\s?[\"']?"
_APART: Final = rf"[ \t\"']{{0,3}}(?:[,|:/_(=-][ \t\"']{{0,3}})?(?:{_KEY})?"
_ASIDE: Final = r"(?: ?[(\[] ?| ?[-/:_] ?| (?:(?:in|colou?red|that is) )?)"
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
#: What is said of a list that is not the path, or its reverse.
_DENIED: Final = re.compile(
    r"(?:\bnot(?!\s(?:\w{1,12}\s)?(?:sure|certain|clear))|n['’]t|\brevers\w{1,9}|\bbackwards?)\b[^.,;\n]{0,40}\Z"
)
_CONCLUDING: Final = re.compile(
    r"\b(?:final(?:ly)?|answer|so|thus|therefore|hence|overall|result|full|complete|whole)\b"
)

Span = tuple[int, int]


def listed(text: str, n: int) -> Parsed[Markers] | None:
    """Return the list of ``n`` markers that ``text`` states, or else its only list of another length.

    None where no marker is named. A marker that is named twice in a row counts once if that makes ``n`` of them: chains
    of steps name each as an end and as a start.
    """
    text = text.lower()
    mentions = _Mentions(text)
    if not mentions.markers:
        return None
    spans = list(mentions.of_length(n)) or mentions.of_other_length(n)
    spans = [
        span for span in spans if not _DENIED.search(text, max(0, mentions.start(span) - 80), mentions.start(span))
    ]
    if not spans:
        return Parsed(value=None, reason="no plain list")
    last = mentions.listed(spans[-1], n)
    for span in spans[:-1]:
        between = text[mentions.end(span) : mentions.start(spans[-1])]
        if mentions.listed(span, n) != last and not (CORRECTION.search(between) or _CONCLUDING.search(between)):
            return Parsed(value=None, reason="several lists")
    return corrected(Parsed(value=last), text[mentions.end(spans[-1]) :], lambda tail: listed(tail, n), multiline=True)


class _Mentions:
    """The markers that a text names, and what stands between them."""

    def __init__(self, text: str) -> None:
        self._found = list(_MENTION.finditer(text))
        self._bare = not any(map(_foreign, _MENTION.split(text)[:: _MENTION.groups + 1]))
        self._apart = [_apart(text[one.end() : other.start()]) for one, other in pairwise(self._found)]
        self.markers = tuple(map(_marker, self._found))

    def start(self, span: Span) -> int:
        return self._found[span[0]].start()

    def end(self, span: Span) -> int:
        return self._found[span[1] - 1].end()

    def listed(self, span: Span, n: int) -> Markers:
        """Return the markers of ``span``, or the list of ``n`` that they are if it is said several times."""
        markers = self.markers[slice(*span)]
        once = tuple(marker for marker, _ in groupby(markers))
        for some in (markers, once):
            if some == some[:n] * (len(some) // n):
                return some[:n]
        return once

    def of_length(self, n: int, first: int = 0, last: int | None = None, level: int = 3) -> Iterator[Span]:
        """Yield the spans of ``n`` markers, dividing the text at foreign words, blank lines and then ends of lines."""
        span = (first, len(self.markers) if last is None else last)
        if len(self.listed(span, n)) == n:
            yield span
        elif level and span[1] - span[0] > n:
            for part in self._divided(span, level):
                yield from self.of_length(n, *part, level - 1)

    def of_other_length(self, n: int) -> list[Span]:
        """Return the spans that are long enough to be lists, of which ``of_length`` has found none."""
        whole = (0, len(self.markers))
        runs = [part for run in self._divided(whole, 3) for part in self._repeated(run)]
        longest = max(end - start for start, end in runs)
        if longest > 1 and 2 * longest >= min(n, len(self.markers)):
            return [(start, end) for start, end in runs if 2 * (end - start) >= longest]
        return [whole] if self._bare or 2 * len(self.markers) >= n else []

    def _repeated(self, run: Span) -> list[Span]:
        parts = self._divided(run, 2)
        return parts if len({self.markers[slice(*part)] for part in parts}) == 1 else [run]

    def _divided(self, span: Span, level: int) -> list[Span]:
        cuts = [k + 1 for k in range(span[0], span[1] - 1) if self._apart[k] >= level]
        return list(pairwise((span[0], *cuts, span[1])))


def _marker(found: re.Match[str]) -> str:
    color, shape = (found[1], found[2]) if found[1] else (found[4] or found[6], found[3] or found[5])
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
