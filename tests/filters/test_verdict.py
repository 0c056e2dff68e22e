"""One verdict of several, and the counts of many."""

from dataclasses import replace

from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import Verdict, first_broken

GOOD = Verdict(check="size", kept=True, measured=3.0, limit=1.0)
BAD = Verdict(check="gap", kept=False, measured=1.0, limit=2.0, reason="too near")


def test_the_first_rejection_decides_several_verdicts() -> None:
    assert first_broken([GOOD, BAD, GOOD], "rules") == replace(BAD, check="rules")
    assert first_broken([GOOD, GOOD], "rules").kept


def test_a_funnel_sums_verdicts_by_reason_and_stratum() -> None:
    funnel = Funnel()
    for verdict in (GOOD, BAD, BAD):
        funnel.add("base", verdict, "style=a")
    table = Funnel.total([funnel.table(), funnel.table()]).table()["base"]
    rejected, kept = {"seen": 4, "kept": 0, "rejected": 4}, {"seen": 2, "kept": 2, "rejected": 0}
    assert table["gap"] == {**rejected, "rejected": {"too near": 4}, "strata": {"style=a": rejected}}
    assert table["size"] == {**kept, "rejected": {}, "strata": {"style=a": kept}}
