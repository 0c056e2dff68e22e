"""The protocol of MaRVL-QA: what is asked, what is read out of replies, and what it is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed import listed, numbered

from planimeter import evals
from planimeter.evals import gold_score
from planimeter.evals.answers import Parsed
from planimeter.evals.marvl_qa import protocol as marvl_qa
from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.evals.marvl_qa.protocol import CONFIGS, parse, parse_strict, render, score
from planimeter.items import FEATURES, OPTIONS

SHOWN = ("translate_x", "rotate_90_clockwise", "no_change", "rotate_180", "translate_y")
UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
UNITS += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(n: int) -> str:
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f"-{UNITS[n % 10]}" if n % 10 else "")
    return f"{UNITS[n // 100]} hundred" + (f" and {in_words(n % 100)}" if n % 100 else "")


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
<final_answer>+12</final_answer>
""")
COUNTS = numbered("""
12:: １２ ¦ 12.0 ¦ a dozen ¦ twelve (12) ¦ about 12 ¦ 12 local maxima ¦ I count 3 rows of 4 peaks, so 12
12:: There appear to be 3 columns and 4 rows, giving 12 local maxima. ¦ No one knows; this one has 12 peaks.
12:: Answer: 12, because there are 3 rows of 4 ¦ The plot is 3D and shows 12 peaks
12:: <final_answer>3*4=12</final_answer> ¦ The number of local maxima visible in the plot is 12.
1234:: 1,234
7:: Row 1: 3⏎Row 2: 4⏎⏎Total: 7 ¦ 3 in the top row, 4 below. There are 7 local maxima in total.
7:: maybe 5</think>⏎<final_answer>7</final_answer>
10:: Total: 3 + 4 + 3 = 10
9:: We have 4 + 5 = 9 peaks.
2:: 1. top left⏎2. top right⏎⏎There are 2 peaks.
1:: There is one local maximum in this plot.
5:: Answer: 5⏎Confidence: 90% ¦ Let me count: 1, 2, 3, 4, 5. So there are 5 local maxima.
""")
NO_COUNT = listed("""
<final_answer>maxima = 12, minima = 3</final_answer> ¦ <final_answer>twelve and a half</final_answer> ¦ Answer: 12 or 13
There are 4 local maxima and 5 local minima. ¦ <think>5 or <final_answer>5</final_answer> ¦ The final answer is not 12.
<final_answer>at least 12</final_answer> ¦ I cannot see the image. There is 1 plot. ¦ <final_answer>1 234</final_answer>
It looks like 5, but maybe 6 peaks. ¦ The answer is between 10 and 12. ¦ <final_answer>-3</final_answer> ¦ minus twelve
<final_answer>N</final_answer> ¦ <final_answer></final_answer> ¦ There are more than 10 peaks. ¦ The peak is at x = 12.
The answer is 12.⏎⏎5 ¦ Answer: 12 (or 13) ¦ between 10 and 12 ¦ no idea ¦ 1.5e3 ¦ 12.5 ¦ 1-5 ¦ 10² ¦ 1/2 ¦ 12% ¦ 12+
-3
""")
OPTION_OF_REPLY = numbered(r"""
4:: ④ ¦ 180° rotation ¦ rotate_180 ¦ \boxed{\text{Rotation by }180^\circ}
3:: option three ¦ There are 2 panels with 4 peaks; option 3 ¦ 3) No change
5:: translation in the y-direction ¦ Option 5: Translation along y by 1.5 units
1:: shifted horizontally ¦ Plot B is shifted to the right along the x axis.
2:: The correct option is:⏎⏎**2. Rotation by 90 degrees clockwise**
2:: Peak at (1, 2) in A, at (2, -1) in B. This is a rotation by 90 degrees clockwise, option 2.
""")
NO_OPTION = listed("""
7 ¦ 0 ¦ -2 ¦ 2.5 ¦ C ¦ 3 or 4 ¦ 3 or 7 ¦ Options 3 and 4 ¦ 1-5 ¦ 3) Rotation by 90 degrees clockwise
90 degrees counterclockwise ¦ Rotation by 270 degrees ¦ Translation along x and y ¦ It is not rotated by 180 degrees.
Plot B has 3 peaks. ¦ <final_answer>K</final_answer> ¦ <final_answer>6</final_answer> ¦ none of the options
""")


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


def test_strict_takes_no_other_format():
    assert [reply for reply in ("", *STRICTLY_REFUSED) if parse_strict("counting", reply).value is not None] == []


def test_counts_and_options_are_read_as_models_write_them():
    assert [(reply, parse("counting", reply)) for reply, _ in COUNTS] == [(r, Parsed(value=n)) for r, n in COUNTS]
    chosen = [(reply, parse("transformation", reply, SHOWN)) for reply, _ in OPTION_OF_REPLY]
    assert chosen == [(reply, Parsed(value=option)) for reply, option in OPTION_OF_REPLY]


def test_no_count_and_no_option_is_guessed():
    assert parse("transformation", "No change").value is None, "a text without the order shown is no number"
    assert parse("transformation", "3) No change") == Parsed(value=3)
    for reply in ("", "  \n", "9" * 5000, f"<final_answer>{'9' * 5000}</final_answer>", *NO_COUNT):
        parsed = parse("counting", reply)
        assert parsed.value is None and parsed.reason, reply
    for reply in ("", *NO_OPTION):
        parsed = parse("transformation", reply, SHOWN)
        assert parsed.value is None and parsed.reason, reply


def test_prompts_ask_with_every_rule_and_name_the_asked_feature():
    for prompt in (marvl_qa.counting_system_prompt(), marvl_qa.transformation_system_prompt()):
        for word in ("brighter", "darker line", '"low"', '"high"', "<final_answer>"):
            assert word in prompt
    assert "quarter" in marvl_qa.transformation_system_prompt()
    for feature in FEATURES:
        assert [f for f in FEATURES if f in marvl_qa.counting_prompt(feature)] == [feature]


def test_options_are_numbered_in_the_order_given():
    lines = marvl_qa.transformation_prompt(SHOWN).splitlines()[-5:]
    assert lines == [
        "1. Translation along x",
        "2. Rotation by 90 degrees clockwise",
        "3. No change",
        "4. Rotation by 180 degrees",
        "5. Translation along y",
    ]
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


def test_an_unknown_name_lists_those_that_exist():
    assert evals.suite("marvl_qa") is marvl_qa
    with pytest.raises(LookupError, match="there are: marvl_qa"):
        evals.suite("marvl")
    with pytest.raises(LookupError, match="counting, transformation"):
        parse("count", "12")


def test_every_suite_has_the_protocol():
    for name in evals.SUITES:
        assert all(
            callable(getattr(evals.suite(name), verb)) for verb in ("read", "score", "written", "render", "strata")
        )
