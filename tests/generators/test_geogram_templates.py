"""Templates, in every language and in the manner of the corpora: certified, readable, drawn as their programs say."""

import ast
import json
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from geogram_cases import NAMES, TEMPLATES, Accepted, accepted_reading, candidates, read

from planimeter.filters.certify.geogram.asymptote import to_python
from planimeter.filters.certify.geogram.certificate import certify, measure
from planimeter.filters.certify.geogram.latex import latex_value
from planimeter.filters.geogram.leakage import literals
from planimeter.flows.suites import suite_of
from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.printers.corpora import _Corpora
from planimeter.generators.geogram.propose import propose, templates
from planimeter.generators.geogram.run import run
from planimeter.generators.geogram.scene import Let, Scene, triple, var
from planimeter.generators.geogram.sketch import _sides
from planimeter.generators.geogram.template import Template
from planimeter.generators.geogram.templates.abstract_processes import _carved_triangle
from planimeter.generators.seeding import rng_of
from planimeter.items import LANGUAGES, LEVELS, Area, Caption, Drawing, GeogramItem, Language, Stroke
from planimeter.recipes.loading import RecipeError, load, parse
from planimeter.rendering.asymptote.drawing import draw
from planimeter.rendering.asymptote.syntax import UndrawableError
from planimeter.rendering.geogram import SIZE, picture
from planimeter.rendering.png import encode

Items = dict[tuple[str, Language], Accepted]
OF_CORPORA = templates(corpora=True)
by_level = pytest.mark.parametrize("level", LEVELS)


@pytest.fixture(scope="module")
def items() -> Items:
    return {(name, language): accepted_reading(name, language) for name in NAMES for language in LANGUAGES}


def of_level(level: str) -> list[str]:
    return [name for name in NAMES if TEMPLATES[name].level == level]


def test_there_are_enough_templates_at_every_level() -> None:
    counts = Counter(t.level for t in templates())
    assert counts["primitive"] >= 13 and counts["compositional"] >= 16 and counts["abstract"] >= 16
    assert counts.total() >= 45 and set(counts) == set(LEVELS)


@by_level
def test_an_item_is_certified_with_its_answer_and_no_other(level: str, items: Items, subtests: pytest.Subtests) -> None:
    for name in of_level(level):
        for language in LANGUAGES:
            with subtests.test(name, language=language):
                item, reading = items[name, language]
                assert reading.margin < 1e-5
                assert item.answer_value == pytest.approx(latex_value(item.answer_latex), rel=1e-12)
        with subtests.test(name):
            wrong = f"{item.answer_latex}+1"
            assert read(replace(items[name, "asymptote"].item, answer_latex=wrong)).answer != wrong


@by_level
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


def test_both_languages_come_from_one_scene_and_neighbouring_addresses_share_nothing(
    subtests: pytest.Subtests,
) -> None:
    for name in NAMES:
        with subtests.test(name):
            drawn = [next(candidates(name, "asymptote", index, root)) for index in range(3) for root in (1, 2)]
            assert len({item.code for item in drawn}) == len({item.problem for item in drawn}) == len(drawn)
            assert next(candidates(name, "asymptote", 0, 1)) == drawn[0]
            second = next(candidates(name, "matplotlib", 0, 1))
            assert second.code != drawn[0].code and second.language != drawn[0].language


@by_level
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
    for name in NAMES:
        with subtests.test(name):
            drawing = items[name, "asymptote"].item.drawing
            image = picture(drawing)
            ink = image.indices < 31
            assert image.indices.shape == (SIZE, SIZE) and 0.002 < ink.mean() < 0.8
            assert not (ink[:6].any() or ink[-6:].any() or ink[:, :6].any() or ink[:, -6:].any())
            assert encode(image) == encode(picture(drawing))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("asy") is None, reason="asy is not installed (Debian: apt install asymptote)")
def test_the_asymptote_program_compiles(items: Items, tmp_path: Path, subtests: pytest.Subtests) -> None:
    source, target = tmp_path / "figure.asy", str(tmp_path / "figure.eps")
    command = ["asy", "-noV", "-tex", "none", "-gs", "true", "-f", "eps", "-o", target, str(source)]
    # asy signals its whole process group when it ends, so it gets one of its own.
    apart = {"stdin": subprocess.DEVNULL, "start_new_session": True, "timeout": 60}
    for name in NAMES:
        # Labels need TeX and Ghostscript; everything else of the program compiles and runs without them.
        code = items[name, "asymptote"].item.code
        source.write_text("void label(string s, pair p, pair d=(0,0)) { dot(p); }\n" + code)
        done = subprocess.run(command, capture_output=True, text=True, **apart)
        with subtests.test(name):
            assert done.returncode == 0 and not done.stderr.strip(), done.stderr


def test_what_a_figure_is_made_of_lies_apart() -> None:
    shares = [dict(_carved_triangle(np.random.default_rng(seed)).givens)["t"] for seed in range(40)]
    assert len(set(shares)) == 7 and "1/2" in map(str, shares), "copies in the corners touch and do not overlap"
    corners = [0j, 10 + 0j, 10 + 10j, 10j]
    square = Stroke(points=tuple((z.real, z.imag) for z in [*corners, 0j]))
    assert _sides([square], [*corners, 10 + 5j, 5 + 10j]) == ["SW", "SE", "NE", "NW", "E", "N"]


# --- in the manner of the corpora


@cache
def of_corpora(template: Template) -> list[GeogramItem]:
    items: list[GeogramItem] = []
    for seed in range(0, 256 * 99, 256):
        try:
            items.append(propose(template, "asymptote", rng_of(seed), seed, corpora=True))
        except ValueError:
            continue
        if len(items) == 3:
            return items
    raise LookupError(f"{template.name} proposes too little")


@by_level
def test_the_certificate_finds_the_answer_of_some_candidate_and_never_another(
    level: str, subtests: pytest.Subtests
) -> None:
    for template in (template for template in OF_CORPORA if template.level == level):
        with subtests.test(template.name):
            certified = 0
            for item in of_corpora(template):
                reading = certify(item.problem, item.code, "asymptote", item.givens, item.answer_latex)
                assert reading.answer in (None, item.answer_latex)
                assert reading.reason != "the program is not readable"
                certified += reading.answer is not None
            assert certified
            wrong = certify(item.problem, item.code, "asymptote", item.givens, f"{item.answer_latex}+1")
            assert wrong.answer != f"{item.answer_latex}+1"


def short(drawing: Drawing) -> list[np.ndarray]:
    return [np.array(m.points) for m in drawing.marks if isinstance(m, Stroke) and len(m.points) < 8]


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and min(abs(one - other).max(), abs(one - other[::-1]).max()) < 1e-6


def test_another_reader_of_asymptote_draws_the_same_lines() -> None:
    """It knows no module and no product without a sign; what it draws has every stroke of the scene."""
    drawn: set[str] = set()
    for template in OF_CORPORA:
        for item in of_corpora(template)[:2]:
            assert item.drawing is not None
            try:
                theirs = short(draw(item.code))
            except UndrawableError:
                continue
            ours = short(item.drawing)
            assert len(ours) == len(theirs) and all(any(map(partial(alike, own), theirs)) for own in ours), item.code
            drawn.add(template.name)
    assert len(drawn) > 0.7 * len(OF_CORPORA)


def test_the_forms_of_the_corpora_occur() -> None:
    codes = [item.code for t in OF_CORPORA for item in of_corpora(t)]
    forms = (
        "import olympiad", "import cse5", "import graph", "import three", r"filldraw\(", r"rightanglemark\(",
        r"midpoint\(", r"intersectionpoint\(", r"waypoint\(", r"rotate\(.?\d+, \w", r'dot\("',
        r"^pair \w+ = .*, \w+ = ", r"\d[a-z(]", r"^pair settle\(", r"^path corner\(", r"^void grow\(", r"^real f\(",
        r"draw\(surface\(",
    )  # fmt: skip
    occurrences = {form: sum(bool(re.search(form, code, re.MULTILINE)) for code in codes) for form in forms}
    assert min(occurrences.values()) >= 2, occurrences


HALVING = "pair go(pair u, pair v, int k) { if (k == 0) return v; return go(v, (u + v)/2, k - 1); } "


@pytest.mark.parametrize(
    ("code", "asked", "value"),
    [
        ("pair A = (1, 0), B = (5, 2), C = midpoint(A--B);", "dist(A,C)", 5**0.5),
        ("pair A = (1, 0), B = rotate(90, (1, 1))*A;", "dist(A,B)", 2**0.5),
        ("pair A = (0, 0), B = (4, 0), C = intersectionpoint(A--(2, 2), B--(0, 2));", "dist(A,C)", 32**0.5 / 3),
        ("import olympiad; pair A = (0, 0), B = (4, 0), C = waypoint(A--B, 0.25);", "dist(A,C)", 1),
        ("pair A = (0, 0), B = (4, 0), C = foot((1, 7), A, B), D = incenter(A, B, (0, 3));", "dist(C,D)", 1),
        ("real a = 3; real f(real x) { return 2x*(a - x); } fill(graph(f, 0, a)--cycle, gray(0.8));", "shaded()", 9),
        ("filldraw((0, 0)--(2, 0)--(2, 3)--cycle, gray(0.8), black);", "shaded()", 3),
        (HALVING + "pair A = (0, 0), B = (8, 0), P = go(A, B, 3);", "dist(A,P)", 5),
    ],
)
def test_what_modules_bring_has_its_meaning(code: str, asked: str, value: float) -> None:
    measured = measure(code, "asymptote", json.dumps({"given": [], "asked": asked})).asked
    assert measured == pytest.approx(value, rel=1e-6)


def test_programs_are_read_as_asymptote_reads_them_and_a_recursion_without_end_is_not() -> None:
    (line,) = to_python("real x = 1/2a + 3(b - 1);").body
    assert ast.unparse(line) == "x = 1 / (2 * a) + 3 * (b - 1)"
    page = "currentprojection = orthographic(4, -6, 3);\npen dps = linewidth(7);\ndraw(rightanglemark(A, B, C, 9));"
    assert literals(page).size == 0
    for end in ("k == 7", "k == 60"):
        code = f"pair go(pair u, int k) {{ if ({end}) return u; return go(u, k + 1); }} pair A = go((1, 0), 8);"
        reading = certify("", code, "asymptote", '{"given": [], "asked": "dist(A,A)"}', "0")
        assert (reading.answer, reading.reason) == (None, "the program is not readable")


def test_space_is_shown_as_asymptote_shows_it() -> None:
    """Numbers of `project` in Asymptote 2.85."""
    view = con.orthographic(4, 6, 3)
    axes = [Let(name=n, expr=view(triple(*at))) for n, at in (("a", (1, 0, 0)), ("b", (0, 1, 0)), ("c", (0, 0, 1)))]
    values = run(Scene(helpers=(view,), statements=tuple(axes))).values
    projected = {"a": 0.832050 - 0.213066j, "b": 0.554700 + 0.319599j, "c": 0.923287j}
    assert all(abs(values[name] - z) < 1e-4 for name, z in projected.items())
    assert view.written == "orthographic(4, -6, 3)"


def test_segments_of_which_only_one_reaches_the_other_line_do_not_cross() -> None:
    writer = object.__new__(_Corpora)
    writer.places = {"A": 0j, "B": 4 + 0j, "C": 1 - 1j, "D": 1 + 1j, "E": 1 + 3j}
    a, b, c, d, e = (var(name, "pair") for name in "ABCDE")
    assert [writer.cross(ends) for ends in ((a, b, c, d), (a, b, d, e), (d, e, a, b))] == [True, False, False]


def test_all_rows_are_asymptote_and_no_form_excludes_another() -> None:
    recipe = load("geogram-programs")
    planned = Counter(shard.cell for shard in suite_of(recipe).plan(recipe) for _ in range(shard.count))
    assert planned == {(level, "corpora"): n for level, n in zip(LEVELS, (102, 279, 119), strict=True)}
    values = recipe.model_dump(mode="json")
    values["geogram"]["paired"] = True
    with pytest.raises(RecipeError, match="only one of the two"):
        parse(values, source="mine.toml")
