"""Replies about nested and crossing curves: a graph is read in every plain way of writing it, and never guessed."""

import pytest

from planimeter.evals.curves import protocol as curves
from planimeter.evals.curves_maps import protocol as maps

ROWS = "1 0\n2 1\n3 0"
TREE = f"3\n{ROWS}"
RIGHT = curves.written((0, 0, 1))
MAP = "3\n0 1\n0 2\n1 3\n2 3"
COUNTS = ("", "3\n", "**3**\n", "n = 3\n", "Three regions (without the root):\n", "4 regions including the root\n")


def read(suite, reply: str) -> str:
    """Return the graph read, as the dataset writes it, or the reason of the refusal."""
    parsed = suite.parse(suite.CONFIGS[0], reply)
    return parsed.reason if parsed.value is None else suite.written(parsed.value)


@pytest.mark.parametrize(
    "reply",
    [
        TREE,
        f"<answer>\n{TREE}",
        f"< Answer >\n{TREE}\n</ Answer >",
        f"**<answer>**\n{TREE}\n**</answer>**",
        f"<answer>\n{TREE}\n</answer>\nThe list stands between <answer> and </answer>.",
        f"<answer>\n```text\n{TREE}\n```\n</answer>",
        f"**Answer:**\n{TREE}",
        f"The answer is:\n\n{TREE}\n\nRegion 1 holds region 2.",
        f"答案：\n{TREE}",
        f"<|begin_of_box|>{TREE}<|end_of_box|>",
        f"◁think▷2\n1 0\n2 0◁/think▷\n{TREE}<|im_end|>",
        f"<answer>\n{TREE}\n</answer>\n\nOnce more:\n\n<answer>\n{TREE}\n</answer>",
        r"\boxed{3 \\ 1\ 0 \\ 2\ 1 \\ 3\ 0}",
        r'{"answer": "3\n1 0\n2 1\n3 0"}',
        # In words, or drawn as an outline.
        "Region 1 and region 3 lie directly in the unbounded region, and region 2 lies inside region 1. That is all.",
        "The root contains regions 1 and 3, and region 1 contains region 2.",
        "3 regions: 1 inside 0, 2 inside 1, 3 inside 0.",
        "The parent of region 1 is 0. The parent of region 2 is 1. The parent of region 3 is 0.",
        "Children of each region:\n0: 1, 3\n1: 2\n2: none\n3: none",
        '{"0": [1, 3], "1": [2], "2": [], "3": []}',
        "Region 1\n  Parent: 0\nRegion 2\n  Parent: 1\nRegion 3\n  Parent: 0",
        "Curve 1: none → parent 0\nCurve 2: curve 1 → parent 1\nCurve 3: none → parent 0",
        "1 ⊂ 0, 2 ⊂ 1, 3 ⊂ 0",
        "So, with 1 = the big one, 2 = the one in it and 3 = the other, the pairs are: 1 0, 2 1, 3 0.",
        "<answer>3: (1,0), (2,1), (3,0)</answer>",
        "Root (0)\n├── 1\n│   └── 2\n└── 3",
        "The tree:\n\n* Unbounded region (0)\n    * Region 1\n        * Region 2\n    * Region 3",
        "<answer>\n3\nA root\nB A\nC root\n</answer>",
        "- Region 1 (in the plane): parent 0\n- Region 2 (in the oval): parent 1\n- Region 3 (apart): parent 0",
    ],
)
def test_a_tree_is_not_lost_for_how_it_is_marked_or_worded(reply: str) -> None:
    assert read(curves, reply) == RIGHT


@pytest.mark.parametrize(
    "reply",
    [
        '{"n": 3, "edges": [[1, 0], [2, 1], [3, 0]]}',
        "[\n [\n  1,\n  0\n ],\n [2, 1], [3, 0]\n]",
        '{"1": 0, "2": 1, "3": 0}',
        "{1: 0, 2: 1, 3: 0}",
        '[{"child": 1, "parent": 0}, {"child": 2, "parent": 1}, {"child": 3, "parent": 0}]',
        '{"tree": [{"id": 0, "parent": null}, {"id": 1, "parent": 0}, {"id": 2, "parent": 1}, {"id": 3, "parent": 0}]}',
        '{"id": 0, "children": [{"id": 1, "children": [{"id": 2}]}, {"id": 3, "children": []}]}',
        '{"count": 3, "edges": ["1 0", "2 1", "3 0"]}',
        "edges = [(1, 0), (2, 1), (3, 0)]",
        '{"parents": [null, 0, 1, 0]}',
        '{"children": {"0": [1, 3], "1": [2]}}',
    ],
)
def test_a_tree_in_json_or_python_is_read(reply: str) -> None:
    assert read(curves, reply) == read(curves, f"```json\n{reply}\n```") == RIGHT


@pytest.mark.parametrize(
    "lines",
    [
        *(ROWS, "(1, 0), (2, 1), (3, 0)", "1-0; 2-1; 3-0", "1, 0\n2, 1\n3, 0", "1 0<br>2 1<br>3 0", "1 0\\n2 1\\n3 0"),
        *("1 -> 0\n2 -> 1\n3 -> 0", "1→0, 2→1, 3→0", "parent -> child\n0 -> 1\n1 -> 2\n0 -> 3"),
        *("- 1 0\n- 2 1\n- 3 0", "> 1 0\n> 2 1\n> 3 0", "1. 1 0\n2. 2 1\n3. 3 0", '"1 0"\n"2 1"\n"3 0"'),
        *("1 0\n2 1\n2 1\n3 0", "0 -1\n1 0\n2 1\n3 0", "0 contains 1\n1 contains 2\n0 contains 3"),
        "1 0 # outer\n2 1 # inside region 1\n3 0 # beside",
        "1 0 (circle)\n2 1 (inside 1)\n3 0 – the triangle",
        "| region | parent |\n|---|---|\n| 1 | 0 |\n| 2 | 1 |\n| 3 | 0 |",
        "Region 1: parent 0\nRegion 2: parent 1\nRegion 3: parent 0",
        "1 is inside 0\n2 is inside 1\n3 lies directly inside 0",
    ],
)
def test_a_tree_is_not_lost_for_how_its_lines_are_written(lines: str) -> None:
    for count in COUNTS:
        assert read(curves, count + lines) == RIGHT, count
        marked = f"I see nested curves.\n\n<answer>\n{count}{lines}\n</answer>\n\nI am sure."
        assert read(curves, marked) == RIGHT, count


@pytest.mark.parametrize(
    "reply",
    [
        "Region 1 is not inside 0. 2 is inside 1.",
        "Region 1 is inside 0. Region 2 is inside region 1. Region 3",
        "1. The outer curve: region 1, parent 0.\n2. In it: region 2, parent 1.\n3. To the right: region 3, parent",
        "The regions are nested: 1 in 0, 2 in 1, and so on.",
        "3\n1 0\n2 1\n3 0\n...",
        "Region 2 lies beside region 1 and region 3.",
        "There are 3 curves in the picture, 2 of them in the left half.",
        "0\n  1\n    1",
        "I must answer in this form:\n\n<answer>\n3\n1 0\n2 1\n3 0\n</answer>\n\nThere is a curve at the top which",
    ],
)
def test_sentences_that_do_not_state_a_whole_tree_are_not_read(reply: str) -> None:
    assert curves.parse("easy", reply).value is None


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        # Curves that are all alike are read only if they are all.
        ("There are four curves, each one directly inside the next.", "4\n1 0\n2 1\n3 2\n4 3"),
        ("Three separate curves, and none of them lies inside another.", "3\n1 0\n2 0\n3 0"),
        ("On the left there are four curves, each inside the next.", "no list of pairs"),
        ("Of the four curves each lies inside the next or the one after.", "no list of pairs"),
        # The direction of an arrow is not guessed unless both directions are one tree.
        ("0 -> 1\n1 -> 2", "2\n1 0\n2 1"),
        *((reply, "node with two parents") for reply in ("0 -> 1\n0 -> 2", '{"0": [1], "2": [1]}')),
        *((reply, "root is not 0") for reply in ("0 -> 2\n1 -> 2", "[[0, 1], [1, 3], [2, 3]]")),
        ("0: 1\n1: 2, 0", "no root"),
        ("2\n1 <- 0\n2 <- 1", "line is not two integers"),
        # A list that is not plain is refused.
        *(
            (reply, "count differs from the lines")
            for reply in (f"2\n{ROWS}", f"4\n{ROWS}", f"{ROWS}\n\nTotal: 4 regions")
        ),
        ("1 0\n2 5\n5 0", "no count, and a number left out"),
        *((f"3\n1 0\n2 1\n3 {last}", "line is not two integers") for last in ("1 0", "0 or 3 1", "0?")),
        *(
            (reply, "line is not two integers")
            for reply in ("1 0\n2 1\n3", f"3 or 4\n{ROWS}", "3\n1 0 (2 1)\n2 1\n3 0")
        ),
        ("2\n1 0\n2 1 # no, 1 contains 0", "line is not two integers"),
        *(
            (reply, "no list of pairs")
            for reply in ("3 1 0 2 1", "3", "There are 3 regions.", "I cannot see the picture.")
        ),
        # A tree that is written more than once must be the same, or corrected.
        (f"First try:\n1\n1 0\n\nWait, I missed two.\n\n{TREE}", RIGHT),
        (f"<answer>\n1\n1 0\n</answer>\nActually there are more: <answer>\n{TREE}\n</answer>", RIGHT),
        (f"1\n1 0\n\nThe picture is large.\n\n{TREE}", "several answers"),
        (f"<answer>\n1\n1 0\n</answer>\n<answer>\n{TREE}\n</answer>", "several answers"),
        (f"<answer>\n{TREE}\n</answer>\nWait, 3 should be inside 1.", "taken back without a plain answer"),
        (f"<answer>\n{TREE}\n</answer>\nActually, region 3 lies in region 1.", "taken back without a plain answer"),
        (f"{TREE}\n\nHmm, region 3 is perhaps inside region 1.", "taken back without a plain answer"),
        (f"<answer>\n{TREE}\n</answer>\nLet me check: 2 lies in 1. Yes.", RIGHT),
        ("Outside:\n1 0\n3 0\nInside region 1:\n2 1", RIGHT),
        ("3\n1 0\n3 0\nNow what is inside of the first.\n2 1", RIGHT),
    ],
)
def test_a_tree_is_read_as_it_is_stated_and_never_guessed(reply: str, result: str) -> None:
    assert read(curves, reply) == result


@pytest.mark.parametrize(
    "reply",
    [
        *(MAP, "[[0, 1], [0, 2], [1, 3], [2, 3]]", "0-1, 0-2, 1-3, 2-3", "Edges: (0,1), (0,2), (1,3), (2,3)"),
        *("0 -- 1\n0 -- 2\n1 -- 3\n2 -- 3", "0: 1, 2\n1: 0, 3\n2: 0, 3\n3: 1, 2", "3\n0 1 2\n1 0 3\n2 0 3\n3 1 2"),
        *("3 0 1 0 2 1 3 2 3", "3\n0 A\n0 B\nA C\nB C", f"<answer>\n{MAP}"),
        "3 faces\n1 0\n2 0\n3 1\n3 2\n0 1",
        "4 faces including the unbounded one\n0 1\n0 2\n1 3\n2 3",
        '{"0": [1, 2], "1": [0, 3], "2": [0, 3], "3": [1, 2]}',
        '{"faces": 3, "adjacent": [[0, 1], [0, 2], [1, 3], [2, 3]]}',
        '[{"a": 0, "b": 1}, {"a": 0, "b": 2}, {"a": 1, "b": 3}, {"a": 2, "b": 3}]',
        "Faces 0 and 1 are adjacent.\nFace 0 borders face 2.\nFace 1 touches face 3.\nFace 2 is adjacent to face 3.",
        "Face 0 is adjacent to faces 1 and 2, and face 3 is adjacent to faces 1 and 2.",
        "3 bounded faces: the unbounded face touches 1 and 2, and face 3 touches 1 and 2.",
        "- Face 0 (unbounded)\n  - adjacent to face 1\n  - adjacent to face 2\n- Face 3\n  - adjacent to 1 and 2",
        "The map has 3 faces: two crescents (1 and 2) and a lens (3). Adjacent pairs: 0-1, 0-2, 1-3 and 2-3.",
        "| face | adjacent faces |\n|---|---|\n| 0 | 1, 2 |\n| 1 | 0, 3 |\n| 2 | 0, 3 |\n| 3 | 1, 2 |",
        f"<answer>{MAP}</answer>\nI put it into <answer> tags.",
    ],
)
def test_a_map_is_not_lost_for_how_it_is_written(reply: str) -> None:
    assert read(maps, reply) == MAP


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("2\n0 1\n0 2\n1 3", "no such pair of faces"),
        ("3\n0 1\n1 1\n2 3", "no such pair of faces"),
        ("3\n0 1\n0 2 1\n1 2", "neighbours that are not mutual"),
        ("1 2\n2 3\n1 3", "no count, and a number left out"),
        ("4\n0 1\n0 2\n1 3\n", "fewer pairs than faces"),
        ("<answer>3</answer>", "fewer pairs than faces"),
        ("0: 1, 2\n1: 0\n2: 1", "neighbours that are not mutual"),
        ("3\n1 is inside 0\n2 is inside 0\n3 is inside 1", "line is not two integers"),
        ("999\n0 1", "too many faces"),
        ("There are 3 faces.", "no list of pairs"),
    ],
)
def test_a_map_that_is_not_plain_is_refused(reply: str, reason: str) -> None:
    assert read(maps, reply) == reason


@pytest.mark.parametrize(("suite", "answer"), [(curves, TREE), (maps, MAP)])
def test_strictly_nothing_stands_beside_the_tags(suite, answer: str) -> None:
    config = suite.CONFIGS[0]
    asked = f"<answer>\n{answer}\n</answer>"
    for reply in (asked, f"<think>1 0</think>\n\n{asked}\n", asked.replace("\n", "\r\n"), f"<answer>{answer}</answer>"):
        assert suite.read(config, {}, reply, strict=True).value is not None
    beside = (f"Answer: {asked}", f"{asked}.", f"{asked}\n{asked}", f"{asked}<|im_end|>")
    for reply in (*beside, asked.replace(" ", "  "), answer):
        assert suite.read(config, {}, reply, strict=True).reason == "not the asked format"
        assert suite.read(config, {}, reply, strict=False).value is not None
