"""Replies about paths: the list of markers is read in every plain form, and never guessed."""

import json
import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest

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


def numbered(items: Iterable[str], mark: str = "{}. ") -> str:
    return "\n".join(mark.format(number) + item for number, item in enumerate(items, 1))


def test_gold_scores_one_wrong_replies_are_counted_by_position_and_foreign_configs_are_refused() -> None:
    for config in ("base", "confounded", "reading_order"):
        assert gold_score("traversal", config, ROW) == 1.0
        assert gold_score("traversal", config, {"answer": answer(GOLD[::-1]), "markers": GOLD}) == 0.0
    with pytest.raises(LookupError, match="reading_order"):
        gold_score("traversal", "counting", ROW)
    for strict in (True, False):
        assert grade(ROW, answer(GOLD), strict=strict).metrics == {"exact": 1.0, "token_accuracy": 1.0}
    assert grade(ROW, answer(GOLD[:6])).metrics["token_accuracy"] == pytest.approx(6 / 9)
    longer = grade(ROW, answer((*GOLD, "red star")))
    assert longer.metrics == {"exact": 0.0, "token_accuracy": 1.0}
    shifted = grade(ROW, answer((GOLD[1], *GOLD[1:])))
    assert (shifted.metrics["exact"], shifted.correct) == (0.0, (False, *[True] * 8))
    assert not grade(ROW, "").answered


def test_the_prompt_says_start_number_words_and_spurs_and_gives_no_rule_for_crossings() -> None:
    """How to go on at a crossing is what is asked; the paper's prompt does not say it either."""
    text = prompt("cyan tri", 13, "confounded")
    for part in ('"cyan tri"', "EXACTLY 13", "brown", "plus", "comma-separated", "Gray spurs", "ignore"):
        assert part in text
    assert "spurs" not in prompt("cyan tri", 13)
    assert "alone" in SYSTEM_PROMPT
    for config, rule in (("base", "straight"), ("confounded", "straight"), ("curved", "straight on")):
        assert not re.search(rf"\bcross|\b{rule}\b", prompt("cyan tri", 13, config))


def test_strict_parsing_refuses_other_formats() -> None:
    for reply in (
        *("", "I cannot see it", "red square; blue star", "red square, blue", "red square, blue triangle"),
        *("red square,\nblue star", "red-square, blue star", "red square, blue star<|im_end|>"),
        "<think>red tri, blue star",
    ):
        assert parse_strictly(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "red tri, blue star",
        "Red Triangle, blue star.",
        "1. red tri\n2. blue star",
        '["red tri", "blue star"]',
        "I start at red tri and pass green plus.\n\nAnswer: red tri, blue star",
        "red-tri -> blue_star",
        # A marked up preamble drops what was said before.
        *(
            f"It passes green plus first.\n{preamble}**red tri**, `blue star`"
            for preamble in ("**Answer**: ", "**Answer:** ", "The `path` is: ", "$\\textbf{Answer}$: ")
        ),
    ],
)
def test_lenient_parsing_reads_the_same_list(reply: str) -> None:
    assert parse_leniently(reply, 2).value == ("red tri", "blue star")


def test_what_is_only_thought_of_is_no_answer() -> None:
    for reply in (
        "<think>The line goes from red tri to blue star, then green plus.</think>\nred tri, blue star",
        "The line goes from green plus to red tri.</think>red tri, blue star",
        "<think>red tri, green plus</think>\u200bred\u200b tri, blue star",
    ):
        assert parse_leniently(reply, 2).value == parse_strictly(reply) == ("red tri", "blue star")


@pytest.mark.parametrize(
    "reply",
    [
        f"Starting from the orange tri: {TEXT}",
        f"Starting at the orange tri, the path is {TEXT}",
        f'The path begins at the marker "orange tri"; {TEXT}',
        f"The path goes from orange tri to purple tri: {TEXT}",
        f"I follow the line from orange tri to its end.\n\n{TEXT}",
        f"{TEXT}\n\nNote: the green square was hard to see.",
        f"Answer: {TEXT}\n\nThe last marker of the path: purple tri",
        *(f"{TEXT}\n\n{TEXT}", f"{TEXT}\n{TEXT}", f"{numbered(LIST)}\n\n{TEXT}"),
        f"I see a red plus and a blue tri.\n\n**Answer:** {TEXT}",
        f"I'm not sure, but my best guess is: {TEXT}",
        f"{OTHER}\n\nWait, I went backwards. Correct: {TEXT}",
        f"I first thought it was {OTHER}, but it is {TEXT}",
        f"{TEXT} (I was unsure about the green square.)",
        f"Markers I can see: {', '.join(sorted(LIST))}.\n\nPath: {TEXT}",
        *(f"路径是：{TEXT}", f"<|begin_of_box|>{TEXT}<|end_of_box|>"),
        # Lists in other forms.
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
        TEXT.replace("star", "5-pointed star")
        .replace("plus", "+")
        .replace("square", "box")
        .replace("red", "bright red"),
        "橙色三角形, 红色圆形, 青色星形, 蓝色十字, 绿色正方形, 棕色圆形, 紫色三角形",
        "triángulo naranja, círculo rojo, estrella cian, cruz azul, cuadrado verde, círculo marrón, triángulo morado",
        "oranges Dreieck, roter Kreis, türkiser Stern, blaues Kreuz, grünes Quadrat, brauner Kreis, lila Dreieck",
        TEXT.replace("tri", "triangle").replace("plus", "cross").replace("purple", "violet").title(),
        f"It starts at the {LIST[0]}, goes to the {', then to the '.join(LIST[1:-1])} and ends at the {LIST[-1]}.",
        # A later list that replaces an earlier one is a correction.
        f"{TEXT}\n\nActually, I am sure: {TEXT}",
        f"{OTHER}\n\nActually, it is {TEXT}",
    ],
)
def test_a_right_list_counts_in_any_form_and_whatever_stands_around_it(reply: str) -> None:
    assert read(reply) == LIST


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (f"{TEXT} or {OTHER}", "several lists"),
        (f"The path is not {TEXT}", "no plain list"),
        (f"In reverse order: {TEXT}", "no plain list"),
        (f"{TEXT}\n\nWait, the third should be a red plus.", "taken back without a plain answer"),
        ("I cannot see the path. There is a red circle.", "no plain list"),
        ("I cannot see the path.", "no list of markers"),
        ("The path begins at the orange tri and ends at the purple tri.", "no plain list"),
        (f"In no particular order, the markers are {OTHER}", "no plain list"),
        (f"First I list all markers in the picture: {TEXT}. Now I follow", "no plain list"),
        (f"{LIST[0]}, then either {LIST[1]} or {LIST[2]}, {', '.join(LIST[3:])}", "no plain list"),
        (TEXT.replace("red circle", "red/brown circle"), "no plain list"),
        (f"For example: {', '.join(LIST[:4])}", "no plain list"),
        ("<think>red tri, blue star</think> I cannot tell.", "no list of markers"),
        # A list that breaks off is not read as a short one.
        *(
            (", ".join(LIST[:4]) + tail, "no plain list")
            for tail in (", ...", ", purple", ", and so on", " ->", ", ?, ?, purple tri", ", [unclear], purple tri")
        ),
        (numbered(LIST[:4]) + "\n5. ", "no plain list"),
    ],
)
def test_what_is_not_plainly_stated_is_refused(reply: str, reason: str) -> None:
    assert read(reply) == reason


@pytest.mark.parametrize("other", [LIST[:4], LIST[:5], (*LIST, "red star"), ("dark blue star", "pink tri", *LIST[2:])])
def test_a_list_of_another_length_or_color_keeps_its_positions(other: tuple[str, ...]) -> None:
    expected = tuple(marker.removeprefix("dark ") for marker in other)
    for reply in (", ".join(other), f"Sure! The path is: {', '.join(other)}.", f"{numbered(other)}\n\nThat is all."):
        assert read(reply) == expected


@pytest.mark.parametrize(
    "filler",
    ["red tri, ", "red tri\n", "light blue ", "red ", "tri (", "not ", "wait, red tri ", "1. ", '{"color": "red", '],
)
def test_a_long_reply_takes_no_quadratic_time(filler: str) -> None:
    """Which would exceed the budget of a test."""
    for reply in (filler * (100_000 // len(filler)), f"{TEXT} {filler * (100_000 // len(filler))}"):
        read(reply)
