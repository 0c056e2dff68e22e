"""The prompts of MaRVL-QA (paper: sections A.6.1 and A.7). Every row contains them: a change alters datasets.

The rules are the paper's (a feature is a distinct peak or valley, none on the border, a plateau counts once, saddles
do not count; one option is right, a shift is at most a quarter of the axis), in our words. The prompts also
explain how our pictures show height: by which colours.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from planimeter.items import OPTIONS, Feature
from planimeter.items.motions import MOTIONS

#: The tag around an answer.
TAG = "final_answer"

_SINGLE = {
    "rotate_90_clockwise": "Rotation by 90 degrees clockwise",
    "rotate_180": "Rotation by 180 degrees",
    "translate_x": "Translation along x",
    "translate_y": "Translation along y",
    "no_change": "No change",
    "reflect_x": "Reflection left to right",
    "reflect_y": "Reflection top to bottom",
    "reflect_diagonal": "Reflection in the rising diagonal",
}
#: The text of each option in the numbered list of the prompt.
LABELS: Mapping[str, str] = MappingProxyType(
    {
        name: " then ".join(
            _SINGLE[part] if k == 0 else _SINGLE[part].lower() for k, part in enumerate(name.split("+"))
        )
        for name in dict.fromkeys((*OPTIONS, *MOTIONS))
    }
)

_HEIGHT = """\
How height is drawn: in a heatmap a brighter colour means a higher value and a darker colour a lower one. In a contour \
plot without colour fill, a darker line runs at a greater height and a paler line at a smaller one. The key beside the \
plot, marked from "low" to "high", shows the same scale."""

_FORMAT = """\
Reply with one line and nothing else, no working and no comment. On that line write {what} in digits between the two \
tags, like this:
<final_answer>{example}</final_answer>
where {example} stands for {what}."""

_COUNTING_SYSTEM = f"""\
You read plots of surfaces z = f(x, y) and count their local maxima or their local minima. Each plot is a heatmap, a \
contour plot, or a heatmap with contour lines on top.

{_HEIGHT}

Count by these rules:
1. What counts: a maximum is a separate summit that is higher than everything close around it, and a minimum is a \
separate hollow that is lower than everything close around it.
2. At the border: leave out any summit whose top, or hollow whose bottom, sits on the edge of the plotted region itself.
3. Flat areas: a connected level area at the top of a summit or at the bottom of a hollow is one feature, however \
large it is.
4. Saddles: a pass, which rises along some directions and falls along others, is neither a maximum nor a minimum. \
Leave it out.

{_FORMAT.format(what="your count", example="N")}"""

_TRANSFORMATION_SYSTEM = f"""\
You compare two plots of surfaces z = f(x, y) that stand side by side in one picture: Plot A on the left, Plot B on \
the right. Each is a heatmap, a contour plot, or a heatmap with contour lines on top, and the two may be drawn in \
different styles; style is not part of the question.

{_HEIGHT}

Plot B shows the surface of Plot A after a transformation. Find out which one from the shapes; the axes of both plots \
read the same.
1. You are given a numbered list of options, of which exactly one is right.
2. A translation moves the surface along one axis by no more than a quarter of the length of that axis.
3. If you are in doubt, choose the option that fits best.

{_FORMAT.format(what="the number of your option", example="K")}"""


_MOTION_SYSTEM = f"""\
You compare two plots of surfaces z = f(x, y) that stand side by side in one picture: Plot A on the left, Plot B on \
the right. Both are heatmaps; their colours may differ, and colour is not part of the question.

{_HEIGHT}

Plot B shows the surface of Plot A after a motion. Find out which one from the shapes, down to the smallest ones; the \
axes of both plots read the same.
1. You are given a numbered list of options, of which exactly one is right.
2. Rotations turn the surface about the middle of the plot. A reflection left to right swaps the left and the right \
side of the plot, one from top to bottom swaps its top and its bottom, and one in the rising diagonal swaps the two \
axes: it leaves the line from the lower left to the upper right corner in place.
3. A translation moves the surface along one axis by 1% to 6% of the length of that axis. In an option with two steps \
it comes second.
4. The surfaces go on beyond the plots. If you are in doubt, choose the option that fits best.

{_FORMAT.format(what="the number of your option", example="K")}"""


_SURFACE_HEIGHT = """\
How height is drawn: z points up in the box, and a brighter colour means a higher value and a darker colour a lower \
one. The key beside the plot, marked from "low" to "high", shows the same scale. Some plots have the lines of a mesh, \
which are only an aid to see the shape."""

_SURFACE_SYSTEM = f"""\
You look at plots of surfaces z = f(x, y) in three dimensions and count their local maxima or their local minima. Each \
surface stands in a box with its axes and is seen obliquely from above, without perspective; near parts hide what is \
behind them.

{_SURFACE_HEIGHT}

Count by these rules:
1. What counts: a maximum is a separate summit that is higher than everything close around it, and a minimum is a \
separate hollow that is lower than everything close around it. None of them is hidden.
2. At the border: leave out any summit whose top, or hollow whose bottom, sits on the edge of the surface itself.
3. Flat areas: a connected level area at the top of a summit or at the bottom of a hollow is one feature, however \
large it is.
4. Saddles: a pass, which rises along some directions and falls along others, is neither a maximum nor a minimum. \
Leave it out.

{_FORMAT.format(what="your count", example="N")}"""


_SURFACE_MOTION_SYSTEM = f"""\
You compare two plots of surfaces z = f(x, y) in three dimensions that stand side by side in one picture: Plot A on \
the left, Plot B on the right. Each surface stands in a box with its axes and is seen obliquely from above, without \
perspective; near parts hide what is behind them. The two may be seen from different directions and in different \
colours; neither is part of the question.

{_SURFACE_HEIGHT}

Plot B shows the surface of Plot A after a motion. Find out which one from the shapes, down to the smallest ones; the \
axes of both plots read the same.
1. You are given a numbered list of options, of which exactly one is right.
2. The options speak of the surface as a map shows it, seen straight from above with x to the right and y up: left is \
where x is small, and top is where y is great. Use the axes of each plot to find these sides.
3. Rotations turn the surface about the middle of the map. A reflection left to right swaps the left and the right \
side of the map, one from top to bottom swaps its top and its bottom, and one in the rising diagonal swaps the two \
axes: it leaves the line from the lower left to the upper right corner in place. Heights stay as they are.
4. A translation moves the surface along one axis by 1% to 6% of the length of that axis. In an option with two steps \
it comes second.
5. The surfaces go on beyond the plots. If you are in doubt, choose the option that fits best.

{_FORMAT.format(what="the number of your option", example="K")}"""


def counting_system_prompt() -> str:
    """Return the system prompt of every row of the configs ``counting`` and ``counting_hard``."""
    return _COUNTING_SYSTEM


def transformation_system_prompt() -> str:
    """Return the system prompt of every row of the config ``transformation``."""
    return _TRANSFORMATION_SYSTEM


def surface_system_prompt() -> str:
    """Return the system prompt of every row of the config ``surface``."""
    return _SURFACE_SYSTEM


def motion_system_prompt() -> str:
    """Return the system prompt of every row of the config ``transformation_hard``."""
    return _MOTION_SYSTEM


def surface_motion_system_prompt() -> str:
    """Return the system prompt of every row of the config ``surface_transformation``."""
    return _SURFACE_MOTION_SYSTEM


def counting_prompt(feature: Feature) -> str:
    """Return the user prompt that asks for the number of local ``feature``, "maxima" or "minima"."""
    return f"How many local {feature} does the surface in this plot have?"


def transformation_prompt(options: Sequence[str]) -> str:
    """Return the user prompt of a transformation, with ``options`` as a list numbered from 1, in the order given.

    Raises:
        ValueError: unless ``options`` is a permutation of ``OPTIONS`` or of ``MOTIONS``.
    """
    lines = [f"{i}. {LABELS[option]}" for i, option in enumerate(checked_options(options), 1)]
    return "\n".join(("Which one of these transformations turns Plot A into Plot B?", "", *lines))


def checked_options(options: Sequence[str]) -> tuple[str, ...]:
    """Return ``options`` if they are a permutation of ``OPTIONS``, the paper's transformations, or of ``MOTIONS``.

    Raises:
        ValueError: for other options.
    """
    if sorted(options) not in (sorted(OPTIONS), sorted(MOTIONS)):
        raise ValueError(f"the options must be each of {OPTIONS}, or of {tuple(MOTIONS)}, once, got {tuple(options)}")
    return tuple(options)
