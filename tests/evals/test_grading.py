"""One interface of all suites: right replies score 1, silence 0, and no reply scores by luck, crashes or stalls."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
from graded_rows import EXAMPLES, MARKERS, ROWS, Row
from hypothesis import given
from hypothesis import strategies as st

from planimeter import evals
from planimeter.evals.grading import place_of
from planimeter.evals.places import plain
from planimeter.evals.traversal.prompt import answer as path

PLACES = sorted(ROWS)
READINGS = (True, False)
places = pytest.mark.parametrize("place", PLACES, ids="-".join)
ALL_ANSWERS = {
    ("marvl_qa", "counting"): ", ".join(map(str, range(1, 30))),
    ("marvl_qa", "transformation"): "1, 2, 3, 4 or 5",
    **dict.fromkeys((("marvl_qa", "counting_hard"), ("marvl_qa", "surface")), ", ".join(map(str, range(8, 61)))),
    **dict.fromkeys(
        (("marvl_qa", "transformation_hard"), ("marvl_qa", "surface_transformation")), ", ".join(map(str, range(1, 19)))
    ),
    ("traversal", "base"): path(MARKERS),
    ("curves", "easy"): "<answer>1, 2, 3\n1 0</answer>",
    ("curves_maps", "planar_map"): "<answer>2\n0 1\n0 2 1\n1 2</answer>",
    ("geogram", "geogram"): "\\boxed{12, \\frac{7}{3}, 2\\sqrt{29}, 8\\pi+27, \\frac{3\\sqrt{2}}{2}}",
}
#: Marks, markup, words, numbers in every notation, and characters that readers stumble over.
PIECES = (
    '<answer>¦</answer>¦<final_answer>¦</final_answer>¦<ANSWER¦<think>¦</think>¦\\boxed{¦}¦{¦[¦]¦["¦"]¦```json\n¦```¦'
    "**¦$¦\\frac{1}{¦\\sqrt¦^{¦9^9^9¦!¦°¦=¦the answer is ¦Answer:¦total of ¦maxima¦rotated by 90¦no change¦not ¦"
    "either ¦option ¦red tri¦RED\u00a0TRIANGLE¦violet disk¦, ¦ -> ¦1. ¦gray spur¦0¦1¦-1¦12¦\u0967\u0968¦\uff11\uff12¦"
    "\u2460¦\u00b2¦\u2167¦1e9¦0x1f¦NaN¦\n¦\r\n¦\u2028¦\x00¦\ud800¦\u202e¦\u0301¦\ufeff¦ ¦\t¦\x85¦u v¦1 0¦2 1"
)
hostile = st.lists(st.sampled_from([*PIECES.split("¦"), "9" * 5000]) | st.text(max_size=8), max_size=30).map("".join)


def graded(row: Row, reply: str, place: tuple[str, str], **how: bool) -> evals.Scores:
    return evals.grade(row, reply, suite=place[0], config=place[1], **how)


def gold(row: Row, place: tuple[str, str]) -> str:
    reply: str = evals.suite(place[0]).render(row["answer"])
    return reply


def same(scores: object, others: object) -> bool:
    return repr(scores) == repr(others)  # nan is not equal to itself


def test_a_grader_is_handed_plain_columns() -> None:
    own = {"stops": ["A", "B"], "changes": 2, "ratio": math.nan, "twin": None, "lines": [[[0.0, 1.0]]]}
    row = {"id": "x", "answer": "3", "image": {"bytes": b"", "path": "x.png"}, **own}
    handed = plain(row, "marvl_qa", "counting")
    assert handed == {"id": "x", "answer": "3", "stops": ["A", "B"], "changes": 2, "ratio": None, "twin": None}


@places
@given(data=st.data())
def test_gold_scores_one_and_is_written_as_the_answer_is(place, data):
    row = data.draw(ROWS[place])
    assert place_of(row) == place
    assert evals.gold_score(*place, row) == 1.0
    for strict in READINGS:
        scores = graded(row, gold(row, place), place, strict=strict)
        assert (scores.value, scores.read, scores.reason) == (1.0, row["answer"], "")
        assert scores.answered
        assert scores.metrics.keys() <= evals.suite(place[0]).METRICS.keys()


@places
@given(data=st.data())
def test_prompts_thoughts_and_all_answers_at_once_are_no_answer(place, data):
    row = data.draw(ROWS[place])
    right = gold(row, place)
    anew = "\n".join(f"   {line}" for line in row["prompt"].splitlines())
    for echo in (row["prompt"], f"{row['system_prompt']}\n\n{row['prompt']}", f"> {row['prompt']}\n" * 3, anew):
        for strict in READINGS:
            scores = graded(row, echo, place, strict=strict)
            assert (scores.value, scores.answered) == (0.0, False)
        assert graded(row, f"{echo}\n{right}", place).value == 1.0
        assert not graded(row, f"{echo}\n{right}", place, strict=True).answered
    for thought in ("<think>{}</think>", "<thinking>{}", "{}</reasoning> I do not know."):
        assert graded(row, thought.format(right), place).value == 0.0
    for strict in READINGS:
        assert graded(row, ALL_ANSWERS[place], place, strict=strict).value == 0.0


@places
@given(reply=hostile)
def test_no_reply_breaks_a_reading(place, reply):
    row = EXAMPLES[place]
    for text in (reply, gold(row, place) + reply, reply + gold(row, place)):
        for strict in READINGS:
            scores = graded(row, text, place, strict=strict)
            assert 0.0 <= scores.value <= 1.0
            assert bool(scores.reason) != scores.answered
            assert bool(scores.read) == scores.answered
            assert [name for name, value in scores.metrics.items() if math.isinf(value)] == []
            assert scores.answered or scores.value == 0.0
    for text in (reply, gold(row, place), f"Answer:\n{gold(row, place)}\nI am sure."):
        strictly, leniently = (graded(row, text, place, strict=strict) for strict in READINGS)
        assert same(evals.readings(row, text, suite=place[0], config=place[1]), (leniently, strictly))
        if strictly.answered:
            assert same(strictly.metrics, leniently.metrics), "what is read strictly is read alike leniently"


#: What a model may repeat to its last token.
LOOPS = " ¦*¦`$¦<answer>¦<answer>5</answer>¦</think>¦\\boxed{¦\\text{¦[[¦[1,0],¦the answer is ¦1 0\n¦red tri, ¦units "


@places
def test_a_reply_that_ends_in_a_loop_is_graded(place):
    for piece in (*LOOPS.split("¦"), "\n", "9"):
        looping = piece * (10_000 // len(piece))
        for text in (looping, f"<answer>\n{looping}\n</answer>", f"\\boxed{{{looping}}}", f"The answer is {looping}."):
            assert 0.0 <= graded(EXAMPLES[place], text, place).value <= 1.0


@places
def test_a_cut_reply_counts_only_if_its_answer_is_marked(place):
    row = EXAMPLES[place]
    bare = row["answer"]
    assert graded(row, gold(row, place), place, cut_off=True).value == 1.0
    assert graded(row, bare, place).value == 1.0
    cut = graded(row, bare, place, cut_off=True)
    expected = (1.0, "") if place[0] == "traversal" else (0.0, "unmarked")
    assert (cut.value, cut.reason) == expected, "the list of markers is its own mark"


def test_many_threads_grade_as_one():
    def replies(place: tuple[str, str]) -> tuple[str, ...]:
        return gold(EXAMPLES[place], place), ALL_ANSWERS[place], "", "<think>1</think> Answer: 3"

    work = [(place, reply, strict) for place in PLACES for reply in replies(place) for strict in READINGS] * 5
    alone = [repr(graded(EXAMPLES[place], reply, place, strict=strict)) for place, reply, strict in work]
    with ThreadPoolExecutor(8) as pool:
        assert alone == [*pool.map(lambda w: repr(graded(EXAMPLES[w[0]], w[1], w[0], strict=w[2])), work)]


def test_rows_of_one_question_are_not_taken_for_rows_of_others():
    function = {"family": "cone", "parameters": "{}", "answer": "2"}
    styles = [{**function, "id": style, "feature": "maxima", "count": 2, "plot_type": style} for style in "ab"]
    assert evals.question(styles[0]) == evals.question(styles[1])
    for other in ({"feature": "minima"}, {"parameters": '{"a": 1}'}):
        assert evals.question(styles[0] | other) != evals.question(styles[0])
    moved = {**function, "options": [], "transformation": "translate_x", "offset": 1.5}
    assert evals.question({**moved, "offset": -1.5}) != evals.question(moved) != evals.question(styles[0])
    base = {"id": "traversal-1", "markers": []}
    low, high = ({**base, "id": name, "confounders": [], "source_id": "traversal-1"} for name in ("low", "high"))
    assert {evals.question(row) for row in (base, low, high)} == {"traversal-1"}
    assert evals.question({"id": "x", "parents": []}) == "x"


def test_the_refusal_of_an_unknown_name_lists_those_there_are():
    with pytest.raises(LookupError, match="no suite has rows with only the columns answer; pass suite and config"):
        evals.grade({"answer": "1"}, "1")
    with pytest.raises(LookupError, match="there are: marvl_qa"):
        evals.grade({"answer": "1"}, "1", suite="marvl", config="counting")
    for suite, config in PLACES:
        with pytest.raises(LookupError, match=f"{suite} has no config 'hard'; it has: .*{config}"):
            evals.grade(EXAMPLES[suite, config], "1", suite=suite, config="hard")
    with pytest.raises(LookupError, match="it has: default, json_array"):
        evals.grade(EXAMPLES["traversal", "base"], "", strict=True, variant="json")
