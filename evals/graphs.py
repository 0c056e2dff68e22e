r"""Reads a graph from a piece of a reply: a count, and pairs of integers in the ways in which models write them.

A list may be JSON (see ``graph_json``) or lines (see ``graph_lines``), with a count before it, behind it or none, and
prose around it. A list that is written several times must be the same each time, unless the last is said to be the
final one. What a pair means, and whether the pairs are a graph of the kind asked for, is the suite's to say.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from planimeter.evals.answers import SEVERAL, TAKEN_BACK, Parsed, answer_of, takes_back, turns, untagged
from planimeter.evals.graph_json import json_graph
from planimeter.evals.graph_lines import Line, Listing, alike, line_of
from planimeter.evals.graph_words import Pair, named, relations, rooted
from planimeter.evals.places import Row
from planimeter.evals.wrapping import outside_reasoning, undecorated, visible

Value = TypeVar("Value")
Edges = frozenset[tuple[int, int]]

#: The asked form and nothing else; the group is what stands between the tags.
PLAIN_GRAPH: Final = re.compile(
    r"<answer>\n?((?:0|[1-9][0-9]*+)(?:\n(?:0|[1-9][0-9]*+) (?:0|[1-9][0-9]*+))*+)\n?</answer>"
)

#: Reasons, in words that do not vary.
NOT_A_PAIR: Final = "line is not two integers"
NO_LIST: Final = "no list of pairs"

#: A reply of more lines is no answer: bounds the work on it.
_MOST_LINES: Final = 10_000
#: What stands before a line in a drawn tree.
_INDENT: Final = " \t\u2502\u251c\u2514\u2500"
_WORDS: Final = frozenset({"nested", "touch"})

#: What may stand before the number of a line: blanks, bullets, and the lines of a drawn tree.
_DRAWN: Final = re.compile(r"[\s\u2500-\u257f|`+*\u2022\u25aa\u25e6\u2013>-]*")
_NODE: Final = re.compile(r"[\W_]*(\d{1,6})(?:\W\D{0,80})?")
#: Stands for a blank of a deep indent.
_DEEP: Final = "\u2502"
_DEEP_INDENT: Final = re.compile(r"^[ \t]{4,64}(?=\S)", re.MULTILINE)

_PARENT_FIRST: Final = re.compile(
    r"\bparents?\b\W{0,6}(?:to\W{0,3})?\bchild|\b(?:outer|container)\b\W{0,6}\binner\b|\bu\b[^.\n]{0,20}\bparent of\b",
    re.IGNORECASE,
)
_CHILD_FIRST: Final = re.compile(
    r"\bchild(?:ren)?\b\W{0,6}(?:to\W{0,3})?\bparent|\binner\b\W{0,6}\b(?:outer|container)\b"
    r"|\bv\b[^.\n]{0,20}\bparent of\b",
    re.IGNORECASE,
)
_LATEX_BLANK: Final = re.compile(r"\\(?:q?quad\b|[ ;:])|~")
_QUOTED: Final = re.compile(r"^[ \t]{0,8}(?:>[ \t]{0,8})+", re.MULTILINE)
_ENDED: Final = re.compile(r"(?:[.!)\]}\u3002]|\d)[\s*_`\"'\u201d]*\Z")
_RELATES: Final = re.compile(
    r"[\s*+\u2022-]{0,12}((?:is\s|lies\s)?(?:adjacent|touches|borders|neighbou?rs|inside|within|in|contains|parent|child(?:ren)?)\b)",
    re.IGNORECASE,
)
_MORE: Final = re.compile(r"[\W_]*(?:\.{3}|\u2026|etc|and\sso\son)[\W_]*", re.IGNORECASE)
#: A line without numbers that belongs to the list: a heading, a comment, a bracket, the rule of a table.
_WITHIN: Final = re.compile(r"\s*[#/%(<|`~\[\]{}=-][^\n]*|[^\n]{0,60}:\s*|\W*")


# A gold answer is read leniently, strictly and as its row's own.
@lru_cache(maxsize=4)
def graph_answer(reply: str, build: Callable[[Listing], Parsed[Value]], prompt: str) -> Parsed[Value]:
    """Return what ``build`` makes of the list that ``reply`` marks as its answer, or else of the one in its text.

    The example of the ``prompt``, called so, is no answer.
    """
    # Long blanks are shortened: a sign stands for each blank of a deep indent, as in a drawn tree.
    deep = _DEEP_INDENT.sub(lambda blanks: _DEEP * len(blanks[0].expandtabs(4)), reply)
    text = _example(prompt).sub(" ", visible(deep))
    if not text.strip():
        return Parsed(value=None, reason="empty reply")
    refused: Parsed[Value] = Parsed(value=None, reason=NO_LIST)

    def with_pairs(listing: Listing) -> Parsed[Value]:
        """In a text that marks nothing as its answer a number without pairs is no list."""
        return build(listing) if listing.pairs or listing.count == "0" else refused

    parsed = answer_of(text, lambda phrase: graph_of(phrase, build), multiline=True)
    return parsed or graph_of(untagged(text), with_pairs) or refused


@lru_cache
def _example(prompt: str) -> re.Pattern[str]:
    example = r"\s+".join(map(re.escape, PLAIN_GRAPH.findall(prompt)[-1].split()))
    called = r"\b(?:example|(?:in|of|like)\sth(?:is|e)\s(?:form|format))\b"
    return re.compile(rf"{called}[^<]{{0,200}}<answer>\s{{0,8}}{example}\s{{0,8}}</answer>", re.IGNORECASE)


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it, inside the markers."""
    return f"<answer>\n{answer}\n</answer>"


def gold(parsed: Parsed[Value], row: Row) -> Value:
    """Return the value of the answer of ``row``, as ``parsed``. Raises ``ValueError`` if it cannot be read."""
    if parsed.value is None:
        raise ValueError(f"the gold answer cannot be read: {parsed.reason}: {row['answer']!r:.80}")
    return parsed.value


def reward(*, count: bool, graph: bool) -> float:
    """Return 0.3 for the number of nodes and 0.7 for the whole graph (CurveBench, section 5, Reward Design)."""
    return 0.3 * count + 0.7 * graph


def strictly(read: Callable[..., Parsed[Value]]) -> Callable[[str, Row, str, str], Parsed[Value]]:
    """Return the reader of prompt variants: the format of the default prompt, which ``read`` reads; after reasoning in
    the open, where it is asked for.
    """
    return lambda config, row, reply, variant: read(
        config, row, closing(reply) if variant == "reasoned" else reply, strict=True
    )


def closing(reply: str) -> str:
    """Return the answer in tags with which ``reply`` closes after reasoning in the open; ``reply`` without one."""
    text = outside_reasoning(reply)
    before, tag, rest = text.partition("<answer>")
    return tag + rest if "</answer>" not in before else text


def graph_of(text: str, build: Callable[[Listing], Parsed[Value]]) -> Parsed[Value] | None:
    """Return what ``build`` makes of the list in ``text``, or None where there is none.

    A reason is given for: a line among the pairs that is none; several lists that are not the same; a correction behind
    the last list.
    """
    if re.search(r"\d\\n\d", text):  # a line break that was escaped once too often
        text = text.replace("\\n", "\n")
    parsed = json_graph(text.replace(_DEEP, " "))
    if parsed:
        listing, start, end = parsed
        lists = [*_lists(text[:start]), listing, *_lists(text[end:])]
    else:
        lists = _lists(text)
    stated = [listing for listing in lists if listing.pairs or listing.count]
    if any(listing.links and not listing.links & _WORDS for listing in stated):
        # Relations in words beside a list explain it.
        stated = [listing for listing in stated if not listing.links & _WORDS]
    if any(listing.pairs for listing in stated):
        stated = [listing for listing in stated if listing.pairs]
    if not stated or not any(listing.pairs or listing.count == "0" for listing in stated):
        described = alike(text)
        stated = [described] if described else stated
    if not stated:
        return None
    answer = _agreed(stated, build, parent_first=bool(_PARENT_FIRST.search(text) and not _CHILD_FIRST.search(text)))
    behind = lists[-1].lead if lists and lists[-1] is not stated[-1] else ""
    if answer.value is None:
        return answer
    if takes_back(behind):
        return Parsed(value=None, reason=TAKEN_BACK)
    if stated[-1].links & _WORDS and not stated[-1].count and (re.search(r"\d", behind) or not _ENDED.search(text)):
        return Parsed(value=None, reason="sentences without an end")
    return answer


def _agreed(
    lists: Sequence[Listing], build: Callable[[Listing], Parsed[Value]], *, parent_first: bool
) -> Parsed[Value]:
    def built(listing: Listing) -> Parsed[Value]:
        listing.parent_first = parent_first
        return Parsed(value=None, reason=NOT_A_PAIR) if listing.broken else build(listing)

    first = answer = built(lists[0])
    if len(lists) == 1 or lists[0].broken:
        return answer
    for listing in lists[1:]:
        parsed = built(listing)
        if parsed != answer:
            answer = parsed if answer.value is None or turns(listing.lead) else Parsed(value=None, reason=SEVERAL)
    if first.value is None and lists[0].count and not any(part.count or part.broken for part in lists[1:]):
        # A list in parts, of which the count is known.
        pairs = [pair for listing in lists for pair in listing.pairs]
        links = {link for listing in lists for link in listing.links}
        whole = built(Listing(pairs=pairs, links=links, count=lists[0].count, inclusive=lists[0].inclusive))
        answer = whole if whole.value is not None else answer
    return answer


def _lists(text: str) -> list[Listing]:
    """Return the lists in the lines of ``text``; the last may be empty, and its lead is the prose behind the others."""
    text = _LATEX_BLANK.sub(" ", text.replace("\\\\", "\n"))
    lines = [line for line in _QUOTED.sub("", undecorated(text)).split("\n") if line.strip()]
    if len(lines) > _MOST_LINES:
        return [Listing(pairs=[("", "")], broken=True), Listing()]
    nodes = [*map(_node_of, lines)]
    reader = _Reader()
    head, skipped = "", 0
    for k, line in enumerate(lines):
        if k < skipped:
            continue
        drawn = _outline(nodes, k)
        bare = line.lstrip(_INDENT)
        if drawn:
            reader.take(Line(pairs=drawn, link="outline"), "")
            skipped = k + len(drawn) + 1
            continue
        below, stated, node = _below(head, bare), line_of(bare), nodes[k][1]
        reader.take(below or (Line(aside=True) if node and stated == Line() else stated), bare)
        head = head if below else node
    return reader.closed()


def _outline(nodes: Sequence[tuple[int, str]], start: int) -> tuple[Pair, ...]:
    """Return the pairs of a child and its parent in the outline that begins at a line; empty where there is none.

    It begins with the root; each other number is there once, and at least one is further in than another.
    """
    inside: list[tuple[int, str]] = []
    pairs: list[Pair] = []
    seen: set[str] = set()
    depths: set[int] = set()
    for k in range(start, len(nodes)):
        depth, node = nodes[k]
        while inside and inside[-1][0] >= depth:
            inside.pop()
        if not node or node in seen or (seen and not inside) or (not seen and node != "0"):
            break
        if inside:
            pairs.append((node, inside[-1][1]))
        inside.append((depth, node))
        seen.add(node)
        depths.add(depth)
    return tuple(pairs) if len(depths) > 1 else ()


def _node_of(line: str) -> tuple[int, str]:
    """Return how far in a line begins, and the number that it names and says nothing else of; empty without one."""
    lead = _DRAWN.match(line)
    depth = lead.end() if lead else 0
    match = _NODE.fullmatch(named(rooted(line[depth:])).strip()) if len(line) < 200 else None
    return depth, str(int(match[1])) if match else ""


def _below(head: str, line: str) -> Line | None:
    """Return what a line adds to the number in the line above it: "Face 0:", then "- adjacent to face 1"."""
    begins = _RELATES.match(line) if head else None
    links = relations(f"{head} {line[begins.start(1) :]}") if begins else None
    return Line(pairs=tuple(links[0]), link=links[1]) if links else None


class _Reader:
    """Puts lines together to lists: a number alone begins one, and prose ends it."""

    def __init__(self) -> None:
        self._lists: list[Listing] = []
        self._now = Listing()
        self._alone = False

    def take(self, line: Line, text: str) -> None:
        if line.pairs:
            self._pairs(line)
        elif line.count:
            self._count(line)
        elif line.aside:
            return
        elif line.broken:
            self._now.broken = True
        elif _MORE.fullmatch(text):
            self._now.broken |= bool(self._now.pairs or self._now.count)
        elif not _WITHIN.fullmatch(text):
            self._end(text)

    def _pairs(self, line: Line) -> None:
        links = self._now.links
        if links and (line.link in _WORDS) != bool(links & _WORDS):
            self._end("")
        now = self._now
        now.broken |= bool(line.count and now.count and line.count != now.count)
        now.pairs.extend(line.pairs)
        now.links.add(line.link)
        now.count = line.count or now.count

    def _count(self, line: Line) -> None:
        now = self._now
        if line.alone and now.pairs:
            self._end("")
        elif now.count and line.count != now.count and not (line.inclusive or now.inclusive):
            now.broken = True
        now = self._now
        if line.alone or not now.count:
            now.count, now.inclusive, self._alone = line.count, line.inclusive, line.alone

    def _end(self, text: str) -> None:
        if self._now.pairs:
            self._lists.append(self._now)
            self._now, self._alone = Listing(), False
        elif not self._alone:
            self._now.count, self._now.broken = "", False
        self._now.lead += text + "\n"

    def closed(self) -> list[Listing]:
        last = self._now
        if last.pairs or not self._lists or not self._alone:
            return [*self._lists, last] if last.lead or last.pairs or last.count else self._lists
        # A number alone behind a list is the half of a pair.
        self._lists[-1].broken |= not last.lead.strip()
        return self._lists


def same_graph(nodes: int, left: Edges, right: Edges) -> bool:
    """Return whether a renumbering that keeps 0 turns one graph on that many ``nodes`` into the other. Exact.

    Colour refinement on both graphs at once, then individualisation with backtracking.
    """
    if len(left) != len(right):
        return False
    near = [_neighbours(nodes, edges) for edges in (left, right)]
    start = [0 if node == 0 else 1 for node in range(nodes)]
    return _matches(near, start, list(start))


def _neighbours(nodes: int, edges: Edges) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in sorted(edges):
        near[u].append(v)
        near[v].append(u)
    return near


def _refined(near: Sequence[list[list[int]]], a: list[int], b: list[int]) -> tuple[list[int], list[int]]:
    while True:
        table: dict[tuple[int, tuple[int, ...]], int] = {}
        fresh = [
            [table.setdefault((c[n], tuple(sorted(c[m] for m in graph[n]))), len(table)) for n in range(len(c))]
            for graph, c in zip(near, (a, b), strict=True)
        ]
        if len(set(fresh[0])) == len(set(a)) and len(set(fresh[1])) == len(set(b)):
            return fresh[0], fresh[1]
        a, b = fresh


def _matches(near: Sequence[list[list[int]]], a: list[int], b: list[int]) -> bool:
    a, b = _refined(near, a, b)
    if sorted(a) != sorted(b):
        return False
    shared = next((n for n in range(len(a)) if a.count(a[n]) > 1), None)
    if shared is None:
        # Discrete and equally refined, but edges inside the map still have to agree one by one.
        place = {colour: node for node, colour in enumerate(b)}
        return all(sorted(place[a[m]] for m in near[0][n]) == sorted(near[1][place[a[n]]]) for n in range(len(a)))
    marked = [*a]
    marked[shared] = len(a) + 1
    return any(
        _matches(near, marked, [len(a) + 1 if n == other else c for n, c in enumerate(b)])
        for other in range(len(b))
        if b[other] == a[shared]
    )
