"""Every template, in both languages: certified, readable, without leaks, and drawn as its program says."""

import hashlib

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from geogram_cases import NAMES, TEMPLATES, Accepted, accepted_reading, candidates, read

from planimeter.filters.certify.geogram.latex import latex_value
from planimeter.items import LANGUAGES, LEVELS, Area, Caption, Language, Stroke
from planimeter.rendering.geogram import SIZE, picture
from planimeter.rendering.png import encode

#: Of the pictures of all templates, which changes with the bytes of datasets only.
DIGEST = "3984ba66fafba323"

Items = dict[tuple[str, Language], Accepted]


@pytest.fixture(scope="module")
def items() -> Items:
    return {(name, language): accepted_reading(name, language) for name in NAMES for language in LANGUAGES}


def of_level(level: str) -> list[str]:
    return [name for name in NAMES if TEMPLATES[name].level == level]


def test_an_item_is_certified_with_its_answer_and_a_small_margin(items: Items, subtests: pytest.Subtests) -> None:
    for (name, language), (item, reading) in items.items():
        with subtests.test(name, language=language):
            assert reading.margin < 1e-5
            assert item.answer_value == pytest.approx(latex_value(item.answer_latex), rel=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_few_candidates_are_refused_and_none_has_two_answers(level: str, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(of_level(level)):
        with subtests.test(name):
            seen = kept = 0
            for index in range(6):
                for item in candidates(name, LANGUAGES[(number + index) % 2], index, root=5):
                    seen += 1
                    reading = read(item)
                    assert reading.answer in (None, item.answer_latex), "template or certifier is wrong"
                    if reading.answer is not None:
                        kept += 1
                        break
            assert kept == 6 and seen <= 6 * 14


@pytest.mark.parametrize("level", LEVELS)
def test_the_python_program_draws_the_scene(
    level: str, items: Items, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    matplotlib.use("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    for name in of_level(level):
        item = items[name, "matplotlib"].item
        plt.close("all")
        exec(compile(item.code, name, "exec"), {})
        axes, marks = plt.gca(), item.drawing.marks if item.drawing else ()
        with subtests.test(name):
            lines = [line.get_xydata() for line in axes.lines if line.get_marker() != "o"]
            circles = [p for p in axes.patches if isinstance(p, plt.Circle) and not p.get_fill()]
            strokes = [np.array(mark.points) for mark in marks if isinstance(mark, Stroke)]
            assert len(lines) + len(circles) == len(strokes) > 0
            short = {np.round(s, 6).tobytes() for s in strokes if len(s) < 8}
            assert short <= {np.round(np.asarray(line, float) + 0.0, 6).tobytes() for line in lines}
            captions = sorted((mark.text, *np.round(mark.point, 6)) for mark in marks if isinstance(mark, Caption))
            assert captions == sorted((t.get_text().strip("$"), *np.round(t.xy, 6)) for t in axes.texts)
            filled = [p for p in axes.patches if not isinstance(p, plt.Circle) or p.get_fill()]
            assert len([mark for mark in marks if isinstance(mark, Area)]) == len(filled)
    plt.close("all")


def test_pictures_keep_their_labels_inside_and_their_bytes(items: Items, subtests: pytest.Subtests) -> None:
    content = hashlib.sha256()
    for name in NAMES:
        with subtests.test(name):
            image = picture(items[name, "asymptote"].item.drawing)
            content.update(encode(image))
            ink = image.indices < 31
            assert image.indices.shape == (SIZE, SIZE) and 0.002 < ink.mean() < 0.8
            assert not (ink[:6].any() or ink[-6:].any() or ink[:, :6].any() or ink[:, -6:].any())
    assert content.hexdigest()[:16] == DIGEST
