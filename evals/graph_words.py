"""What the sentences of a reply say about a graph: "region 2 lies inside region 1", "face 0 touches 1, 2 and 5".

A text is read only if its relations use up all of its numbers, and nothing in it is a doubt.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

#: Two numbers, the child first where words state which it is.
Pair = tuple[str, str]

#: A longer text is not read: bounds the work on each line.
LONGEST: Final = 2000

#: What names a number and says nothing about it.
_NAME: Final = re.compile(
    r"\b[RFNCV](?:_?(?=\d)|_\{(?=\d+\}))|#(?=\d)|\b(?:the|regions?|nodes?|faces?|curves?|loops?|circles?|shapes?"
    r"|outlines?|vert(?:ex|ices)|edges?|lines?|pairs?|numbered|number|id)\b",
    re.IGNORECASE,
)
_ROOT: Final = re.compile(
    r"\b(?:(?:root|unbounded|outside|exterior|background|plane)\b(?!\sof)(?:\s(?:region|face|node|area|plane|curve)\b)?"
    r"|outer\s(?:region|face))\b(?:\s?\(?\s?(?:0|root)\b\s?\)?)?|\b0\s?\((?:the\s)?(?:root|unbounded|outside)[^()]{0,40}\)",
    re.IGNORECASE,
)
DOUBT: Final = re.compile(
    r"\b(?:or|not|never|actually|wait|should|wrong|maybe|perhaps|probably|possibly|instead|unsure|unless|except|if|might"
    r"|could|either|seems?|no(?=,)|so\sfar|at\s(?:least|most)|example|e\.g|such\sas|etc|and\sso\son)\b|\?|n['\u2019]t\b|\.\.\.|\u2026",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"(?<![\w.])\d++(?!\w|\.\d)|[^\W\d_]++|->|[,;:.&\u2192=(\u2282\u2283\u2208\u220b]")
_KINDS: Final = {
    word: kind
    for kind, words in {
        "in": "inside within in under below by \u2282 \u2208",
        "has": "contains contain encloses enclose holds hold surrounds surround \u2283 \u220b",
        "child": "child children",
        "parent": "parent parents p",
        "touch": "adjacent touches touch touching borders border bordering meets meet next connected shares share"
        " neighbors neighbours neighbor neighbour",
        "on": "on",
        "of": "of",
        "which": "which",
        "nothing": "nothing none no empty leaf leaves",
        "comma": ",",
        "head": ": ( = -> \u2192",
        "end": "; .",
    }.items()
    for word in words.split()
}


@dataclass(kw_only=True, slots=True)
class _Clause:
    """A relation with the numbers before it, and those behind it, in groups that commas part."""

    subjects: list[str] = field(default_factory=list)
    relation: str = ""
    groups: list[list[str]] = field(default_factory=lambda: [[]])
    of: bool = False
    head: bool = False
    empty: bool = False
    #: Two numbers stand side by side, or one is a quantity ("2 of them").
    bad: bool = False
    fresh: bool = True

    @property
    def objects(self) -> list[str]:
        return [number for group in self.groups for number in group]


def named(text: str) -> str:
    """Return ``text`` without the nouns and letters that only name numbers: "region 1", "R1", "#1"."""
    return _NAME.sub(" ", text)


def rooted(text: str) -> str:
    """Return ``text`` with 0 for "the root", "the unbounded region (0)" and the like."""
    return _ROOT.sub(" 0 ", text)


def relations(text: str) -> tuple[list[Pair], Literal["nested", "touch"]] | None:
    """Return the pairs of numbers that the sentences of ``text`` relate, and how, or None where that is not plain.

    There may be no pair: "2: none", "regions 2 and 3 contain nothing".
    """
    if len(text) > LONGEST or DOUBT.search(text):
        return None
    clauses = [_Clause()]
    for token in _TOKEN.findall(named(rooted(text)).lower()):
        last = clauses[-1]
        kind = "number" if token.isdigit() else _KINDS.get(token, "")
        if kind == "end" or (kind == "on" and last.relation == "touch" and last.objects):
            clauses.append(_Clause() if kind == "end" else _next(last, "touch"))
        elif kind == "which" and last.objects:
            clauses.append(_Clause(subjects=last.objects[-1:]))
        elif kind in ("in", "has", "child", "parent", "touch"):
            if last.relation and last.objects and not _exchanged(last, kind):
                clauses.append(_next(last, kind))
            elif not last.relation:
                last.relation, last.fresh = kind, True
                last.subjects = last.subjects[:1] if last.head else last.subjects
        else:
            _taken(last, token, kind)
    stated = [_pairs(clause) for clause in clauses]
    kinds = {clause.relation == "touch" for clause, pairs in zip(clauses, stated, strict=True) if pairs}
    if None in stated or len(kinds) > 1 or not (kinds or any(clause.empty and clause.subjects for clause in clauses)):
        return None
    return [pair for pairs in stated for pair in pairs or ()], "touch" if True in kinds else "nested"


def _taken(clause: _Clause, token: str, kind: str) -> None:
    clause.bad |= (kind == "number" and not clause.fresh) or (
        kind == "of" and bool(clause.subjects) and not clause.relation
    )
    clause.fresh = kind != "number"
    if kind == "number":
        (clause.groups[-1] if clause.relation else clause.subjects).append(token)
    elif kind == "comma" and clause.groups[-1]:
        clause.groups.append([])
    elif kind == "head":
        # "curve 3: curve 2, then curve 1 -> parent 2" is about curve 3.
        clause.head |= len(clause.subjects) == 1
    elif kind == "nothing":
        clause.empty = True
    elif kind == "of" and not clause.objects:
        if clause.relation == "parent" and clause.subjects:
            clause.relation = "has"
        elif clause.relation == "child" and clause.subjects:
            clause.relation = "in"
        clause.of = True


def _exchanged(clause: _Clause, kind: str) -> bool:
    """Whether the clause is "parent 0, child 1" or "1 (in the plane): parent 0", and goes on as one in usual order."""
    if clause.head and clause.relation == "in" and kind == "parent" and clause.objects:
        clause.relation, clause.groups = kind, [[]]
        return True
    if clause.subjects or (clause.relation, kind) not in (("parent", "child"), ("child", "parent")):
        return False
    clause.subjects, clause.relation, clause.groups = clause.objects, "has" if kind == "child" else kind, [[]]
    return True


def _next(clause: _Clause, relation: str) -> _Clause:
    """Return the clause that begins among the objects of another one: "... 1 and 2, and 3 is adjacent to 4"."""
    objects = clause.objects
    if clause.relation in ("in", "parent"):
        cut = 1 if clause.subjects else len(objects)
    else:
        cut = len(objects) - (len(clause.groups[-1]) or 1)
        if len(clause.groups) == 1 or len(objects) - cut > 1:
            cut = len(objects) - 1 if len(clause.groups) == 1 else 0
    clause.groups = [objects[:cut]]
    return _Clause(subjects=objects[cut:], relation=relation)


def _pairs(clause: _Clause) -> list[Pair] | None:
    """Return the pairs, the child first, or None where the numbers are not those that the relation needs."""
    subjects, objects, relation = clause.subjects, clause.objects, clause.relation
    if clause.bad:
        return None
    if not subjects and not objects:
        return []
    if relation == "child" and not subjects and clause.of and len(objects) > 1:
        return [(child, objects[0]) for child in objects[1:]]
    if relation == "parent" and not subjects and len(objects) > 1 and (clause.of or len(objects) == 2):
        return [(child, objects[-1]) for child in objects[:-1]]
    if relation in ("in", "parent") and subjects and len(objects) == 1:
        return [(child, objects[0]) for child in subjects]
    if relation in ("has", "child") and len(subjects) == 1 and (objects or clause.empty):
        return [(child, subjects[0]) for child in objects]
    if relation == "touch" and len(subjects) == 2 and not objects:
        return [(subjects[0], subjects[1])]
    if relation == "touch" and subjects and objects and min(len(subjects), len(objects)) == 1:
        return [(subject, object_) for subject in subjects for object_ in objects]
    return [] if clause.empty and not objects else None
