"""The page of scores: what it holds, that nothing in it runs or loads, how large it gets, what it draws as proof."""

import base64
import html.parser
import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sample_folder import ROWS
from scored_frames import scored_frame

from planimeter.evals.curves.prompt import answer as tree_answer
from planimeter.export.manifest import Manifest
from planimeter.items import STYLES, Domain
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import render_panel
from planimeter.scores.forms import Figure, Scored, Table
from planimeter.scores.page import choice, render, report
from planimeter.scores.page.evidence import Evidence, evidence, in_picture, tree
from planimeter.scores.page.pictures import pictures

SVG = '<?xml version="1.0"?><svg class="planimeter-figure"><g id="a"/><use href="#a"/><path clip-path="url(#a)"/></svg>'
HOSTILE = (
    "<script>window.ran = true</script>",
    "</pre></textarea></figure></script><img src=x onerror='window.ran=true'>",
    '"><svg onload="window.ran=true"><style>*{display:none}</style>',
    "{{ 7 * 191 }} {% raw %}",
    "\x00\x1b[31m\u202ereversed",
)


def wrong(config: str, row: Any) -> str:
    return f"It is <final_answer>{int(row['answer']) % 5 + 1}</final_answer>"


def right(config: str, row: Any) -> str:
    return f"<final_answer>{row['answer']}</final_answer>"


def mixed(config: str, row: Any) -> str:
    return (right, wrong, lambda *_: "no idea")[sum(map(ord, row["id"])) % 3](config, row)


def scored(**models: Callable[[str, Any], str]) -> Scored:
    return scored_frame("marvl_qa", ROWS, models or {"mixed": mixed, "wrong": wrong}, "marvl-qa-mini")


def table(**columns: Any) -> Table:
    frame = pd.DataFrame(columns or {"model": ["<b>m</b>"], "n": [26]})
    return Table(name="t1", title="First <table>", source="Table 1", frame=frame, note="Read & weep.")


FIGURES = [Figure(name=name, title=f"Figure {name}", source="Fig. 3", svg=SVG, note="A note.") for name in "fg"]


class Found(html.parser.HTMLParser):
    """Tags with their attributes, and the text outside of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._inside.append(tag)

    def handle_data(self, data: str) -> None:
        if self._inside[-1:] not in (["script"], ["style"]):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(sample: Path) -> Found:
    return Found(render(scored(), [table()], FIGURES, sample))


def test_tables_figures_and_all_replies_are_there(page: Found) -> None:
    assert len([one for one in page.all("figure") if "item" in one["class"]]) == 26
    assert len([one for one in page.all("div") if one.get("class", "").startswith("reply ")]) == 2 * 26
    for text in ("First <table>", "Read & weep.", "<b>m</b>", "Figure f", "A note.", "MaRVL-QA-Mini", "by 2 models"):
        assert text in page.text
    assert {"tables-t1", "figures-f", "headline", "replies"} <= {one.get("id") for _, one in page.tags}


def test_every_link_leads_into_the_page_and_no_id_occurs_twice(page: Found) -> None:
    ids = [one["id"] for _, one in page.tags if "id" in one]
    assert len(ids) == len(set(ids))
    targets = [one[name] for _, one in page.tags for name in ("href", "src", "xlink:href") if name in one]
    assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)
    assert all(target.startswith(("#", "data:image/png;base64,")) for target in targets)
    assert [one["clip-path"] for one in page.all("path") if "clip-path" in one] == ["url(#f0-a)", "url(#f1-a)"]


def test_every_picture_says_what_it_is_and_what_scrolls_has_focus(page: Found) -> None:
    drawn = [one for one in page.all("svg") if "planimeter-figure" not in one.get("class", "")]
    assert all(one.get("aria-label") or one.get("aria-hidden") for one in drawn)
    assert all(one.get("tabindex") == "0" for one in page.all("div") if one.get("class") == "scroll")


def test_a_picture_is_not_shown_again_for_each_model(page: Found) -> None:
    assert len(page.all("image")) == 26
    assert len([one for one in page.all("use") if one["href"].startswith("#picture-")]) == 26


def test_every_picture_is_that_of_its_row_and_small_ones_fill_the_room(sample: Path) -> None:
    manifest = Manifest.read(sample)
    content = {(config, row["id"]): row["image"] for config in ROWS for row in ROWS[config]}
    found = pictures(sample, manifest, [*content, ("counting", "nowhere")], 10**6)
    shown = {key: base64.b64decode(one.url.removeprefix("data:image/png;base64,")) for key, one in found.items()}
    assert shown == content
    sizes = {key: len(one.url) for key, one in found.items()}
    least = min(sizes, key=lambda key: sizes[key])
    assert list(pictures(sample, manifest, list(content), sizes[least])) == [least]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_model_writes_is_text(sample: Path, text: str) -> None:
    named = scored(**{text.replace("\x00", ""): lambda config, row: text})
    found = Found(render(named, [table(model=[text])], [], sample))
    plain = Found(render(scored(plain=lambda *_: "no"), [table(model=["plain"])], [], sample))
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in plain.tags]
    assert not any(name.startswith("on") for _, one in found.tags for name in one)
    assert text.translate({0: "\ufffd", 0x1B: "\ufffd"}) in found.text


def test_the_browser_is_told_to_run_one_script_and_load_nothing(page: Found) -> None:
    (policy,) = (one["content"] for one in page.all("meta") if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy.partition("script-src")[2]


def test_half_a_surrogate_pair_is_no_error(sample: Path) -> None:
    found = scored()
    half = pd.Series(["half \ud83d"] * len(found.frame), dtype=object)
    assert "half ?" in render(replace(found, frame=found.frame.assign(reply=half, read=half)), [], [], sample)


def test_a_long_reply_is_cut_in_the_middle_and_there_in_full(sample: Path) -> None:
    reply = "begin " + "x<y " * 2000 + "<final_answer>3</final_answer>"
    page = render(scored(one=lambda *_: reply), [], [], sample)
    assert f"[… {len(reply) - 2 * report.SHOWN:,} characters …]" in page
    assert reply in Found(page).text


def test_replies_of_a_megabyte_leave_the_page_small(sample: Path) -> None:
    found = scored(**dict.fromkeys("abc", mixed))
    page = render(replace(found, frame=found.frame.assign(reply="'<" * 500_000)), [], [], sample)
    assert len(page.encode()) < report.REPLY_BYTES + 2_000_000
    assert "too long for this page" in page
    assert "[... 900,000 characters are left out here ...]" in page


def test_the_page_keeps_its_size_by_leaving_out_pictures_and_figures(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = len(render(scored(), [], FIGURES, sample).encode())
    for name, value in {"MOST_BYTES": whole - 20_000, "LEAST_PICTURE_BYTES": 0, "FIGURE_BYTES": len(SVG) + 1}.items():
        monkeypatch.setattr(report, name, value)
    page = render(scored(), [], FIGURES, sample)
    assert whole - 60_000 < len(page.encode()) <= whole - 20_000
    assert 0 < len(Found(page).all("image")) < 26
    assert "its picture found no room" in page
    assert "1 more figures are too large" in page


def test_the_same_scores_make_the_same_bytes(sample: Path) -> None:
    found = scored()
    shuffled = replace(found, frame=found.frame.sample(frac=1, random_state=1))
    assert render(found, [table()], FIGURES, sample) == render(found, [table()], FIGURES, sample)
    gallery = [render(one, [], [], sample).partition('<section id="replies">')[2] for one in (found, shuffled)]
    assert gallery[0] == gallery[1]


def test_a_frame_without_replies_has_a_page(sample: Path) -> None:
    found = scored()
    page = Found(render(replace(found, frame=found.frame.drop(columns="reply")), [], [], sample))
    assert "reply" not in re.findall(r"\w+", page.text.partition("Show all")[2])


def test_tables_are_folded_and_none_is_empty_or_repeats_the_figure_of_the_bars(sample: Path) -> None:
    empty = Table(name="nothing", title="Nothing here", frame=pd.DataFrame(columns=["model", "n"]))
    ranking = replace(FIGURES[0], name="ranking", title="The ranking")
    found = Found(render(scored(), [table(), empty], [*FIGURES, ranking], sample))
    folded = [one for one in found.all("details") if one.get("class") == "table"]
    assert folded == [{"class": "table", "id": "tables-t1"}]
    assert "Nothing here" not in found.text and "The ranking" not in found.text


def test_options_name_the_models_that_chose_them(page: Found) -> None:
    row = next(row for row in ROWS["transformation"] if sum(map(ord, row["id"])) % 3 == 0)
    right = page.text.index(f"transformation · transformation {row['transformation']}".replace("_", " "))
    assert "(right, chosen by mixed)" in " ".join(page.text[right:].split())
    assert "(chosen by wrong)" in " ".join(page.text[right:].split())


# ------------------------------------------------------------------------------------------------ the choice of replies


def many(number: int) -> Scored:
    """Replies to ``number`` rows of counting by three models, the same rows again under new ids."""
    rows = [{**row, "id": f"{row['id']}-{k}"} for k in range(number // 18) for row in ROWS["counting"]]
    return scored_frame("marvl_qa", {"counting": rows}, {"a": mixed, "b": right, "c": wrong})


def test_each_model_and_outcome_is_shown_however_few_rows_are() -> None:
    found = choice.choose(many(360), 24, least_rows=8)
    assert {*zip(found["model"], found["outcome"], strict=True)} == {
        ("a", "right"), ("a", "wrong"), ("a", "unread"), ("b", "right"), ("c", "wrong")
    }  # fmt: skip


def test_all_models_replies_to_a_shown_row_stand_side_by_side() -> None:
    found = choice.choose(many(360), 24, least_rows=8)
    assert found.groupby("id", sort=False)["model"].agg(list).tolist() == [["a", "b", "c"]] * 8
    assert len(choice.choose(many(360))) == 3 * 80
    assert found.index.is_unique


def test_outcomes_are_told_apart() -> None:
    frame = pd.DataFrame({"answered": [True, True, False, True], "exact": [1.0, 0.0, 0.0, 0.99]})
    assert choice.outcomes(frame, "exact").tolist() == ["right", "wrong", "unread", "wrong"]


# ---------------------------------------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_marks_of_extrema_are_where_the_picture_shows_them(style: Any) -> None:
    """One steep hill off the middle of a window with four different ends, found again in the picture's pixels."""
    domain = Domain(x_min=-3.0, x_max=5.0, y_min=-1.0, y_max=7.0)
    for x, y in itertools.product((-1.7, 3.4), (0.9, 5.2)):
        side = 240
        across = domain.x_min + (np.arange(side) + 0.5) / side * 8
        down = domain.y_max - (np.arange(side) + 0.5) / side * 8
        grid = np.exp(-((across[None, :] - x) ** 2 + (down[:, None] - y) ** 2) / 0.3)
        panel = render_panel(grid, domain, scale_of_heights(grid), style).rgb()[51:529, 87:565].astype(float)
        # What differs from the flat ground: a disc of colour, or circles of ink, round the summit.
        rows, columns = np.nonzero(np.abs(panel - panel[0, 0]).sum(axis=2) > 30)
        shown = (columns.min() + columns.max()) / 2 + 87.5, (rows.min() + rows.max()) / 2 + 51.5
        row = {"x_min": -3.0, "x_max": 5.0, "y_min": -1.0, "y_max": 7.0}
        assert in_picture(row, x, y) == pytest.approx(shown, abs=1.5)


def test_each_counted_extremum_is_ringed() -> None:
    row = next(row for row in ROWS["counting"] if row["feature"] == "minima")
    found = evidence("marvl_qa", "counting", row, "3", ())
    assert found.told == "Each minimum is ringed."
    assert [mark.kind for mark in found.marks] == ["truth"] * 7


def test_options_tell_the_right_one_and_the_chosen_one() -> None:
    row = {**ROWS["transformation"][0], "answer": "2"}
    options = evidence("marvl_qa", "transformation", row, "4", ()).options
    assert [right for _, right, _ in options] == [False, True, False, False, False]
    assert [chosen for _, _, chosen in options] == [False, False, False, True, False]


PATH = {
    "points": [[10.0, 10.0], [110.0, 10.0], [110.0, 110.0], [10.0, 110.0]],
    "markers": ["red star", "blue tri", "blue tri", "green plus"],
    "glyph_radius": 6.0,
}


def walked(*named: str) -> Evidence:
    correct = [k < len(named) and named[k] == marker for k, marker in enumerate(PATH["markers"])]
    return evidence("traversal", "base", PATH, ", ".join(named), correct)


def rings(found: Evidence, kind: str) -> list[tuple[float, float]]:
    starts = [re.match(r"M(\S+) (\S+)a(\S+) ", mark.d) for mark in found.marks if mark.kind == kind]
    return [(float(m[1]) + float(m[3]), float(m[2])) for m in starts if m]


def test_the_first_wrong_marker_is_ringed_and_what_was_named_instead() -> None:
    found = walked("red star", "blue tri", "green plus", "blue tri")
    assert rings(found, "truth") == [(110.0, 110.0)]
    assert rings(found, "reply") == [(10.0, 110.0)]
    assert "First fault at marker 3: it is the blue tri" in found.told
    assert "names the green plus" in found.told
    assert found.facts == (("markers", "4", "4"), ("right from the start", "4", "2"))


def test_all_markers_that_bear_the_name_are_ringed() -> None:
    assert rings(walked("blue tri"), "reply") == [(110.0, 10.0), (110.0, 110.0)]


def test_a_reply_that_ends_early_runs_on_or_names_what_is_not_there_is_told() -> None:
    assert walked("red star", "blue tri").told.endswith("ends before it.")
    assert rings(walked("red star", "blue tri"), "truth") == [(110.0, 110.0)]
    assert walked(*PATH["markers"], "red star").told == "All markers are right, and more follow."
    assert walked("red star", "cyan plus").told.endswith("names the cyan plus, which the picture lacks.")
    assert walked(*PATH["markers"]).marks == ()
    assert walked().marks == ()


def test_the_path_leaves_the_markers_free() -> None:
    (path,) = (mark.d for mark in walked("red star", "green plus").marks if mark.kind == "path")
    assert path == "M18.0 10.0L102.0 10.0M110.0 18.0L110.0 102.0M102.0 110.0L18.0 110.0"


def curves(truth: tuple[int, ...], reply: tuple[int, ...] | None) -> Evidence:
    return evidence("curves", "easy", {"answer": tree_answer(truth)}, tree_answer(reply) if reply else "", ())


def nodes(path: str) -> int:
    return path.count("M")


def test_trees_stand_side_by_side_and_tell_what_differs() -> None:
    found = curves((0, 1, 1), (0, 1))
    assert found.facts == (("curves", "3", "2"), ("depth", "2", "2"))
    assert [(one.title, nodes(one.alike), nodes(one.odd)) for one in found.trees] == [("truth", 1, 3), ("reply", 1, 2)]
    assert found.told
    same = curves((0, 1, 1, 0), (0, 0, 2, 2))
    assert [nodes(one.odd) for one in same.trees] == [0, 0]
    assert not same.told
    assert [one.title for one in curves((0, 1), None).trees] == ["truth"]


def test_a_tree_is_drawn_without_overlaps_and_within_its_frame() -> None:
    found = tree("truth", (0, 0, 1, 1, 1, 2, 6), None)
    assert found
    spots = [(float(x) + 4.5, float(y)) for x, y in re.findall(r"M(\S+) (\S+)a", found.alike)]
    assert len(set(spots)) == 8
    assert all(9 <= x <= found.width - 9 and 9 <= y <= found.height - 9 for x, y in spots)
    assert len({y for _, y in spots}) == 4
    assert nodes(found.edges) == 7
    assert tree("truth", tuple(range(500)), None) is None


def test_maps_tell_their_faces_and_pairs() -> None:
    row = {"answer": "2\n0 1\n0 2\n1 2"}
    found = evidence("curves_maps", "planar_map", row, "2\n0 1\n0 2", ())
    assert found.facts == (("faces", "2", "2"), ("pairs that touch", "3", "2"))
    assert evidence("curves_maps", "planar_map", row, "", ()).facts[0] == ("faces", "2", "–")
