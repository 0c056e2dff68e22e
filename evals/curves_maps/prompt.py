"""The prompt about crossing curves and the format of its answer. Every row contains both: a change alters datasets."""

from collections.abc import Sequence

CONFIG = "planar_map"

SYSTEM_PROMPT = ""

PROMPT = """\
The picture shows closed curves, some of which cross. Together they cut the plane into faces. Two faces are adjacent \
if they share a stretch of a curve; meeting in a crossing point only does not count.

Give the number 0 to the unbounded face outside everything and the numbers 1, 2, 3, ... to the others, in any order.

Answer inside <answer> tags, with nothing else between them: on the first line the number of faces without the \
unbounded one, then one line "u v" for each pair of adjacent faces, each pair once. Two curves that cross twice give:

<answer>
3
0 1
0 2
1 3
2 3
</answer>"""


def answer(faces: int, adjacent: Sequence[tuple[int, int]]) -> str:
    """Return the text of the answer: the number ``faces``, which excludes the unbounded face, and a line for each pair.

    A line "u v", u < v, is a pair of adjacent faces; the lines are sorted.
    """
    pairs = sorted((min(u, v), max(u, v)) for u, v in adjacent)
    return "\n".join([str(faces), *(f"{u} {v}" for u, v in pairs)])
