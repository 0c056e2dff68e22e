"""What the verifier says of a damaged manifest, Croissant description, card or report."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sample_folder import edit_manifest, edit_text, said

from export.verify import verify


def _relabel(document: dict[str, Any], new: str) -> None:
    document["files"][0]["path"] = new


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
    "Croissant is empty": (lambda f: (f / "croissant.json").write_text("{}"), "does not have the form"),
    "another hash in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"sha256": "', '"sha256": "0'),
        "their SHA-256 are not those of manifest.json",
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
    "no limitations": (
        lambda f: edit_text(f, "croissant.json", "rai:dataLimitations", "rai:dataLimits"),
        "lacks rai:dataLimitations",
    ),
    "a column missing in Croissant": (
        lambda f: edit_text(f, "croissant.json", '"name": "nrmse_identity"', '"name": "nrmse"'),
        "lacks the columns nrmse_identity",
    ),
    "no front matter": (lambda f: (f / "README.md").write_text("# Title\n"), "front matter cannot be read"),
    "front matter is not YAML": (lambda f: edit_text(f, "README.md", "license: ", "license: [: "), "cannot be read"),
    "front matter of another form": (lambda f: edit_text(f, "README.md", "\nconfigs:", "\nsets:"), "Hub's form"),
    "a config not in the front matter": (
        lambda f: edit_text(f, "README.md", "config_name: counting", "config_name: count"),
        "does not list the config counting",
    ),
    "a pattern that matches nothing": (
        lambda f: edit_text(f, "README.md", "path: data/counting/test-*.parquet", "path: data/counting/*.csv"),
        "is matched by 0 of the front matter's patterns",
    ),
    "another licence": (lambda f: edit_text(f, "README.md", "license: cc-by-4.0", "license: mit"), "license is 'mit'"),
    "another size": (lambda f: edit_text(f, "README.md", "n<1K", "1K<n<10K"), "size_categories is"),
    "a column that the card leaves out": (
        lambda f: edit_text(f, "README.md", "| `nrmse_identity` |", "| `nrmse` |"),
        "does not explain the columns nrmse_identity of transformation",
    ),
    "a card without citation": (lambda f: edit_text(f, "README.md", "@misc", "misc"), "lacks the citation"),
    "a report without a config": (
        lambda f: edit_text(f, "report/index.html", 'id="counting"', 'id="count"'),
        "is cut short or lacks counting",
    ),
    "a broken link in the card": (
        lambda f: edit_text(f, "README.md", "(report/index.html)", "(report/page.html)"),
        "links to report/page.html, which does not exist",
    ),
    "a picture missing in the report": (
        lambda f: (f / "report/gallery/counting/c00.png").unlink(),
        "refers to gallery/counting/c00.png, which does not exist",
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
