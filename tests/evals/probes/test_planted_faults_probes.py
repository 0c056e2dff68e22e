"""Faults that were planted in ``probes`` and that no other test found."""

import numpy as np

from planimeter.evals.probes import blind
from planimeter.evals.probes.against import _measure
from planimeter.evals.probes.sheets import Sheet
from planimeter.evals.probes.suites import marvl_qa
from planimeter.items import OPTIONS, TRANSFORMATIONS


def test_rows_of_two_families_are_enough_to_learn_from_one_and_guess_the_other() -> None:
    rng = np.random.default_rng(0)
    asked = rng.integers(2, size=60)
    rows = [
        {
            "id": str(number),
            "answer": str(OPTIONS.index(TRANSFORMATIONS[kind]) + 1),
            "transformation": TRANSFORMATIONS[kind],
            "options": list(OPTIONS),
            "family": f"family {number % 2}",
            **dict.fromkeys(("plot_type_a", "plot_type_b", "colormap_a", "colormap_b"), "plain"),
        }
        for number, kind in enumerate(asked)
    ]
    numbers = np.arange(len(rows), dtype=np.int64)
    part = marvl_qa.PARTS["transformation"]
    sheet = Sheet(
        suite="marvl_qa", config="transformation", recipe={}, rows=rows, questions=numbers, places=numbers, part=part
    )
    sizes = (asked + 0.01 * rng.normal(size=60))[:, None]
    results, silent = blind.probe(sheet, {"PNG size": sizes}, lambda: None)
    assert silent == []
    assert "PNG size" in [result.probe for result in results]


def test_words_of_which_there_are_few_are_compared_and_of_texts_the_lengths() -> None:
    assert _measure("style", "plain", False) == ("style", "plain")
    assert _measure("prompt", "How many?", True) == ("length of prompt", 9.0)
