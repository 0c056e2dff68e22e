import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planimeter.export.verify import croissant
from planimeter.filters.marvl_qa.readings import ACROSS, Row, least_errors
from planimeter.suites.marvl_qa import checks as marvl_qa_checks

#: What ``least_errors`` reads of a row.
READ = ("expression", "x_min", "x_max", "y_min", "y_max", "transformation", "offset")


@pytest.fixture(scope="package", autouse=True)
def _mlcroissant_reads_a_description_once() -> Iterator[None]:
    """Most of a verification's time goes into mlcroissant, to which the digests and sizes of files mean nothing."""
    messages: dict[str, list[str]] = {}
    original = croissant.mlcroissant_says

    def says(path: Path) -> list[str]:
        content = re.sub(rb'"(sha256": "[0-9a-f]{64}|contentSize": "\d+ B)"', b'""', path.read_bytes())
        key = hashlib.sha256(content).hexdigest()
        if key not in messages:
            messages[key] = original(path)
        return messages[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(croissant, "mlcroissant_says", says)
        yield


@pytest.fixture(scope="package", autouse=True)
def _each_pair_of_plots_is_measured_once() -> Iterator[None]:
    """The same four pairs stand in hundreds of verified folders; a row that a test damages is measured anew."""
    known: dict[str, tuple[float, float]] = {}

    def measured(row: Row, lines: int = ACROSS) -> tuple[float, float]:
        key = repr([lines, *map(row.get, READ)])
        if key not in known:
            known[key] = least_errors(row, lines)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marvl_qa_checks, "least_errors", measured)
        yield
