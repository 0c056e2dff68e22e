"""The page of scores in a real Chromium, from file://: filters and their address, phone, dark mode, no network."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import browser
import pytest
from browser import Page
from test_score_page import FIGURES, HOSTILE, mixed, scored, table, wrong

from planimeter.scores.page import render

pytestmark = pytest.mark.skipif(not browser.CHROMIUM.exists(), reason=f"no browser: {browser.CHROMIUM} is missing")

VISIBLE = "[...document.querySelectorAll('.replies > .reply')].filter(i => i.offsetParent !== null)"
OFFERED = "[...document.querySelectorAll('select')].filter(s => s.offsetParent).map(s => s.name)"


@pytest.fixture(scope="module")
def url(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page about three models, of which one is hostile in its name and in its replies."""
    found = scored(mixed=mixed, wrong=wrong, **{HOSTILE[0]: lambda *_: "\n".join(HOSTILE)})
    wide = table(**{f"column {k}": ["x" * 20] for k in range(12)})
    figures = [replace(FIGURES[0], svg='<svg class="planimeter-figure" width="900pt" viewBox="0 0 900 200"></svg>')]
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(found, [table(), replace(wide, name="wide")], figures, sample))
    return path.as_uri()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser.opened(tmp_path_factory.mktemp("profile")) as page:
        yield page


def choose(page: Page, name: str, value: str) -> None:
    page.js(
        f"(() => {{ const s = document.querySelector('select[name={name}]'); s.value = {value!r};"
        "s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def labels(page: Page, *names: str) -> set[str]:
    known = "({...JSON.parse(i.closest('.item').dataset.labels), ...JSON.parse(i.dataset.labels)})"
    return set(page.js(f"{VISIBLE}.map(i => {list(names)}.map(n => {known}[n]).join())"))


def test_filters_leave_what_was_asked_for_and_the_address_holds_it(page: Page, url: str) -> None:
    page.show(url, 1280, 900)
    everything = page.js(f"{VISIBLE}.length")
    assert everything == 3 * 26
    choose(page, "outcome", "wrong")
    choose(page, "model", "mixed")
    choose(page, "transformation", "translate_x")
    assert labels(page, "outcome", "model", "transformation") <= {"wrong,mixed,translate_x"}
    found = page.js(f"{VISIBLE}.length")
    assert page.js("document.querySelector('output').value") == f"{found} of {everything} replies"
    assert page.js("location.hash") == "#model=mixed&outcome=wrong&transformation=translate_x"
    # Axes of the other config have nothing to choose now.
    assert "feature" not in page.js(OFFERED)
    page.js("document.querySelector('#filters button').click()")
    page.js("new Promise(r => setTimeout(r, 50))")
    assert page.js(f"{VISIBLE}.length") == everything


def test_an_address_opens_its_view(page: Page, url: str) -> None:
    page.show("about:blank#", 1280, 900)
    page.show(f"{url}#config=counting&outcome=unread&reason=no+answer+found", 1280, 900)
    assert labels(page, "config", "outcome", "reason") == {"counting,unread,no answer found"}
    page.js("location.hash = '#config=transformation&outcome=right'")
    page.js("new Promise(r => setTimeout(r, 50))")
    assert labels(page, "config", "outcome") == {"transformation,right"}
    assert page.js("document.querySelector('select[name=reason]').value") == ""


def test_rows_that_one_model_has_right_and_another_not_are_found_and_have_an_address(page: Page, url: str) -> None:
    page.show("about:blank#", 1280, 900)
    page.show(f"{url}#right=mixed&wrong=wrong", 1280, 900)
    rows = page.js(
        "[...document.querySelectorAll('.item')].filter(i => i.offsetParent).map(i => "
        "[...i.querySelectorAll('.replies > .reply')].map(r => JSON.parse(r.dataset.labels))"
        ".filter(r => r.model !== 'x').map(r => `${r.model} ${r.outcome}`))"
    )
    assert rows and all({"mixed right", "wrong wrong"} <= {*row} for row in rows)
    assert len(rows) < 26
    choose(page, "model", "wrong")
    assert labels(page, "model") == {"wrong"}
    assert page.js("location.hash") == "#model=wrong&right=mixed&wrong=wrong"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_interval_of_the_headline_is_in_sight_and_no_name_breaks_within_a_word(
    page: Page, sample: Path, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(scored(**{"thumbnail-24": mixed, "wrong": wrong}), [], FIGURES, sample))
    page.show(path.as_uri(), width, 740)
    rates = page.js(
        "[...document.querySelectorAll('.rate')].map(r => [r.textContent, r.getBoundingClientRect().right])"
    )
    assert len(rates) == 4 and all("[" in text and right <= width for text, right in rates)
    heights = page.js("[...document.querySelectorAll('.bars .name')].map(n => n.getBoundingClientRect().height)")
    assert max(heights) < 1.9 * min(heights) and max(heights) < 30
    first = "document.querySelector('#headline .rate').getBoundingClientRect().bottom"
    assert page.js(first) < 740, "the first screen holds a figure"
    assert page.js("document.querySelector('.track u').getBoundingClientRect().height") > 0


def test_nothing_that_a_model_wrote_runs(page: Page, url: str) -> None:
    page.show(url, 1280, 900)
    assert page.js("window.ran === undefined && document.querySelectorAll('script').length === 1")
    page.js("document.querySelector('main').insertAdjacentHTML('beforeend', `<img src=x onerror='window.ran = true'>`)")
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.ran === undefined")


def test_a_picture_is_shown_and_can_be_made_larger_by_key(page: Page, url: str) -> None:
    page.show(url, 1280, 900)
    width = "document.querySelector('.item .picture').getBoundingClientRect().width"
    before = page.js(width)
    assert page.js("document.querySelector('.item use').getBBox().width") == 96
    page.js("document.querySelector('.item button').focus()")
    page.press("Enter")
    assert page.js(width) > 2 * before
    page.press("Enter")
    assert page.js(width) == before


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_never_scrolls_sideways(page: Page, url: str, width: int) -> None:
    page.show(url, width, 740)
    assert page.js("document.documentElement.scrollWidth") <= width
    page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.js("document.querySelectorAll('.item').forEach(i => i.style.contentVisibility = 'visible')")
    assert page.js("document.documentElement.scrollWidth") <= width
    assert page.js("document.querySelector('#tables-wide .scroll').scrollWidth") > width


def test_dark_mode_is_dark_and_readable(page: Page, url: str) -> None:
    light = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    page.show(url, 1280, 900, "dark")
    assert max(page.js(light)) < 60
    assert min(page.js(light.replace("backgroundColor", "color"))) > 180


def test_nothing_is_asked_of_the_network(page: Page, url: str) -> None:
    page.requested.clear()
    page.show(url, 1280, 900)
    assert {address.partition(":")[0] for address in page.requested} <= {"file", "data"}


def test_without_the_script_all_can_be_read(page: Page, url: str) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.show(url, 1280, 900)
        told = page.js(f"document.querySelector('#filters').hidden + ' ' + {VISIBLE}.length")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert told == f"true {3 * 26}"
