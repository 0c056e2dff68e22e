"""The protocol of MaRVL-QA: what is asked, what is read out of replies and what is not, and what it is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed import listed, numbered

from planimeter.evals import gold_score, grade
from planimeter.evals.answers import Parsed
from planimeter.evals.marvl_qa import protocol as marvl_qa
from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.evals.marvl_qa.protocol import CONFIGS, parse, parse_strict, render, score
from planimeter.items import FEATURES, OPTIONS

SHOWN = ("translate_x", "rotate_90_clockwise", "no_change", "rotate_180", "translate_y")
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
UNITS = [*UNITS.split(), "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
VERDICTS = (
    "1. Translation along x: {}\n2. Rotation by 90 degrees clockwise: {}\n3. No change: {}\n"
    "4. Rotation by 180 degrees: {}\n5. Translation along y: {}"
)


def in_words(n: int) -> str:
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f"-{UNITS[n % 10]}" if n % 10 else "")
    return f"{UNITS[n // 100]} hundred" + (f" and {in_words(n % 100)}" if n % 100 else "")


def count(reply: str, feature: str = "maxima") -> int | None:
    row = {"answer": "6", "feature": feature, "count": 6}
    scores = grade(row, reply, suite="marvl_qa", config="counting")
    return int(scores.read) if scores.answered else None


def chosen(reply: str) -> int | None:
    return parse("transformation", reply, SHOWN).value


#: Ways in which a model states a number N without changing which number it states.
DECORATIONS = listed(r"""
{} ¦ **{}** ¦ `{}` ¦ ${}$ ¦ {}. ¦ ({}) ¦ \boxed{{{}}} ¦ $\boxed{{\text{{{}}}}}$ ¦ The answer is {}.
<final_answer>{}</final_answer> ¦ <final_answer>⏎  {}⏎</final_answer> ¦ <final_answer>{}
<FINAL ANSWER>{}</FINAL ANSWER> ¦ <final_answer>{}<final_answer> ¦ <final_answer>**{}**</final_answer>
<answer>{}</answer> ¦ ```⏎<final_answer>{}</final_answer>⏎``` ¦ **Final answer:** {} ¦ Final Answer:⏎⏎**{}**
{{"answer": {}}} ¦ <think>3 or 4?</think>{} ¦ Row 1 holds 3 and row 2 holds 4.⏎<final_answer>{}</final_answer>
<final_answer>77</final_answer> No, I missed some: <final_answer>{}</final_answer> ¦ In columns: 3, 4 and 5.⏎⏎{}
""")
DECORATIONS.append(" {} \n")
STRICTLY_REFUSED = listed("""
12 ¦ <final_answer>twelve</final_answer> ¦ So: <final_answer>12</final_answer> ¦ <final_answer>12
<final_answer> 12 </final_answer> ¦ <final_answer>012</final_answer> ¦ <final_answer>１２</final_answer>
<final_answer>+12</final_answer> ¦ <final_answer>4</final_answer><|im_end|>
""")
#: The number of maxima that each reply states.
COUNTS = numbered(r"""
0:: There are no local maxima.
1:: There is a single local maximum. ¦ There is one local maximum in this plot.
2:: 1. top left⏎2. top right⏎⏎There are 2 peaks.
3:: 1. (-2, 3)⏎2. (1, 1)⏎3. (0, -2)⏎⏎There are 3 local maxima
5:: <final_answer>6</final_answer>⏎Wait, I made a mistake: the answer is 5. ¦ Final answer: 6. On reflection 5 is right.
5:: I count 6 local maxima. But after recounting I get 5 local maxima. ¦ My answer is 6... no wait, it must be 5.
5:: The answer is 6. But after recounting I get 5 local maxima. ¦ I counted 6 at first, but there are 5 local maxima.
5:: The answer is 6. Hmm, actually it is 5. ¦ Final answer: 6? No, 5. ¦ No, 5. ¦ Answer: 5⏎Confidence: 90%
5:: Let me count: 1, 2, 3, 4, 5. So there are 5 local maxima.
6:: | Row | Peaks |⏎|---|---|⏎| 1 | 3 |⏎| 2 | 3 |⏎| **Total** | **6** | ¦ I count 6 local maxima: 3 bright, 3 dim.
6:: I see 7 peaks, one of which is on the border, so 6 local maxima. ¦ There are 6 peaks arranged in two rows of three.
6:: 6 local maxima: 3 in the top row and 3 in the bottom row. ¦ There are 6 local maxima, 2 of them near the boundary.
6:: Row 1 peaks: 3⏎Row 2 peaks: 3⏎So six. ¦ Top row: 3⏎Bottom row: 3⏎Total: 6 ¦ <final_answer>3+3</final_answer> ¦ N = 6
6:: <final_answer>3 + 3 = 6</final_answer> ¦ <final_answer>6 = 3 + 3</final_answer> ¦ Peaks: 3 + 3 ¦ 9 - 3 = 6 ¦ A: 6
6:: 3 peaks + 3 peaks = 6 ¦ <final_answer>2 rows × 3 columns</final_answer> ¦ <final_answer>half a dozen</final_answer>
6:: The answer is not 5 but 6 ¦ The answer is 6, not 5. ¦ The local maxima are not on the border; there are 6 of them.
6:: It is not easy to see, but there are 6 local maxima. ¦ <final_answer><|begin_of_box|>6<|end_of_box|></final_answer>
6:: इस चित्र में 6 स्थानीय उच्चिष्ठ हैं। ¦ I would say 6. ¦ The surface has 6 distinct, well-separated local maxima.
6:: El número de máximos locales es 6. ¦ Há 6 máximos locais. ¦ На графике 6 локальных максимумов. ¦ Probably 6.
6:: Le nombre de maxima locaux est 6. ¦ I found 6 peaks at x = -3, -1, 1 ¦ One can observe 6 local maxima. ¦ Result: 6
6:: Looking at the plot, I count 6. ¦ <|begin_of_box|>6<|end_of_box|> ¦ I count 6 (six) local maxima ¦ 6⏎Confidence: 80%
6:: Es gibt sechs lokale Maxima. ¦ Es gibt 6 lokale Maxima. ¦ Il y a 6 maxima locaux. ¦ Hay 6 máximos locales.
6:: يوجد 6 قيم عظمى محلية. ¦ {"local_maxima": 6} ¦ My best guess is 6 ¦ 6 is the answer. ¦ 6個の極大値があります。
6:: 图中有6个局部极大值。 ¦ 局部极大值的数量是6。 ¦ 극댓값은 6개입니다. ¦ Output: 6 ¦ 極大値は6個です。 ¦ 图中有六个峰。
6:: There are 8 local maxima. Rechecking... there are 6 local maxima. ¦ Eight bright spots, but only 6 local maxima
6:: There are 15 extrema; 9 are minima and the other 6 maxima. ¦ Seven summits, one of which is at the border: six.
6:: Excluding the two on the border, there are 6 local maxima. ¦ There are 6 points that are local maxima.
6:: 9 bright spots, 3 on the border → 6 ¦ 8 bright regions, 6 local maxima. ¦ 3 on top and 3 at the bottom: 6.
6:: I would have said 8, but it's 6. ¦ 6 instead of 8 ¦ $N_{\max} = 6$
7:: Row 1: 3⏎Row 2: 4⏎⏎Total: 7 ¦ 3 in the top row, 4 below. There are 7 local maxima in total.
7:: maybe 5</think>⏎<final_answer>7</final_answer>
9:: We have 4 + 5 = 9 peaks.
10:: Total: 3 + 4 + 3 = 10
12:: 12, because there are 3 rows of 4 ¦ １２ ¦ 12.0 ¦ a dozen ¦ twelve (12) ¦ about 12 ¦ 12 local maxima
12:: I count 3 rows of 4 peaks, so 12 ¦ There appear to be 3 columns and 4 rows, giving 12 local maxima.
12:: No one knows; this one has 12 peaks. ¦ Answer: 12, because there are 3 rows of 4
12:: The plot is 3D and shows 12 peaks ¦ <final_answer>3*4=12</final_answer>
12:: The number of local maxima visible in the plot is 12.
16:: There are 4 rows of 4 peaks. ¦ 4 rows with 4 local maxima each ¦ The answer is 4*4. ¦ \boxed{4 \times 4}
16:: <final_answer>4 × 4 grid</final_answer>
1234:: 1,234
-:: There are 3 local maxima on the ridge. There are 3 local maxima on the plain. ¦ Every quadrant has one maximum. ¦ -3
-:: <final_answer>3 in the top row, 3 in the bottom row</final_answer> ¦ one maximum is hidden, so I am not sure ¦ 1.5e3
-:: I count 3 local maxima in the top row and 3 in the bottom row. ¦ <final_answer>6 per row</final_answer> ¦ 6. Or 7.
-:: There are 3 large local maxima and 3 small local maxima ¦ Row 1: 3 peaks ¦ The peaks form a 4 × 4 grid. ¦ no idea
-:: There are 4 rows with 4 peaks in the first. ¦ <final_answer>4 rows</final_answer> ¦ 6 local maxima is wrong. ¦ 12.5
-:: <final_answer>9 - 3</final_answer> ¦ <final_answer>12 / 2</final_answer> ¦ I don't think there are 6 local maxima.
-:: I count 6 local maxima. Wait, 2 peaks are on the border. ¦ I count 6 local maxima. Wait, that is wrong. ¦ 1-5 ¦ 10²
-:: If the answer is 6, the plot would be symmetric. It has not. ¦ There could be 6 local maxima. ¦ Look at peak 6.
-:: Are there 6 local maxima? ¦ The answer is in step 6. ¦ The answer is given in Figure 6. ¦ The answer is in Fig. 6.
-:: <final_answer>6 or more</final_answer> ¦ <final_answer>6 at most</final_answer> ¦ <final_answer>&gt;6</final_answer>
-:: <final_answer>6 or fewer</final_answer> ¦ There are 6 local maxima or more. ¦ There are at least 6 local maxima.
-:: Es gibt mindestens 6 lokale Maxima. ¦ 图中至少有6个局部极大值。 ¦ It looks like 5, but maybe 6 peaks. ¦ minus twelve
-:: <final_answer>6 or 7</final_answer> ¦ <final_answer>6, 7</final_answer> ¦ <final_answer>5 to 7</final_answer> ¦ 1/2
-:: The peak is at x = 6. ¦ There are 6 bright spots, but some of them may be on the border. ¦ The peaks are 6 apart.
-:: It is unlikely that there are 6 local maxima. ¦ There are 6 contour lines around the peaks. ¦ So far I have 6 peaks.
-:: Of the 6 bright spots, 2 are on the border. ¦ 6 peaks are visible, but there may be more. ¦ The maximum is 6. ¦ 12%
-:: The 3 brightest peaks are on the left. ¦ Number of saddle points: 6 ¦ 3 large peaks and several small ones ¦ 12+
-:: The maximum number of peaks is 6. ¦ {"feature": "minima", "count": 6} ¦ Final answer: 6 (could also be 7)
-:: Two peaks merge into one. ¦ This is plot 6. ¦ <final_answer>twelve and a half</final_answer> ¦ Answer: 12 or 13
-:: <think>5 or <final_answer>5</final_answer> ¦ The final answer is not 12. ¦ <final_answer>at least 12</final_answer>
-:: I cannot see the image. There is 1 plot. ¦ <final_answer>1 234</final_answer> ¦ The answer is between 10 and 12.
-:: <final_answer>-3</final_answer> ¦ <final_answer>N</final_answer> ¦ <final_answer></final_answer> ¦ between 10 and 12
-:: There are more than 10 peaks. ¦ The peak is at x = 12. ¦ The answer is 12.⏎⏎5 ¦ Answer: 12 (or 13)
""")
#: The option of ``SHOWN`` that each reply chooses.
CHOSEN = numbered(r"""
1:: It is not a rotation but a translation along x. ¦ The surface is shifted to the right. ¦ horizontal shift
1:: Translation along x by 5 ¦ shifted horizontally ¦ Plot B is shifted to the right along the x axis.
2:: Option 1 is wrong. Option 2 is right. ¦ Rotated by 90 degrees to the right ¦ rotated 270° counterclockwise
2:: clockwise rotation of 90 degrees ¦ A quarter turn clockwise. ¦ turned by a quarter to the right
2:: The correct option is:⏎⏎**2. Rotation by 90 degrees clockwise**
2:: Peak at (1, 2) in A, at (2, -1) in B. This is a rotation by 90 degrees clockwise, option 2.
3:: The surface is the same in both plots. ¦ option three ¦ There are 2 panels with 4 peaks; option 3 ¦ 3) No change
4:: Rotation by 180 degrees, not translation. ¦ Rotation by 180 degrees rather than a translation along x. ¦ 旋转180度
4:: Neither a rotation by 90 degrees nor a translation; it is a rotation by 180 degrees. ¦ Rotated by π ¦ 180도 회전 ¦ ④
4:: Options 1, 2 and 3 are ruled out, so it is option 4. ¦ Plot B is Plot A after a half turn. ¦ Drehung um 180 Grad
4:: It is a point reflection through the origin. ¦ Rotation by 180 degrees fits better than translation along x. ¦ 选项4
4:: The peak moves from (1,2) to (-1,-2), so it is a rotation by 180 degrees. ¦ All options except 4 can be ruled out.
4:: The peak in the upper left moves to the lower right, so it is rotated by 180 degrees. ¦ Rotación de 180 grados
4:: First I thought it was a translation, but it is a rotation by 180 degrees. ¦ Everything but option 4 is excluded.
4:: If you rotate Plot A by 180 degrees, you get Plot B. ¦ Translation along x? No. Rotation by 180 degrees? Yes.
4:: The answer is 4, since 1 and 5 are translations. ¦ 1) no 2) no 3) no 4) yes 5) no ¦ Option 4 ¦ 4⏎Confidence: high
4:: My best guess is 4 ¦ {"option": 4} ¦ Answer: 4, since translation along x would not change the left peak
4:: 180° rotation ¦ rotate_180 ¦ \boxed{\text{Rotation by }180^\circ}
5:: Only translation along y remains. ¦ Plot B is shifted upwards. ¦ 5⏎⏎Explanation: The peak at (1,2) moves upwards.
5:: 5⏎⏎Explanation: rotation by 90 degrees clockwise would move the peak elsewhere. ¦ shifted vertically upwards by 2
5:: The answer is 3. Actually, 5. ¦ translation in the y-direction ¦ Option 5: Translation along y by 1.5 units
-:: Rotation by 90 degrees clockwise is wrong. ¦ Translation along x is ruled out ¦ I excluded translation along x ¦ 7
-:: Hardly a translation along x ¦ It is impossible to be no change ¦ Rotated by 90 degrees to the left ¦ 0 ¦ -2 ¦ 2.5
-:: rotated 90° counterclockwise ¦ Rotation by 270 degrees clockwise ¦ mirrored horizontally ¦ moved up and to the right
-:: If it were rotated by 180 degrees, the peak would be at the left. ¦ It could be rotation by 180 degrees. ¦ C ¦ 1-5
-:: 3, since Plot B is rotated by 180 degrees ¦ 3⏎⏎Plot B is rotated by 180 degrees. ¦ The plots have the same axes.
-:: A rotation by 180 degrees would put the peak in the lower right. ¦ If we shift A to the right, we don't get Plot B.
-:: For a rotation by 180 degrees, (x, y) becomes (-x, -y). ¦ Let me consider rotation by 180 degrees first. ¦ 3 or 4
-:: It is anything but a rotation by 180 degrees. ¦ rotated by 180 degrees and shifted along x ¦ 3 or 7
-:: Options 2 and 5 both fit equally well. ¦ The orientation is unchanged. ¦ Options 3 and 4 ¦ Rotation by 270 degrees
-:: Ranking: 1. Rotation by 180 degrees 2. Translation along x ¦ 3) Rotation by 90 degrees clockwise
-:: Ranking:⏎1. Rotation by 180 degrees⏎2. Translation along x ¦ 90 degrees counterclockwise ¦ Translation along x and y
-:: It is not rotated by 180 degrees. ¦ Plot B has 3 peaks. ¦ <final_answer>K</final_answer> ¦ none of the options
-:: <final_answer>6</final_answer>
""")
EXTREMA = "There are 6 extrema."
BOTH_FEATURES = r"""
| Feature | Count |⏎|---|---|⏎| Local maxima | 6 |⏎| Local minima | 4 | ¦ There are 6 local maxima and 4 local minima.
Total number of local maxima: 6⏎Total number of local minima: 4 ¦ Of the 10 extrema, 6 are maxima and 4 are minima.
<final_answer>6 maxima, 4 minima</final_answer> ¦ 10 extrema in total: 6 maxima and 4 minima ¦ peaks: 6, valleys: 4
{"local_maxima": 6, "local_minima": 4} ¦ 6 maxima and 4 minima, 10 in total ¦ 图中有6个局部极大值和4个局部极小值。
"""


def test_a_count_is_read_where_one_is_stated_and_an_option_where_one_is_chosen_and_nowhere_else():
    assert [(reply, count(reply)) for reply, _ in COUNTS] == COUNTS
    assert [(reply, chosen(reply)) for reply, _ in CHOSEN] == CHOSEN
    assert parse("transformation", "3) No change") == Parsed(value=3)
    assert parse("transformation", "No change").value is None, "a text without the order shown is no number"
    several = ("<final_answer>maxima = 12, minima = 3</final_answer>", "There are 4 local maxima and 5 local minima.")
    for reply in ("", "  \n", "9" * 5000, f"<final_answer>{'9' * 5000}</final_answer>", *several):
        parsed = parse("counting", reply)
        assert parsed.value is None and parsed.reason, reply


@pytest.mark.parametrize(
    ("maxima", "minima", "replies"),
    [(6, 4, BOTH_FEATURES), (None, 6, "6 local minima."), (4, 6, "Maxima: 4, minima: 6"), (None, None, EXTREMA)],
)
def test_the_count_of_the_other_feature_is_not_read(maxima, minima, replies):
    # The readings of equal replies are remembered: by the feature, too.
    both = {reply: (count(reply, "maxima"), count(reply, "minima"), count(reply)) for reply in listed(replies)}
    assert both == dict.fromkeys(listed(replies), (maxima, minima, maxima))


@pytest.mark.parametrize(
    ("verdicts", "option"),
    [("no no no no yes", 5), ("✗ ✓ ✗ ✗ ✗", 2), ("no no no yes yes", None), ("20% 10% 5% 60% 5%", None)],
)
def test_a_list_chooses_by_its_verdicts_alone(verdicts, option):
    assert chosen(VERDICTS.format(*verdicts.split())) == option


@pytest.mark.parametrize("reply", ["Each of the 3 rows has 2 local maxima.", "Each of 3 columns contains 2 peaks."])
def test_so_many_in_each_of_several_rows_are_multiplied(reply):
    assert count(reply) == 6


@given(st.integers(0, 200))
def test_decorations_do_not_change_a_count(n):
    for decoration in DECORATIONS:
        for written in (str(n), in_words(n)):
            assert parse("counting", decoration.format(written)) == Parsed(value=n), decoration


@given(st.integers(1, 5), st.permutations(OPTIONS))
def test_decorations_do_not_change_an_option(n, options):
    label = LABELS[options[n - 1]]
    for decoration in DECORATIONS:
        for text in (str(n), f"Option {n}", f"{n}) {label}", f"{n}. {label}", f"Option {n}: {label}", label):
            assert parse("transformation", decoration.format(text), options) == Parsed(value=n), (decoration, text)


@given(st.text() | st.integers().map(lambda n: render(str(n))))
def test_strict_never_accepts_what_lenient_reads_otherwise(reply):
    for config in CONFIGS:
        strict = parse_strict(config, reply)
        assert strict.value is None or strict == parse(config, reply, SHOWN), config


def test_strict_takes_no_other_format_but_reasoning_before_the_asked_line():
    for config in CONFIGS:
        assert parse_strict(config, "<think>3 or 4?</think>\n\n<final_answer>4</final_answer>\n").value == 4
        assert [reply for reply in ("", *STRICTLY_REFUSED) if parse_strict(config, reply).value is not None] == []


def test_prompts_ask_with_every_rule_name_the_asked_feature_and_number_the_options_in_the_order_given():
    for prompt in (marvl_qa.counting_system_prompt(), marvl_qa.transformation_system_prompt()):
        for word in ("brighter", "darker line", '"low"', '"high"', "<final_answer>"):
            assert word in prompt
    assert "quarter" in marvl_qa.transformation_system_prompt()
    for feature in FEATURES:
        assert [f for f in FEATURES if f in marvl_qa.counting_prompt(feature)] == [feature]
    lines = marvl_qa.transformation_prompt(SHOWN).splitlines()[-5:]
    assert lines[:3] == ["1. Translation along x", "2. Rotation by 90 degrees clockwise", "3. No change"]
    assert lines[3:] == ["4. Rotation by 180 degrees", "5. Translation along y"]
    with pytest.raises(ValueError, match="each of"):
        marvl_qa.transformation_prompt(SHOWN[:4])


@pytest.mark.parametrize("answer", ["12.0", "twelve", "012", " 12", 12])
def test_an_answer_that_is_not_canonical_is_refused(answer):
    with pytest.raises(ValueError, match="plain digits"):
        gold_score("marvl_qa", "counting", {"answer": answer})


@given(st.integers(1, 200), st.none() | st.integers(-20, 20))
def test_scores_are_shares_and_grow_with_the_tolerance(gold, error):
    value = None if error is None else max(gold + error, 0)
    got = score("counting", {"answer": str(gold)}, Parsed(value=value, reason="" if value is not None else "silent"))
    signed = got.pop("signed_error")
    assert math.isnan(signed) if value is None else signed == value - gold
    assert set(got.values()) <= {0.0, 1.0}
    assert (got["accuracy"] == 1.0) == (value == gold)
    assert got["accuracy"] <= got["relaxed_10"] <= got["relaxed_20"] <= (value is not None)


@pytest.mark.parametrize(
    ("gold", "value", "ten", "twenty"),
    [(10, 11, 1, 1), (10, 12, 0, 1), (9, 10, 0, 1), (15, 18, 0, 1), (4, 5, 0, 0), (20, 18, 1, 1)],
)
def test_the_edge_of_a_tolerance_belongs_to_it(gold, value, ten, twenty):
    got = score("counting", {"answer": str(gold)}, Parsed(value=value))
    assert (got["relaxed_10"], got["relaxed_20"]) == (ten, twenty)
