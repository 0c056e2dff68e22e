"""Replies that people judged: the readers seldom refuse an answer that is stated, and read none that is not."""

import pytest

from tools.reply_rates import CONFIGS, CORPORA, judged, rates

MOST_REFUSED, MOST_MISREAD = 0.02, 0.005

#: The first corpus is judged by task. The second has too few replies of each for such rates, and is judged as a whole.
PARTS = [*(("first", (task,)) for task in CONFIGS), ("second", tuple(CONFIGS))]


@pytest.mark.parametrize(("corpus", "tasks"), PARTS, ids=lambda part: part if isinstance(part, str) else "+".join(part))
def test_right_answers_are_not_refused_and_none_is_read_that_is_not_stated(corpus: str, tasks: tuple[str, ...]) -> None:
    replies = list(judged(CORPORA / corpus, tasks))
    stated, refused, total, misread = map(sum, zip(*rates(replies).values(), strict=True))
    wrong = [(reply.kind, reply.verdict, reply.read or reply.reason, reply.reply) for reply in replies if reply.wrong]
    assert stated >= 100
    assert refused <= MOST_REFUSED * stated, wrong
    assert misread <= MOST_MISREAD * total, wrong
