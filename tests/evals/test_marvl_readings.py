"""What the readers of counts and of transformations take from prose, and what they must not."""

import pytest

from planimeter.evals import grade
from planimeter.evals.marvl_qa.protocol import parse, parse_strict

SHOWN = ("translate_x", "rotate_90_clockwise", "no_change", "rotate_180", "translate_y")


def count(reply: str, feature: str = "maxima") -> int | None:
    row = {"answer": "6", "feature": feature, "count": 6}
    scores = grade(row, reply, suite="marvl_qa", config="counting")
    return int(scores.read) if scores.answered else None


def chosen(reply: str) -> int | None:
    return parse("transformation", reply, SHOWN).value


@pytest.mark.parametrize(
    ("reply", "maxima", "minima"),
    [
        ("There are 6 local maxima and 4 local minima.", 6, 4),
        ("There are 6 local minima.", None, 6),
        ("Maxima: 4, minima: 6", 4, 6),
        ("peaks: 6, valleys: 4", 6, 4),
        ("Total number of local maxima: 6\nTotal number of local minima: 4", 6, 4),
        ('{"local_maxima": 6, "local_minima": 4}', 6, 4),
        ("10 extrema in total: 6 maxima and 4 minima", 6, 4),
        ("6 maxima and 4 minima, 10 in total", 6, 4),
        ("Of the 10 extrema, 6 are maxima and 4 are minima.", 6, 4),
        ("| Feature | Count |\n|---|---|\n| Local maxima | 6 |\n| Local minima | 4 |", 6, 4),
        ("<final_answer>6 maxima, 4 minima</final_answer>", 6, 4),
        ("There are 6 extrema.", None, None),
        ("图中有6个局部极大值和4个局部极小值。", 6, 4),
    ],
)
def test_the_count_of_the_other_feature_is_not_read(reply, maxima, minima):
    assert (count(reply, "maxima"), count(reply, "minima")) == (maxima, minima)


def test_the_same_reply_to_the_other_question_is_read_anew():
    """The readings of equal replies are remembered: by the feature, too."""
    reply = "I see 6 local maxima and 4 local minima here."
    assert [count(reply, feature) for feature in ("maxima", "minima", "maxima")] == [6, 4, 6]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("6 local maxima: 3 in the top row and 3 in the bottom row.", 6),
        ("I count 6 local maxima: 3 bright, 3 dim.", 6),
        ("There are 6 local maxima, 2 of them near the boundary.", 6),
        ("There are 6 peaks arranged in two rows of three.", 6),
        ("12, because there are 3 rows of 4", 12),
        ("Row 1 peaks: 3\nRow 2 peaks: 3\nSo six.", 6),
        ("Top row: 3\nBottom row: 3\nTotal: 6", 6),
        ("| Row | Peaks |\n|---|---|\n| 1 | 3 |\n| 2 | 3 |\n| **Total** | **6** |", 6),
        ("1. (-2, 3)\n2. (1, 1)\n3. (0, -2)\n\nThere are 3 local maxima", 3),
        ("I see 7 peaks, one of which is on the border, so 6 local maxima.", 6),
        ("I count 3 local maxima in the top row and 3 in the bottom row.", None),
        ("There are 3 large local maxima and 3 small local maxima", None),
        ("There are 3 local maxima on the ridge. There are 3 local maxima on the plain.", None),
        ("Row 1: 3 peaks", None),
        ("<final_answer>3 in the top row, 3 in the bottom row</final_answer>", None),
        ("Every quadrant has one maximum.", None),
        ("one maximum is hidden, so I am not sure", None),
        ("<final_answer>6 per row</final_answer>", None),
    ],
)
def test_a_part_is_not_taken_for_the_total(reply, value):
    assert count(reply) == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("<final_answer>3+3</final_answer>", 6),
        ("<final_answer>3 + 3 = 6</final_answer>", 6),
        ("<final_answer>6 = 3 + 3</final_answer>", 6),
        ("Peaks: 3 + 3", 6),
        ("9 - 3 = 6", 6),
        ("3 peaks + 3 peaks = 6", 6),
        ("There are 4 rows of 4 peaks.", 16),
        ("4 rows with 4 local maxima each", 16),
        ("The answer is 4*4.", 16),
        ("<final_answer>4 × 4 grid</final_answer>", 16),
        (r"\boxed{4 \times 4}", 16),
        ("<final_answer>2 rows × 3 columns</final_answer>", 6),
        ("<final_answer>half a dozen</final_answer>", 6),
        ("The peaks form a 4 × 4 grid.", None),
        ("There are 4 rows with 4 peaks in the first.", None),
        ("<final_answer>4 rows</final_answer>", None),
        ("<final_answer>9 - 3</final_answer>", None),
        ("<final_answer>12 / 2</final_answer>", None),
    ],
)
def test_a_factor_or_a_summand_is_not_the_count(reply, value):
    assert count(reply) == value


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("The answer is 6. Hmm, actually it is 5.", 5),
        ("Final answer: 6? No, 5.", 5),
        ("Final answer: 6. On reflection 5 is right.", 5),
        ("My answer is 6... no wait, it must be 5.", 5),
        ("The answer is 6. But after recounting I get 5 local maxima.", 5),
        ("I count 6 local maxima. But after recounting I get 5 local maxima.", 5),
        ("I counted 6 at first, but there are 5 local maxima.", 5),
        ("<final_answer>6</final_answer>\nWait, I made a mistake: the answer is 5.", 5),
        ("I count 6 local maxima. Wait, that is wrong.", None),
        ("I count 6 local maxima. Wait, 2 peaks are on the border.", None),
        ("The answer is not 5 but 6", 6),
        ("The answer is 6, not 5.", 6),
        ("6 local maxima is wrong.", None),
        ("I don't think there are 6 local maxima.", None),
    ],
)
def test_what_is_taken_back_or_denied_is_not_read(reply, value):
    assert count(reply) == value


@pytest.mark.parametrize(
    "reply",
    [
        "If the answer is 6, the plot would be symmetric. It has not.",
        "There could be 6 local maxima.",
        "Are there 6 local maxima?",
        "The answer is in step 6.",
        "The answer is given in Figure 6.",
        "The answer is in Fig. 6.",
        "Look at peak 6.",
        "<final_answer>6 or more</final_answer>",
        "<final_answer>6 at most</final_answer>",
        "<final_answer>6 or fewer</final_answer>",
        "<final_answer>&gt;6</final_answer>",
        "There are 6 local maxima or more.",
        "There are at least 6 local maxima.",
        "Es gibt mindestens 6 lokale Maxima.",
        "图中至少有6个局部极大值。",
        "It looks like 5, but maybe 6 peaks.",
        "<final_answer>6 or 7</final_answer>",
        "<final_answer>6, 7</final_answer>",
        "<final_answer>5 to 7</final_answer>",
        "6. Or 7.",
        "The peak is at x = 6.",
    ],
)
def test_a_condition_a_reference_a_bound_and_a_choice_are_no_count(reply):
    assert count(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "One can observe 6 local maxima.",
        "I count 6 (six) local maxima",
        "I found 6 peaks at x = -3, -1, 1",
        "Result: 6",
        "Output: 6",
        "N = 6",
        "A: 6",
        "6 is the answer.",
        "My best guess is 6",
        "I would say 6.",
        "Probably 6.",
        "6\nConfidence: 80%",
        '{"local_maxima": 6}',
        "The local maxima are not on the border; there are 6 of them.",
        "It is not easy to see, but there are 6 local maxima.",
        "The surface has 6 distinct, well-separated local maxima.",
        "Looking at the plot, I count 6.",
        "<|begin_of_box|>6<|end_of_box|>",
        "<final_answer><|begin_of_box|>6<|end_of_box|></final_answer>",
        "Es gibt 6 lokale Maxima.",
        "Es gibt sechs lokale Maxima.",
        "Il y a 6 maxima locaux.",
        "Le nombre de maxima locaux est 6.",
        "Hay 6 máximos locales.",
        "El número de máximos locales es 6.",
        "Há 6 máximos locais.",
        "图中有6个局部极大值。",
        "局部极大值的数量是6。",
        "图中有六个峰。",
        "極大値は6個です。",
        "6個の極大値があります。",
        "극댓값은 6개입니다.",
        "На графике 6 локальных максимумов.",
        "يوجد 6 قيم عظمى محلية.",
        "इस चित्र में 6 स्थानीय उच्चिष्ठ हैं।",
    ],
)
def test_a_plain_count_is_not_refused(reply):
    assert count(reply) == 6


@pytest.mark.parametrize(
    ("reply", "value"), [("There are no local maxima.", 0), ("There is a single local maximum.", 1), ("No, 5.", 5)]
)
def test_none_and_one_are_counts(reply, value):
    assert count(reply) == value


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("Rotation by 90 degrees clockwise is wrong.", None),
        ("Translation along x is ruled out", None),
        ("I excluded translation along x", None),
        ("Hardly a translation along x", None),
        ("It is impossible to be no change", None),
        ("It is not a rotation but a translation along x.", 1),
        ("Rotation by 180 degrees, not translation.", 4),
        ("Rotation by 180 degrees rather than a translation along x.", 4),
        ("Neither a rotation by 90 degrees nor a translation; it is a rotation by 180 degrees.", 4),
        ("Options 1, 2 and 3 are ruled out, so it is option 4.", 4),
        ("Option 1 is wrong. Option 2 is right.", 2),
        ("Only translation along y remains.", 5),
    ],
)
def test_an_option_that_is_excluded_is_not_chosen(reply, option):
    assert chosen(reply) == option


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("Rotated by 90 degrees to the left", None),
        ("Rotated by 90 degrees to the right", 2),
        ("rotated 90° counterclockwise", None),
        ("rotated 270° counterclockwise", 2),
        ("Rotation by 270 degrees clockwise", None),
        ("clockwise rotation of 90 degrees", 2),
        ("A quarter turn clockwise.", 2),
        ("turned by a quarter to the right", 2),
        ("Plot B is Plot A after a half turn.", 4),
        ("It is a point reflection through the origin.", 4),
        ("Rotated by π", 4),
        ("The surface is shifted to the right.", 1),
        ("Plot B is shifted upwards.", 5),
        ("horizontal shift", 1),
        ("mirrored horizontally", None),
        ("moved up and to the right", None),
    ],
)
def test_directions_and_turns_are_told_apart(reply, option):
    assert chosen(reply) == option


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("5\n\nExplanation: rotation by 90 degrees clockwise would move the peak elsewhere.", 5),
        ("5\n\nExplanation: The peak at (1,2) moves upwards.", 5),
        ("The peak moves from (1,2) to (-1,-2), so it is a rotation by 180 degrees.", 4),
        ("The peak in the upper left moves to the lower right, so it is rotated by 180 degrees.", 4),
        ("Translation along x by 5", 1),
        ("shifted vertically upwards by 2", 5),
        ("The answer is 3. Actually, 5.", 5),
        ("First I thought it was a translation, but it is a rotation by 180 degrees.", 4),
        ("If it were rotated by 180 degrees, the peak would be at the left.", None),
        ("It could be rotation by 180 degrees.", None),
        ("3, since Plot B is rotated by 180 degrees", None),
        ("3\n\nPlot B is rotated by 180 degrees.", None),
    ],
)
def test_an_explanation_or_a_coordinate_is_no_choice(reply, option):
    assert chosen(reply) == option


VERDICTS = (
    "1. Translation along x: {}\n2. Rotation by 90 degrees clockwise: {}\n3. No change: {}\n"
    "4. Rotation by 180 degrees: {}\n5. Translation along y: {}"
)


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        (VERDICTS.format("no", "no", "no", "no", "yes"), 5),
        (VERDICTS.format("✗", "✓", "✗", "✗", "✗"), 2),
        (VERDICTS.format("no", "no", "no", "yes", "yes"), None),
        (VERDICTS.format("20%", "10%", "5%", "60%", "5%"), None),
        ("Ranking: 1. Rotation by 180 degrees 2. Translation along x", None),
        ("Ranking:\n1. Rotation by 180 degrees\n2. Translation along x", None),
    ],
)
def test_a_list_chooses_by_its_verdicts_alone(reply, option):
    assert chosen(reply) == option


@pytest.mark.parametrize(
    "reply",
    [
        "Drehung um 180 Grad",
        "Rotación de 180 grados",
        "旋转180度",
        "180도 회전",
        "Option 4",
        "选项4",
        "4\nConfidence: high",
        "My best guess is 4",
        '{"option": 4}',
        "Answer: 4, since translation along x would not change the left peak",
    ],
)
def test_a_plain_choice_is_not_refused(reply):
    assert chosen(reply) == 4


@pytest.mark.parametrize("config", ["counting", "transformation"])
def test_reasoning_before_the_asked_line_is_no_fault_of_the_format(config):
    assert parse_strict(config, "<think>3 or 4?</think>\n\n<final_answer>4</final_answer>\n").value == 4
    for reply in ("So: <final_answer>4</final_answer>", "<final_answer>4</final_answer><|im_end|>"):
        assert parse_strict(config, reply).value is None


@pytest.mark.parametrize(
    "reply",
    [
        "The maximum is 6.",
        "The peaks are 6 apart.",
        "Number of saddle points: 6",
        "There are 6 contour lines around the peaks.",
        "The maximum number of peaks is 6.",
        "Of the 6 bright spots, 2 are on the border.",
        "There are 6 bright spots, but some of them may be on the border.",
        "6 peaks are visible, but there may be more.",
        "So far I have 6 peaks.",
        "Two peaks merge into one.",
        "The 3 brightest peaks are on the left.",
        "3 large peaks and several small ones",
        "It is unlikely that there are 6 local maxima.",
        '{"feature": "minima", "count": 6}',
        "Final answer: 6 (could also be 7)",
        "This is plot 6.",
    ],
)
def test_a_height_a_subset_and_what_may_be_more_are_no_count(reply):
    assert count(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "3 on top and 3 at the bottom: 6.",
        "Seven summits, one of which is at the border: six.",
        "9 bright spots, 3 on the border → 6",
        "8 bright regions, 6 local maxima.",
        "Eight bright spots, but only 6 local maxima",
        "There are 15 extrema; 9 are minima and the other 6 maxima.",
        "Excluding the two on the border, there are 6 local maxima.",
        "There are 8 local maxima. Rechecking... there are 6 local maxima.",
        "I would have said 8, but it's 6.",
        "6 instead of 8",
        "There are 6 points that are local maxima.",
        r"$N_{\max} = 6$",
    ],
)
def test_the_result_of_a_sentence_is_told_from_what_it_starts_with(reply):
    assert count(reply) == 6


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("Everything but option 4 is excluded.", 4),
        ("All options except 4 can be ruled out.", 4),
        ("It is anything but a rotation by 180 degrees.", None),
        ("Translation along x? No. Rotation by 180 degrees? Yes.", 4),
        ("1) no 2) no 3) no 4) yes 5) no", 4),
        ("If you rotate Plot A by 180 degrees, you get Plot B.", 4),
        ("If we shift A to the right, we don't get Plot B.", None),
        ("A rotation by 180 degrees would put the peak in the lower right.", None),
        ("For a rotation by 180 degrees, (x, y) becomes (-x, -y).", None),
        ("Let me consider rotation by 180 degrees first.", None),
        ("Options 2 and 5 both fit equally well.", None),
        ("Rotation by 180 degrees fits better than translation along x.", 4),
        ("rotated by 180 degrees and shifted along x", None),
        ("The surface is the same in both plots.", 3),
        ("The plots have the same axes.", None),
        ("The orientation is unchanged.", None),
        ("The answer is 4, since 1 and 5 are translations.", 4),
    ],
)
def test_what_is_only_weighed_is_not_chosen(reply, option):
    assert chosen(reply) == option
