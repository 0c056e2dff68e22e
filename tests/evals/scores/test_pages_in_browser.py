"""The page of scores and the report of a dataset in a real Chromium, from file://: filters, keys, phone, no network."""

from dataclasses import replace

import browser
import pytest
from score_pages import FIGURES, HOSTILE, mixed, scored, table, wrong

from planimeter.evals.report import render

pytestmark = pytest.mark.skipif(not browser.CHROMIUM.exists(), reason=f"no browser: {browser.CHROMIUM} is missing")

ITEMS = "[...document.querySelectorAll('.item')].filter(i => i.offsetParent !== null)"
REPLIES = "[...document.querySelectorAll('.replies > .reply')].filter(i => i.offsetParent !== null)"
OFFERED = "[...document.querySelectorAll('select')].filter(s => s.offsetParent).map(s => s.name)"
FOUND = "document.querySelector('output').value"
BOTH = pytest.mark.parametrize("kind", ["report", "scores"])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with browser.opened(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def urls(sample, tmp_path_factory):
    """The report of a dataset, and a page about three models, of which one is hostile in its name and its replies."""
    models = {"mixed": mixed, "wrong": wrong, HOSTILE[0]: lambda *_: "\n".join(HOSTILE)}
    wide = replace(table(**{f"column {k}": ["x" * 20] for k in range(12)}), name="wide")
    figures = [replace(FIGURES[0], svg='<svg class="planimeter-figure" width="900pt" viewBox="0 0 900 200"></svg>')]
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(scored(**models), [table(), wide], figures, sample))
    return {"report": (sample / "report" / "index.html").as_uri(), "scores": path.as_uri()}


@pytest.fixture
def show(page, urls):
    """Shows one of the pages, anew even where its address differs in the hash alone."""

    def shown(kind, width=1280, height=900, scheme="light", view=""):
        page.call("Page.navigate", url="about:blank")
        page.show(urls[kind] + view, width, height, scheme)

    return shown


def choose(page, name, value):
    page.js(
        f"(() => {{ const s = document.querySelector('select[name={name}]'); s.value = {value!r};"
        "s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def reset(page):
    page.js("document.querySelector('#filters button').click()")
    page.js("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def labels(page, *names):
    known = "({...JSON.parse(i.closest('.item').dataset.labels), ...JSON.parse(i.dataset.labels)})"
    return set(page.js(f"{REPLIES}.map(i => {list(names)}.map(n => {known}[n]).join())"))


@BOTH
def test_a_phone_never_scrolls_sideways(page, show, kind):
    for width in (360, 390):
        show(kind, width, 740)
        assert page.js("document.documentElement.scrollWidth") <= width
        if kind == "report":
            page.js("document.querySelector('.item a').click()")
            assert page.js("document.querySelector('dialog').getBoundingClientRect().right") <= width
            assert page.js("(d => d.scrollWidth <= d.clientWidth)(document.querySelector('dialog'))")
        else:
            page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
            page.js("document.querySelectorAll('.item').forEach(i => i.style.contentVisibility = 'visible')")
            assert page.js("document.documentElement.scrollWidth") <= width
            assert page.js("document.querySelector('#tables-wide .scroll').scrollWidth") > width


@BOTH
def test_a_page_needs_neither_light_network_nor_script(page, show, kind):
    ground = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    show(kind, scheme="dark")
    assert max(page.js(ground)) < 60 and min(page.js(ground.replace("backgroundColor", "color"))) > 180
    page.requested.clear()
    show(kind)
    assert min(page.js(ground)) > 200
    page.js("document.querySelector('.item a, .item button').click()")
    assert page.requested and {address.partition(":")[0] for address in page.requested} <= {"file", "data", "about"}
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        show(kind)
        shown = page.js(f"[document.querySelector('#filters').hidden, {ITEMS}.length, {REPLIES}.length]")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert shown == ([True, 22, 0] if kind == "report" else [True, 26, 3 * 26])


def test_filters_of_replies_leave_what_was_asked_for(page, show):
    show("scores")
    everything = page.js(f"{REPLIES}.length")
    assert everything == 3 * 26
    for name, value in {"outcome": "wrong", "model": "mixed", "transformation": "translate_x"}.items():
        choose(page, name, value)
    assert labels(page, "outcome", "model", "transformation") <= {"wrong,mixed,translate_x"}
    assert page.js(FOUND) == f"{page.js(f'{REPLIES}.length')} of {everything} replies"
    assert page.js("location.hash") == "#model=mixed&outcome=wrong&transformation=translate_x"
    # Axes of the other config have nothing to choose now.
    assert "feature" not in page.js(OFFERED)
    reset(page)
    assert page.js(f"{REPLIES}.length") == everything


def test_nothing_that_a_model_wrote_runs(page, show):
    show("scores")
    assert page.js("window.ran === undefined && document.querySelectorAll('script').length === 1")
    image = "document.querySelector('main').insertAdjacentHTML('beforeend', `<img src=x onerror='window.ran = true'>`)"
    last, unran = "document.querySelector('main > img:last-child')", "() => r(window.ran === undefined)"
    policy = f"new Promise(r => {{ {image}; {last}.addEventListener('error', {unran}); }})"
    assert page.js(policy), "the policy of the page stops this handler"
    width = "document.querySelector('.item .picture').getBoundingClientRect().width"
    before = page.js(width)
    assert page.js("document.querySelector('.item use').getBBox().width") == 96
    page.js("document.querySelector('.item button').focus()")
    page.press("Enter")
    assert page.js(width) > 2 * before
    page.press("Enter")
    assert page.js(width) == before
