"""The prompt of TraversalBench and the format of its answer. Every row contains both: a change alters datasets.

The wording is ours. As in the paper (A.6), it describes one polyline, names the first marker and the allowed words, and
requests exactly N markers as a comma-separated list.
"""

from collections.abc import Sequence

from planimeter.items import MARKER_COLORS, MARKER_SHAPES

SYSTEM_PROMPT = (
    "You answer a measurement question about a picture. Return the answer alone, in the format that the question asks "
    "for: no introduction, no reasoning, no coordinates, no numbering, no line breaks and no markup."
)


#: The description of a picture that is not of a polyline: the same words for all drawings of one path.
_SHOWN = {"curved": "dark line, straight or bent, that never branches, with colored shapes on it."}
_POLYLINE = "dark polyline that never branches, with a colored shape at each of its vertices."


def prompt(start: str, n_points: int, config: str = "base") -> str:
    """Return the user prompt for a path of ``config`` with ``n_points`` markers, of which ``start`` is the first."""
    spurs = (
        " Gray spurs also start on the line and end in nothing. They are not part of the path: ignore them and stay on "
        "the dark line."
        if config == "confounded"
        else ""
    )
    return (
        f"The picture shows one path: a single {_SHOWN.get(config, _POLYLINE)} "
        f"From each marker but the last, the line leads to exactly one next marker.{spurs}\n\n"
        f'The path begins at the marker "{start}"; no other marker in the picture looks like it. Follow the line from '
        "there to its other end. Name every marker in the order in which you meet it, the first and the last "
        "included.\n\n"
        f"Give EXACTLY {n_points} markers. Where you are unsure, give your best guess and do not stop early. Write "
        f"each one as <color> <shape> in lowercase. Colors: {', '.join(MARKER_COLORS)}. "
        f"Shapes: {', '.join(MARKER_SHAPES)}.\n\n"
        f"Reply with the comma-separated list of the {n_points} markers and nothing else."
    )


def answer(markers: Sequence[str]) -> str:
    """Return the answer for ``markers`` in the order of the path: their names, separated by commas."""
    return ", ".join(markers)
