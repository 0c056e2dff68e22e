"""What the verifier says of a damaged manifest, Croissant description, card or report."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sample_folder import edit_manifest, edit_text, said

from planimeter.export import croissant
from planimeter.export.verify.folder import verify
from planimeter.flows import writing
from planimeter.flows.display.bars import bars


def _relabel(document: dict[str, Any], new: str) -> None:
    document["files"][0]["path"] = new


def _extra_config(folder: Path) -> None:
    """Rename the config of a data file, on the disk and in the manifest."""
    old, new = "data/transformation/test-00000-of-00001.parquet", "data/extra/test-00000-of-00001.parquet"
    (folder / "data/extra").mkdir()
    (folder / old).rename(folder / new)
    edit_manifest(folder, lambda m: m["files"][-1].update(path=new))


def _other_sizes(folder: Path) -> None:
    path = folder / "croissant.json"
    path.write_text(re.sub(r'"contentSize": "\d+ B"', '"contentSize": "1 B"', path.read_text()))


def _locate(folder: Path, url: str) -> None:
    path = folder / "croissant.json"
    path.write_bytes(croissant.located(path.read_bytes(), url))


DOCUMENT_DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "manifest is not JSON": (lambda f: (f / "manifest.json").write_text("{"), "manifest.json: cannot be read as JSON"),
    "manifest is a list": (lambda f: (f / "manifest.json").write_text("[]"), "must be a JSON object"),
    "manifest is not canonical": (
        lambda f: (f / "manifest.json").write_text(json.dumps(json.loads((f / "manifest.json").read_text()))),
        "not in canonical form",
    ),
    "a key is missing": (lambda f: edit_manifest(f, lambda m: m.pop("funnel")), "lacks the keys funnel"),
    "an unknown suite": (lambda f: edit_manifest(f, lambda m: m["recipe"].update(suite="x")), "recipe.suite must be"),
    "files of another form": (lambda f: edit_manifest(f, lambda m: m.update(files=[{}])), "files must be a list of"),
    "rows as text": (lambda f: edit_manifest(f, lambda m: m["files"][0].update(rows="12")), "files must be a list of"),
    "an unknown config": (lambda f: edit_manifest(f, lambda m: m["configs"].update(x={})), "configs must name some of"),
    "a path that leads out": (
        lambda f: edit_manifest(f, lambda m: _relabel(m, "data/../../x.parquet")),
        "must be data/<config>/<split>",
    ),
    "a file of a config that the suite has not": (
        _extra_config,
        "data/extra/test-00000-of-00001.parquet: must be data",
    ),
    "a dataset that is a number": (lambda f: edit_manifest(f, lambda m: m.update(dataset=3)), "dataset must be a text"),
    "a gap in the numbers": (
        lambda f: edit_manifest(f, lambda m: _relabel(m, "data/counting/test-00002-of-00003.parquet")),
        "must be numbered 0 to N - 1",
    ),
    "another number of rows": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["counting"].update(test=19)),
        "promises 19 rows of counting/test, its files hold 18",
    ),
    "another seed than the recipe's": (lambda f: edit_manifest(f, lambda m: m.update(seed=8)), "seed is 8, but"),
    "no digest of the code": (lambda f: edit_manifest(f, lambda m: m.update(code="")), "must be a hexadecimal digest"),
    "an architecture that is missing": (
        lambda f: edit_manifest(f, lambda m: m.pop("architecture")),
        "lacks the keys architecture",
    ),
    "an architecture that is a number": (
        lambda f: edit_manifest(f, lambda m: m.update(architecture=64)),
        "architecture must name that of a machine",
    ),
    "no versions": (lambda f: edit_manifest(f, lambda m: m.update(libraries={})), "libraries must name"),
    "a funnel that does not add up": (
        lambda f: edit_manifest(f, lambda m: m["funnel"]["counting"]["prominence"].update(kept=4)),
        r"funnel.counting.prominence: seen 6 is not kept 4 \+ rejected 3",
    ),
    "a stratum that does not add up": (
        lambda f: edit_manifest(
            f, lambda m: m["funnel"]["counting"]["certify"]["strata"]["wave_surface"].update(seen=1)
        ),
        "wave_surface: seen 1 is not kept 9",
    ),
    "a stratum larger than the whole": (
        lambda f: edit_manifest(
            f, lambda m: m["funnel"]["transformation"]["certify"]["strata"]["plane"].update(seen=9, kept=9)
        ),
        "plane: seen 9 is more than the 8",
    ),
    "a funnel of another form": (
        lambda f: edit_manifest(f, lambda m: m["funnel"]["counting"].update(certify=3)),
        "must have seen, kept, rejected",
    ),
    "a funnel without checks": (
        lambda f: edit_manifest(f, lambda m: m.update(funnel={})),
        "funnel.counting: no check has kept as many as the 18 rows of counting",
    ),
    "a funnel with fewer items than rows": (
        lambda f: edit_manifest(f, lambda m: m["funnel"]["transformation"]["certify"].update(seen=7, kept=7)),
        "funnel.transformation: no check has kept as many as the 8 rows",
    ),
    "a funnel that is a list": (
        lambda f: edit_manifest(f, lambda m: m["funnel"].update(counting=[1])),
        "funnel must give the checks of each config",
    ),
    "a suite that is a list": (
        lambda f: edit_manifest(f, lambda m: m["recipe"].update(suite=["marvl_qa"])),
        "recipe.suite must be one of",
    ),
    "not a number in the manifest": (
        lambda f: edit_text(f, "manifest.json", '"scale": 1.0', '"scale": NaN'),
        "manifest.json: cannot be written as JSON: .*nan",
    ),
    "half a character in the manifest": (
        lambda f: edit_text(f, "manifest.json", '"dataset": "marvl-qa-mini"', r'"dataset": "\ud800"'),
        "manifest.json: .*surrogates not allowed",
    ),
    "a recipe whose tables are lists": (
        lambda f: edit_manifest(f, lambda m: m["recipe"].update(counting=[], transformation=[])),
        r"(?s)row 0 .*recipe in manifest.json is misshapen.*quotas cannot be checked",
    ),
    "a limit that is a text": (
        lambda f: edit_manifest(f, lambda m: m["recipe"]["transformation"]["ambiguity"].update(threshold="x")),
        "row 0 .*recipe in manifest.json is misshapen",
    ),
    "Croissant is not JSON": (lambda f: (f / "croissant.json").write_text("x"), "croissant.json: cannot be read"),
    "Croissant is empty": (lambda f: (f / "croissant.json").write_text("{}"), "croissant.json: lacks @context"),
    "Croissant is a list": (lambda f: (f / "croissant.json").write_text("[]"), "croissant.json: must be a JSON object"),
    "another hash in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"sha256": "', '"sha256": "0'),
        r"distribution\[data/counting/test-00000-of-00002.parquet\].sha256 is '0.*', but manifest.json",
    ),
    "another version in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"version": "1.0.0"', '"version": "1.0.1"'),
        "version is '1.0.1'",
    ),
    "no licence in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"license"', '"licence"'),
        r'mlcroissant: .*"https://schema.org/license" is recommended',
    ),
    "a term missing in the context": (
        lambda f: edit_text(f, "croissant.json", '"samplingRate": "cr:samplingRate",', ""),
        "mlcroissant: .*not standard",
    ),
    "a field without its file set": (
        lambda f: edit_text(f, "croissant.json", '"@id": "counting-files"\n', '"@id": "nowhere"\n'),
        "mlcroissant: ",
    ),
    "another licence in Croissant": (
        lambda f: edit_text(f, "croissant.json", "licenses/by/4.0", "licenses/by-sa/4.0"),
        "license is 'https://creativecommons.org/licenses/by-sa/4.0/', but manifest.json",
    ),
    "a file set of other files": (
        lambda f: edit_text(f, "croissant.json", "data/counting/*.parquet", "data/nowhere/*.parquet"),
        r"distribution\[counting-files\].includes is 'data/nowhere/\*.parquet', but",
    ),
    "columns of another type in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"sc:Integer"', '"sc:Boolean"'),
        r"\[counting/count\].dataType is 'sc:Boolean', but",
    ),
    "a size that is none": (_other_sizes, r"distribution\[data/counting/.*\].contentSize is '1 B', but"),
    "a recipe that Croissant cannot tell": (
        lambda f: edit_manifest(f, lambda m: m["recipe"].pop("title")),
        "manifest.json: recipe lacks what croissant.json says: KeyError..title",
    ),
    "an address that is no dataset": (
        lambda f: _locate(f, "https://huggingface.co/models/a/b"),
        "croissant.json: url is 'https://huggingface.co/models/a/b', which is no dataset on the Hub",
    ),
    "the address of another dataset than the card's": (
        lambda f: _locate(f, "https://huggingface.co/datasets/a/b"),
        "url is 'https://huggingface.co/datasets/a/b', but README.md does not load the dataset from a/b",
    ),
    "an address that is a list": (
        lambda f: edit_text(f, "croissant.json", '"version":', '"url": [1], "version":'),
        "url is a list of 1, which is no dataset",
    ),
    "nothing of how it was collected": (
        lambda f: edit_text(f, "croissant.json", '"rai:dataCollection"', '"rai:dataOrigin"'),
        "lacks rai:dataCollection",
    ),
    "no limitations": (
        lambda f: edit_text(f, "croissant.json", "rai:dataLimitations", "rai:dataLimits"),
        "lacks rai:dataLimitations",
    ),
    "a column missing in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"name": "nrmse_identity"', '"name": "nrmse"'),
        r"\[transformation/nrmse_identity\].name is 'nrmse', but",
    ),
    "a report without a config": (
        lambda f: edit_text(f, "report/index.html", 'id="counting"', 'id="count"'),
        "is cut short or lacks counting",
    ),
    "a broken link in the card": (
        lambda f: edit_text(f, "README.md", "(report/index.html)", "(report/page.html)"),
        "links to report/page.html, which does not exist",
    ),
    "a picture missing in the report": (
        lambda f: edit_text(f, "report/index.html", 'src="data:image/png;base64,', 'src="c00.png" alt="'),
        "refers to c00.png, which does not exist",
    ),
    "a picture of the report that is empty": (
        lambda f: edit_text(f, "report/index.html", "base64,iVBOR", "base64,iVBOS"),
        "report/index.html: holds a picture that is not a sound PNG",
    ),
    "a picture of the card that is missing": (
        lambda f: edit_text(f, "README.md", '<img src="report/', '<img src="report/x'),
        "links to report/xcounting.png, which does not exist",
    ),
    "a picture that nobody shows": (lambda f: (f / "report/more.png").touch(), "report/more.png: is shown nowhere"),
    "a report that needs the network": (
        lambda f: edit_text(f, "report/index.html", "</body>", '<script src="https://x.org/a.js"></script></body>'),
        "refers to https://x.org/a.js, outside its folder",
    ),
    "a user's folder in the card": (
        lambda f: edit_text(f, "README.md", "## Limits", "/home/ada/build\n\n## Limits"),
        "README.md: names the local path /home/",
    ),
    "the dataset's own folder": (
        lambda f: edit_text(f, "report/index.html", "</footer>", f"{f.resolve()}</footer>"),
        "names the local path",
    ),
}


#: What somebody may change in a card: a text, and what takes its place.
CARD_EDITS = {
    "a claim": ("Every row was certified", "Some rows were certified"),
    "a heading": ("## Not for\n", "## Other\n"),
    "front matter that is not YAML": ("license: ", "license: [: "),
    "front matter of another form": ("\nconfigs:", "\nsets:"),
    "a config of the front matter": ("config_name: counting", "config_name: count"),
    "a pattern of the front matter": ("path: data/counting/test-*.parquet", "path: data/counting/*.csv"),
    "the licence": ("license: cc-by-4.0", "license: mit"),
    "the size": ("n<1K", "1K<n<10K"),
    "the rows": ("**26 rows**", "**27 rows**"),
    "the rows of a config": ("| 18 | `test`: 18 |", "| 18 | `test`: 81 |"),
    "the funnel": ("| 6 | 3 | 3 (50.0%) |", "| 6 | 6 | 0 (0.0%) |"),
    "the canary": ("PLANIMETER-CANARY", "CANARY"),
    "what is loaded": ('os.getcwd(), "counting"', '"ada/other", "counting"'),
    "the changelog's heading": ("## Changelog\n", "## Earlier\n"),
    "the version of the changelog": ("### 1.0.0 (2026-11-20)", "### 0.9.0 (2026-11-20)"),
    "a column": ("| `nrmse_identity` |", "| `nrmse` |"),
    "the citation": ("@misc", "misc"),
    "a prompt": ("    How many local maxima are there?", "    How many local minima are there?"),
    "its picture": ("report/counting.png", "report/transformation.png"),
    "its end": ("```\n", "```"),
}


@pytest.mark.parametrize("name", list(CARD_EDITS))
def test_a_card_that_says_otherwise_than_manifest_and_rows_is_found(name: str, folder: Path) -> None:
    edit_text(folder, "README.md", *CARD_EDITS[name])
    assert re.search(r"README.md: line \d+ is .*, but manifest.json and the rows make it", said(verify(folder)))


def test_a_changed_card_is_one_line_that_quotes_the_change(folder: Path) -> None:
    edit_text(folder, "README.md", "Every row was certified", "Some rows were certified")
    (problem,) = verify(folder)
    assert "Some rows were certified" in problem.what and "Every row was certified" in problem.what
    assert "the Planimeter that built it" in problem.remedy


def test_a_section_that_nobody_generates_is_found_unless_publishing_adds_it(folder: Path) -> None:
    edit_text(folder, "README.md", "## Load\n", "## What a score is worth\n\nNothing.\n\n## Load\n")
    assert "'## What a score is worth'" in said(verify(folder))
    (folder / "probes.json").write_text("{}")
    assert verify(folder) == []
    edit_text(folder, "README.md", "## Uses\n", "## Praise\n\nThe best dataset.\n\n## Uses\n")
    assert "'## Praise'" in said(verify(folder))


@pytest.mark.parametrize("name", list(DOCUMENT_DAMAGES))
def test_damaged_documents(name: str, folder: Path) -> None:
    damage, wanted = DOCUMENT_DAMAGES[name]
    damage(folder)
    assert re.search(wanted, said(verify(folder)))


def test_the_name_of_the_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "build-7")
    assert verify(folder) == []
    edit_text(folder, "README.md", "## Limits", "Made on build-7.\n\n## Limits")
    assert "README.md: names the machine build-7" in said(verify(folder))


def test_a_machine_named_like_a_word_of_the_card_is_no_evidence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "counting")
    assert verify(folder) == []


def test_a_split_that_the_recipe_does_not_ask_for(folder: Path) -> None:
    """Rows for training, made of the files of a benchmark by their names alone."""
    for path in sorted((folder / "data").glob("*/test-*.parquet")):
        path.rename(path.with_name(path.name.replace("test-", "train-")))

    def rename(document: dict[str, Any]) -> None:
        for record in document["files"]:
            record["path"] = record["path"].replace("/test-", "/train-")
        document["configs"] = {config: {"train": splits["test"]} for config, splits in document["configs"].items()}

    edit_manifest(folder, rename)
    assert "counting: has the splits train, the recipe promises test" in said(verify(folder))


@pytest.mark.parametrize("rows", ["1e999", "-1e999"])
def test_rows_without_end_are_no_traceback(folder: Path, rows: str) -> None:
    edit_text(folder, "manifest.json", '"rows": 8', f'"rows": {rows}')
    with bars() as shown:
        assert "files must be a list of" in said(writing.problems_of(folder, shown, 1))
