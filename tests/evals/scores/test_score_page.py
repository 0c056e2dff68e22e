"""The page of scores: what it holds, that nothing in it runs or loads, its size, its first screen."""

import base64
import html.parser
from dataclasses import replace

import pandas as pd
import pytest
from sample_folder import ROWS
from score_pages import FIGURES, HOSTILE, SVG, mixed, scored, table, wrong
from simulated import gold, simulate

from planimeter.evals.baselines.solving import baselines
from planimeter.evals.report import render, report
from planimeter.evals.report.report import pictures
from planimeter.evals.report.standings import standings
from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.summary import marked


class Parsed(html.parser.HTMLParser):
    """Tags with their attributes, and the text outside of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text, self.source = "", page
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._inside.append(tag)

    def handle_data(self, data):
        if self._inside[-1:] not in (["script"], ["style"]):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(sample):
    return Parsed(render(scored(), [table()], FIGURES, sample))


def test_every_link_of_the_page_leads_into_the_page(page):
    assert len([one for one in page.all("div") if one.get("class", "").startswith("reply ")]) == 2 * 26
    for text in ("First <table>", "Read & weep.", "<b>m</b>", "Figure f", "A note.", "MaRVL-QA-Mini", "by 2 models"):
        assert text in page.text
    ids = [one["id"] for _, one in page.tags if "id" in one]
    assert {"tables-t1", "figures-f", "headline", "replies"} <= set(ids)
    assert len(ids) == len(set(ids))
    targets = [one[name] for _, one in page.tags for name in ("href", "src", "xlink:href") if name in one]
    assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)
    assert all(target.startswith(("#", "data:image/png;base64,")) for target in targets)
    assert [one["clip-path"] for one in page.all("path") if "clip-path" in one] == ["url(#f0-a)", "url(#f1-a)"]
    # Every picture says what it is and is there once for all models; what scrolls has the focus.
    drawn = [one for one in page.all("svg") if "planimeter-figure" not in one.get("class", "")]
    assert all(one.get("aria-label") or one.get("aria-hidden") for one in drawn)
    assert all(one.get("tabindex") == "0" for one in page.all("div") if one.get("class") == "scroll")
    assert len(page.all("image")) == 26
    assert len([one for one in page.all("use") if one["href"].startswith("#picture-")]) == 26
    # The browser may run one script and load nothing.
    (policy,) = (one["content"] for one in page.all("meta") if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "unsafe" not in policy.partition("script-src")[2]


def test_every_picture_of_the_page_is_that_of_its_row(sample):
    content = {(config, row["id"]): row["image"] for config in ROWS for row in ROWS[config]}
    urls = {key: one.url for key, one in pictures(sample, [*content, ("counting", "nowhere")], 10**6).items()}
    assert {key: base64.b64decode(url.removeprefix("data:image/png;base64,")) for key, url in urls.items()} == content
    least = min(urls, key=lambda key: len(urls[key]))
    assert list(pictures(sample, list(content), len(urls[least]))) == [least]


def test_what_a_model_writes_is_text(sample, subtests):
    plain = Parsed(render(scored(plain=lambda *_: "no"), [table(model=["plain"])], [], sample))
    for text in HOSTILE:
        with subtests.test(text):
            models = {text.replace("\x00", ""): lambda config, row, rng, text=text: text}
            page = Parsed(render(scored(**models), [table(model=[text])], [], sample))
            assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
            assert not any(name.startswith("on") for _, one in page.tags for name in one)
            assert text.translate({0: "\ufffd", 0x1B: "\ufffd"}) in page.text


def test_a_long_reply_is_cut_in_the_middle(sample):
    made = scored()
    half = pd.Series(["half \ud83d"] * len(made.frame), dtype=object)
    assert "half ?" in render(replace(made, frame=made.frame.assign(reply=half, read=half)), [], [], sample)
    reply = "begin " + "x<y " * 2000 + "<final_answer>3</final_answer>"
    page = Parsed(render(scored(one=lambda *_: reply), [], [], sample)).text
    half = report.SHOWN // 2
    whole = f"{reply[:half]}\n[… {len(reply) - 2 * half:,} characters are left out here …]\n{reply[-half:]}"
    assert whole in page and reply not in page


def test_the_page_keeps_its_size_by_leaving_out_pictures(sample, monkeypatch):
    whole = len(render(scored(), [], FIGURES, sample).encode())
    for name, value in {"MOST_BYTES": whole - 20_000, "LEAST_PICTURE_BYTES": 0, "FIGURE_BYTES": len(SVG) + 1}.items():
        monkeypatch.setattr(report, name, value)
    page = render(scored(), [], FIGURES, sample)
    assert whole - 60_000 < len(page.encode()) <= whole - 20_000
    assert 0 < len(Parsed(page).all("image")) < 26
    assert "its picture does not fit" in page
    assert "1 more figures are too large" in page
    # The few pictures that fit are those of both configs.
    monkeypatch.setattr(report, "MOST_BYTES", 0)
    monkeypatch.setattr(report, "LEAST_PICTURE_BYTES", 30_000)
    items = render(scored(), [], [], sample).split('<figure class="item"')[1:]
    shown = {"counting ·" in item for item in items if "its picture does not fit" not in item}
    assert shown == {True, False}


def test_equal_scores_make_equal_pages_without_empty_tables(sample):
    made = scored()
    shuffled = replace(made, frame=made.frame.sample(frac=1, random_state=1))
    assert len({render(one, [table()], FIGURES, sample) for one in (made, made, shuffled)}) == 1
    empty = Table(name="nothing", title="Nothing here", frame=pd.DataFrame(columns=["model", "n"]))
    ranking = replace(FIGURES[0], name="ranking", title="The ranking")
    page = Parsed(render(made, [table(), empty], [*FIGURES, ranking], sample))
    assert "Nothing here" not in page.text and "The ranking" not in page.text


def test_each_model_and_outcome_is_shown():
    rows = [{**row, "id": f"{row['id']}-{k}"} for k in range(20) for row in ROWS["counting"]]
    many = simulate("marvl_qa", {"counting": rows}, {"a": mixed, "b": gold, "c": wrong})
    chosen = report.choose(many, 24, least_rows=8)
    outcomes = {*zip(chosen["model"], chosen["outcome"], strict=True)}
    assert outcomes == {("a", "right"), ("a", "wrong"), ("a", "unread"), ("b", "right"), ("c", "wrong")}
    assert chosen.groupby("id", sort=False)["model"].agg(list).tolist() == [["a", "b", "c"]] * 8
    assert chosen.index.is_unique
    assert len(report.choose(many)) == 3 * 80


def planted(size: int) -> Scored:
    """Three models that are right on a share of 400 questions by their ids, in a dataset of ``size`` rows."""

    def model(share):
        return lambda config, row, rng: (gold if int(row["id"][1:]) * 37 % 100 < share else wrong)(config, row, rng)

    questions = [{**ROWS["counting"][k % 18], "id": f"q{k}"} for k in range(400)]
    made = simulate("marvl_qa", {"counting": questions}, {f"r{share}": model(share) for share in (90, 88, 20)})
    return replace(made, sizes={"counting": {"test": size}})


def test_the_headline_has_its_interval_and_what_guessing_scores(page):
    (standing,) = standings(planted(400), {})
    assert standing.lines[0].text == "90.0 [86.7, 92.6]"
    assert [line.name for line in standing.lines] == ["r90", "r88", "r20"]
    assert standing.floors["majority"] == 1.0, "the commonest count of each feature, of which these rows have one each"
    assert standing.floors["random"] == pytest.approx(0.5, abs=0.1)
    assert not any(line.partial for line in standing.lines)
    (standing,) = standings(marked(planted(1548)), {})
    partial = dict.fromkeys(("r90", "r88", "r20"), "400 of 1,548 rows")
    assert {line.name: line.partial for line in standing.lines} == partial
    # Floors are the scores of `solve`.
    rows = [row | {"count": k % 3, "answer": str(k % 3)} for k, row in enumerate(ROWS["counting"])]
    learnt = [max("012", key=[r["answer"] for r in rows if r["feature"] == row["feature"]].count) for row in rows]
    assert baselines("marvl_qa", "counting", {}, rows)["majority"] == learnt
    assert "majority 100.0" in " ".join(page.text.split())
