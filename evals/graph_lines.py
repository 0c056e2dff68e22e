r"""What one line of a reply says about a graph: a count, pairs of integers, or nothing.

The asked line is "u v". The numbers may stand in brackets or quotes, behind a bullet or a noun ("- region 1, region
0"), be joined by a sign, an arrow or words that say which is the child, and be followed by a comment; several pairs
may stand in one line. Two numbers are a pair only if everything else in the line is of these kinds.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

#: How two numbers are joined: "1 0" (plain), "1, 0" (sign), "1 -> 0" (arrow), by words that say which is the child
#: (nested) or that two faces touch (touch), as a list of neighbours (neighbours), or all numbers in one line (flat).
Link = Literal["plain", "sign", "arrow", "nested", "touch", "neighbours", "flat"]
Pair = tuple[str, str]

#: Bounds on the work on each line: a longer one is prose, or a list of pairs, of which there are at most so many.
_LONGEST, _MOST_PAIRS = 400, 5000
_INTEGER: Final = re.compile(r"[+-]?[0-9]++")
_NUMBER: Final = re.compile(r"(?:(?<![\w.)\]+-])[+-])?(?<![\w.])[0-9]++(?!\w|\.\d)")
#: "R1", "#1", "region 1": what stands directly before a number and only names it.
_NAME: Final = re.compile(
    r"\b[RFNCVL]_?(?=\d)|#(?=\d)|\b(?:the|regions?|nodes?|faces?|curves?|loops?|circles?|shapes?|vert(?:ex|ices)|edges?"
    r"|lines?|pairs?|numbered|number|id)\b",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(
    r"\s*(?:(?:[-*+>\u2013]|\(?\d{1,4}[.)]|[\u2022\u00b7\u2023\u25aa\u25e6])\s+|[\u2022\u2023\u25aa\u25e6])"
)
_BRACKETS: Final = " \t()[]{}\"'\u201c\u201d\u2018\u2019"
_ARROW: Final = re.compile(r"-{1,3}>|\u2192|=>|\u21d2|\u27f6|\\(?:long)?rightarrow|\\to")
_SIGN: Final = re.compile(
    r"|[,:/~=&|]|-{1,3}|[\u2013\u2014]|<-{1,3}>|\u2194|\u27f7|\\leftrightarrow|\\[&]|:=|,\s?v\s?=|\|{2}", re.IGNORECASE
)
_FILL = (
    r"(?:(?:is|lies|lying|sits|are|located|directly|immediately|just|has|have|with|its|whose|a|an|as|s|of|and|->"
    r"|\u2192|=)\s)*+"
)
_INSIDE = (
    r"(?:inside|within|in|under|below|(?:contained|nested|enclosed|surrounded)\s(?:in(?:side)?|by|within))(?:\sof)?"
)
_NESTED: Final = re.compile(
    rf"(?:child\s)?1\s{_FILL}{_INSIDE}\s0|1\s{_FILL}child\sof\s0|(?:child\s)?1\s{_FILL}parent\s(?:is\s|=\s)?0"
    r"|parent\s(?:of\s)?1\s(?:is\s|=\s)?0"
)
_NESTING: Final = re.compile(
    rf"(?:parent\s)?1\s{_FILL}(?:(?:contains|encloses|holds|surrounds|child(?:ren)?|parent\sof)\s)++0"
)
_TOUCHING: Final = re.compile(
    r"1\s(?:is\s|are\s)?(?:and|adjacent\s(?:to|with)|next\sto|touch(?:es|ing)|borders?(?:\son)?|bordering"
    r"|neighbou?rs?(?:\sof)?|meets?|connected\s(?:to|with)|shares?\s[a-z ]{1,40}with)\s0"
)
_HARD_COMMENT: Final = re.compile(r"[\s,;.|]*(?:#|//|%|<!--|/\*|\(|\[)")
_DOUBT: Final = re.compile(
    r"\b(?:or|not|never|actually|wait|should|wrong|maybe|perhaps|probably|possibly|instead|unsure|unless|except|no(?=,))\b|\?"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"\s*[A-Za-z][A-Za-z _()]{0,60}?\s?(?::=?|=)\s*(?=[\d(\[{\"'<])")
_NEIGHBOURS: Final = re.compile(
    rf"({_INTEGER.pattern})\s*(?::|->|\u2192|-)\s*({_INTEGER.pattern}(?:\s*[,\s]\s*{_INTEGER.pattern})*+)\s*"
)
_APART: Final = (
    re.compile(r"(?<=[)\]}>\"'])\s*(?:,|;|and|&)?\s*(?=[(\[{<\"'])"),
    re.compile(r"\s*;\s*"),
    re.compile(r"\s*[,\u3001]\s*(?:and\s+)?"),
    re.compile(r"\s*\|\s*"),
    re.compile(r"\s{2,}|\t"),
)

_WORDS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_WORD: Final = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_COUNTED = r"(?:regions?|faces?|curves?|nodes?|loops?|areas?)"
_COUNT: Final = re.compile(
    rf"(?:(?:there\sare|there\sis|i\s(?:see|count|find|get)|we\shave|so|in\stotal|a?\s?total(?:\sof)?)\s){{0,3}}"
    rf"0\s(?:[a-z-]+\s){{0,3}}?{_COUNTED}(?:\s\D*)?"
    rf"|(?:[a-z]+\s){{0,3}}?(?:n|k|m|count|total|size|regions|faces|curves|nodes|loops|areas)\s(?:[^\d]{{0,60}}\s)??"
    rf"(?:is\s|are\s)?0(?:\s{_COUNTED})?(?:\s\D*)?",
    re.IGNORECASE,
)
_INCLUSIVE: Final = re.compile(
    r"\b(?:includ(?:ing|es|ed)|incl|counting|with)\b\W{1,2}(?:the\s)?(?:root|unbounded|outer|outside|exterior|background)",
    re.IGNORECASE,
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What a line says: ``pairs``, child first where words tell, joined by ``link``; or a ``count``; or nothing.

    ``alone``: the count is a number and nothing else. ``inclusive``: it is said to include the root or the unbounded
    face. ``broken``: the line looks like a pair or a count and is none; otherwise it is prose.
    """

    pairs: tuple[Pair, ...] = ()
    link: Link = "plain"
    count: str = ""
    alone: bool = False
    inclusive: bool = False
    broken: bool = False


PROSE: Final = Line()


@dataclass(kw_only=True, slots=True)
class Listing:
    """Pairs of integers, as text, with the kinds of their ``links``, and the ``count`` that stands with them, if any.

    ``inclusive``: the count is said to include the root or the unbounded face. ``parent_first``: words say so.
    ``broken``: a line among the pairs is none, or two counts differ. ``lead``: the prose before it.
    """

    pairs: list[Pair] = field(default_factory=list)
    links: set[Link] = field(default_factory=set)
    count: str = ""
    inclusive: bool = False
    parent_first: bool = False
    broken: bool = False
    lead: str = ""

    @property
    def plain(self) -> bool:
        """Whether it is in the asked form: a count, and lines "u v"."""
        return bool(self.count) and self.links <= {"plain"} and not self.parent_first


def line_of(text: str) -> Line:
    """Return what a line says; Markdown is taken off it before."""
    parts = text.split()
    if parts and len(parts) <= 2 and all(map(_INTEGER.fullmatch, parts)):
        if len(parts) == 1:
            return Line(count=label(parts[0]), alone=True)
        return Line(pairs=((label(parts[0]), label(parts[1])),))
    named = _NAME.sub(" ", text)
    numbers = _NUMBER.findall(named)
    if len(numbers) < 2:
        words = len(_LETTERS.findall(named[:_LONGEST]))
        return _counted(text) or (Line(broken=True) if numbers and not words else PROSE)
    bullet = _BULLET.match(named)
    for part in (named[bullet.end() :], named) if bullet else (named,):
        found = pair_of(part)
        if found:
            return Line(pairs=(found[0],), link=found[1])
    several = _several(text) if len(numbers) > 2 or "[" in text or "{" in text else None
    if several:
        return several
    return Line(broken=True) if len(text) > _LONGEST or len(_LETTERS.findall(named)) < 3 else PROSE


def label(number: str) -> str:
    """Return an integer as Python would write it, of any length: ``int`` refuses more than some thousand digits."""
    digits = number.lstrip("+-").lstrip("0")
    return "-" * number.startswith("-") + digits if digits else "0"


def pair_of(text: str) -> tuple[Pair, Link] | None:
    """Return the two numbers that ``text`` joins, child first where words tell, and their link."""
    if len(text) > _LONGEST:
        return None
    u = _NUMBER.search(text)
    v = _NUMBER.search(text, u.end()) if u else None
    if not u or not v:
        return None
    link = _link(text[: u.start()], text[u.end() : v.start()])
    pair = label(u[0]), label(v[0])
    if link is None or not _is_comment(text[v.end() :], pair):
        return None
    return (pair[::-1], "nested") if link == "nesting" else (pair, link)


def _link(before: str, between: str) -> Link | Literal["nesting"] | None:
    head, middle = before.strip(_BRACKETS + "|:,-"), between.strip(_BRACKETS)
    if not head and not middle:
        return "plain" if not before.strip() and not between.strip() else "sign"
    if not head and _ARROW.fullmatch(middle):
        return "arrow"
    if not head and _SIGN.fullmatch(middle):
        return "sign"
    said = " ".join(re.sub(r"[^\w=\u2192>-]|(?<!-)>|-(?!>)", " ", f"{head} 1 {between} 0").lower().split())
    if _NESTED.fullmatch(said):
        return "nested"
    if _NESTING.fullmatch(said):
        return "nesting"
    return "touch" if _TOUCHING.fullmatch(said) else None


def _is_comment(tail: str, pair: Pair) -> bool:
    """Whether what follows a pair is nothing, or a comment that neither doubts the pair nor states another one."""
    text = tail.strip(_BRACKETS + ",;.|\\&")
    if not text:
        return True
    if _DOUBT.search(text) or not _LETTERS.search(text):
        return False
    other = pair_of(text.lstrip("#/%<!-*"))
    if other and other[0] != pair and other[1] == "nested":
        return False
    return bool(_HARD_COMMENT.match(tail)) or not _NUMBER.search(text)


def _several(text: str) -> Line | None:
    """Return the pairs of "(1, 0), (2, 1)", "1-0; 2-1" or "3 1 0 2 1 3 0"; a number alone may stand before them."""
    named = _LABEL.match(text)
    body = _NAME.sub(" ", text[named.end() :] if named else text).strip(" \t.,;|")
    flat = body.split()
    if all(map(_INTEGER.fullmatch, flat)):
        return _flat([label(number) for number in flat])
    neighbours = _NEIGHBOURS.fullmatch(body)
    if neighbours:
        others = _NUMBER.findall(neighbours[2])
        return Line(pairs=tuple((label(neighbours[1]), label(other)) for other in others), link="neighbours")
    while body[:1] in "[{(" and body[-1:] in "]})" and _NUMBER.match(body[1:].strip()) is None:
        body = body[1:-1].strip(" \t,;")
    inner = body[1:-1] if body[:1] in "[{(" and body[-1:] in "]})" and not re.search(r"[)\]}]", body[1:-1]) else body
    for apart in _APART:
        pieces = [piece for piece in apart.split(inner) if piece.strip(_BRACKETS)]
        if 1 < len(pieces) <= _MOST_PAIRS and (line := _listed(pieces)):
            return line
    return None


def _listed(pieces: list[str]) -> Line | None:
    first = pieces[0].strip(_BRACKETS)
    count = label(first) if _INTEGER.fullmatch(first) else ""
    found = [pair_of(piece) for piece in pieces[bool(count) :]]
    links = {pair[1] for pair in found if pair}
    if not all(found) or len(links) != 1 or (links == {"plain"} and len(found) == 1 and not count):
        return None
    link = links.pop()
    return Line(pairs=tuple(pair[0] for pair in found if pair), link="sign" if link == "plain" else link, count=count)


def _flat(numbers: list[str]) -> Line | None:
    """Return "3 1 0 2 1 3 0" as a count and the pairs behind it, if the count is theirs."""
    count = len(numbers) // 2
    if len(numbers) % 2 == 0 or count > _MOST_PAIRS or numbers[0] != str(count):
        return None
    pairs = tuple(zip(numbers[1::2], numbers[2::2], strict=True))
    return Line(pairs=pairs, link="flat", count=numbers[0])


def _counted(text: str) -> Line | None:
    """Return the count of "5 regions", "n = 5", "There are five curves (without the root)"."""
    if len(text) > _LONGEST:
        return None
    number = _NUMBER.search(text)
    word = None if number else _WORD.search(text)
    where = number or word
    if where is None:
        return None
    count = label(number[0]) if number else str(_WORDS.index(word[0].lower())) if word else ""
    before, after = text[: where.start()], text[where.end() :]
    if re.search(r"[<>\u2264\u2265~\u2248%]\s*$", before) or re.match(r"\s*[%+]", after):
        return None
    if not re.search(r"\w", before + after):
        return Line(count=count, alone=True)
    said = " ".join(re.sub(r"[^\w]", " ", f"{before} \0 {after}".replace("\0", " 0 ")).split())
    if not _COUNT.fullmatch(said) or _DOUBT.search(text):
        return None
    return Line(count=count, inclusive=bool(_INCLUSIVE.search(text)))
