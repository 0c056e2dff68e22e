"""The shared reader of wrappings: each way to mark an answer, and what only looks like one."""

import re

from listed import listed, valued

from planimeter.evals.answers import Parsed, answer_of, marked, outside_reasoning, unwrapped, visible


def meaning(phrase: str) -> Parsed[int] | None:
    numbers = {int(number) for number in re.findall(r"\d+", phrase)}
    if not numbers:
        return None
    return Parsed(value=numbers.pop()) if len(numbers) == 1 else Parsed(value=None, reason="several numbers")


def read(reply: str) -> int | str | None:
    """Return the number read, the reason of a refusal, or None where nothing is marked."""
    parsed = answer_of(visible(reply), meaning)
    if parsed is None:
        return None
    return parsed.reason if parsed.value is None else parsed.value


#: In tags and other marks, in words, behind reasoning, corrected, confirmed.
MARKED = r"""
<answer>6</answer>⏎(as asked, the number stands between <answer> and </answer>) ¦ The answer is <answer>6</answer>.
<answer>6</answer>⏎I answered inside <answer></answer> tags. ¦ I write <answer>the count</answer>, so <answer>6</answer>
I answer inside <answer> tags: <answer>6</answer> ¦ <answer><|begin_of_box|>6<|end_of_box|></answer> ¦ <answer>6<answer>
<|begin_of_box|><answer>6</answer><|end_of_box|> ¦ <FINAL ANSWER> 6 </Final_Answer> ¦ <final\_answer>6</final\_answer>
<answer>⏎```text⏎6⏎```⏎</answer> ¦ <|begin_of_box|>6<|end_of_box|> ¦ <final_answer>6</final_answer> ¦ <answer>6</answer>
&lt;answer&gt;6&lt;/answer&gt; ¦ <answer>{"answer": 6}</answer> ¦ **<answer>**6**</answer>** ¦ < answer >6</ answer >
<answer>\boxed{6}</answer> ¦ [answer]6[/answer] ¦ <answer>6</answer ¦ <|begin_of_box|>6 ¦ 6</answer> ¦ <answer>6
Hence \boxed{6}. ¦ \[\boxed{\text{6}}\] ¦ {"answer": 6} ¦ ```json⏎{"final_answer": "6"}⏎``` ¦ {'answer': '6'}
{"reasoning": "3 and 3", "answer": 6, "sure": true} ¦ {answer: 6}
The answer is 6. ¦ **Answer:** 6 ¦ **Answer**: 6 ¦ Answer: **6** ¦ ### Final Answer⏎⏎6 ¦ **Final answer:**⏎⏎6
Final answer = 6 ¦ My answer would be 6 ¦ Result: 6 ¦ A: 6 ¦ 6 is the answer. ¦ So 6 is my final answer ¦ Answer — 6
答案：6 ¦ 最终答案是 **6**。 ¦ 答えは6です。 ¦ 정답: 6 ¦ Die Antwort ist 6. ¦ La réponse est 6. ¦ La respuesta es 6.
A resposta é 6. ¦ La risposta è 6. ¦ Ответ: 6. ¦ الإجابة: 6 ¦ The answer to this question is: 6
<|channel|>analysis<|message|>It is 5<|end|><|start|>assistant<|channel|>final<|message|>Answer: 6 ¦ Answer: 6<|im_end|>
<|im_start|>assistant⏎Answer: 6<|im_end|>⏎<|im_start|>user⏎The answer is 9. ¦ ◁think▷a◁think▷5◁/think▷<answer>6</answer>
<think>Is the answer 5?</think>⏎<answer>6</answer> ¦ <|begin_of_thought|>5<|end_of_thought|>Answer: 6 ¦ Answer:&nbsp;6
[THINK]<answer>5</answer>[/THINK]Answer: 6 ¦ ◁think▷the answer is 5◁/think▷Answer: 6 ¦ the answer is 5</think>Answer: 6
<think>5</think>The answer is 6 ¦ Answer: 6<|endoftext|> ¦ Answer: 6<end_of_turn> ¦ Answer: 6</s> ¦ Answer: 6<br>
<answer>5</answer>⏎Wait, I made a mistake: the answer is 6. ¦ <answer>5</answer> No, wait: <answer>6</answer>
The answer is 5. But after recounting I get 6. ¦ <answer>5</answer>⏎⏎On reflection: \boxed{6} ¦ Answer: 5⏎⏎Correction: 6
<answer>5</answer> Sorry, that should be 6. ¦ The answer is 5. On reflection 6 is right. ¦ Final answer: 5? No, 6.
My answer is 5... no wait, it must be 6. ¦ The answer is 5. Hmm, actually it is 6. ¦ The answer is 5, no, 6.
<answer>6</answer>⏎The answer is 6. ¦ The answer is 6. Thus \boxed{6} ¦ The answer for the top is 5. <answer>6</answer>
<answer>6</answer> Let me double-check: 6. Yes. ¦ <answer>6</answer>⏎No further explanation is needed.
<answer>6</answer>⏎Actually, the picture is clear. ¦ \boxed{5} and \boxed{1}. Final answer: \boxed{6}
"""
NOT_SAID_TO_BE_THE_ANSWER = r"""
<think>The answer is 6. ¦ ◁think▷<answer>6</answer> ¦ <answer>6</answer></think>
<|channel|>analysis<|message|>Answer: 6
6 ¦ There are 6 peaks. ¦ If the answer is 6, the plot would be symmetric. ¦ I doubt that the answer is 6.
I don't think 6 is the answer. ¦ Write <answer>N</answer> ¦ <answer>...</answer> ¦ <answer></answer>
The answer is clear. ¦ question: 6 ¦ {"peaks": 6} ¦ \boxed{ ¦ He answered 6 questions.
"""


def test_an_answer_that_is_marked_is_not_lost_for_what_stands_around_it() -> None:
    other_scripts = ("Answer:\u200b 6", "Answer: \uff16")
    assert [reply for reply in (*listed(MARKED), *other_scripts) if read(reply) != 6] == []


def test_what_is_not_said_to_be_the_answer_is_not_marked_and_a_reply_that_contradicts_itself_is_refused() -> None:
    assert [reply for reply in listed(NOT_SAID_TO_BE_THE_ANSWER) if read(reply) is not None] == []
    refused = """
several answers:: <answer>5</answer><answer>6</answer> ¦ <answer>5</answer>⏎The answer is 6.
several answers:: The answer is 5. The answer is 6. ¦ {"answer": 5, "final_answer": 6}
taken back without a plain answer:: <answer>5</answer>⏎Wait, that is wrong. ¦ <answer>5</answer>⏎Actually, 6 or 7.
no answer where it is marked:: The answer is 6. <answer>I do not know</answer>
"""
    assert [(reply, read(reply)) for reply, _ in valued(refused)] == valued(refused)


def test_an_answer_of_several_lines_is_taken_as_a_whole_and_a_sign_inside_is_no_wrapping() -> None:
    text = visible("**Answer:**\n3\n1 0\n\nThat is all. <answer>")
    assert [piece.text for piece in marked(text, multiline=True)] == ["3\n1 0\n\nThat is all."]
    assert [piece.text for piece in marked("<answer>3\n1 0", multiline=True)] == ["3\n1 0"]
    wrapped = listed(r'```text⏎3*4⏎``` ¦ ```3*4``` ¦ **3*4** ¦ `3*4` ¦ $3*4$ ¦ \boxed{3*4} ¦ "3*4" ¦ ~~~⏎3*4⏎~~~')
    assert {text: unwrapped(text) for text in wrapped} == dict.fromkeys(wrapped, "3*4")
    # Strictly nothing but reasoning and blanks at the ends is left out.
    assert outside_reasoning("<think>a</think>\n\n6\r\n7 \n") == "6\n7"
    assert outside_reasoning("6<|im_end|>") == "6<|im_end|>"
