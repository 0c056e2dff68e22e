"""The page of the review in a real Chromium, from file://: three keys, what is kept, what `--review` reads."""

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import browser
import command_line
import pytest
from browser import Page
from PIL import Image

from planimeter.filters.geogram import curation as rules
from planimeter.flows.imports import figures, review
from planimeter.items import CuratedProblem

pytestmark = pytest.mark.skipif(not browser.CHROMIUM.exists(), reason=f"no browser: {browser.CHROMIUM} is missing")

HOSTILE = "</script><script>ran = 1</script><img src=x onerror='ran = 1'> {{ 7 * 7 }} \u2028 <!-- \\u003c é"
CODE = 'unitsize(1cm); draw((0,0)--(8,0)--(3,{})--cycle); label("$A$", (0,0), SW); label("$B$", (8,0), SE);'


def problem(line: int, **other: Any) -> CuratedProblem:
    asked: Any = {"line": line, "problem": f"What is $AB$ in triangle {line}, where $AC = 3$?", "level": "primitive"}
    asked |= {"code": CODE.format(line + 1), "language": "asymptote", "answer_latex": "8", "answer_value": 8.0}
    item, _ = rules.without_leak(CuratedProblem(**asked), 0.002, 0.02)
    return replace(item, **other)


def drawn(item: CuratedProblem) -> figures.Figure:
    """Return a picture of each problem but the one whose program clips."""
    if "clip" in item.code:
        return figures.Figure(reason="not drawn", detail="the function clip")
    content = io.BytesIO()
    Image.linear_gradient("L").save(content, "PNG")
    return figures.Figure(png=content.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Beside this folder lie the list and its page: twelve problems, one of them hostile, one without a picture."""
    items = [problem(line) for line in range(1, 11)]
    items.append(problem(11, problem=HOSTILE, doubts=(HOSTILE,), notes=(HOSTILE,), answer_latex=HOSTILE))
    items.append(problem(12, code="clip(x);", doubts=("a proof",)))
    folder = tmp_path_factory.mktemp("review") / "1.0.0"
    review.write_list(folder, "review", ({"file": "x.jsonl", **rules.review_entry(item)} for item in items))
    review.write_page(folder, "geogram-x", drawn)
    return folder


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[Page]:
    with browser.opened(tmp_path_factory.mktemp("profile")) as page:
        page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder.parent))
        yield page


@pytest.fixture
def page(chromium: Page, folder: Path) -> Page:
    open_page(chromium, folder)
    chromium.js("localStorage.clear()")
    chromium.requested.clear()
    open_page(chromium, folder)
    return chromium


def open_page(page: Page, folder: Path, width: int = 1280, scheme: str = "light") -> None:
    page.show(folder.with_name("1.0.0-review.html").as_uri(), width, 844, scheme)


def text(page: Page, selector: str) -> str:
    return str(page.js(f"document.querySelector({selector!r}).textContent"))


def shown(page: Page) -> str:
    return str(page.js("document.querySelector('output').value"))


def fill(page: Page, selector: str, value: str) -> None:
    page.js(f"document.querySelector({selector!r}).value = {json.dumps(value)}")


def saved(page: Page, folder: Path) -> Path:
    file = folder.with_name("1.0.0-reviewed.jsonl")
    file.unlink(missing_ok=True)
    page.js("document.querySelector('#save').click()")
    command_line.wait_until(lambda: file.exists() and file.stat().st_size, seconds=10)
    return file


def test_three_keys_decide_and_review_reads_the_saved_file(page: Page, folder: Path) -> None:
    assert shown(page) == "1 of 12, 0 of 12 decided" and text(page, "#place") == "x.jsonl:1"
    assert page.js("document.querySelector('#figure').decode().then(() => true)")
    assert "the drawing measures the answer" in text(page, "#doubts") and "dist(A, B) = 8" in text(page, "#notes")
    for key in "kde":
        page.press(key)
    assert page.js("document.activeElement.name") == "problem"
    # While a person writes, keys are letters.
    page.press("k")
    assert shown(page) == "3 of 12, 2 of 12 decided"
    for name, value in (("problem", "Edited «so»?"), ("answer", "0.5"), ("level", "abstract")):
        fill(page, f"[name={name}]", value)
    page.js("document.querySelector('#done').click()")
    assert shown(page) == "4 of 12, 3 of 12 decided"
    # A second thought, and edits that are given up.
    page.press("k")
    page.press("ArrowLeft")
    assert text(page, "#decision") == "keep"
    page.press("u")
    page.press("e")
    fill(page, "textarea[name=problem]", "never")
    page.press("Escape")
    assert shown(page) == "4 of 12, 3 of 12 decided" and "triangle 4" in text(page, "#statement")

    # Closed and opened again, the page goes on where it was; another list, or another dataset, has another key.
    digest = hashlib.sha256(folder.with_name("1.0.0-review.jsonl").read_bytes()).hexdigest()
    assert page.js("Object.keys(localStorage)") == [f"planimeter/geogram-x/1.0.0/{digest}"]
    open_page(page, folder)
    assert shown(page) == "4 of 12, 3 of 12 decided"
    file = saved(page, folder)
    listed = [json.loads(line) for line in folder.with_name("1.0.0-review.jsonl").read_text().split("\n")[:-1]]
    lines = [json.loads(line) for line in file.read_text().split("\n")[:-1]]
    edited = {"problem": "Edited «so»?", "answer": "0.5", "level": "abstract", "decision": "keep"}
    wanted = [listed[0] | {"decision": "keep"}, listed[1] | {"decision": "drop"}, listed[2] | edited, *listed[3:]]
    assert lines == wanted
    item = problem(3)
    kept, verdict = rules.reviewed(item, lines[2])
    assert verdict.kept and (kept.problem, kept.answer_latex, kept.code) == ("Edited «so»?", "\\frac{1}{2}", item.code)
    assert rules.reviewed(problem(2), lines[1])[1].reason == "dropped by review"


def test_the_review_page_runs_no_text_of_a_corpus(page: Page, folder: Path) -> None:
    for _ in range(10):
        page.press("ArrowRight")
    assert text(page, "#statement") == text(page, "#answer") == text(page, "#doubts") == text(page, "#notes") == HOSTILE
    assert HOSTILE in page.js("[...document.querySelectorAll('[name=doubt] option')].map(o => o.textContent)")
    assert page.js("window.ran === undefined && document.querySelectorAll('script').length === 2")
    page.js("document.querySelector('main').insertAdjacentHTML('beforeend', `<img src=x onerror='window.ran = 1'>`)")
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.ran === undefined")
    assert {address.partition(":")[0] for address in page.requested} <= {"file", "data"}
    page.press("e")
    page.js("document.querySelector('#done').click()")
    assert json.loads(saved(page, folder).read_text().split("\n")[10])["problem"] == HOSTILE
