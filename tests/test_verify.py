"""The verifier finds nothing wrong with a good folder, and each kind of damage makes it say what is wrong."""

import io
import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from sample_folder import RECIPE, png, write_sample

import evals
from export import croissant, manifest
from export.parquet import row_table, write_split
from export.pictures import picture_fault
from export.problems import Problem
from export.schema import schema_of
from export.verify import verify
from rendering.png import IndexedImage, encode

Edit = Callable[[list[dict[str, Any]]], Any]
COUNTING_FILE = "data/counting/test-00000-of-00002.parquet"


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("verify") / "1.0.0")


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "1.0.0"))


def edit_manifest(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_bytes(manifest.canonical_json(document))


def edit_rows(folder: Path, config: str, edit: Edit) -> None:
    """Change rows and make manifest and Croissant agree, so that only the rows are wrong."""
    schema = schema_of("marvl_qa", config)
    paths = sorted((folder / "data" / config).iterdir())
    rows = [row for path in paths for row in pq.read_table(path).to_pylist()]
    edit(rows)
    for path in paths:
        path.unlink()
    rows_per_file = -(-len(rows) // len(paths))
    records = write_split(folder, config, "test", [row_table(rows, schema)], schema, rows_per_file)

    def relist(document: dict[str, Any]) -> None:
        others = [r for r in document["files"] if not r["path"].startswith(f"data/{config}/")]
        document["files"] = sorted([*others, *(r.as_dict() for r in records)], key=lambda r: r["path"])
        document["configs"][config] = {"test": len(rows)}

    edit_manifest(folder, relist)
    document = json.loads((folder / "manifest.json").read_bytes())
    (folder / "croissant.json").write_bytes(manifest.canonical_json(croissant.build(document)))


def edit_text(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def said(problems: list[Problem]) -> str:
    return "\n".join(map(str, problems))


def test_a_good_folder_has_no_problem(good: Path) -> None:
    assert said(verify(good)) == ""


def test_a_folder_that_was_moved_or_renamed_is_still_good(folder: Path, tmp_path: Path) -> None:
    assert said(verify(folder.rename(tmp_path / "elsewhere"))) == ""


def test_every_problem_names_place_rule_and_remedy(folder: Path) -> None:
    (folder / "croissant.json").unlink()
    (problem,) = verify(folder)
    assert str(problem) == "croissant.json: is missing; build the dataset again"


# --- files


def _other_layout(folder: Path, **options: Any) -> None:
    path = folder / COUNTING_FILE
    pq.write_table(pq.read_table(path), path, **{"compression": "zstd", "write_page_index": True, **options})


def _without_image_feature(folder: Path) -> None:
    path = folder / COUNTING_FILE
    table = pq.read_table(path).replace_schema_metadata({"dataset_info": "{}"})
    pq.write_table(table, path, compression="zstd", write_page_index=True)


def _other_column_type(folder: Path) -> None:
    path = folder / COUNTING_FILE
    table = pq.read_table(path)
    place = table.schema.get_field_index("count")
    pq.write_table(table.set_column(place, "count", table["count"].cast(pa.int64())), path, compression="zstd")


FILE_DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a data file is gone": (lambda f: (f / COUNTING_FILE).unlink(), rf"{COUNTING_FILE}: is missing"),
    "a data file is empty": (lambda f: (f / COUNTING_FILE).write_bytes(b""), "has 0 bytes, not"),
    "a data file is not Parquet": (lambda f: (f / COUNTING_FILE).write_bytes(b"x" * 999), "cannot be read as Parquet"),
    "a byte is flipped": (
        lambda f: (f / COUNTING_FILE).write_bytes(
            bytes(b ^ (i == 3000) for i, b in enumerate((f / COUNTING_FILE).read_bytes()))
        ),
        "its SHA-256 is not the one in manifest.json",
    ),
    "a file that nobody listed": (
        lambda f: shutil.copy(f / COUNTING_FILE, f / "data/counting/test-00002-of-00003.parquet"),
        "is not listed in manifest.json",
    ),
    "a hidden file under data": (lambda f: (f / "data/.part.tmp").touch(), r"data/.part.tmp: is not listed"),
    "a stray file beside": (lambda f: (f / "notes.txt").touch(), "notes.txt: does not belong to a dataset"),
    "small row groups": (lambda f: _other_layout(f, row_group_size=5), "must have 100 rows each, got"),
    "another compression": (lambda f: _other_layout(f, compression="snappy"), "zstd, not SNAPPY"),
    "no page index": (lambda f: _other_layout(f, write_page_index=False), "lacks a page index"),
    "no image feature": (_without_image_feature, "shows `image` as a picture"),
    "a column of another type": (_other_column_type, "not those of the schema; look at: count"),
    "no report": (lambda f: (f / "report/index.html").unlink(), "report/index.html: is missing"),
    "no card": (lambda f: (f / "README.md").unlink(), "README.md: is missing"),
    "no data": (lambda f: shutil.rmtree(f / "data"), "data: is missing"),
}


@pytest.mark.parametrize("name", list(FILE_DAMAGES))
def test_damaged_files(name: str, folder: Path) -> None:
    damage, wanted = FILE_DAMAGES[name]
    damage(folder)
    assert re.search(wanted, said(verify(folder)))


# --- manifest, Croissant, card, report


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


# --- rows


def _set(index: int, **values: Any) -> Edit:
    return lambda rows: rows[index].update(values)


def _all(**values: Any) -> Edit:
    return lambda rows: [row.update(values) for row in rows]


def _picture(index: int, content: bytes) -> Edit:
    return _set(index, image={"bytes": content, "path": "a.png"})


def _shift(index: int, axis: str, value: float) -> Edit:
    return lambda rows: rows[index]["extrema"][0].update({axis: value})


GOOD = png(3)

ROW_DAMAGES: dict[str, tuple[str, Edit, str]] = {
    "an id twice": ("counting", _set(5, id="c00"), "row 5 .c00.: its id occurs twice"),
    "an id of another config": ("transformation", _set(0, id="c00"), "its id occurs twice"),
    "no id": ("counting", _set(0, id=""), "its id is empty"),
    "the same item under two ids": (
        "counting",
        lambda rows: rows[1].update(image=rows[0]["image"]),
        "asks the same of the same picture as c00",
    ),
    "a null": ("counting", _set(0, expression=None), "row 0 .c00.: is null in expression"),
    "a null inside a list": ("counting", _shift(0, "x", None), "is null in extrema"),  # type: ignore[arg-type]
    "not a number": ("transformation", _set(0, offset=float("nan")), "is null in offset"),
    "no picture": ("counting", _picture(0, b""), "signature is missing"),
    "a picture cut short": ("counting", _picture(0, GOOD[:-20]), "its picture is not a sound PNG"),
    "a JPEG": ("counting", _picture(0, b"\xff\xd8\xff\xe0" + GOOD), "signature is missing"),
    "a tiny picture": ("counting", _picture(0, png(3, 8, 8)), "has 8 x 8 px; its sides must be 32 to 4096 px"),
    "a picture under a path": (
        "counting",
        _set(0, image={"bytes": png(77), "path": "/data/x.png"}),
        "image.path must be a bare file name",
    ),
    "no prompt": ("counting", _set(0, prompt=""), "prompt is empty"),
    "no certificate": ("counting", _set(0, certified_by=""), "certified_by is empty"),
    "a local path in a row": ("counting", _set(0, certified_by="/home/ada/certify.py"), "certified_by holds a local"),
    "an answer in words": ("counting", _set(0, answer="three"), "cannot be scored|scores 0.0"),
    "an answer that is not the count": ("counting", _set(0, answer="4"), "answer, count and extrema differ: '4', 3, 3"),
    "an extremum outside": ("counting", _shift(0, "x", 4.5), "extrema must lie in .*got x = 4.5"),
    "an extremum at the frame": ("counting", _shift(0, "y", 3.95), "extrema must lie in .*got y = 3.95"),
    "an extremum twice": (
        "counting",
        lambda rows: rows[0]["extrema"][1].update(rows[0]["extrema"][0]),
        "stand at the same place",
    ),
    "an unknown feature": ("counting", _set(0, feature="saddles"), "feature must be one of"),
    "a contour plot with a colour map": ("counting", _set(8, colormap="viridis"), "one of the nine styles"),
    "a heat map without one": ("counting", _set(0, colormap=""), "one of the nine styles"),
    "a question that lacks a style": ("counting", lambda rows: rows.pop(2), "maxima of gaussian_mixture .* has 8 rows"),
    "a question with a style twice": ("counting", _set(1, colormap="viridis"), "has 9 rows in 8 styles"),
    "another answer in another style": (
        "counting",
        _set(1, answer="2", count=2, extrema=[{"x": 0.0, "y": 0.0, "z": 1.0}, {"x": 1.0, "y": 1.0, "z": 1.0}]),
        "the same question has the answer 3 in another style, here 2",
    ),
    "a count outside all bins": (
        "counting",
        _set(0, answer="11", count=11, extrema=[{"x": 0.2 * i, "y": 0.0, "z": 1.0} for i in range(11)]),
        "none of the recipe's count_bins",
    ),
    "too few questions of a bin": (
        "counting",
        lambda rows: rows.__delitem__(slice(9, 18)),
        "promises 1 questions with 6 to 10 features, found 0",
    ),
    "an empty window": ("counting", _set(0, x_min=9.0), "the window is empty"),
    "a tier that does not exist": ("counting", _set(0, tier=6), "tier must be 1 to 5"),
    "parameters that are no object": ("counting", _set(0, parameters="[1]"), "must be a JSON object of numbers"),
    "parameters that are not JSON": ("counting", _set(0, parameters="{"), "must be a JSON object of numbers"),
    "the wrong option": ("transformation", _set(0, answer="2"), "answer must be 1, where rotate_90_clockwise stands"),
    "an option twice": ("transformation", _set(0, options=["rotate_180"] * 5), "options must be .* each once"),
    "an unknown transformation": ("transformation", _set(0, transformation="shear"), "transformation must be one of"),
    "a rotation that shifts": ("transformation", _set(0, offset=1.0), "a rotation has offset 0, got 1.0"),
    "a shift by nothing": ("transformation", _set(4, offset=0.0), "offset must be 8% to 25%"),
    "a shift too far": ("transformation", _set(4, offset=-2.1), r"offset must be 8% to 25% .* -2.1 \(26.2%\)"),
    "styles that are not the same": ("transformation", _set(1, same_style=True), "same_style is True, but"),
    "an unknown style": ("transformation", _set(0, plot_type_b="surface"), "plot_type_b and colormap_b must be one of"),
    "no visible change": (
        "transformation",
        _set(0, nrmse_identity=0.05, nrmse_confusable=0.05),
        "nrmse_identity must be at least 0.07",
    ),
    "a wrong option that fits": ("transformation", _set(0, nrmse_confusable=0.06), "nrmse_confusable must be at least"),
    "figures that contradict": ("transformation", _set(0, nrmse_confusable=0.4), "and so at most nrmse_identity"),
    "a pair without its other styles": (
        "transformation",
        lambda rows: rows.pop(1),
        "each pair of plots must appear in 2 styles",
    ),
    "too few of a transformation": (
        "transformation",
        lambda rows: rows.__delitem__(slice(6, 8)),
        "promises 1 rows of translate_y with the same style .section 3.3., found 0",
    ),
    "too few pairs": (
        "transformation",
        lambda rows: rows.__delitem__(slice(6, 8)),
        "promises 4 pairs of plots, found 3",
    ),
}


@pytest.mark.parametrize("name", list(ROW_DAMAGES))
def test_damaged_rows(name: str, folder: Path) -> None:
    config, edit, wanted = ROW_DAMAGES[name]
    edit_rows(folder, config, edit)
    found = said(verify(folder))
    assert re.search(wanted, found)
    assert "SHA-256" not in found  # the files themselves are sound: the row is what was found


def test_rewriting_rows_unchanged_does_no_damage(folder: Path) -> None:
    """Without this, the tests of damaged rows could pass because of how they damage."""
    edit_rows(folder, "counting", lambda rows: None)
    edit_rows(folder, "transformation", lambda rows: None)
    assert said(verify(folder)) == ""


def test_a_fault_of_every_row_is_listed_a_few_times_only(folder: Path) -> None:
    edit_rows(folder, "counting", _all(tier=9, answer="0", prompt=""))
    lines = [line for line in said(verify(folder)).splitlines() if line.startswith("data/counting")]
    assert len(lines) < 50
    assert any("more problems in its rows" in line for line in lines)


def test_quotas_hold_at_full_scale_only(folder: Path) -> None:
    edit_rows(folder, "counting", lambda rows: rows.__delitem__(slice(9, 18)))
    edit_rows(folder, "transformation", lambda rows: rows.__delitem__(slice(6, 8)))
    assert "promises" in said(verify(folder))
    edit_manifest(folder, lambda m: m["recipe"].update(scale=0.5))
    assert "promises" not in said(verify(folder))


def test_every_answer_is_scored(folder: Path) -> None:
    asked: list[str] = []

    def score(config: str, row: Any) -> float:
        asked.append(f"{config} {row['id']}")
        return 0.5 if row["id"] == "t31" else 1.0

    found = verify(folder, score=score)
    assert len(set(asked)) == 26
    assert [str(p).split("; ")[0] for p in found] == [
        "data/transformation/test-00000-of-00001.parquet: row 7 (t31): its own answer scores 0.5, not 1.0"
    ]


def test_a_scorer_that_fails_is_a_problem_of_the_row(folder: Path) -> None:
    def score(config: str, row: Any) -> float:
        raise ValueError("no such answer")

    assert "its answer cannot be scored: no such answer" in said(verify(folder, score=score))


def test_a_suite_without_protocol_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evals, "SUITES", ())
    assert "evals: cannot score the answers" in said(verify(folder))


# --- never a traceback


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "directory"])
def test_no_damage_of_any_file_is_a_traceback(damage: str, good: Path, tmp_path: Path) -> None:
    names = [p.relative_to(good).as_posix() for p in sorted(good.rglob("*")) if p.is_file() and p.suffix != ".png"]
    assert len(names) == 7
    for number, name in enumerate(names):
        folder = Path(shutil.copytree(good, tmp_path / str(number)))
        path = folder / name
        content = path.read_bytes()
        path.unlink()
        if damage == "directory":
            path.mkdir()
        elif damage == "noise":
            path.write_bytes(bytes((b * 7 + i) % 256 for i, b in enumerate(content[:5000])))
        else:
            path.write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
        assert verify(folder), f"{damage} {name} went unnoticed"


@pytest.mark.parametrize("path", ["missing", "file"])
def test_a_place_that_is_no_folder(path: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (problem,) = verify(tmp_path / path)
    assert "is not a folder" in str(problem)


def test_an_empty_folder_lacks_everything(tmp_path: Path) -> None:
    assert [problem.where for problem in verify(tmp_path)] == [
        "README.md", "croissant.json", "manifest.json", "data", "report",
    ]  # fmt: skip


# --- pictures


def test_every_flipped_byte_of_a_picture_is_found() -> None:
    content = png(5, 40, 40)
    for place in range(0, len(content), 7):
        damaged = bytes(b ^ (i == place) * 0x10 for i, b in enumerate(content))
        assert picture_fault(damaged), f"byte {place}"
    assert picture_fault(content) == ""


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_pictures_of_other_writers_are_sound_too(mode: str) -> None:
    """Pillow filters its rows and packs its bits; the check must not be about our own writer."""
    stream = io.BytesIO()
    Image.effect_mandelbrot((50, 40), (-2, -1, 1, 1), 50).convert(mode).save(stream, "PNG")
    assert picture_fault(stream.getvalue()) == ""
    assert picture_fault(stream.getvalue()[:-30]) != ""


def test_a_pixel_outside_the_palette_is_found() -> None:
    image = IndexedImage(np.full((40, 40), 9, np.uint8), np.zeros((4, 3), np.uint8))
    assert "has index 9 in a palette of 4 colours" in picture_fault(encode(image))


def test_the_sample_is_what_its_recipe_promises() -> None:
    assert RECIPE["transformation"]["pairs"] == 4
    assert sum(RECIPE["counting"]["questions"]) == 2


def test_verifying_the_sample_is_quick(good: Path) -> None:
    verify(good)
    start = time.process_time()
    verify(good)
    assert time.process_time() - start < 2
