r"""What one line of a reply says about a graph: a count, pairs of integers, or nothing.

The asked line is "u v". The numbers may stand in brackets or quotes, behind a bullet or a noun ("- region 1, region
0"), be joined by a sign, an arrow or words, and be followed by a comment; several pairs may stand in one line or at its
end. Numbers are pairs only if everything else in the line is of these kinds.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Literal

from planimeter.evals.graph_words import DOUBT, Pair, named, relations, rooted

#: How two numbers are joined: "1 0" (plain), "1, 0" (sign), "1 -> 0" (arrow), by words that say which is the child
#: (nested) or that two faces touch (touch), as a list of neighbours (neighbours; row where no sign parts the first from
#: the others), by a drawn outline (outline), or all numbers in one line (flat).
Link = Literal["plain", "sign", "arrow", "nested", "touch", "neighbours", "row", "outline", "flat"]

#: Bounds on the work on each line: a longer one is prose, or a list of pairs, of which there are at most so many.
_LONGEST, _MOST_PAIRS = 400, 5000
_INTEGER: Final = re.compile(r"[+-]?[0-9]++")
_NUMBER: Final = re.compile(r"(?:(?<![\w.)\]+-])[+-])?(?<![\w.])[0-9]++(?!\w|\.\d)")
#: "A B", "1 root": two names, of which at least one is no number.
_NAMED_PAIR: Final = re.compile(r"([A-Z]|[0-9]++)(\s*(?:->|\u2192|,|:|-)\s*|\s+)([A-Z]|[0-9]++)")
_BULLET: Final = re.compile(
    r"\s*(?:(?:[-*+>\u2013]|\(?\d{1,4}[.)]|[\u2022\u00b7\u2023\u25aa\u25e6])\s+|[\u2022\u2023\u25aa\u25e6])"
)
_BRACKETS: Final = " \t()[]{}\"'\u201c\u201d\u2018\u2019"
_ARROW: Final = re.compile(r"-{1,3}>|\u2192|=>|\u21d2|\u27f6|\\(?:long)?rightarrow|\\to")
_SIGN: Final = re.compile(
    r"|[,:/~=&|]|-{1,3}|[\u2013\u2014]|<-{1,3}>|\u2194|\u27f7|\\leftrightarrow|\\[&]|:=|,\s?v\s?=|\|{2}", re.IGNORECASE
)
_COMMENT: Final = re.compile(r"[\s,;.|]*(?:#|//|%|<!--|/\*|\(|\[|<-+|\u2190|[-\u2013\u2014]\s)")
_DASH: Final = re.compile(r"[\s,;.|]*[<\u2190\u2013\u2014-]")
_LABEL: Final = re.compile(r"\s*[A-Za-z][A-Za-z _()]{0,60}?\s?(?::=?|=)\s*(?=[\d(\[{\"'<])")
_NEIGHBOURS: Final = re.compile(r"(\d++)\s*(?:[:|]|->|\u2192|-)\s*\[?\s*(\d++(?:\s*(?:[,\s]|and)\s*\d++)*+)\s*\]?")
_APART: Final = (
    re.compile(r"(?<=[)\]}>\"'])\s*(?:,|;|and|&)?\s*(?=[(\[{<\"'])"),
    re.compile(r"\s*;\s*"),
    re.compile(r"\s*[,\u3001]\s*(?:and\s+)?"),
    re.compile(r"\s*\|\s*"),
    re.compile(r"\s{2,}|\t"),
)
_JOINTS: Final = r"(?:->|\u2192|-{1,2}|[\u2013\u2014:])"
_BRACKETED: Final = r"[(\[{<]\s*\d++\s*[,;\s]\s*\d++\s*[)\]}>]"
#: At least two pairs of one kind behind each other, in a sentence.
_RUN: Final = re.compile(
    rf"{_BRACKETED}(?:\s*(?:,\s*and|[,;]|and|&)?\s*{_BRACKETED})++"
    rf"|(?<![\w.])\d++\s*{_JOINTS}\s*\d++(?:\s*(?:,\s*and|[,;]|and)\s*\d++\s*{_JOINTS}\s*\d++)++"
    r"|(?<![\w.])\d++ \d++(?:\s*(?:,\s*and|[,;])\s*\d++ \d++)++"
    r"|(?<![\w.])\d++ and \d++(?:\s*(?:,\s*and|[,;])\s*\d++ and \d++)++"
)
_CHAIN: Final = re.compile(rf"(?<![\w.])\d++(?:\s*(?:{_JOINTS}|\u2283|\u2282|\u220b|\u2208)\s*\d++){{2,}}+(?![\w.]*\d)")
_RUN_LEAD: Final = re.compile(
    r"(?:[:=({\[]|\b(?:are|is|pairs?|edges?|with|as|adjacen\w+|tree|map|and))\s*[({\[]*\s*$", re.IGNORECASE
)

_WORDS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_COUNTED: Final = r"(?:regions?|faces?|curves?|nodes?|loops?|areas?)"
_HOW_MANY: Final = rf"(?P<{{}}>(?<![\w.])\d++|\b(?:{'|'.join(_WORDS)})\b)"
#: "5 regions", "n = 5", "the number of faces without the unbounded one is 5".
_COUNT: Final = re.compile(
    rf"{_HOW_MANY.format('before')}\s(?:(?:bounded|closed|inner|interior|distinct|separate|different|nested|finite|such)\s){{0,2}}"
    rf"{_COUNTED}\b(?!\s*\d)"
    rf"|\b(?:n|k|m|f|r|count|total|size|number|regions|faces|curves|nodes|loops"
    rf"|areas)\b(?:(?:\s(?:of|the|closed|bounded|without|excluding|{_COUNTED}|root|unbounded|one|\w+\))|\s?\([^()\d]{{0,60}}\)){{0,8}})"
    rf"\s?(?:[:=]|\bis\b|\bare\b)\s?{_HOW_MANY.format('after')}(?!\.?\d|\s?[-,/(]\s?\d|\s\d)",
    re.IGNORECASE,
)
_MANY: Final = re.compile(rf"(?<![\w.])\d++(?!\w|\.\d)|\b(?:{'|'.join(_WORDS[2:])})\b", re.IGNORECASE)
_EACH_IN_NEXT: Final = re.compile(
    r"\beach\b[^.;]{0,60}\b(?:in(?:side)?|within|contain\w*|enclos\w+|surround\w+|holds?)\b[^.;]{0,30}"
    r"\b(?:next|previous|one\s(?:before|after))\b|\bconcentric\b",
    re.IGNORECASE,
)
_NONE_IN_OTHER: Final = re.compile(
    r"\b(?:none|no\s(?:curve|one|region))\b[^.;]{0,40}\b(?:in(?:side)?|within|contain\w*|enclos\w+)\b[^.;]{0,20}"
    r"\b(?:other|another|any)\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:or|not|but|except|maybe|perhaps|probably|if|some|left|right|top|bottom|two|pairs?|groups?)\b|\?",
    re.IGNORECASE,
)
_INCLUSIVE: Final = re.compile(
    r"\b(?:includ(?:ing|es|ed)|incl|counting|with)\b\W{1,2}(?:the\s)?(?:root|unbounded|outer|outside|exterior|background)",
    re.IGNORECASE,
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
_ALONE: Final = re.compile(
    rf"[\s*>\"'(\[\u2022\u25aa\u25e6]*(?:[-\u2013]\s)?({'|'.join(_WORDS)}|\d++)(?:[\s.,:;)\]\"']|\\)*(?:(?:#|//|%|\(|<-+|\u2190|[-\u2013\u2014]\s)\D*)?",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(r"\s*(\d++)\s*[:;,]\s*(?=\D)")
#: What may stand before a count that is about the whole picture.
_LEAD: Final = re.compile(
    r"\W*+(?:(?:so|there|are|is|i|see|count|find|we|have|in|total|of|the|a|picture|image|figure|plot|map|shows|contains|has"
    r"|it|this|answer|my|final|result|tree|graph|here|with)\b\W*+){0,9}",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What a line says: ``pairs``, child first where words state it, joined by ``link``; or a ``count``; or both.

    ``alone``: the count is a number and nothing else. ``inclusive``: it is said to include the root or the unbounded
    face. ``broken``: the line looks like a pair or a count and is none. ``aside``: it belongs to a list and adds
    nothing to it ("2: none"). If it is none of these, it is prose.
    """

    pairs: tuple[Pair, ...] = ()
    link: Link = "plain"
    count: str = ""
    alone: bool = False
    inclusive: bool = False
    broken: bool = False
    aside: bool = False


@dataclass(kw_only=True, slots=True)
class Listing:
    """Pairs of integers, as text, with the kinds of their ``links``, and the ``count`` that stands with them, if any.

    ``inclusive``: the count is said to include the root or the unbounded face. ``parent_first``: as words state.
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
    bare = named(text)
    for version in dict.fromkeys((bare, named(rooted(text)))) if len(text) <= _LONGEST else ():
        mark = _BULLET.match(version)
        for part in (version[mark.end() :], version) if mark else (version,):
            pair = pair_of(part)
            if pair:
                return Line(pairs=(pair[0],), link=pair[1])
    if rooted(text).strip(_BRACKETS + ",:.-") == "0":
        return Line(aside=True)
    bullet = _BULLET.match(text)
    count = _alone(text) or (bullet and _alone(text[bullet.end() :]))
    if count:
        return count
    numbers = len(_NUMBER.findall(bare))
    if numbers > 2 or (numbers and re.search(r"[\[{|]", text)):
        several = _several(text)
        if several:
            return several
    return (bullet and _said(text[bullet.end() :])) or _said(text) or _other(text if numbers == 1 else bare, numbers)


def _other(text: str, numbers: int) -> Line:
    words = len(_LETTERS.findall(text[:_LONGEST]))
    return Line(broken=words < (3 if numbers > 1 else numbers) and not re.search(r"\d/\d|\d%", text))


def label(number: str) -> str:
    """Return an integer as Python would write it, of any length: ``int`` refuses more than some thousand digits."""
    digits = number.lstrip("+-").lstrip("0")
    return "-" * number.startswith("-") + digits if digits else "0"


def pair_of(text: str) -> tuple[Pair, Link] | None:
    """Return the two numbers that ``text`` joins by a sign, and their link."""
    letters = _NAMED_PAIR.fullmatch(text.strip(_BRACKETS + ",;.")) if len(text) < 40 else None
    if letters and not (letters[1].isdigit() and letters[3].isdigit()):
        return (label(letters[1]), label(letters[3])), "plain"
    u = _NUMBER.search(text[:_LONGEST])
    v = _NUMBER.search(text[:_LONGEST], u.end()) if u else None
    if not u or not v or text[: u.start()].strip(_BRACKETS + "<|:,-"):
        return None
    between = text[u.end() : v.start()]
    middle = between.strip(_BRACKETS)
    pair = label(u[0]), label(v[0])
    if _ARROW.fullmatch(middle):
        link: Link = "arrow"
    elif _SIGN.fullmatch(middle):
        link = "sign" if middle or between.strip() or text[: u.start()].strip() else "plain"
    elif middle == "and":
        link = "touch"
    else:
        return None
    tail = text[v.end() :]
    if middle == ":" and relations(f"{pair[0]} {tail}"):
        return None  # "3: 2, then 1 -> parent 2" is a sentence
    return (pair, link) if _is_comment(tail, pair) else None


def _is_comment(tail: str, pair: Pair) -> bool:
    """Whether what follows a pair is nothing, or a comment that neither doubts the pair nor states another one."""
    text = tail.strip(_BRACKETS + ">,;.|\\&")
    if not text:
        return "..." not in tail
    if len(text) > _LONGEST or DOUBT.search(text) or not _LETTERS.search(text):
        return False
    if not _NUMBER.search(text):
        return True
    links = relations(text.lstrip("#/%<!-*\u2190 ")) or relations(f"{pair[0]} {text}")
    if links and links[1] == "nested" and any(child == pair[0] for child, _ in links[0]):
        return pair in links[0]
    words = len(_LETTERS.findall(text))
    return bool(_COMMENT.match(tail)) and words > bool(_DASH.match(tail))


def _several(text: str) -> Line | None:
    """Return the pairs of "(1, 0), (2, 1)", "1-0; 2-1", "3 1 0 2 1 3 0", "0: 1, 2", or of a row of a table."""
    label_before = _LABEL.match(text)
    body = named(text[label_before.end() :] if label_before else text).strip(" \t.,;|")
    flat = body.split()
    if all(map(_INTEGER.fullmatch, flat)):
        return _flat([label(number) for number in flat])
    neighbours = _NEIGHBOURS.fullmatch(body)
    if neighbours:
        others = _NUMBER.findall(neighbours[2])
        return Line(pairs=tuple((label(neighbours[1]), label(other)) for other in others), link="neighbours")
    cells = [cell.strip(_BRACKETS) for cell in body.split("|")]
    numbers = [cell for cell in cells if _INTEGER.fullmatch(cell)]
    if len(cells) > 2 and len(numbers) == 2 and not any(_NUMBER.search(cell) for cell in cells if cell not in numbers):
        return Line(pairs=((label(numbers[0]), label(numbers[1])),), link="sign")
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
    pairs = [pair_of(piece) for piece in pieces[bool(count) :]]
    links = {pair[1] for pair in pairs if pair}
    if not all(pairs) or len(links) != 1 or (links == {"plain"} and len(pairs) == 1 and not count):
        return None
    link = links.pop()
    return Line(pairs=tuple(pair[0] for pair in pairs if pair), link="sign" if link == "plain" else link, count=count)


def _flat(numbers: list[str]) -> Line | None:
    """Return "3 1 0 2 1 3 0", a count and pairs of all numbers up to it, or "0 1 2", a face and its neighbours."""
    count = len(numbers) // 2
    if count > _MOST_PAIRS or any(number.startswith("-") or len(number) > 4 for number in numbers):
        return None
    if len(numbers) % 2 and {*numbers[1:]} == {str(k) for k in range(int(numbers[0]) + 1)}:
        return Line(pairs=tuple(zip(numbers[1::2], numbers[2::2], strict=True)), link="flat", count=numbers[0])
    if len({*numbers}) < len(numbers):
        return None
    return Line(pairs=tuple((numbers[0], other) for other in numbers[1:]), link="row")


def _alone(text: str) -> Line | None:
    """Return the count of a line with one number and nothing else, but a comment without numbers."""
    match = _ALONE.fullmatch(text) if len(text) <= _LONGEST else None
    if not match or DOUBT.search(text):
        return None
    return Line(count=_number(match[1]), alone=True, inclusive=bool(_INCLUSIVE.search(text)))


def _said(text: str) -> Line | None:
    """Return what the sentences of a line say: a count, pairs in a row, a chain, or relations in words."""
    counts = {_number(match["before"] or match["after"]) for match in _COUNT.finditer(text[: 10 * _LONGEST])}
    first = _COUNT.search(text)
    rest = _COUNT.sub(" ", text[: 100 * _LONGEST])
    pairs, link = _in_sentence(rest)
    number = None if pairs else _FIRST.match(text)
    if number:
        pairs, link = _in_sentence(text[number.end() :])
        counts |= {label(number[1])} if pairs else set()
    if len(counts) > 1 or (pairs is None and not counts):
        return None
    if (
        pairs is None
        and first
        and (_NUMBER.search(rest) or DOUBT.search(text) or not _LEAD.fullmatch(text[: first.start()]))
    ):
        return None
    count = counts.pop() if counts else ""
    inclusive = bool(_INCLUSIVE.search(text))
    return Line(pairs=tuple(pairs or ()), link=link, count=count, inclusive=inclusive, aside=not count and not pairs)


def alike(text: str) -> Listing | None:
    """Return the tree of a text that says of a number of curves that each lies in the next, or none in another."""
    counts = {_number(match[0]) for match in _MANY.finditer(text)} if len(text) <= _LONGEST else set()
    nested, apart = _EACH_IN_NEXT.search(text), _NONE_IN_OTHER.search(text)
    if len(counts) != 1 or bool(nested) == bool(apart) or _UNSURE.search(text):
        return None
    count = counts.pop()
    curves = range(1, min(int(count), _MOST_PAIRS) + 1)
    pairs = [(str(k), str(k - 1) if nested else "0") for k in curves]
    return Listing(pairs=pairs, links={"outline" if nested else "nested"}, count=count)


def _number(digits: str) -> str:
    return label(digits) if digits[0].isdigit() else str(_WORDS.index(digits.lower()))


def _in_sentence(text: str) -> tuple[list[Pair] | None, Link]:
    run = next(reversed([*_RUN.finditer(text)]), None)
    chain = None if run else _CHAIN.search(text)
    match = run or chain
    if match is None:
        verbal = relations(text)
        return verbal if verbal else (None, "nested")
    before, after = text[: match.start()], text[match.end() :]
    if (
        DOUBT.search(before + after)
        or _NUMBER.search(after)
        or (_NUMBER.search(before) and not _RUN_LEAD.search(before))
    ):
        return None, "sign"
    numbers = [label(number) for number in re.findall(r"\d++", match[0])]
    if run:
        link: Link = "touch" if "and" in re.sub(r",\s*and|[)\]}>]\s*and", "", run[0]) else "sign"
        return list(zip(numbers[::2], numbers[1::2], strict=True)), link
    steps = list(pairwise(numbers))
    if re.search("[\u2283\u220b]", match[0]):
        return [(child, parent) for parent, child in steps], "nested"
    return steps, "nested" if re.search("[\u2282\u2208]", match[0]) else "sign"
