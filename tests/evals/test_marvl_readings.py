"""What the readers of counts and of transformations take from prose, and what they must not."""

import pytest
from listed import listed, numbered

from planimeter.evals import grade
from planimeter.evals.marvl_qa.protocol import parse, parse_strict

SHOWN = ("translate_x", "rotate_90_clockwise", "no_change", "rotate_180", "translate_y")
VERDICTS = (
    "1. Translation along x: {}\n2. Rotation by 90 degrees clockwise: {}\n3. No change: {}\n"
    "4. Rotation by 180 degrees: {}\n5. Translation along y: {}"
)


def count(reply: str, feature: str = "maxima") -> int | None:
    row = {"answer": "6", "feature": feature, "count": 6}
    scores = grade(row, reply, suite="marvl_qa", config="counting")
    return int(scores.read) if scores.answered else None


def chosen(reply: str) -> int | None:
    return parse("transformation", reply, SHOWN).value


#: The number of maxima that each reply states.
COUNTS = {
    "a part is no total": r"""
6:: | Row | Peaks |⏎|---|---|⏎| 1 | 3 |⏎| 2 | 3 |⏎| **Total** | **6** | ¦ I count 6 local maxima: 3 bright, 3 dim.
6:: I see 7 peaks, one of which is on the border, so 6 local maxima. ¦ There are 6 peaks arranged in two rows of three.
6:: 6 local maxima: 3 in the top row and 3 in the bottom row. ¦ There are 6 local maxima, 2 of them near the boundary.
6:: Row 1 peaks: 3⏎Row 2 peaks: 3⏎So six. ¦ Top row: 3⏎Bottom row: 3⏎Total: 6
12:: 12, because there are 3 rows of 4
3:: 1. (-2, 3)⏎2. (1, 1)⏎3. (0, -2)⏎⏎There are 3 local maxima
-:: There are 3 local maxima on the ridge. There are 3 local maxima on the plain. ¦ Every quadrant has one maximum.
-:: <final_answer>3 in the top row, 3 in the bottom row</final_answer> ¦ one maximum is hidden, so I am not sure
-:: I count 3 local maxima in the top row and 3 in the bottom row. ¦ <final_answer>6 per row</final_answer>
-:: There are 3 large local maxima and 3 small local maxima ¦ Row 1: 3 peaks
""",
    "a factor or a summand is no count": r"""
6:: <final_answer>3+3</final_answer> ¦ <final_answer>3 + 3 = 6</final_answer> ¦ <final_answer>6 = 3 + 3</final_answer>
6:: Peaks: 3 + 3 ¦ 9 - 3 = 6 ¦ 3 peaks + 3 peaks = 6 ¦ <final_answer>2 rows × 3 columns</final_answer>
6:: <final_answer>half a dozen</final_answer>
16:: There are 4 rows of 4 peaks. ¦ 4 rows with 4 local maxima each ¦ The answer is 4*4.
16:: <final_answer>4 × 4 grid</final_answer> ¦ \boxed{4 \times 4}
-:: The peaks form a 4 × 4 grid. ¦ There are 4 rows with 4 peaks in the first. ¦ <final_answer>4 rows</final_answer>
-:: <final_answer>9 - 3</final_answer> ¦ <final_answer>12 / 2</final_answer>
""",
    "what is taken back or denied": r"""
5:: <final_answer>6</final_answer>⏎Wait, I made a mistake: the answer is 5. ¦ Final answer: 6. On reflection 5 is right.
5:: I count 6 local maxima. But after recounting I get 5 local maxima. ¦ My answer is 6... no wait, it must be 5.
5:: The answer is 6. But after recounting I get 5 local maxima. ¦ I counted 6 at first, but there are 5 local maxima.
5:: The answer is 6. Hmm, actually it is 5. ¦ Final answer: 6? No, 5.
-:: I count 6 local maxima. Wait, 2 peaks are on the border. ¦ I count 6 local maxima. Wait, that is wrong.
-:: I don't think there are 6 local maxima. ¦ 6 local maxima is wrong.
6:: The answer is not 5 but 6 ¦ The answer is 6, not 5.
""",
    "a condition, a reference, a bound and a choice": r"""
-:: If the answer is 6, the plot would be symmetric. It has not. ¦ There could be 6 local maxima.
-:: Are there 6 local maxima? ¦ The answer is in step 6. ¦ The answer is given in Figure 6. ¦ The answer is in Fig. 6.
-:: Look at peak 6. ¦ <final_answer>6 or more</final_answer> ¦ <final_answer>6 at most</final_answer>
-:: <final_answer>6 or fewer</final_answer> ¦ <final_answer>&gt;6</final_answer> ¦ There are 6 local maxima or more.
-:: There are at least 6 local maxima. ¦ Es gibt mindestens 6 lokale Maxima. ¦ 图中至少有6个局部极大值。
-:: It looks like 5, but maybe 6 peaks. ¦ <final_answer>6 or 7</final_answer> ¦ <final_answer>6, 7</final_answer>
-:: <final_answer>5 to 7</final_answer> ¦ 6. Or 7. ¦ The peak is at x = 6.
""",
    "a height, a subset and what may be more": r"""
-:: There are 6 bright spots, but some of them may be on the border. ¦ It is unlikely that there are 6 local maxima.
-:: There are 6 contour lines around the peaks. ¦ Of the 6 bright spots, 2 are on the border. ¦ The peaks are 6 apart.
-:: 6 peaks are visible, but there may be more. ¦ The 3 brightest peaks are on the left. ¦ Number of saddle points: 6
-:: 3 large peaks and several small ones ¦ The maximum number of peaks is 6. ¦ {"feature": "minima", "count": 6}
-:: Final answer: 6 (could also be 7) ¦ Two peaks merge into one. ¦ So far I have 6 peaks. ¦ The maximum is 6.
-:: This is plot 6.
""",
    "a plain count": r"""
6:: The local maxima are not on the border; there are 6 of them. ¦ It is not easy to see, but there are 6 local maxima.
6:: <final_answer><|begin_of_box|>6<|end_of_box|></final_answer> ¦ इस चित्र में 6 स्थानीय उच्चिष्ठ हैं। ¦ I would say 6.
6:: The surface has 6 distinct, well-separated local maxima. ¦ El número de máximos locales es 6. ¦ Há 6 máximos locais.
6:: На графике 6 локальных максимумов. ¦ Le nombre de maxima locaux est 6. ¦ I found 6 peaks at x = -3, -1, 1 ¦ N = 6
6:: One can observe 6 local maxima. ¦ Looking at the plot, I count 6. ¦ <|begin_of_box|>6<|end_of_box|> ¦ Probably 6.
6:: I count 6 (six) local maxima ¦ Es gibt sechs lokale Maxima. ¦ Es gibt 6 lokale Maxima. ¦ Il y a 6 maxima locaux.
6:: Hay 6 máximos locales. ¦ يوجد 6 قيم عظمى محلية. ¦ {"local_maxima": 6} ¦ My best guess is 6 ¦ 6⏎Confidence: 80%
6:: 6 is the answer. ¦ 6個の極大値があります。 ¦ 图中有6个局部极大值。 ¦ 局部极大值的数量是6。 ¦ 극댓값은 6개입니다.
6:: Result: 6 ¦ Output: 6 ¦ 極大値は6個です。 ¦ 图中有六个峰。 ¦ A: 6
""",
    "the result of a sentence": r"""
6:: There are 8 local maxima. Rechecking... there are 6 local maxima. ¦ Eight bright spots, but only 6 local maxima
6:: There are 15 extrema; 9 are minima and the other 6 maxima. ¦ Seven summits, one of which is at the border: six.
6:: Excluding the two on the border, there are 6 local maxima. ¦ There are 6 points that are local maxima.
6:: 9 bright spots, 3 on the border → 6 ¦ 8 bright regions, 6 local maxima. ¦ 3 on top and 3 at the bottom: 6.
6:: I would have said 8, but it's 6. ¦ 6 instead of 8 ¦ $N_{\max} = 6$
""",
    "none, one and another": r"""
0:: There are no local maxima.
1:: There is a single local maximum.
5:: No, 5.
""",
}
#: The option of ``SHOWN`` that each reply chooses.
OPTIONS = {
    "an option that is excluded": r"""
-:: Rotation by 90 degrees clockwise is wrong. ¦ Translation along x is ruled out ¦ I excluded translation along x
-:: Hardly a translation along x ¦ It is impossible to be no change
1:: It is not a rotation but a translation along x.
4:: Rotation by 180 degrees, not translation. ¦ Rotation by 180 degrees rather than a translation along x.
4:: Neither a rotation by 90 degrees nor a translation; it is a rotation by 180 degrees.
4:: Options 1, 2 and 3 are ruled out, so it is option 4.
2:: Option 1 is wrong. Option 2 is right.
5:: Only translation along y remains.
""",
    "directions and turns": r"""
-:: Rotated by 90 degrees to the left ¦ rotated 90° counterclockwise ¦ Rotation by 270 degrees clockwise
-:: mirrored horizontally ¦ moved up and to the right
2:: Rotated by 90 degrees to the right ¦ rotated 270° counterclockwise ¦ clockwise rotation of 90 degrees
2:: A quarter turn clockwise. ¦ turned by a quarter to the right
4:: Plot B is Plot A after a half turn. ¦ It is a point reflection through the origin. ¦ Rotated by π
1:: The surface is shifted to the right. ¦ horizontal shift
5:: Plot B is shifted upwards.
""",
    "an explanation or a coordinate": r"""
5:: 5⏎⏎Explanation: rotation by 90 degrees clockwise would move the peak elsewhere.
5:: 5⏎⏎Explanation: The peak at (1,2) moves upwards. ¦ shifted vertically upwards by 2 ¦ The answer is 3. Actually, 5.
4:: The peak moves from (1,2) to (-1,-2), so it is a rotation by 180 degrees.
4:: The peak in the upper left moves to the lower right, so it is rotated by 180 degrees.
4:: First I thought it was a translation, but it is a rotation by 180 degrees.
1:: Translation along x by 5
-:: If it were rotated by 180 degrees, the peak would be at the left. ¦ It could be rotation by 180 degrees.
-:: 3, since Plot B is rotated by 180 degrees ¦ 3⏎⏎Plot B is rotated by 180 degrees.
""",
    "an option that is only weighed": r"""
4:: Rotation by 180 degrees fits better than translation along x. ¦ If you rotate Plot A by 180 degrees, you get Plot B.
4:: Translation along x? No. Rotation by 180 degrees? Yes. ¦ The answer is 4, since 1 and 5 are translations.
4:: All options except 4 can be ruled out. ¦ Everything but option 4 is excluded. ¦ 1) no 2) no 3) no 4) yes 5) no
-:: A rotation by 180 degrees would put the peak in the lower right. ¦ If we shift A to the right, we don't get Plot B.
-:: For a rotation by 180 degrees, (x, y) becomes (-x, -y). ¦ Let me consider rotation by 180 degrees first.
-:: It is anything but a rotation by 180 degrees. ¦ rotated by 180 degrees and shifted along x
-:: Options 2 and 5 both fit equally well. ¦ The plots have the same axes. ¦ The orientation is unchanged.
3:: The surface is the same in both plots.
""",
    "a ranking": r"""
-:: Ranking: 1. Rotation by 180 degrees 2. Translation along x
-:: Ranking:⏎1. Rotation by 180 degrees⏎2. Translation along x
""",
    "a plain choice": r"""
4:: Drehung um 180 Grad ¦ Rotación de 180 grados ¦ 旋转180度 ¦ 180도 회전 ¦ Option 4 ¦ 选项4 ¦ 4⏎Confidence: high
4:: My best guess is 4 ¦ {"option": 4} ¦ Answer: 4, since translation along x would not change the left peak
""",
}


@pytest.mark.parametrize("kind", COUNTS)
def test_a_count_is_read_where_one_is_stated_and_nowhere_else(kind: str) -> None:
    stated = numbered(COUNTS[kind])
    assert [(reply, count(reply)) for reply, _ in stated] == stated


@pytest.mark.parametrize("kind", OPTIONS)
def test_an_option_is_read_where_one_is_chosen_and_nowhere_else(kind: str) -> None:
    stated = numbered(OPTIONS[kind])
    assert [(reply, chosen(reply)) for reply, _ in stated] == stated


@pytest.mark.parametrize(
    ("maxima", "minima", "replies"),
    [
        (
            6,
            4,
            r"""
| Feature | Count |⏎|---|---|⏎| Local maxima | 6 |⏎| Local minima | 4 | ¦ There are 6 local maxima and 4 local minima.
Total number of local maxima: 6⏎Total number of local minima: 4 ¦ Of the 10 extrema, 6 are maxima and 4 are minima.
<final_answer>6 maxima, 4 minima</final_answer> ¦ 10 extrema in total: 6 maxima and 4 minima ¦ peaks: 6, valleys: 4
{"local_maxima": 6, "local_minima": 4} ¦ 6 maxima and 4 minima, 10 in total ¦ 图中有6个局部极大值和4个局部极小值。
""",
        ),
        (None, 6, "There are 6 local minima."),
        (4, 6, "Maxima: 4, minima: 6"),
        (None, None, "There are 6 extrema."),
    ],
)
def test_the_count_of_the_other_feature_is_not_read(maxima: int | None, minima: int | None, replies: str) -> None:
    both = {reply: (count(reply, "maxima"), count(reply, "minima")) for reply in listed(replies)}
    assert both == dict.fromkeys(listed(replies), (maxima, minima))


def test_the_same_reply_to_the_other_question_is_read_anew() -> None:
    """The readings of equal replies are remembered: by the feature, too."""
    reply = "I see 6 local maxima and 4 local minima here."
    assert [count(reply, feature) for feature in ("maxima", "minima", "maxima")] == [6, 4, 6]


@pytest.mark.parametrize(
    ("verdicts", "option"),
    [("no no no no yes", 5), ("✗ ✓ ✗ ✗ ✗", 2), ("no no no yes yes", None), ("20% 10% 5% 60% 5%", None)],
)
def test_a_list_chooses_by_its_verdicts_alone(verdicts: str, option: int | None) -> None:
    assert chosen(VERDICTS.format(*verdicts.split())) == option


@pytest.mark.parametrize("config", ["counting", "transformation"])
def test_reasoning_before_the_asked_line_is_no_fault_of_the_format(config: str) -> None:
    assert parse_strict(config, "<think>3 or 4?</think>\n\n<final_answer>4</final_answer>\n").value == 4
    for reply in ("So: <final_answer>4</final_answer>", "<final_answer>4</final_answer><|im_end|>"):
        assert parse_strict(config, reply).value is None
