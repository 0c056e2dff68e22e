"""The report in a real Chromium, from file://: filters, the large view, keyboard, phone, dark mode, no network."""

from collections.abc import Iterator

import browser
import pytest
from browser import Page
from sample_folder import write_sample

pytestmark = pytest.mark.skipif(not browser.CHROMIUM.exists(), reason=f"no browser: {browser.CHROMIUM} is missing")

VISIBLE = "[...document.querySelectorAll('.item')].filter(i => i.offsetParent !== null)"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = write_sample(tmp_path_factory.mktemp("report") / "1.0.0")
    return (folder / "report" / "index.html").as_uri()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser.opened(tmp_path_factory.mktemp("profile")) as page:
        yield page


def choose(page: Page, name: str, value: str) -> None:
    page.js(
        f"(() => {{ const s = document.querySelector('select[name={name}]'); s.value = {value!r};"
        "s.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def test_filters_leave_what_was_asked_for(page: Page, url: str) -> None:
    page.show(url, 1280, 900)
    everything = page.js(f"{VISIBLE}.length")
    assert everything > 20
    choose(page, "config", "counting")
    choose(page, "answer", "7")
    found = page.js(f"{VISIBLE}.map(i => [i.dataset.config, i.dataset.family, i.dataset.answer].join())")
    assert set(found) == {"counting,wave surface,7"}
    assert page.js("document.querySelector('output').value") == f"{len(found)} of {everything} pictures"
    # What would leave nothing is not offered, and an empty group has no heading.
    assert page.js("[...document.querySelector('select[name=family]').options].map(o => o.value)") == [
        "", "wave surface",
    ]  # fmt: skip
    assert page.js("[...document.querySelectorAll('.group h4')].filter(h => h.offsetParent).length") == 1
    page.js("document.querySelector('#filters button').click()")
    page.js("new Promise(r => setTimeout(r, 50))")
    assert page.js(f"{VISIBLE}.length") == everything


def test_an_item_opens_large_with_all_there_is_to_know_and_keys_walk_on(page: Page, url: str) -> None:
    page.show(url, 1280, 900)
    page.js("document.querySelector('.item a').focus()")
    page.press("Enter")
    assert page.js("document.querySelector('dialog').open")
    told = page.js("document.querySelector('dialog').innerText")
    for part in ("How many local", "pixels/level-sets", "expression", "1.5*exp(-x**2 - y**2)", "seed", "answer"):
        assert part in told
    first = page.js("document.querySelector('dialog img').src")
    page.press("ArrowRight")
    assert page.js("document.querySelector('dialog img').src") != first
    page.press("ArrowLeft")
    assert page.js("document.querySelector('dialog img').src") == first
    assert page.js("document.querySelector('dialog img').decode().then(() => true)")
    page.press("Escape")
    assert not page.js("document.querySelector('dialog').open")
    assert page.js("document.activeElement.closest('.item') === document.querySelector('.item')")


def test_a_phone_never_scrolls_sideways(page: Page, url: str) -> None:
    page.show(url, 360, 740)
    assert page.js("document.documentElement.scrollWidth") <= 360
    page.js("document.querySelector('.item a').click()")
    assert page.js("document.querySelector('dialog').getBoundingClientRect().right") <= 360
    assert page.js("document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth")


def test_dark_mode_is_dark_and_readable(page: Page, url: str) -> None:
    light = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    page.show(url, 1280, 900, "dark")
    assert max(page.js(light)) < 60
    assert min(page.js(light.replace("backgroundColor", "color"))) > 180
    page.show(url, 1280, 900, "light")
    assert min(page.js(light)) > 200


def test_nothing_is_asked_of_the_network(page: Page, url: str) -> None:
    page.requested.clear()
    page.show(url, 1280, 900)
    page.js("document.querySelector('.item a').click()")
    assert page.requested
    assert all(address.startswith(("file://", "data:image/")) for address in page.requested)


def test_every_picture_is_there(page: Page, url: str) -> None:
    page.show(url, 1280, 900)
    page.js("document.querySelectorAll('img').forEach(i => i.loading = 'eager')")
    shown = "[...document.images].filter(i => i.getAttribute('src'))"
    broken = f"Promise.all({shown}.map(i => i.decode().then(() => 0, () => 1)))"
    assert sum(page.js(broken)) == 0


def test_without_the_script_all_pictures_are_still_there(page: Page, url: str) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.show(url, 1280, 900)
        told = page.js("document.querySelector('#filters').hidden + ' ' + document.querySelectorAll('.item').length")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert told.startswith("true ")
