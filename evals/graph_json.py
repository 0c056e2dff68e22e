"""Reads a graph that a reply writes as JSON, or as a literal of Python.

Taken are lists of pairs, of texts ("1 0", "1 -> 0") and of objects ({"child": 1, "parent": 0}), objects from child to
parent, lists of neighbours and nested children, each alone or beside a count under its own key.
"""

import re
from typing import Final

from planimeter.evals.graph_lines import Link, Listing, label, pair_of
from planimeter.evals.graph_words import Pair
from planimeter.evals.wrapping import json_at

#: What a literal of Python has otherwise.
_PYTHON: Final = str.maketrans({"'": '"', "(": "[", ")": "]"})
#: Places where JSON may begin that are tried, and the length up to which Python is turned into JSON.
_MOST_STARTS, _LONGEST_PYTHON = 8, 100_000
_START: Final = re.compile(r"[\[{]")
_BARE_KEY: Final = re.compile(r"([{,]\s*)([+-]?[0-9]++|[A-Za-z_]\w*+)(\s*:)")
_INTEGER: Final = re.compile(r"\s*[+-]?[0-9]++\s*")
_COUNT_KEY: Final = re.compile(
    r"n|k|count|size|total|regions|faces|curves|nodes|(?:num|number|n|total|count)[_\s]\w+|\w+_count", re.IGNORECASE
)
_CHILD: Final = frozenset({"child", "node", "id", "region", "inner", "curve", "label", "number", "name"})
_PARENT: Final = frozenset({"parent", "parent_id", "parentid", "outer", "inside", "contained_in"})


class _Object(list[tuple[str, object]]):
    """The pairs of an object, of which a dict would forget all but the last with one key."""


def json_graph(text: str) -> tuple[Listing, int, int] | None:
    """Return the first graph that ``text`` writes as JSON, with where it starts and ends, or None without one."""
    start = _START.search(text)
    if start is None:
        return None
    graph = _first_graph(text)
    if graph is None and len(text) <= _LONGEST_PYTHON:
        literal = _first_graph(_BARE_KEY.sub(r'\1"\2"\3', text.translate(_PYTHON).replace("None", "null")))
        # Keys got quotes, so that places have moved.
        return (literal[0], start.start(), max(map(text.rfind, "])}")) + 1) if literal else None
    return graph


def _first_graph(text: str) -> tuple[Listing, int, int] | None:
    for start, _ in zip(_START.finditer(text), range(_MOST_STARTS), strict=False):
        value = json_at(text, start.start(), _Object)
        try:
            listing = _graph(value[0]) if value else None
        except RecursionError:
            return None
        if value and listing:
            return listing, start.start(), value[1]
    return None


def _graph(value: object) -> Listing | None:
    if isinstance(value, _Object):
        return _object_graph(value)
    if not isinstance(value, list):
        return None
    counted = len(value) > 1 and bool(_integer(value[0])) and not _integer(value[1])
    joined = [_pair(item) for item in value[counted:]]
    if not joined or None in joined:
        return None
    return _listing([pair for pair in joined if pair], count=_integer(value[0]) if counted else "")


def _object_graph(value: _Object) -> Listing | None:
    if _child_tree(value):
        return _listing(_nested(value))
    if value and all(_integer(name) for name, _ in value):
        return _map_graph(value)
    counts = {_integer(number) for name, number in value if _COUNT_KEY.fullmatch(name)} - {""}
    graphs = [graph for name, inner in value if (graph := _named_graph(name, inner))]
    if len(graphs) != 1 or len(counts) > 1:
        empty = any(inner == [] for _, inner in value)
        return Listing(count="0") if counts == {"0"} and empty and not graphs else None
    graph = graphs[0]
    graph.broken |= bool(counts and graph.count and graph.count not in counts)
    graph.count = graph.count or next(iter(counts), "")
    return graph


def _named_graph(name: str, inner: object) -> Listing | None:
    """Return the graph under a key; below "children" the parents are the keys, and "parents" may be a list of them."""
    if "child" in name.lower() and isinstance(inner, _Object):
        listing = _map_graph(inner)
        return listing and _listing([(pair[::-1], "nested") for pair in listing.pairs])
    parents = [_integer(number) for number in inner] if isinstance(inner, list) else []
    if name.lower() in ("parent", "parents") and len(parents) > 1 and "" not in parents[1:]:
        first = int(parents[0] not in ("", "-1"))
        return _listing([((str(k + first), p), "nested") for k, p in enumerate(parents) if k or first])
    return _graph(inner)


def _map_graph(value: _Object) -> Listing | None:
    """Return the graph of {"1": 0, "2": 1}, in which a root may have no parent, or of {"0": [1, 2]}."""
    if all(number is None or _integer(number) for _, number in value):
        return _listing([((label(name), _integer(number)), "sign") for name, number in value if number is not None])
    lists = [(name, inner) for name, inner in value if isinstance(inner, list) and all(map(_integer, inner))]
    if len(lists) == len(value):
        return _listing([((label(name), _integer(v)), "neighbours") for name, inner in lists for v in inner])
    return None


def _child_tree(value: _Object) -> bool:
    return any(name == "children" and isinstance(inner, list) for name, inner in value) and bool(_own(value))


def _own(value: object) -> str:
    """Return the number of the region that an object describes."""
    numbers = (
        [_integer(number) for name, number in value if str(name).lower() in _CHILD]
        if isinstance(value, _Object)
        else []
    )
    return numbers[0] if len(numbers) == 1 else ""


def _nested(value: _Object) -> list[tuple[Pair, Link]]:
    """Return the pairs of {"id": 0, "children": [{"id": 1, "children": []}]}; a child may be a number alone."""
    pairs: list[tuple[Pair, Link]] = []
    queue: list[object] = [value]
    for parent in queue:
        known = parent if isinstance(parent, _Object) else []
        for child in next((inner for name, inner in known if name == "children" and isinstance(inner, list)), []):
            pairs.append(((_integer(child) or _own(child), _own(parent)), "nested"))
            queue.append(child)
    return pairs if all(u and v for (u, v), _ in pairs) else []


def _pair(item: object) -> tuple[Pair, Link] | tuple[()] | None:
    """Return the pair that an item of a list is, an empty one for the root without a parent, None for anything else."""
    if isinstance(item, _Object):
        return _object_pair(item)
    if isinstance(item, str):
        pair = pair_of(item.strip())
        return pair and (pair[0], "sign" if pair[1] == "plain" else pair[1])
    if isinstance(item, list) and len(item) == 2 and _integer(item[0]):
        return (
            () if item[1] is None else ((_integer(item[0]), _integer(item[1])), "sign") if _integer(item[1]) else None
        )
    return None


def _object_pair(item: _Object) -> tuple[Pair, Link] | tuple[()] | None:
    known = {name.lower(): number for name, number in item}
    children = [name for name in known if name in _CHILD and _integer(known[name])]
    parents = [name for name in known if name in _PARENT]
    if len(known) == len(item) and len(children) == 1 and len(parents) == 1:
        parent = known[parents[0]]
        if parent is None:
            return ()
        return ((_integer(known[children[0]]), _integer(parent)), "nested") if _integer(parent) else None
    numbers = [(name, _integer(number)) for name, number in item if _integer(number)]
    if len(numbers) == 1 and len(item) == 1 and _integer(numbers[0][0]):
        return (label(numbers[0][0].strip()), numbers[0][1]), "sign"
    if len(numbers) != 2:
        return None
    ordered = [name.lower() for name, _ in numbers] in (["u", "v"], ["from", "to"], ["source", "target"])
    return (numbers[0][1], numbers[1][1]), "arrow" if ordered else "touch"


def _listing(joined: list[tuple[Pair, Link]], *, count: str = "") -> Listing | None:
    if not joined:
        return None
    return Listing(pairs=[pair for pair, _ in joined], links={link for _, link in joined}, count=count)


def _integer(value: object) -> str:
    """Return a JSON number or text that is an integer, as a label; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**9 else ""
    return label(value.strip()) if _INTEGER.fullmatch(value) else ""
