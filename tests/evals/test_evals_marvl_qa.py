"""The protocol of MaRVL-QA: what is asked, what is read out of replies and what is not, and what it is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed import listed, numbered

from planimeter.evals import gold_score, grade
from planimeter.evals.answers import Parsed
from planimeter.evals.marvl_qa.grader import CONFIGS, parse, parse_strict, score
from planimeter.evals.marvl_qa.prompt import LABELS
from planimeter.items import OPTIONS

SHOWN = ("translate_x", "rotate_90_clockwise", "no_change", "rotate_180", "translate_y")


def count(reply: str, feature: str = "maxima") -> int | None:
    row = {"answer": "6", "feature": feature, "count": 6}
    scores = grade(row, reply, suite="marvl_qa", config="counting")
    return int(scores.read) if scores.answered else None


def chosen(reply: str) -> int | None:
    return parse("transformation", reply, SHOWN).value


#: An answer in the kinds of marks, and alone; ``test_answers`` has all wrappings.
MARKED = listed(r"""
<final_answer>{}</final_answer> ¦ **Final answer:** {} ¦ {{"answer": "{}"}} ¦ \boxed{{{}}} ¦ The answer is {}.
""")
BARE = listed("{} ¦ **{}** ¦ <think>3 or 4?</think>{} ¦ In columns: 3, 4 and 5.⏎⏎{}")
STRICTLY_REFUSED = listed("""
12 ¦ <final_answer>twelve</final_answer> ¦ So: <final_answer>12</final_answer> ¦ <final_answer>12
<final_answer> 12 </final_answer> ¦ <final_answer>012</final_answer> ¦ <final_answer>１２</final_answer>
<final_answer>+12</final_answer> ¦ <final_answer>4</final_answer><|im_end|>
""")
#: The number that is read in each reply, or none.
COUNTS = numbered(r"""
6:: <final_answer>6 local maxima</final_answer> ¦ Answer: 6 peaks ¦ <final_answer>6</final_answer>, not 5.
12:: <final_answer>１２</final_answer> ¦ Answer: 12 distinct local maxima
-:: There are 6 local maxima. ¦ I count 6. ¦ 3 + 3 = 6 ¦ Total: 6 ¦ six ¦ 6. ¦ 6) ¦ 1. Look.⏎2. Count them⏎6. ¦ 6 or 7
-:: There are 6 in total. Two touch the border. Therefore, 4 are left. ¦ <final_answer>6 minima</final_answer>
-:: -6 ¦ 6.5
-:: <final_answer>about 6</final_answer> ¦ <final_answer>3 + 3</final_answer> ¦ <final_answer>5-6</final_answer> ¦ 6?
-:: <final_answer>N</final_answer> ¦ <final_answer></final_answer> ¦ Let's say there are 6 ¦ The answer would be 6.
""")
#: The option of ``SHOWN`` that each reply chooses.
CHOSEN = numbered(r"""
4:: Rotation by 180 degrees ¦ <final_answer>Option 4</final_answer> ¦ Answer: 4. Rotation by 180 degrees ¦ \boxed{(4)}
4:: <final_answer>rotation by 180 degrees</final_answer> ¦ Answer: 4 (Rotation by 180 degrees) ¦ The answer is option 4.
-:: Option (4) is incorrect. ¦ It is rotated by 180 degrees. ¦ 4. ¦ <final_answer>4. No change</final_answer> ¦ 7 ¦ 0
-:: <final_answer>6</final_answer> ¦ <final_answer>4 and 5</final_answer> ¦ <final_answer>K</final_answer> ¦ Options 1-4
-:: 1. Translation along x⏎2. Rotation by 90 degrees clockwise⏎3. No change⏎4. Rotation by 180 degrees
""")


def test_only_a_marked_or_bare_answer_is_read():
    assert [(reply, count(reply)) for reply, _ in COUNTS] == COUNTS
    assert [(reply, chosen(reply)) for reply, _ in CHOSEN] == CHOSEN
    assert parse("transformation", "Answer: No change").value is None, "a text without the order shown is no number"
    for reply in ("", "  \n", "9" * 5000, f"<final_answer>{'9' * 5000}</final_answer>"):
        parsed = parse("counting", reply)
        assert parsed.value is None and parsed.reason, reply


@given(st.integers(1, 5), st.permutations(OPTIONS))
def test_a_mark_has_any_form_of_a_count_or_option(n, options):
    label = LABELS[options[n - 1]]
    named = (f"Option {n}", f"{n}) {label}", f"{n}. {label}", f"Option {n}: {label}")
    for form in MARKED + BARE:
        assert parse("counting", form.format(n)) == Parsed(value=n), form
        for text in (str(n), label, *(named if form in MARKED else ())):
            assert parse("transformation", form.format(text), options) == Parsed(value=n), (form, text)


def test_strict_takes_no_other_format():
    for config in CONFIGS:
        assert parse_strict(config, "<think>3 or 4?</think>\n\n<final_answer>4</final_answer>\n").value == 4
        assert [reply for reply in ("", *STRICTLY_REFUSED) if parse_strict(config, reply).value is not None] == []


@pytest.mark.parametrize("answer", ["12.0", "twelve", "012", " 12", 12])
def test_an_answer_that_is_not_canonical_is_refused(answer):
    with pytest.raises(ValueError, match="plain digits"):
        gold_score("marvl_qa", "counting", {"answer": answer})


@pytest.mark.parametrize(
    ("gold", "value", "ten", "twenty"),
    [(10, 11, 1, 1), (10, 12, 0, 1), (9, 10, 0, 1), (15, 18, 0, 1), (4, 5, 0, 0), (20, 18, 1, 1)],
)
def test_the_edge_of_a_tolerance_belongs_to_it(gold, value, ten, twenty):
    got = score("counting", {"answer": str(gold)}, Parsed(value=value))
    assert (got["relaxed_10"], got["relaxed_20"]) == (ten, twenty)
