"""The contract of marks: which marks a reply may have, which one counts, and what is no mark."""

import re

import pytest
from listed import listed, valued

from planimeter.evals.answers import EMPTY, PROTOCOL, SEVERAL, UNMARKED, UNREADABLE, Parsed, answer_of, stated


def meaning(text: str) -> Parsed[str]:
    return Parsed(value=text) if re.fullmatch(r"\d+(\n\d+)*", text) else Parsed(value=None, reason=UNREADABLE)


def read(reply: str, **options: object) -> str:
    """Return the number read, or the reason of a refusal in brackets."""
    parsed = answer_of(reply, meaning, bare=meaning, **options)
    return f"[{parsed.reason}]" if parsed.value is None else parsed.value


#: In each kind of mark, in each wrapping, behind reasoning.
MARKED = r"""
<answer>6</answer>⏎(as asked, the number stands between <answer> and </answer>) ¦ I am sure: <answer>6</answer>.
<answer>6</answer>⏎I answered inside <answer></answer> tags. ¦ I answer inside <answer> tags: <answer>6</answer>
<answer><|begin_of_box|>6<|end_of_box|></answer> ¦ <answer>6<answer> ¦ <FINAL ANSWER> 6 </Final_Answer>
<final\_answer>6</final\_answer> ¦ \<answer\>6\</answer\> ¦ answer>6</answer> ¦ <answer>⏎```text⏎6⏎```⏎</answer>
&lt;answer&gt;6&lt;/answer&gt; ¦ <answer>{"answer": 6}</answer> ¦ **<answer>**6**</answer>** ¦ < answer >6</ answer >
<answer>\boxed{6}</answer> ¦ [answer]6[/answer] ¦ <answer>6</answer ¦ 6</answer> ¦ <answer>6 ¦ <answer>$6$</answer>
Hence \boxed{6}. ¦ \[\boxed{\text{6}}\] ¦ <|begin_of_box|>6<|end_of_box|> ¦ <|begin_of_box|>6 ¦ \fbox{6}
{"answer": 6} ¦ ```json⏎{"final_answer": "6"}⏎``` ¦ {'answer': '6'} ¦ {"why": "3 and 3", "answer": 6, "sure": true}
The answer is 6. ¦ **Answer:** 6 ¦ **Answer**: 6 ¦ Answer: **6** ¦ ### Final Answer⏎⏎6 ¦ **Final answer:**⏎⏎6 ¦ #### 6
Final answer = 6 ¦ 答案：6 ¦ 最终答案是 **6**。 ¦ So the answer is 6. ¦ - Answer: 6 ¦ The final value is 6. ¦ ANSWER: 6
<|channel|>analysis<|message|>It is 5<|end|><|start|>assistant<|channel|>final<|message|>Answer: 6 ¦ Answer: 6<|im_end|>
<|im_start|>assistant⏎Answer: 6<|im_end|>⏎<|im_start|>user⏎The answer is 9. ¦ Answer: 6⏎User: And now?⏎Answer: 5
<think>Is the answer 5?</think>⏎<answer>6</answer> ¦ <|begin_of_thought|>5<|end_of_thought|>Answer: 6 ¦ Answer:&nbsp;6
[THINK]<answer>5</answer>[/THINK]Answer: 6 ¦ ◁think▷the answer is 5◁/think▷Answer: 6 ¦ the answer is 5</think>Answer: 6
"""
#: The plainest kind, and of this kind the last.
CHOSEN = r"""
6:: <answer>5</answer>⏎Wait, I made a mistake.⏎<answer>6</answer> ¦ Answer: 5⏎⏎Correction.⏎Answer: 6
6:: <answer>6</answer>⏎The answer is 5. ¦ \boxed{5}⏎<answer>6</answer> ¦ {"answer": 5} \boxed{6}
6:: Answer: 5⏎{"answer": 6}
6:: \boxed{5} and \boxed{1}.⏎Final: \boxed{6} ¦ <answer>5</answer> is incorrect, so <answer>6</answer>
6:: It looks like this: <answer>5</answer>⏎Answer: 6 ¦ <answer>6</answer>⏎<answer>5</answer> would be wrong.
6:: This is in the required format:⏎<answer>6</answer>
6:: <answer>N</answer>⏎Answer: 6 ¦ <answer>6</answer> or <answer>6</answer> ¦ \boxed{6} <answer>done<answer>
6:: User: How many?⏎Answer: 6
"""
REFUSED = rf"""
{SEVERAL}:: <answer>5</answer> or <answer>6</answer> ¦ Either \boxed{{5}} or \boxed{{6}}
{UNREADABLE}:: Answer: 5⏎<answer>I do not know</answer> ¦ <answer>5 or 6</answer> ¦ The answer is not 6.
{UNREADABLE}:: The answer is 6. Actually, the answer is 5. ¦ Answer: 6 or 7 ¦ The answer is clear to me
{UNMARKED}:: There are 6 peaks. ¦ If the answer is 6, it would fit. ¦ I doubt that the answer is 6.
{UNMARKED}:: 6. ¦ 6) ¦ 1. Look⏎2. Count⏎6. ¦ \boxed{{
{UNMARKED}:: <answer>...</answer> ¦ <answer></answer> ¦ Write <answer>N</answer> ¦ question: 6 ¦ {{"peaks": 6}}
{UNMARKED}:: An answer would look like <answer>6</answer>. ¦ For example:⏎<answer>6</answer>
{UNMARKED}:: <answer>6</answer> is wrong. ¦ This would be wrong:⏎6 ¦ \boxed{{6}} is not correct.
{EMPTY}:: <think>The answer is 6. ¦ ◁think▷<answer>6</answer> ¦ <answer>6</answer></think>
{EMPTY}:: <|channel|>analysis<|message|>Answer: 6
"""


def test_each_mark_is_read_in_each_wrapping() -> None:
    other_scripts = ("Answer:\u200b 6", "Answer: \uff16")
    assert [reply for reply in (*listed(MARKED), *other_scripts) if read(reply) != "6"] == []


def test_of_several_marks_the_last_of_the_plainest_kind_counts() -> None:
    assert [(reply, read(reply)) for reply, _ in valued(CHOSEN)] == valued(CHOSEN)
    assert read(r"<answer>5</answer> \boxed{6}", asked="box") == "6"
    assert read("<answer>5</answer>\n6", asked="bare") == "6"


def test_what_is_not_marked_or_bare_is_refused_with_its_reason() -> None:
    expected = [(reply, f"[{reason}]") for reply, reason in valued(REFUSED)]
    assert [(reply, read(reply)) for reply, _ in expected] == expected


@pytest.mark.parametrize("reply", ["6", "**6**", "$6$", "```\n6\n```", "I count 3 and 3.\n\n6", "Step 1.\n```\n6\n```"])
def test_a_bare_answer_is_exactly_the_asked_form(reply: str) -> None:
    parsed = answer_of(reply, meaning, bare=meaning)
    assert (parsed.value, parsed.bare) == ("6", True)
    assert not answer_of("Answer: 6", meaning, bare=meaning).bare
    assert answer_of(reply, meaning).reason == UNMARKED


def test_an_answer_of_several_lines_is_taken_as_a_whole() -> None:
    for reply in (
        "**Answer:**\n3\n1\n\nThat is all.",
        "<answer>3\n1",
        "I see two.\n\n3\n1",
        "3\n1\n</answer>",
        "```\n3\n1\n```",
    ):
        assert read(reply, multiline=True) == "3\n1", reply


def test_graders_of_other_packages_name_the_asked_form() -> None:
    for strict, reply, value in (
        (True, "<answer>6</answer>", "6"),
        (True, "Yes: <answer>6</answer>", None),
        (False, "Yes: <answer>6</answer>", "6"),
        (False, "6", "6"),
        (False, "It is 6", None),
    ):
        parsed = stated(
            reply,
            lambda text: meaning(text.removeprefix("<answer>").removesuffix("</answer>")),
            r"<answer>\d</answer>",
            strict=strict,
        )
        assert parsed.value == value, reply
    assert PROTOCOL == 2
