"""A model that repeats itself to its last token does not stall the grading of its reply, in any suite."""

import signal
import time
from collections.abc import Iterator

import pytest
from graded_rows import EXAMPLES

from planimeter.evals import grade, variants

#: CPU seconds after which the grading of one reply does not end: it takes a tenth of one.
LIMIT = 300
#: What a reply may loop on: blanks and signs, marks of an answer, open brackets, words, statements, units.
_LISTED = (
    " ¦\n¦\t\n¦\u00a0¦\u200b ¦x¦9¦-¦\\¦\\\\¦*¦**¦_¦#¦# ¦>¦> ¦|¦~¦`$¦```\n¦"
    "<¦<|¦<answer>¦</answer>¦<answer>5</answer>¦<answer>5¦<final_answer>¦<final_answer>3¦&lt;answer&gt;¦"
    "<|begin_of_box|>¦<think>¦</think>¦\u25c1think\u25b7¦<|im_end|>¦[THINK]¦\\boxed{¦\\boxed{5}¦"
    "\\text{¦\\frac{1}{¦\\sqrt¦{¦}¦[¦[[¦[1,¦[1,0],¦(¦(1,0), ¦'¦\"¦"
    '{"a":¦{"answer":¦{"answer": [¦{answer: ¦["red tri",¦{1: 0, ¦'
    "the answer is ¦The answer is 3. ¦answer: ¦Answer\n¦is the answer ¦A: ¦final ¦my ¦i choose ¦\u7b54\u6848:¦"
    "wait, ¦no, ¦Actually, 5. ¦The answer is 5, no, ¦not ¦either ¦or ¦the ¦distinct ¦so there are ¦"
    "so 12 peaks ¦maxima ¦6 peaks and ¦total of local ¦count in the plot ¦two ¦twenty ¦half a ¦at least ¦"
    "3 + ¦3 rows of ¦= 5 ¦12 ¦1,¦rotate by 90 ¦translation along ¦translation along the ¦x axis ¦option 3 ¦"
    "red tri, ¦1. red tri\n¦red ¦tri ¦light blue ¦red tri -> ¦orange-colored ¦"
    "1 0\n¦1 0, ¦1 -> 0\n¦1 2 ¦1: 0, 2\n¦1 is inside 0\n¦0 touches 1, ¦region 1 ¦parent of ¦5 regions\n¦"
    "a b c 1 2\n¦\u00b0 ¦degrees ¦square units ¦units ¦\\ ¦\\,¦^{¦\u221a¦\u03c0¦1/¦\uff11¦\u0967 ¦\u2460"
)
PIECES = _LISTED.split("¦")
WRAPPINGS = (("", ""), ("<answer>\n", "\n</answer>"), ("\\boxed{", "}"), ("The answer is ", "."))
WRAPPINGS += (("<answer>5</answer>\nActually, ", "."),)


@pytest.fixture
def limited() -> Iterator[None]:
    """No reply is graded for longer than ``LIMIT``, however often a regular expression would go back."""

    def ended(*_: object) -> None:
        pytest.fail(f"a reply was graded for more than {LIMIT} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, ended)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "all"])
@pytest.mark.parametrize("place", EXAMPLES, ids="-".join)
def test_a_reply_that_ends_in_a_loop_is_graded_in_linear_time(
    place: tuple[str, str], every: bool, limited: None
) -> None:
    suite, config = place
    # The readers of MaRVL-QA take three times as long as others.
    length, suspicious = (12_000, 0.2) if every else (2_000 if suite == "marvl_qa" else 4_000, 0.04)
    row = {**EXAMPLES[place], "id": "x"}
    asked = ["", *(variant for variant in variants(suite, config) if suite == "traversal")]

    def seconds(wrapping: tuple[str, str], piece: str, length: int, again: int = 0) -> float:
        inner = piece * (length // len(piece)) + " " * again  # the same reply is not read twice
        reply = inner.join(wrapping)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        before = time.process_time()
        grade(row, reply, suite=suite, config=config)
        for variant in asked:
            grade(row, reply, suite=suite, config=config, strict=True, variant=variant)
        return time.process_time() - before

    seconds(("", ""), "1 0\n", 100)  # the first call of some suites compiles or imports
    for number, piece in enumerate((*PIECES, row["answer"] + "\n", row["prompt"])):
        for wrapping in WRAPPINGS if every else [WRAPPINGS[number % len(WRAPPINGS)]]:
            if seconds(wrapping, piece, length) > suspicious:
                # Four times as long a reply may take four times as long, not sixteen times; any of three tries counts.
                tries = (
                    (seconds(wrapping, piece, 4 * length, k), seconds(wrapping, piece, length, k)) for k in (1, 2, 3)
                )
                assert any(long < 9 * short for long, short in tries), (wrapping, piece[:20])
