"""Every template, in both languages: certified, readable, without leaks, the same everywhere."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from geogram_cases import NAMES, accepted, candidates, leaks

from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.certify.geogram.latex import latex_value
from planimeter.generators.geogram.propose import templates
from planimeter.items import LANGUAGES, LEVELS, Area, Caption, Language, Stroke
from planimeter.rendering.geogram import SIZE, picture
from planimeter.rendering.png import encode


def test_there_are_enough_templates_at_every_level() -> None:
    by_level = Counter(t.level for t in templates())
    assert by_level["primitive"] >= 13 and by_level["compositional"] >= 16 and by_level["abstract"] >= 16
    assert sum(by_level.values()) >= 45 and set(by_level) == set(LEVELS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_an_item_is_certified_and_does_not_leak(name: str, language: Language) -> None:
    item = accepted(name, language)
    reading = certify(item.problem, item.code, item.language, item.givens, item.answer_latex)
    assert reading.answer == item.answer_latex and reading.margin < 1e-5
    assert leaks(item) == ""
    assert item.answer_value == pytest.approx(latex_value(item.answer_latex), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_another_answer_is_not_certified(name: str) -> None:
    item = accepted(name, "asymptote")
    wrong = certify(item.problem, item.code, item.language, item.givens, f"{item.answer_latex}+1")
    assert wrong.answer != f"{item.answer_latex}+1"


@pytest.mark.parametrize("name", NAMES)
def test_no_more_candidates_are_refused_than_kept(name: str) -> None:
    seen = kept = 0
    for index in range(12):
        for item in candidates(name, LANGUAGES[index % 2], index, root=5):
            seen += 1
            reading = certify(item.problem, item.code, item.language, item.givens, item.answer_latex)
            assert reading.answer in (None, item.answer_latex), (
                "the certifier found another answer: one of the two is wrong"
            )
            if reading.answer is not None:
                kept += 1
                break
    assert kept == 12 and seen <= 12 * 14


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_come_from_one_scene(name: str) -> None:
    first, second = (next(candidates(name, language)) for language in LANGUAGES)
    again = next(candidates(name, "asymptote"))
    assert again == first
    assert first.code != second.code and first.language != second.language


@pytest.mark.parametrize("name", NAMES)
def test_the_python_program_draws_the_scene(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    item = accepted(name, "matplotlib")
    assert item.drawing is not None
    matplotlib.use("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.close("all")
    exec(compile(item.code, name, "exec"), {})
    axes = plt.gca()
    lines = [line.get_xydata() for line in axes.lines if line.get_marker() != "o"]
    circles = [p for p in axes.patches if isinstance(p, plt.Circle) and not p.get_fill()]
    strokes = [np.array(m.points) for m in item.drawing.marks if isinstance(m, Stroke)]
    assert len(lines) + len(circles) == len(strokes)
    short = {np.round(s, 6).tobytes() for s in strokes if len(s) < 8}
    assert short <= {np.round(np.asarray(line, float) + 0.0, 6).tobytes() for line in lines}
    captions = sorted((m.text, *np.round(m.point, 6)) for m in item.drawing.marks if isinstance(m, Caption))
    assert captions == sorted((t.get_text().strip("$"), *np.round(t.xy, 6)) for t in axes.texts)
    greys = [m for m in item.drawing.marks if isinstance(m, Area)]
    filled = [p for p in axes.patches if not isinstance(p, plt.Circle) or p.get_fill()]
    assert len(greys) == len(filled)
    plt.close("all")


def test_pictures_keep_their_labels_inside_and_their_bytes() -> None:
    for name in NAMES:
        image = picture(accepted(name, "asymptote").drawing)
        ink = image.indices < 31
        assert image.indices.shape == (SIZE, SIZE) and 0.002 < ink.mean() < 0.8, name
        assert not (ink[:6].any() or ink[-6:].any() or ink[:, :6].any() or ink[:, -6:].any()), name
        assert encode(image) == encode(picture(accepted(name, "asymptote").drawing))


_DIGEST = """
import hashlib
from geogram_cases import NAMES, candidates
h = hashlib.sha256()
for name in NAMES:
    for language in ("asymptote", "matplotlib"):
        item = next(candidates(name, language))
        h.update(repr((item.problem, item.code, item.givens, item.answer_latex, item.answer_value)).encode())
print(h.hexdigest())
"""


def test_the_hash_seed_of_the_process_does_not_matter() -> None:
    root = Path(__file__).parents[2]
    digests = set()
    for seed in "01":
        folders = (root, root / "tests" / "generators", root / "tests" / "support")
        path = os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", _DIGEST], capture_output=True, text=True, check=True, env=env, cwd=root
        )
        digests.add(done.stdout.strip())
    assert len(digests) == 1


def test_neighbouring_addresses_share_nothing() -> None:
    for name in NAMES:
        items = [next(candidates(name, "asymptote", index, root)) for index in range(3) for root in (1, 2)]
        assert len({item.code for item in items}) == len(items), name
        assert len({item.problem for item in items}) == len(items), name


def _asymptote(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    source = folder / "figure.asy"
    # Labels need TeX and Ghostscript; everything else of the program compiles and runs without them.
    source.write_text("void label(string s, pair p, pair d=(0,0)) { dot(p); }\n" + code)
    command = ["asy", "-noV", "-tex", "none", "-gs", "true", "-f", "eps", "-o", str(folder / "figure.eps"), str(source)]
    # asy signals its whole process group when it ends, so it gets one of its own.
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, start_new_session=True, timeout=60
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_asymptote_program_compiles(name: str, tmp_path: Path) -> None:
    import shutil

    if shutil.which("asy") is None:
        pytest.skip("asy is not installed (Debian: apt install asymptote)")
    done = _asymptote(accepted(name, "asymptote").code, tmp_path)
    assert done.returncode == 0 and not done.stderr.strip(), done.stderr
