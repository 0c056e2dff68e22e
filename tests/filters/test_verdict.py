"""One verdict of several."""

from dataclasses import replace

from planimeter.filters.verdict import Verdict, first_broken


def test_of_several_verdicts_the_first_rejection_stands() -> None:
    good = Verdict(check="size", kept=True, measured=3.0, limit=1.0)
    bad = Verdict(check="gap", kept=False, measured=1.0, limit=2.0, reason="too near")
    assert first_broken([good, bad, good], "rules") == replace(bad, check="rules")
    assert first_broken([good, good], "rules").kept
