"""The prompt about nested curves and the format of its answer. Every row contains both: a change alters datasets."""

from collections.abc import Sequence

SYSTEM_PROMPT = ""

PROMPT = """\
The picture shows closed curves. None of them crosses itself or touches another. Together they cut the plane into \
regions: one unbounded region outside everything, and one region just inside each curve.

Describe which region lies in which as a rooted tree. The unbounded region is the root and gets the number 0. Give \
every other region a number of its own, starting from 1. The parent of a region is the region that you enter when you \
step outwards across the curve around it.

Answer inside <answer> tags, with nothing else between them: on the first line the number of regions without the \
root, then one line "u v" for each of these regions, where v is the parent of u. For two curves beside each other, \
one of them with a third inside, the answer is:

<answer>
3
1 0
2 1
3 0
</answer>"""

#: An additional sentence for recipes that draw open lines.
ARCS_NOTE = "Some lines are open: they have two ends and bound nothing. Leave them out of account."


def prompt(*, arcs: bool = False) -> str:
    """Return the user prompt, with a note on open lines if the picture may contain some (``arcs``)."""
    return PROMPT.replace("\n\nAnswer", f" {ARCS_NOTE}\n\nAnswer", 1) if arcs else PROMPT


def answer(parents: Sequence[int]) -> str:
    """Return the text of the answer for the tree ``parents``: the number of nodes, then a line "node parent" for each.

    ``parents[i]`` is the parent of node i + 1; the root, 0, is not counted. Nodes are expected in canonical order.
    """
    return "\n".join([str(len(parents)), *(f"{node} {parent}" for node, parent in enumerate(parents, start=1))])
