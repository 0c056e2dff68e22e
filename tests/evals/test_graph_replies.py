"""Replies about nested and crossing curves: a graph is read in every plain way of writing it, and never guessed."""

import pytest
from listed import listed, valued

from planimeter.evals.curves import protocol as curves
from planimeter.evals.curves_maps import protocol as maps

TREE = "3\n1 0\n2 1\n3 0"
RIGHT = curves.written((0, 0, 1))
MAP = "3\n0 1\n0 2\n1 3\n2 3"
COUNTS = ("", "3\n", "**3**\n", "n = 3\n", "Three regions (without the root):\n", "4 regions including the root\n")


def read(suite, reply: str) -> str:
    """Return the graph read, as the dataset writes it, or the reason of the refusal."""
    parsed = suite.parse(suite.CONFIGS[0], reply)
    return parsed.reason if parsed.value is None else suite.written(parsed.value)


#: Ways to write the one tree: marked in many ways, in words, drawn as an outline.
TREES = r"""
3⏎1 0⏎2 1⏎3 0 ¦ <answer>⏎3⏎1 0⏎2 1⏎3 0 ¦ < Answer >⏎3⏎1 0⏎2 1⏎3 0⏎</ Answer > ¦ **Answer:**⏎3⏎1 0⏎2 1⏎3 0
**<answer>**⏎3⏎1 0⏎2 1⏎3 0⏎**</answer>** ¦ <answer>⏎```text⏎3⏎1 0⏎2 1⏎3 0⏎```⏎</answer> ¦ 答案：⏎3⏎1 0⏎2 1⏎3 0
<answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>⏎The list stands between <answer> and </answer>. ¦ \boxed{3 \\ 1\ 0 \\ 2\ 1 \\ 3\ 0}
The answer is:⏎⏎3⏎1 0⏎2 1⏎3 0⏎⏎Region 1 holds region 2. ¦ <|begin_of_box|>3⏎1 0⏎2 1⏎3 0<|end_of_box|>
◁think▷2⏎1 0⏎2 0◁/think▷⏎3⏎1 0⏎2 1⏎3 0<|im_end|> ¦ {"answer": "3⏎1 0⏎2 1⏎3 0"}
<answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>⏎⏎Once more:⏎⏎<answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>
Region 1 and region 3 lie directly in the unbounded region, and region 2 lies inside region 1. That is all.
The root contains regions 1 and 3, and region 1 contains region 2. ¦ 3 regions: 1 inside 0, 2 inside 1, 3 inside 0.
The parent of region 1 is 0. The parent of region 2 is 1. The parent of region 3 is 0. ¦ 1 ⊂ 0, 2 ⊂ 1, 3 ⊂ 0
Children of each region:⏎0: 1, 3⏎1: 2⏎2: none⏎3: none ¦ {"0": [1, 3], "1": [2], "2": [], "3": []}
Region 1⏎  Parent: 0⏎Region 2⏎  Parent: 1⏎Region 3⏎  Parent: 0 ¦ <answer>3: (1,0), (2,1), (3,0)</answer>
Curve 1: none → parent 0⏎Curve 2: curve 1 → parent 1⏎Curve 3: none → parent 0 ¦ Root (0)⏎├── 1⏎│   └── 2⏎└── 3
So, with 1 = the big one, 2 = the one in it and 3 = the other, the pairs are: 1 0, 2 1, 3 0.
The tree:⏎⏎* Unbounded region (0)⏎    * Region 1⏎        * Region 2⏎    * Region 3
<answer>⏎3⏎A root⏎B A⏎C root⏎</answer>
- Region 1 (in the plane): parent 0⏎- Region 2 (in the oval): parent 1⏎- Region 3 (apart): parent 0
"""
IN_JSON = r"""
{"n": 3, "edges": [[1, 0], [2, 1], [3, 0]]} ¦ [⏎ [⏎  1,⏎  0⏎ ],⏎ [2, 1], [3, 0]⏎] ¦ {"1": 0, "2": 1, "3": 0}
{1: 0, 2: 1, 3: 0} ¦ [{"child": 1, "parent": 0}, {"child": 2, "parent": 1}, {"child": 3, "parent": 0}]
{"tree": [{"id": 0, "parent": null}, {"id": 1, "parent": 0}, {"id": 2, "parent": 1}, {"id": 3, "parent": 0}]}
{"id": 0, "children": [{"id": 1, "children": [{"id": 2}]}, {"id": 3, "children": []}]} ¦ {"parents": [null, 0, 1, 0]}
{"count": 3, "edges": ["1 0", "2 1", "3 0"]} ¦ edges = [(1, 0), (2, 1), (3, 0)] ¦ {"children": {"0": [1, 3], "1": [2]}}
"""
LINES = r"""
1 0⏎2 1⏎3 0 ¦ (1, 0), (2, 1), (3, 0) ¦ 1-0; 2-1; 3-0 ¦ 1, 0⏎2, 1⏎3, 0 ¦ 1 0<br>2 1<br>3 0 ¦ 1 0\n2 1\n3 0
1 -> 0⏎2 -> 1⏎3 -> 0 ¦ 1→0, 2→1, 3→0 ¦ parent -> child⏎0 -> 1⏎1 -> 2⏎0 -> 3 ¦ - 1 0⏎- 2 1⏎- 3 0 ¦ > 1 0⏎> 2 1⏎> 3 0
1. 1 0⏎2. 2 1⏎3. 3 0 ¦ "1 0"⏎"2 1"⏎"3 0" ¦ 1 0⏎2 1⏎2 1⏎3 0 ¦ 0 -1⏎1 0⏎2 1⏎3 0 ¦ 0 contains 1⏎1 contains 2⏎0 contains 3
1 0 # outer⏎2 1 # inside region 1⏎3 0 # beside ¦ 1 0 (circle)⏎2 1 (inside 1)⏎3 0 – the triangle
| region | parent |⏎|---|---|⏎| 1 | 0 |⏎| 2 | 1 |⏎| 3 | 0 | ¦ Region 1: parent 0⏎Region 2: parent 1⏎Region 3: parent 0
1 is inside 0⏎2 is inside 1⏎3 lies directly inside 0
"""
MAPS = r"""
3⏎0 1⏎0 2⏎1 3⏎2 3 ¦ [[0, 1], [0, 2], [1, 3], [2, 3]] ¦ 0-1, 0-2, 1-3, 2-3 ¦ Edges: (0,1), (0,2), (1,3), (2,3)
0 -- 1⏎0 -- 2⏎1 -- 3⏎2 -- 3 ¦ 0: 1, 2⏎1: 0, 3⏎2: 0, 3⏎3: 1, 2 ¦ 3⏎0 1 2⏎1 0 3⏎2 0 3⏎3 1 2 ¦ 3 0 1 0 2 1 3 2 3
3⏎0 A⏎0 B⏎A C⏎B C ¦ <answer>⏎3⏎0 1⏎0 2⏎1 3⏎2 3 ¦ 4 faces including the unbounded one⏎0 1⏎0 2⏎1 3⏎2 3
3 faces⏎1 0⏎2 0⏎3 1⏎3 2⏎0 1 ¦ {"0": [1, 2], "1": [0, 3], "2": [0, 3], "3": [1, 2]}
{"faces": 3, "adjacent": [[0, 1], [0, 2], [1, 3], [2, 3]]}
[{"a": 0, "b": 1}, {"a": 0, "b": 2}, {"a": 1, "b": 3}, {"a": 2, "b": 3}]
Faces 0 and 1 are adjacent.⏎Face 0 borders face 2.⏎Face 1 touches face 3.⏎Face 2 is adjacent to face 3.
Face 0 is adjacent to faces 1 and 2, and face 3 is adjacent to faces 1 and 2.
3 bounded faces: the unbounded face touches 1 and 2, and face 3 touches 1 and 2.
- Face 0 (unbounded)⏎  - adjacent to face 1⏎  - adjacent to face 2⏎- Face 3⏎  - adjacent to 1 and 2
The map has 3 faces: two crescents (1 and 2) and a lens (3). Adjacent pairs: 0-1, 0-2, 1-3 and 2-3.
| face | adjacent faces |⏎|---|---|⏎| 0 | 1, 2 |⏎| 1 | 0, 3 |⏎| 2 | 0, 3 |⏎| 3 | 1, 2 |
<answer>3⏎0 1⏎0 2⏎1 3⏎2 3</answer>⏎I put it into <answer> tags.
"""


def test_a_graph_is_not_lost_for_how_it_is_marked_written_or_worded() -> None:
    wrapped = [f"```json\n{reply}\n```" for reply in listed(IN_JSON)]
    assert [reply for reply in (*listed(TREES), *listed(IN_JSON), *wrapped) if read(curves, reply) != RIGHT] == []
    assert [reply for reply in listed(MAPS) if read(maps, reply) != MAP] == []


@pytest.mark.parametrize("count", COUNTS)
def test_a_tree_is_not_lost_for_how_its_lines_are_written(count: str) -> None:
    for lines in listed(LINES):
        marked = f"I see nested curves.\n\n<answer>\n{count}{lines}\n</answer>\n\nI am sure."
        assert read(curves, count + lines) == read(curves, marked) == RIGHT, lines


def test_sentences_that_do_not_state_a_whole_tree_are_not_read() -> None:
    unfinished = """
Region 1 is not inside 0. 2 is inside 1. ¦ Region 1 is inside 0. Region 2 is inside region 1. Region 3
1. The outer curve: region 1, parent 0.⏎2. In it: region 2, parent 1.⏎3. To the right: region 3, parent
The regions are nested: 1 in 0, 2 in 1, and so on. ¦ 3⏎1 0⏎2 1⏎3 0⏎... ¦ 0⏎  1⏎    1
Region 2 lies beside region 1 and region 3. ¦ There are 3 curves in the picture, 2 of them in the left half.
I must answer in this form:⏎⏎<answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>⏎⏎There is a curve at the top which
"""
    assert [reply for reply in listed(unfinished) if curves.parse("easy", reply).value is not None] == []


#: What is read -> of which replies: curves that are all alike only if all are; an arrow's direction is not guessed
#: unless both directions are one tree; a list that is not plain is refused; a second one is the same or corrected.
STATED = """
4⏎1 0⏎2 1⏎3 2⏎4 3:: There are four curves, each one directly inside the next.
3⏎1 0⏎2 0⏎3 0:: Three separate curves, and none of them lies inside another.
no list of pairs:: On the left there are four curves, each inside the next. ¦ 3 1 0 2 1 ¦ 3 ¦ There are 3 regions.
no list of pairs:: Of the four curves each lies inside the next or the one after. ¦ I cannot see the picture.
2⏎1 0⏎2 1:: 0 -> 1⏎1 -> 2
node with two parents:: 0 -> 1⏎0 -> 2 ¦ {"0": [1], "2": [1]}
root is not 0:: 0 -> 2⏎1 -> 2 ¦ [[0, 1], [1, 3], [2, 3]]
no root:: 0: 1⏎1: 2, 0
count differs from the lines:: 2⏎1 0⏎2 1⏎3 0 ¦ 4⏎1 0⏎2 1⏎3 0 ¦ 1 0⏎2 1⏎3 0⏎⏎Total: 4 regions
no count, and a number left out:: 1 0⏎2 5⏎5 0
line is not two integers:: 2⏎1 <- 0⏎2 <- 1 ¦ 3⏎1 0⏎2 1⏎3 1 0 ¦ 3⏎1 0⏎2 1⏎3 0 or 3 1 ¦ 3⏎1 0⏎2 1⏎3 0? ¦ 1 0⏎2 1⏎3
line is not two integers:: 3 or 4⏎1 0⏎2 1⏎3 0 ¦ 3⏎1 0 (2 1)⏎2 1⏎3 0 ¦ 2⏎1 0⏎2 1 # no, 1 contains 0
RIGHT:: First try:⏎1⏎1 0⏎⏎Wait, I missed two.⏎⏎3⏎1 0⏎2 1⏎3 0
RIGHT:: <answer>⏎1⏎1 0⏎</answer>⏎Actually there are more: <answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>
RIGHT:: <answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>⏎Let me check: 2 lies in 1. Yes. ¦ Outside:⏎1 0⏎3 0⏎Inside region 1:⏎2 1
RIGHT:: 3⏎1 0⏎3 0⏎Now what is inside of the first.⏎2 1
several answers:: 1⏎1 0⏎⏎The picture is large.⏎⏎3⏎1 0⏎2 1⏎3 0
several answers:: <answer>⏎1⏎1 0⏎</answer>⏎<answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>
taken back without a plain answer:: <answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>⏎Wait, 3 should be inside 1.
taken back without a plain answer:: <answer>⏎3⏎1 0⏎2 1⏎3 0⏎</answer>⏎Actually, region 3 lies in region 1.
taken back without a plain answer:: 3⏎1 0⏎2 1⏎3 0⏎⏎Hmm, region 3 is perhaps inside region 1.
"""
NO_MAP = """
no such pair of faces:: 2⏎0 1⏎0 2⏎1 3 ¦ 3⏎0 1⏎1 1⏎2 3
neighbours that are not mutual:: 3⏎0 1⏎0 2 1⏎1 2 ¦ 0: 1, 2⏎1: 0⏎2: 1
no count, and a number left out:: 1 2⏎2 3⏎1 3
fewer pairs than faces:: 4⏎0 1⏎0 2⏎1 3⏎ ¦ <answer>3</answer>
line is not two integers:: 3⏎1 is inside 0⏎2 is inside 0⏎3 is inside 1
too many faces:: 999⏎0 1
no list of pairs:: There are 3 faces.
"""


@pytest.mark.parametrize(("suite", "table"), [(curves, STATED), (maps, NO_MAP)], ids=["trees", "maps"])
def test_a_graph_is_read_as_it_is_stated_and_never_guessed(suite, table: str) -> None:
    stated = [(reply, value.replace("⏎", "\n").replace("RIGHT", RIGHT)) for reply, value in valued(table)]
    assert [(reply, read(suite, reply)) for reply, _ in stated] == stated


@pytest.mark.parametrize(("suite", "answer"), [(curves, TREE), (maps, MAP)], ids=["trees", "maps"])
def test_strictly_nothing_stands_beside_the_tags(suite, answer: str) -> None:
    config = suite.CONFIGS[0]
    asked = f"<answer>\n{answer}\n</answer>"
    for reply in (asked, f"<think>1 0</think>\n\n{asked}\n", asked.replace("\n", "\r\n"), f"<answer>{answer}</answer>"):
        assert suite.read(config, {}, reply, strict=True).value is not None
    beside = (f"Answer: {asked}", f"{asked}.", f"{asked}\n{asked}", f"{asked}<|im_end|>")
    for reply in (*beside, asked.replace(" ", "  "), answer):
        assert suite.read(config, {}, reply, strict=True).reason == "not the asked format"
        assert suite.read(config, {}, reply, strict=False).value is not None
