"""The commonest answers of nested curves, and how far above them a reply is.

A guess gets most parents of many a tree right: the commonest answer of a category has a mean parent F1 of 0.5 to 0.75,
and a reward made of it would begin there. Measured from the commonest answer it begins at 0.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from planimeter.evals.answers import Parsed
from planimeter.evals.curves.metrics import tree_of
from planimeter.evals.curves.protocol import score
from planimeter.evals.places import Row

#: The commonest tree of each category (dataset curves 1.1) and of each training level (300 rows of curves-train 1.1),
#: as ``metrics.canonical`` writes it; of several equally common ones that with the highest mean parent F1.
COMMONEST: Mapping[str, str] = MappingProxyType(
    {
        "easy": "((()(())))",
        "polygon": "((()))",
        "topographical": "(((((((((((((())))))))))))))",
        "maze": "(()((())))",
        "counting": "(()(())(()())(()()(()(()())(()(()()(())))(()((()()))))(((())"
        ")((()))((()))))(()(()))((()())((())((())))))",
        "level 1": "(())",
        "level 2": "(()(()))",
        "level 3": "(((()())))",
        "level 4": "((())(()()()))",
        "level 5": "(()(())((())((())(()()()(()())))))",
        "level 6": "(()(()())((()))(((()()(()())((()()(()(()))))))))",
        "level 7": "(()(())(((((()))((()(((()()(()(()())((())))))))((())(()()()))))(((()())((())))))))",
        "level 8": "((((()()()()()((()())((()()))))((())(()(((()()()(()))(((()))"
        "))((()(()(()(()())(()((())((())))))((((())))))))))))))",
    }
)


def above_commonest(config: str, row: Row, metrics: Mapping[str, float]) -> float:
    """Return where the parent F1 of a reply lies between that of the commonest answer (0; below it, too) and 1.

    Raises:
        LookupError: if neither ``level`` nor ``category`` nor ``config`` determines which answer is the commonest.
        ValueError: if the row's ``answer`` cannot be read.
    """
    group = f"level {row['level']}" if row.get("level") is not None else str(row.get("category") or config)
    if group not in COMMONEST:
        raise LookupError(
            f"no commonest answer is known of {group!r}; name the row's category or level: {', '.join(COMMONEST)}"
        )
    floor, parent_f1 = _floor(group, str(row["answer"])), metrics["parent_f1"]
    return float(parent_f1 == 1.0) if floor == 1.0 else max(0.0, (parent_f1 - floor) / (1.0 - floor))


@lru_cache(maxsize=4096)
def _floor(group: str, answer: str) -> float:
    """Return the parent F1 of the commonest answer where ``answer`` is right; all replies to a row ask for it."""
    return score("easy", {"answer": answer}, Parsed(value=tree_of(COMMONEST[group])))["parent_f1"]
