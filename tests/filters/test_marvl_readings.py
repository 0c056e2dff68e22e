"""The verifier's own figures of a pair of plots, where few samples err."""

import pytest

from planimeter.filters.marvl_qa.readings import ALONG, least_errors
from planimeter.suites.loading import load
from planimeter.suites.marvl_qa.checks import checker

#: Of marvl-qa-train 1.0.1: its second step runs along the lines that are sampled.
ALONG_THE_LINES = {
    "family": "step_function",
    "parameters": '{"a": 1.1, "b": -1.71, "moved_x": -0.14, "moved_y": -0.5, "uc": -0.953, "ux": 1.0, "uy": 0.231, '
    '"vc": 0.397, "vx": 0.017, "vy": 1.0}',
    "expression": "1.1*sign((x + 0.14) + 0.231*(y + 0.5) - 0.953) - 1.71*sign(0.017*(x + 0.14) + (y + 0.5) + 0.397)",
    **{f"{axis}_{end}": sign * 5.0 for axis in "xy" for end, sign in (("min", -1), ("max", 1))},
    "transformation": "translate_y",
    "offset": 0.81,
}


@pytest.mark.parametrize(
    ("figure", "faults"), [(0.1733, []), (0.1803, ["nrmse_confusable must be 0.1733, got 0.1803"])]
)
def test_a_step_along_the_sampled_lines_is_no_fault(figure: float, faults: list[str]) -> None:
    row = {**ALONG_THE_LINES, "nrmse_confusable": figure}
    assert min(least_errors(row)) - 0.1733 > 0.0015
    assert min(least_errors(row, ALONG)) == pytest.approx(0.1733, abs=1e-4)
    assert [*checker(load("marvl-qa-train").model_dump(mode="json"))._readings(row)] == faults
