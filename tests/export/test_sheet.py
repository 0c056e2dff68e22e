"""Sheets for people: words and pictures of the dataset, rows of the strata asked for, and no answer but in the key."""

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import digests, here
from small_datasets import Small

from planimeter.export.built import Built
from planimeter.export.errors import CurationError
from planimeter.export.pages.sheet import Words, pick, section

NAMES, MORE = ("marvl-qa-mini", "geogram"), ("curves-maps", "traversal", "curves")
Find = Callable[[str], Small]


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("name", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_a_sheet_holds_its_rows_and_the_key_their_answers(name: str, small: Find, tmp_path: Path) -> None:
    found, target = small(name), tmp_path / "sheet"
    ended = here("sheet", str(found.folder), "--rows", "2", "--out", str(target))
    assert ended.code == 0, ended.err
    assert {path.name for path in target.iterdir()} == {"sheet.html", "key.html", "key.csv"}
    rows = {row["id"]: row for rows in found.rows.values() for row in rows}
    keys = list(csv.DictReader(io.StringIO((target / "key.csv").read_text())))
    assert [key["number"] for key in keys] == ["1", "2"] and keys[0]["id"] != keys[1]["id"]
    page, key_page = (target / "sheet.html").read_text(), (target / "key.html").read_text()
    for key in keys:
        row = rows[key["id"]]
        assert key["answer"] == row["answer"] and text_of(html.escape(row["answer"])) in text_of(key_page)
        assert key["id"] in key_page and key["id"] not in page
        for paragraph in (*row["system_prompt"].split("\n\n"), *row["prompt"].split("\n\n")):
            assert " ".join(paragraph.split()) in text_of(page) or name == "geogram"
    assert page.count("<img") == (0 if name == "geogram" else 2)
    if name == "geogram":
        codes = [html.unescape(code) for code in re.findall(r"<pre>(.*?)</pre>", page, re.S)]
        assert [rows[key["id"]]["code"].strip("\n") for key in keys] == codes
        assert here("sheet", str(found.folder), "--rows", "2", "--out", str(tmp_path / "again")).code == 0
        assert digests(target) == digests(tmp_path / "again")


def test_an_impossible_sheet_is_refused_in_one_line(small: Find, tmp_path: Path) -> None:
    folder, target = str(small("traversal").folder), tmp_path / "sheet"
    (tmp_path / "there").mkdir()
    for given_, said in (
        (("--rows", "999"), "--rows: need 1 to "),
        (("--rows", "0"), "--rows: need 1 to "),
        (("--config", "bases"), "has no config 'bases'; it has base, confounded, reading_order"),
        (("--by", "colour=red"), "cannot divide rows by 'colour'; the possible columns are"),
        (("--by", "n_points=4"), "no row has n_points = 4; there are 9, 11, 13"),
        (("--seed", "-1"), "--seed must be 0 to 2**64 - 1"),
        (("--out", str(tmp_path / "there")), "exists"),
    ):
        ended = here("sheet", folder, "--rows", "2", "--out", str(target), *given_)
        assert (ended.code, len(ended.lines)) == (1, 1), ended.err
        assert said in ended.err
        assert not target.exists()
    assert here("sheet", str(tmp_path), "--out", str(target)).code == 1


def drawn(made: Small, rows: int, seed: int = 0, **by: str | None) -> list[str]:
    return [one.row["id"] for one in pick(Built.at(made.folder), ("counting",), by, rows, seed)]


def test_rows_are_of_the_stratum_asked_for_or_evenly_of_all(small: Find) -> None:
    found = small("marvl-qa-mini")
    kinds = {row["id"]: row["plot_type"] for row in found.rows["counting"]}
    assert {kinds[name] for name in drawn(found, 2, plot_type="contour")} == {"contour"}
    assert drawn(found, 4, 3) == drawn(found, 4, 3) != drawn(found, 4, 4)
    assert sorted(Counter(kinds[name] for name in drawn(found, 6, plot_type=None)).values()) == [2, 2, 2]
    with pytest.raises(CurationError, match=r"no row has split = train; there are test"):
        drawn(found, 1, split="train")


def test_a_section_states_common_paragraphs_once() -> None:
    def row(prompt: str, code: str = "") -> dict[str, object]:
        said = {"id": "a", "system_prompt": "Be exact.", "prompt": prompt, "answer": "1", "code": code}
        return {**said, "image": {"bytes": b"png"}}

    rows = [((), row(f"Look.\n\n{asked}\n\nReply.")) for asked in ("How many?", "Which one?\n\nOf these?")]
    found = section("counting", rows, 3, pictures=True)
    around = [[word.text for word in words] for words in (found.before, found.after)]
    assert around == [["Be exact.", "Look."], ["Reply."]]
    asked = [(question.number, [word.text for word in question.words]) for question in found.questions]
    assert asked == [(3, ["How many?"]), (4, ["Which one?", "Of these?"])]
    alone = section("counting", rows[:1], 1, pictures=False)
    assert (alone.before, alone.after) == ((), ())
    assert len(alone.questions[0].words) == 4
    code = "import x\n\nx.draw()"
    written = section("geogram", [((), row(f"Solve.\n\n{code}\n\nReply.", code))], 1, pictures=False).questions[0]
    assert Words(code, is_code=True) in written.words
    # Two equal prompts leave nothing to a question, and nothing is said twice.
    same = section("easy", [rows[0], rows[0]], 1, pictures=True)
    assert [len(part) for part in (same.before, same.after, same.questions[0].words)] == [4, 0, 0]
