"""Replies about paths: the list of markers is read in every plain form, and never guessed."""

import json
import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from listed import listed

from planimeter.evals import gold_score, grade
from planimeter.evals.traversal.protocol import SYSTEM_PROMPT, answer, parse_leniently, parse_strictly, prompt
from planimeter.generators.traversal.markers import draw_markers

GOLD = draw_markers(9, np.random.default_rng(1))
ROW = {"answer": answer(GOLD), "markers": GOLD}

LIST = ("orange tri", "red circle", "cyan star", "blue plus", "green square", "brown circle", "purple tri")
OTHER = ", ".join(LIST[::-1])
TEXT = ", ".join(LIST)
PAIRS = [marker.split() for marker in LIST]


def read(reply: str) -> tuple[str, ...] | str:
    """Return the list that is read, or the reason of the refusal."""
    parsed = parse_leniently(reply, len(LIST), LIST[0])
    return parsed.reason if parsed.value is None else parsed.value


def filled(table: str) -> list[str]:
    """Return the entries of a table in which TEXT and OTHER stand for the right list and for another one."""
    return [entry.replace("TEXT", TEXT).replace("OTHER", OTHER) for entry in listed(table)]


def numbered(items: Iterable[str], mark: str = "{}. ") -> str:
    return "\n".join(mark.format(number) + item for number, item in enumerate(items, 1))


def test_gold_scores_one_and_wrong_replies_are_counted_by_position() -> None:
    for config in ("base", "confounded", "reading_order"):
        assert gold_score("traversal", config, {"answer": answer(GOLD[::-1]), "markers": GOLD}) == 0.0
    for strict in (True, False):
        assert grade(ROW, answer(GOLD), strict=strict).metrics == {"exact": 1.0, "token_accuracy": 1.0}
    assert grade(ROW, answer(GOLD[:6])).metrics["token_accuracy"] == pytest.approx(6 / 9)
    assert grade(ROW, answer((*GOLD, "red star"))).metrics == {"exact": 0.0, "token_accuracy": 1.0}
    shifted = grade(ROW, answer((GOLD[1], *GOLD[1:])))
    assert (shifted.metrics["exact"], shifted.correct) == (0.0, (False, *[True] * 8))


def test_the_prompt_says_start_number_words_and_spurs_and_gives_no_rule_for_crossings() -> None:
    """How to go on at a crossing is what is asked; the paper's prompt does not say it either."""
    text = prompt("cyan tri", 13, "confounded")
    for part in ('"cyan tri"', "EXACTLY 13", "brown", "plus", "comma-separated", "Gray spurs", "ignore"):
        assert part in text
    assert "spurs" not in prompt("cyan tri", 13) and "alone" in SYSTEM_PROMPT
    for config, rule in (("base", "straight"), ("confounded", "straight"), ("curved", "straight on")):
        assert not re.search(rf"\bcross|\b{rule}\b", prompt("cyan tri", 13, config))


STRICTLY_REFUSED = """
I cannot see it ¦ red square; blue star ¦ red square, blue ¦ red square, blue triangle ¦ red square,⏎blue star
red-square, blue star ¦ red square, blue star<|im_end|> ¦ <think>red tri, blue star
"""
TWO = r"""
red tri, blue star ¦ Red Triangle, blue star. ¦ 1. red tri⏎2. blue star ¦ ["red tri", "blue star"]
red-tri -> blue_star ¦ I start at red tri and pass green plus.⏎⏎Answer: red tri, blue star
It passes green plus first.⏎**Answer**: **red tri**, `blue star`
It passes green plus first.⏎**Answer:** **red tri**, `blue star`
It passes green plus first.⏎The `path` is: **red tri**, `blue star`
It passes green plus first.⏎$\textbf{Answer}$: **red tri**, `blue star`
"""
THOUGHT = """
<think>The line goes from red tri to blue star, then green plus.</think>⏎red tri, blue star
The line goes from green plus to red tri.</think>red tri, blue star
<think>red tri, green plus</think>\u200bred\u200b tri, blue star
"""
RIGHT = r"""
Starting from the orange tri: TEXT ¦ Starting at the orange tri, the path is TEXT
The path begins at the marker "orange tri"; TEXT ¦ The path goes from orange tri to purple tri: TEXT
I follow the line from orange tri to its end.⏎⏎TEXT ¦ TEXT⏎⏎Note: the green square was hard to see.
Answer: TEXT⏎⏎The last marker of the path: purple tri ¦ TEXT⏎⏎TEXT ¦ TEXT⏎TEXT ¦ 路径是：TEXT
I see a red plus and a blue tri.⏎⏎**Answer:** TEXT ¦ I'm not sure, but my best guess is: TEXT
OTHER⏎⏎Wait, I went backwards. Correct: TEXT ¦ I first thought it was OTHER, but it is TEXT
TEXT (I was unsure about the green square.) ¦ <|begin_of_box|>TEXT<|end_of_box|>
TEXT⏎⏎Actually, I am sure: TEXT ¦ OTHER⏎⏎Actually, it is TEXT
橙色三角形, 红色圆形, 青色星形, 蓝色十字, 绿色正方形, 棕色圆形, 紫色三角形
triángulo naranja, círculo rojo, estrella cian, cruz azul, cuadrado verde, círculo marrón, triángulo morado
oranges Dreieck, roter Kreis, türkiser Stern, blaues Kreuz, grünes Quadrat, brauner Kreis, lila Dreieck
"""
#: The right list in forms that follow from its markers.
FORMS = (
    f"{numbered(LIST)}\n\n{TEXT}",
    f"Markers I can see: {', '.join(sorted(LIST))}.\n\nPath: {TEXT}",
    *(numbered(LIST, mark) for mark in ("{}. ", "Step {}: ", "\n**{})** ")),
    numbered([f"{marker} (near the edge)" for marker in LIST]),
    numbered([f"From {start} to {end}" for start, end in pairwise(LIST)], "Step {}: "),
    *(separator.join(LIST) for separator in (" -> ", " → ", "; ", "\n- ", " ", r" $\rightarrow$ ", ", then the ")),
    *(
        ", ".join(form.format(color, shape) for color, shape in PAIRS)
        for form in ("{}-colored {}", "{} filled {}", "{1} ({0})", "({}, {})", "({1}, {0})", "{1} (colored {0})")
    ),
    ", ".join(f"{marker} (12, 34)" for marker in LIST),
    json.dumps([{"color": color, "shape": shape} for color, shape in PAIRS]),
    json.dumps({"path": [{"shape": shape, "color": color} for color, shape in PAIRS]}, indent=2),
    "| # | color | shape |\n|---|---|---|\n" + numbered((f"{c} | {s} |" for c, s in PAIRS), "| {} | "),
    "| # | shape | color |\n|---|---|---|\n" + numbered((f"{s} | {c} |" for c, s in PAIRS), "| {} | "),
    TEXT.replace("cyan", "light blue"),
    TEXT.replace("star", "5-pointed star").replace("plus", "+").replace("square", "box").replace("red", "bright red"),
    TEXT.replace("tri", "triangle").replace("plus", "cross").replace("purple", "violet").title(),
    f"It starts at the {LIST[0]}, goes to the {', then to the '.join(LIST[1:-1])} and ends at the {LIST[-1]}.",
)
REFUSED = {
    "several lists": "TEXT or OTHER",
    "taken back without a plain answer": "TEXT⏎⏎Wait, the third should be a red plus.",
    "no list of markers": "I cannot see the path. ¦ <think>red tri, blue star</think> I cannot tell.",
    # A list that breaks off is not read as a short one.
    "no plain list": """
The path is not TEXT ¦ In reverse order: TEXT ¦ I cannot see the path. There is a red circle.
The path begins at the orange tri and ends at the purple tri. ¦ In no particular order, the markers are OTHER
First I list all markers in the picture: TEXT. Now I follow ¦ For example: orange tri, red circle, cyan star, blue plus
orange tri, then either red circle or cyan star, blue plus, green square, brown circle, purple tri
orange tri, red/brown circle, cyan star, blue plus, green square, brown circle, purple tri
orange tri, red circle, cyan star, blue plus, ... ¦ orange tri, red circle, cyan star, blue plus, purple
orange tri, red circle, cyan star, blue plus, and so on ¦ orange tri, red circle, cyan star, blue plus ->
orange tri, red circle, cyan star, blue plus, ?, ?, purple tri
orange tri, red circle, cyan star, blue plus, [unclear], purple tri
1. orange tri⏎2. red circle⏎3. cyan star⏎4. blue plus⏎5.
""",
}


def test_strictly_and_leniently_the_same_list_is_read_and_only_in_the_asked_format() -> None:
    assert [reply for reply in ("", *listed(STRICTLY_REFUSED)) if parse_strictly(reply) is not None] == []
    assert [reply for reply in listed(TWO) if parse_leniently(reply, 2).value != ("red tri", "blue star")] == []
    for reply in listed(THOUGHT):
        assert parse_leniently(reply, 2).value == parse_strictly(reply) == ("red tri", "blue star")


def test_a_right_list_counts_in_any_form_and_whatever_stands_around_it() -> None:
    assert [reply for reply in (*FORMS, *filled(RIGHT)) if read(reply) != LIST] == []


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_plainly_stated_is_refused(reason: str) -> None:
    assert [(reply, read(reply)) for reply in filled(REFUSED[reason]) if read(reply) != reason] == []


def test_a_second_list_of_half_the_length_leaves_open_which_is_the_path() -> None:
    path, others = "red star, blue tri, green plus, orange circle", "yellow star, brown plus"
    elsewhere = "Elsewhere on this canvas lie"
    assert parse_leniently(f"{path}. {elsewhere} {others}.", 9, "red star").reason == "several lists"
    longer = f"{path}, cyan star"
    assert parse_leniently(f"{longer}. {elsewhere} {others}.", 9, "red star").value == tuple(longer.split(", "))


@pytest.mark.parametrize("other", [LIST[:4], LIST[:5], (*LIST, "red star"), ("dark blue star", "pink tri", *LIST[2:])])
def test_a_list_of_another_length_or_color_keeps_its_positions(other: tuple[str, ...]) -> None:
    expected = tuple(marker.removeprefix("dark ") for marker in other)
    for reply in (", ".join(other), f"Sure! The path is: {', '.join(other)}.", f"{numbered(other)}\n\nThat is all."):
        assert read(reply) == expected


FILLERS = [
    "red tri, ",
    "red tri\n",
    "light blue ",
    "red ",
    "tri (",
    "not ",
    "wait, red tri ",
    "1. ",
    '{"color": "red", ',
]


@pytest.mark.parametrize("filler", FILLERS)
def test_a_long_reply_takes_no_quadratic_time(filler: str) -> None:
    """Which would exceed the budget of a test."""
    for reply in (filler * (30_000 // len(filler)), f"{TEXT} {filler * (30_000 // len(filler))}"):
        read(reply)
