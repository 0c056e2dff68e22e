"""Replies that people judged: the readers seldom refuse an answer that is stated, and read none that is not."""

from pathlib import Path

import pytest
from reply_rates import CONFIGS, CORPORA, judged, rates

pytest.importorskip("math_verify")

MOST_REFUSED, MOST_MISREAD = 0.02, 0.005


@pytest.mark.parametrize(
    "folder", sorted(path for path in CORPORA.iterdir() if path.is_dir()), ids=lambda path: path.name
)
@pytest.mark.parametrize("task", CONFIGS)
def test_right_answers_are_not_refused_and_none_is_read_that_is_not_stated(folder: Path, task: str) -> None:
    replies = list(judged(folder, (task,)))
    stated, refused, total, misread = rates(replies)[task]
    wrong = [(reply.kind, reply.verdict, reply.read or reply.reason, reply.reply) for reply in replies if reply.wrong]
    assert stated >= 100
    assert refused <= MOST_REFUSED * stated, wrong
    assert misread <= MOST_MISREAD * total, wrong
