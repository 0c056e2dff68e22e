"""The frozen bytes notice one pixel, one word, one number and the order of two rows, in every suite, and name them."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from tools.frozen import differences, of_dataset, of_rows

if TYPE_CHECKING:
    from small_datasets import Small

Rows = list[dict[str, Any]]


def _pixel(rows: Rows) -> None:
    picture = cv2.imdecode(np.frombuffer(rows[-1]["image"]["bytes"], np.uint8), cv2.IMREAD_UNCHANGED)
    picture[0, 0] ^= 1
    rows[-1]["image"]["bytes"] = cv2.imencode(".png", picture)[1].tobytes()


CHANGES: dict[str, Callable[[Rows], Any]] = {
    "image": _pixel,
    "prompt": lambda rows: rows[0].update(prompt=rows[0]["prompt"].replace("the", "a", 1)),
    "seed": lambda rows: rows[0].update(seed=rows[0]["seed"] + 1),
    "the order of the rows": lambda rows: rows.insert(0, rows.pop(1)),
}
CONFIGS = {"marvl-qa-mini": "counting", "traversal": "base", "curves": "polygon", "curves-maps": "planar_map"}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_planted_change_is_noticed_and_named(small: "Callable[[str], Small]", name: str) -> None:
    config, rows = CONFIGS[name], small(name).rows[CONFIGS[name]]
    before = {name: {config: of_rows(rows)}}
    assert list(differences(before, before)) == []
    for named, change in CHANGES.items():
        changed = copy.deepcopy(rows)
        change(changed)
        assert list(differences(before, {name: {config: of_rows(changed)}})) == [f"{name}, {config}: {named}"]


def test_files_splits_and_datasets_are_compared(small: "Callable[[str], Small]") -> None:
    made = of_dataset(small("curves").folder)
    assert {"files", "easy/test", "polygon/test"} <= made.keys()
    assert made["polygon/test"]["rows"] == "3"
    fewer = {part: digests for part, digests in made.items() if part != "polygon/test"}
    assert any(line.startswith("curves, polygon/test: ") for line in differences({"curves": made}, {"curves": fewer}))
    assert list(differences({"curves": made}, {})) == ["curves: gone"]
    other = {**made, "files": {path: f"{digest}x" for path, digest in made["files"].items()}}
    changed = ", ".join(sorted(made["files"]))
    assert list(differences({"curves": made}, {"curves": other})) == [f"curves, files: {changed}"]
