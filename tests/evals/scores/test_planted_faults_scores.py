"""Faults that were planted in ``scores`` and that no other test found."""

from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from planimeter.evals.report.evidence import evidence
from planimeter.evals.report.standings import _guesses
from planimeter.evals.scores import drawing
from planimeter.evals.scores.drawing import bars
from planimeter.evals.scores.intervals import _bounds_of_equal
from planimeter.evals.scores.replies.verifiers import _reply
from planimeter.evals.scores.suites.marvl_qa.figures import ERRORS, _histograms


def test_one_right_marker_is_no_stretch_of_the_path() -> None:
    row = {
        "points": [[10.0, 10.0], [110.0, 10.0], [110.0, 110.0]],
        "markers": ["red star", "blue tri", "green plus"],
        "glyph_radius": 6.0,
    }
    one = evidence("traversal", "base", row, "red star, green plus", [True, False, False])
    assert [mark.kind for mark in one.marks] == ["path", "truth", "reply"]
    two = evidence("traversal", "base", row, "red star, blue tri", [True, True, False])
    assert [mark.kind for mark in two.marks] == ["path", "done", "truth"]


def test_bounds_of_equal_values_in_the_middle_are_as_far_on_both_sides() -> None:
    low, high = _bounds_of_equal(0.5, 8, 0.0)
    assert 0.0 < low < 0.5
    assert high - 0.5 == pytest.approx(0.5 - low)


@pytest.mark.parametrize(("low", "high", "whiskers"), [([0.4], [0.6], 1), ([0.4], None, 0), (None, [0.6], 0)])
def test_a_bar_has_whiskers_only_where_both_bounds_are_known(
    low: list[float] | None, high: list[float] | None, whiskers: int
) -> None:
    panel = Figure().subplots()
    bars(panel, ["model"], {"": ([0.5], low, high)})
    assert len([drawn for drawn in panel.containers if isinstance(drawn, ErrorbarContainer)]) == whiskers


@pytest.mark.parametrize("trace", [{"calls": [{"model": "m"}]}, {"agent": {"config": {"model": "m"}}}])
def test_the_model_of_an_episode_is_known_from_its_last_call_or_its_agent(trace: dict[str, object]) -> None:
    assert _reply(trace, "row", "default").model == "m"


def test_the_histogram_of_a_model_is_that_of_its_own_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, list[float]]] = []
    monkeypatch.setattr(drawing, "histogram", lambda panel, values, series: drawn.append(series))
    replies = [("right", 1.0, 0), ("low", 0.0, -1)]
    frame = pd.DataFrame(
        [
            {"model": model, "accuracy": accuracy, "answered": True, "feature": "maxima", "signed_error": error}
            for model, accuracy, error in replies
        ]
    )
    _histograms(frame)
    shares = [dict(zip(ERRORS, series["maxima"], strict=True)) for series in drawn]
    assert [(share[0], share[-1]) for share in shares] == [(1.0, 0.0), (0.0, 1.0)]


def test_a_model_that_is_above_one_baseline_alone_is_not_above_the_better_one() -> None:
    line = SimpleNamespace(label="m", low=0.2)
    standing = SimpleNamespace(floors={"random": 0.1, "majority": 0.3}, lines=[line], title="counting")
    (told,) = _guesses(cast("Any", [standing]))
    assert told.endswith("m on counting.")
