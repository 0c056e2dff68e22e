"""Card, report and funnel: they show what a reader needs, and nothing in them runs."""

import base64
import html.parser
import re
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import metadata_load
from sample_folder import COUNTING, FUNNEL, RECIPE, REJECTS, ROWS, reject, write_folder

from planimeter.export import croissant, texts
from planimeter.export.canary import canary_of
from planimeter.export.hub.card import earlier
from planimeter.export.manifest import Check, Manifest
from planimeter.export.pages import card
from planimeter.export.pages.funnel_view import share, stages
from planimeter.export.pages.survey import Survey
from planimeter.export.schema import COLUMNS, schema_of
from planimeter.export.texts import text_of

TEXT = text_of("marvl_qa")


def page_of(folder: Path) -> str:
    return (folder / "report" / "index.html").read_text()


def test_the_card_names_place_and_size_of_each_split(sample: Path) -> None:
    front = metadata_load(sample / "README.md")
    assert front["license"] == "cc-by-4.0"
    assert front["size_categories"] == ["n<1K"]
    files = [[{"split": "test", "path": f"data/{config}/test-*.parquet"}] for config in ("counting", "transformation")]
    assert front["configs"] == [
        {"config_name": "counting", "default": True, "data_files": files[0]},
        {"config_name": "transformation", "data_files": files[1]},
    ]
    for entry in front["dataset_info"]:
        size = sum(path.stat().st_size for path in (sample / "data" / entry["config_name"]).glob("test-*.parquet"))
        assert size == entry["download_size"] == entry["dataset_size"] == entry["splits"][0]["num_bytes"] > 0


def test_the_card_shows_what_a_reader_needs(sample: Path) -> None:
    card = (sample / "README.md").read_text()
    for part in (
        "| prominence |  | 6 | 3 | 3 (50.0%) | too weak: 2, too near the frame: 1 |",
        *("| contour | 3 | 1 (33.3%) |", "**26 rows** in 2 configs", TEXT.citation),
        *(ROWS["counting"][0]["prompt"], ROWS["transformation"][0]["system_prompt"]),
        *(f"| `{column.name}` |" for column in COUNTING.columns),
    ):
        assert part in card
    needed = {"Load", "Prompt and scoring", "How it was certified", "Columns", "Limits", "Changelog"}
    assert needed | {"Licence and citation"} <= set(re.findall(r"^## (.+)$", card, flags=re.MULTILINE))
    assert re.search(r"`PLANIMETER-CANARY marvl-qa-mini 1\.0\.0 [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`", card)
    # The report is one file beside the pictures of the card.
    names = sorted(path.relative_to(sample).as_posix() for path in (sample / "report").rglob("*"))
    assert names == ["report/counting.png", "report/index.html", "report/transformation.png"]
    assert re.findall(r'<img src="([^"]+)" alt="An example', card) == [names[0], names[2]]


def manifest_of(suite: str, splits: dict[str, int], **recipe: Any) -> Manifest:
    named: Any = {
        "dataset": "trial",
        "version": "1.0.0",
        "seed": 7,
        "files": (),
        "funnel": {},
        "canary": canary_of("trial", "1.0.0"),
    }
    return Manifest(**named, recipe={**RECIPE, "suite": suite, **recipe}, configs=dict.fromkeys(COLUMNS[suite], splits))


def card_of(suite: str, splits: dict[str, int], **recipe: Any) -> str:
    text = texts.text_of(suite)
    surveys = {config: Survey(text=text.configs[config]) for config in COLUMNS[suite]}
    return card.render(manifest_of(suite, splits, **recipe), text, surveys, {})


@pytest.mark.parametrize("suite", list(COLUMNS))
def test_the_card_of_a_suite(suite: str) -> None:
    text, test = texts.text_of(suite), card_of(suite, {"test": 9})
    paper = re.search(r"https://arxiv\.org/abs/(\d{4}\.\d{5})", test)
    assert paper and paper[1] in text.citation
    assert "nonymous" not in test
    form = re.search(rf"{card.HOME}/issues/new\?template=([\w-]+\.yml)", test)
    assert form and (Path(__file__).parents[2] / ".github" / "ISSUE_TEMPLATE" / form[1]).is_file()
    # The picture is given to a model only where the protocol gives it.
    without_picture = suite in ("geogram", "geogram_import")
    assert ("`image` with `prompt` as the user's turn" in test) != without_picture
    # What the suite says of a column is said of one that it has, in Croissant and card.
    assert set(text.columns) <= {name for config in COLUMNS[suite] for name in schema_of(suite, config).by_name}
    records = croissant.build(manifest_of(suite, {"test": 9}))["recordSet"]
    assert set(text.columns.values()) <= {field["description"] for part in records for field in part["field"]}
    assert all(meaning in test for meaning in text.columns.values())
    only_training = card_of(suite, {"train": 9})
    assert "## Do not train" not in only_training and "PLANIMETER-CANARY trial" in only_training
    assert "## Do not train on these rows\n" in card_of(suite, {"validation": 1, "test": 9})
    mixed = card_of(suite, {"train": 9, "validation": 1, "test": 9})
    assert "## Do not train on `validation` and `test`\n" in mixed and "PLANIMETER-CANARY trial" in mixed
    # With rows to train on it shows how; what its lines do is tried by TRL itself, in test_trainers.
    for system in ("", "Be brief."):
        first = {"id": "a", "system_prompt": system, "prompt": "?", "answer": "1"}
        surveys = {config: Survey(text=text.configs[config], rows=9, first=first) for config in COLUMNS[suite]}
        with_training = card.render(manifest_of(suite, {"train": 9, "test": 9}), text, surveys, {})
        training = r"^```python\n(from planimeter.evals.rewards .*?)^```$"
        (lines,) = re.findall(training, with_training, flags=re.MULTILINE | re.DOTALL)
        compile(lines, "card", "exec")
        assert ('row["system_prompt"]' in lines) == bool(system)
        assert ('.remove_columns("image")' in lines) != text.shows_picture
        assert "GRPOTrainer" not in card.render(manifest_of(suite, {"test": 9}), text, surveys, {})


def test_the_card_of_an_import_claims_no_certificate() -> None:
    """Its answers are not certified, it has no other seed, and its licence may not be known."""
    text = card_of("geogram_import", {"test": 9}, license="unknown")
    claims = ("Every row was certified", "another `seed`", "function of the recipe", "published under", "recovered")
    without_denial = text.replace("no independent check has recovered", "")
    assert [claim for claim in claims if claim in without_denial] == []
    assert "No answer was certified" in text
    assert "The licence of the data is that of the corpus; the recipe does not name it." in text
    assert "published under MIT." in card_of("geogram_import", {"test": 9}, license="MIT")


class _Nesting(html.parser.HTMLParser):
    VOID = ("meta", "img", "link", "br", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_well_formed_and_runs_only_its_own_script(sample: Path) -> None:
    page = _Nesting()
    page.feed(page_of(sample))
    assert page.open == []
    # Strata of both configs, two rejected, one of them an ambiguous case too, shown large.
    assert [page.seen.count(tag) for tag in ("script", "img")] == [1, 18 + 4 + 2 + 1 + 1]
    text = " ".join(page_of(sample).split())
    (shown,) = re.findall(r'<img src="data:image/png;base64,([^"]+)" loading="lazy" width="480" alt="Ambig', text)
    assert base64.b64decode(shown) == REJECTS[-1].picture
    assert "<td>Translation along x</td><td>No change; Translation along y</td>" in text


def test_hostile_text_is_shown_and_not_run(tmp_path: Path) -> None:
    nasty = "<script>alert('x')</script>"
    rows = [ROWS["counting"][0] | {"prompt": nasty, "family": nasty}]
    rejects = (reject("counting", nasty, "certify", nasty, 0.0, 0.0, b""),)
    write_folder(tmp_path / "x", RECIPE, {"counting": {"test": rows}}, FUNNEL, rejects)
    assert nasty not in page_of(tmp_path / "x") and page_of(tmp_path / "x").count("&lt;script&gt;") >= 3


def test_a_small_share_is_not_rounded_to_nothing() -> None:
    shown = [share(*pair) for pair in ((1, 10_000), (9_999, 10_000), (0, 5), (5, 5), (0, 0))]
    assert shown == ["<0.1%", ">99.9%", "0.0%", "100.0%", "–"]


def test_the_version_before_is_the_newest_of_those_before() -> None:
    tags = ["v1.0.0", "v1.1.0", "v1.2.0", "v2.0.0", "main"]
    assert (earlier(tags, "1.2.0"), earlier(tags, "1.0.0")) == ("v1.1.0", None)


def test_the_funnel_runs_in_the_order_of_the_checks() -> None:
    empty = Check(seen=0, kept=0, rejected={}, strata={})
    shown = stages(dict.fromkeys(("certify", "another", "distinct", "curation"), empty), TEXT.checks)
    assert [stage.check for stage in shown] == ["curation", "certify", "distinct", "another"]
