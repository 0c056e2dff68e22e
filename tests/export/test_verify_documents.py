"""What the verifier says of a damaged manifest, Croissant description, card or report."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from sample_folder import edit_manifest, edit_text, problems

from planimeter.export import croissant
from planimeter.export.verify.folder import verify

#: The value of a key that is removed.
GONE = object()

#: A place in the manifest, what is changed there, and words of the problem.
MANIFEST: list[tuple[str, dict[str, Any], str]] = [
    ("", {"funnel": GONE}, "lacks the keys funnel"),
    ("", {"architecture": GONE}, "lacks the keys architecture"),
    ("", {"architecture": 64}, "architecture must name that of a machine"),
    ("", {"dataset": 3}, "dataset must be a text"),
    ("", {"seed": 8}, "seed is 8, but"),
    ("", {"code": ""}, "must be a hexadecimal digest"),
    ("", {"libraries": {}}, "libraries must name"),
    ("", {"files": [{}]}, "files must be a list of"),
    ("files.0", {"rows": "12"}, "files must be a list of"),
    ("files.0", {"path": "data/../../x.parquet"}, "must be data/<config>/<split>"),
    ("files.0", {"path": "data/counting/test-00002-of-00003.parquet"}, "must be numbered 0 to N - 1"),
    ("configs", {"x": {}}, "configs must name some of"),
    ("configs.counting", {"test": 19}, "promises 19 rows of counting/test, its files hold 18"),
    ("recipe", {"suite": "x"}, "recipe.suite must be"),
    ("recipe", {"suite": ["marvl_qa"]}, "recipe.suite must be one of"),
    ("recipe", {"title": GONE}, "manifest.json: recipe lacks what croissant.json says: KeyError..title"),
    (
        "recipe",
        {"counting": [], "transformation": []},
        "(?s)row 0 .*recipe in manifest.json is misshapen.*quotas cannot",
    ),
    ("recipe.transformation.ambiguity", {"threshold": "x"}, "row 0 .*recipe in manifest.json is misshapen"),
    ("", {"funnel": {}}, "funnel.counting: no check has kept as many as the 18 rows of counting"),
    ("funnel", {"counting": [1]}, "funnel must give the checks of each config"),
    ("funnel.counting", {"certify": 3}, "must have seen, kept, rejected"),
    ("funnel.counting.prominence", {"kept": 4}, r"funnel.counting.prominence: seen 6 is not kept 4 \+ rejected 3"),
    ("funnel.counting.certify.strata.wave_surface", {"seen": 1}, "wave_surface: seen 1 is not kept 9"),
    ("funnel.transformation.certify.strata.plane", {"seen": 9, "kept": 9}, "plane: seen 9 is more than the 8"),
    (
        "funnel.transformation.certify",
        {"seen": 7, "kept": 7},
        "transformation: no check has kept as many as the 8 rows",
    ),
]


@pytest.mark.parametrize(("place", "change", "words"), MANIFEST)
def test_a_changed_manifest(folder: Path, place: str, change: dict[str, Any], words: str) -> None:
    def edit(document: dict[str, Any]) -> None:
        target: Any = document
        for key in filter(None, place.split(".")):
            target = target[int(key) if isinstance(target, list) else key]
        for key, value in change.items():
            if value is GONE:
                del target[key]
            else:
                target[key] = value

    edit_manifest(folder, edit)
    assert re.search(words, problems(folder))


#: Of each file: a text in it, what takes its place, and words of the problem.
TEXTS: dict[str, list[tuple[str, str, str]]] = {
    "manifest.json": [
        ('"scale": 1.0', '"scale": NaN', "manifest.json: cannot be written as JSON: .*nan"),
        ('"dataset": "marvl-qa-mini"', r'"dataset": "\ud800"', "manifest.json: .*surrogates not allowed"),
    ],
    "croissant.json": [
        (
            '"sha256": "',
            '"sha256": "0',
            r"\[data/counting/test-00000-of-00002.parquet\].sha256 is '0.*', but manifest.json",
        ),
        ('"version": "1.0.0"', '"version": "1.0.1"', "version is '1.0.1'"),
        ('"license"', '"licence"', r'mlcroissant: .*"https://schema.org/license" is recommended'),
        ('"samplingRate": "cr:samplingRate",', "", "mlcroissant: .*not standard"),
        ('"@id": "counting-files"\n', '"@id": "nowhere"\n', "mlcroissant: "),
        ("licenses/by/4.0", "licenses/by-sa/4.0", "license is '.*/licenses/by-sa/4.0/', but manifest.json"),
        ("counting/*.parquet", "x/*.parquet", r"n\[counting-files\].includes is 'data/x/\*.parquet', but"),
        ('"sc:Integer"', '"sc:Boolean"', r"\[counting/count\].dataType is 'sc:Boolean', but"),
        ('"version":', '"url": [1], "version":', "url is a list of 1, which is no dataset"),
        ('"rai:dataCollection"', '"rai:dataOrigin"', "lacks rai:dataCollection"),
        ("rai:dataLimitations", "rai:dataLimits", "lacks rai:dataLimitations"),
        ('"name": "nrmse_identity"', '"name": "nrmse"', r"\[transformation/nrmse_identity\].name is 'nrmse', but"),
    ],
    "README.md": [
        ("(report/index.html)", "(report/page.html)", "links to report/page.html, which does not exist"),
        ('<img src="report/', '<img src="report/x', "links to report/xcounting.png, which does not exist"),
        ("## Limits", "/home/ada/build\n\n## Limits", "README.md: names the local path /home/"),
    ],
    "report/index.html": [
        ('id="counting"', 'id="count"', "is cut short or lacks counting"),
        ('src="data:image/png;base64,', 'src="c00.png" alt="', "refers to c00.png, which does not exist"),
        ("base64,iVBOR", "base64,iVBOS", "report/index.html: holds a picture that is not a sound PNG"),
        ("</body>", '<script src="https://x.org/a.js"></script></body>', "to https://x.org/a.js, outside its folder"),
    ],
}


@pytest.mark.parametrize(("name", "edit"), [(name, edit) for name, edits in TEXTS.items() for edit in edits])
def test_a_changed_document(folder: Path, name: str, edit: tuple[str, str, str]) -> None:
    old, new, words = edit
    edit_text(folder, name, old, new)
    assert re.search(words, problems(folder))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("manifest.json", "{", "manifest.json: cannot be read as JSON"),
        ("manifest.json", "[]", "must be a JSON object"),
        ("croissant.json", "x", "croissant.json: cannot be read"),
        ("croissant.json", "{}", "croissant.json: lacks @context"),
        ("croissant.json", "[]", "croissant.json: must be a JSON object"),
        ("report/more.png", "", "report/more.png: is shown nowhere"),
    ],
)
def test_a_document_of_other_content(folder: Path, name: str, content: str, words: str) -> None:
    (folder / name).write_text(content)
    assert words in problems(folder)


def test_a_manifest_that_is_not_canonical(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    assert "not in canonical form" in problems(folder)


def test_a_size_in_croissant_that_no_file_has(folder: Path) -> None:
    path = folder / "croissant.json"
    path.write_text(re.sub(r'"contentSize": "\d+ B"', '"contentSize": "1 B"', path.read_text()))
    assert re.search(r"distribution\[data/counting/.*\].contentSize is '1 B', but", problems(folder))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("models", "croissant.json: url is 'https://huggingface.co/models/a/b', which is no dataset on the Hub"),
        ("datasets", "datasets/a/b', but README.md does not load the dataset from a/b"),
    ],
)
def test_an_address_that_is_not_the_datasets(folder: Path, kind: str, words: str) -> None:
    path = folder / "croissant.json"
    path.write_bytes(croissant.located(path.read_bytes(), f"https://huggingface.co/{kind}/a/b"))
    assert words in problems(folder)


def test_the_datasets_own_folder_is_named_nowhere(folder: Path) -> None:
    edit_text(folder, "report/index.html", "</footer>", f"{folder.resolve()}</footer>")
    assert "names the local path" in problems(folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Not for\n", "## Other\n"),
        ("license: ", "license: [: "),
        ("\nconfigs:", "\nsets:"),
        ("config_name: counting", "config_name: count"),
        ("path: data/counting/test-*.parquet", "path: data/counting/*.csv"),
        ("license: cc-by-4.0", "license: mit"),
        ("n<1K", "1K<n<10K"),
        ("**26 rows**", "**27 rows**"),
        ("| 18 | `test`: 18 |", "| 18 | `test`: 81 |"),
        ("| 6 | 3 | 3 (50.0%) |", "| 6 | 6 | 0 (0.0%) |"),
        ("PLANIMETER-CANARY", "CANARY"),
        ('os.getcwd(), "counting"', '"ada/other", "counting"'),
        ("## Changelog\n", "## Earlier\n"),
        ("### 1.0.0 (2026-11-20)", "### 0.9.0 (2026-11-20)"),
        ("| `nrmse_identity` |", "| `nrmse` |"),
        ("@misc", "misc"),
        ("    How many local maxima are there?", "    How many local minima are there?"),
        ("report/counting.png", "report/transformation.png"),
        ("```\n", "```"),
    ],
)
def test_a_card_that_says_otherwise_than_manifest_and_rows_is_found(old: str, new: str, folder: Path) -> None:
    edit_text(folder, "README.md", old, new)
    assert re.search(r"README.md: line \d+ is .*, but manifest.json and the rows make it", problems(folder))


def test_a_changed_claim_of_the_card_is_one_line_that_quotes_the_change(folder: Path) -> None:
    edit_text(folder, "README.md", "Every row was certified", "Some rows were certified")
    (problem,) = verify(folder)
    assert "Some rows were certified" in problem.what and "Every row was certified" in problem.what
    assert re.match(r"README.md: line \d+ is .*, but manifest.json and the rows make it", str(problem))
    assert "the Planimeter that built it" in problem.remedy


def test_a_section_that_nobody_generates_is_found_unless_publishing_adds_it(folder: Path) -> None:
    edit_text(folder, "README.md", "## Load\n", "## What a score is worth\n\nNothing.\n\n## Load\n")
    assert "'## What a score is worth'" in problems(folder)
    (folder / "probes.json").write_text("{}")
    assert verify(folder) == []
    edit_text(folder, "README.md", "## Uses\n", "## Praise\n\nThe best dataset.\n\n## Uses\n")
    assert "'## Praise'" in problems(folder)


def test_only_a_name_of_the_machine_that_is_no_word_of_the_card_is_evidence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("build-7", "counting"):
        monkeypatch.setattr("platform.node", lambda name=name: name)
        assert verify(folder) == []
    monkeypatch.setattr("platform.node", lambda: "build-7")
    edit_text(folder, "README.md", "## Limits", "Made on build-7.\n\n## Limits")
    assert "README.md: names the machine build-7" in problems(folder)
