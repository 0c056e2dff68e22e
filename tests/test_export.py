"""What a written dataset folder must be: its bytes, its columns, and what real readers make of it."""

import dataclasses
import errno
import hashlib
import html.parser
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import mlcroissant
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import metadata_load
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_folder import (
    FUNNEL,
    RECIPE,
    any_row,
    counting_rows,
    png,
    tables,
    transformation_rows,
    write_sample,
)

from export import croissant, manifest
from export.atomic import ExportError, Staging
from export.dataset import write_dataset
from export.funnel_view import share, stages
from export.parquet import _groups, row_table, write_split
from export.rejects import RejectExample
from export.schema import COLUMNS, schema_of
from export.survey import survey
from export.texts import text_of
from export.texts.marvl_qa import TEXT
from export.verify_documents import RESPONSIBLE_AI, mlcroissant_says

COUNTING = schema_of("marvl_qa", "counting")
ROWS = {"counting": list(counting_rows()), "transformation": list(transformation_rows())}

#: The dataset contract, config by config; common columns first. Only additions are allowed.
COMMON = (
    "id:string image:struct<bytes: binary, path: string> system_prompt:string prompt:string answer:string seed:uint64 "
    "certified_by:string"
)
SURFACE = (
    "family:string tier:int8 parameters:string expression:string x_min:double x_max:double y_min:double y_max:double"
)
TRAVERSAL = (
    "points:list<list<double>> markers:list<string> n_points:int16 tortuosity:double self_intersections:int16 "
    "tortuosity_bin:int8 self_intersection_bin:int8 crossings:list<struct<x: double, y: double, first_segment: int16, "
    "second_segment: int16>> generator_family:string view:int16 glyph_radius:double glyph_pad:double"
)
CURVES = (
    "category:string num_nodes:int32 parents:list<int32> depth:int32 canonical:string curves:list<list<list<double>>>"
)
CONTRACT = {
    (
        "marvl_qa",
        "counting",
    ): f"{SURFACE} feature:string count:int32 extrema:list<struct<x: double, y: double, z: double>> "
    "plot_type:string colormap:string",
    ("marvl_qa", "transformation"): f"{SURFACE} transformation:string offset:double options:list<string> "
    "plot_type_a:string colormap_a:string plot_type_b:string colormap_b:string same_style:bool nrmse_identity:double "
    "nrmse_confusable:double",
    ("traversal", "base"): TRAVERSAL,
    ("traversal", "confounded"): f"{TRAVERSAL} source_id:string condition:string confounders:list<list<list<double>>>",
    ("traversal", "reading_order"): f"{TRAVERSAL} regime:string lanes:int8",
    **{("curves", config): CURVES for config in ("easy", "polygon", "topographical", "maze", "counting")},
    ("geogram", "geogram"): "problem:string code:string language:string givens:string level:string "
    "answer_value:double answer_latex:string origin:string template:string",
}


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def plain(value: Any) -> Any:
    """A record of mlcroissant as plain values: names without their record set, text as str."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {key.rsplit("/", 1)[-1]: plain(part) for key, part in value.items()}
    return value


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("export") / "1.0.0")


# --- columns


@pytest.mark.parametrize("suite, config", list(CONTRACT))
def test_no_promised_column_is_renamed_or_retyped(suite: str, config: str) -> None:
    found = [
        f"{field.name}:{field.type}".replace("element: ", "").replace("item: ", "")
        for field in schema_of(suite, config).arrow
    ]
    assert " ".join(found) == f"{COMMON} {CONTRACT[suite, config]}"


def test_every_config_of_the_table_is_in_the_contract() -> None:
    assert {(suite, config) for suite, configs in COLUMNS.items() for config in configs} == set(CONTRACT)


def test_an_unknown_config_names_those_that_exist() -> None:
    with pytest.raises(LookupError, match=r"no marvl_qa/counts; it has: marvl_qa/counting"):
        schema_of("marvl_qa", "counts")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"colour": "red"}, "differs in: colour"),
        ({"count": "three"}, r"counting.count must be int32"),
        ({"seed": -1}, r"counting.seed must be uint64"),
        ({"tier": 400}, r"counting.tier must be int8"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ExportError, match=message):
        row_table([ROWS["counting"][0] | change], COUNTING)


def test_a_missing_column_is_not_filled_with_nulls() -> None:
    row = {name: value for name, value in ROWS["counting"][0].items() if name != "extrema"}
    with pytest.raises(ExportError, match="differs in: extrema"):
        row_table([row], COUNTING)


# --- Parquet


@pytest.fixture(scope="module")
def many() -> pa.Table:
    noise = np.random.default_rng(0)  # as large as real pictures: more than one page a row group
    rows = [ROWS["counting"][i % 18] | {"id": f"row-{i:04d}", "image": noise.bytes(20_000 + i)} for i in range(330)]
    return row_table(rows, COUNTING)


@pytest.fixture(scope="module")
def whole(many: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("whole")
    write_split(folder, "counting", "test", [many], COUNTING, 250)
    return digests(folder)


@given(cuts=st.lists(st.integers(0, 330), max_size=12), nested=st.booleans(), masked=st.booleans())
@settings(max_examples=12, deadline=None)
def test_bytes_do_not_depend_on_how_rows_arrive(
    cuts: list[int],
    nested: bool,
    masked: bool,
    many: pa.Table,
    whole: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    ends = [0, *sorted(cuts), 330]
    pieces = [many.slice(start, end - start) for start, end in itertools.pairwise(ends)]
    if masked:
        pieces = [piece.filter(pa.array([True] * piece.num_rows, pa.bool_())) for piece in pieces]
    if nested:
        pieces = [pa.concat_tables(pieces)]
    folder = tmp_path_factory.mktemp("cut")
    write_split(folder, "counting", "test", pieces, COUNTING, 250)
    assert digests(folder) == whole


def test_a_row_group_is_one_chunk(many: pa.Table) -> None:
    """Content-defined chunking hides the chunks from the writer in pyarrow 26; without it their bounds show."""
    pieces = [many.slice(start, 7) for start in range(0, 330, 7)]
    groups = [group for _, group in _groups(pieces, COUNTING, 250)]
    assert [group.num_rows for group in groups] == [100, 100, 50, 80]
    assert all(column.num_chunks == 1 for group in groups for column in group.columns)


def test_layout_of_the_files(many: pa.Table, tmp_path: Path) -> None:
    records = write_split(tmp_path, "counting", "test", [many], COUNTING, 250)
    assert [record.path for record in records] == [
        "data/counting/test-00000-of-00002.parquet",
        "data/counting/test-00001-of-00002.parquet",
    ]
    assert [record.rows for record in records] == [250, 80]
    assert sorted(digests(tmp_path)) == [record.path for record in records]  # no temporary file is left
    for record in records:
        assert record.sha256 == digests(tmp_path)[record.path]
        assert record.bytes == (tmp_path / record.path).stat().st_size
    footer = pq.ParquetFile(tmp_path / records[0].path).metadata
    assert [footer.row_group(i).num_rows for i in range(footer.num_row_groups)] == [100, 100, 50]
    column = footer.row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert column.has_offset_index
    assert pa.concat_tables(pq.read_table(tmp_path / r.path) for r in records).equals(many)


def test_a_split_without_rows_still_loads(tmp_path: Path) -> None:
    (record,) = write_split(tmp_path, "counting", "test", [], COUNTING, 100)
    assert (record.path, record.rows) == ("data/counting/test-00000-of-00001.parquet", 0)
    assert pq.read_table(tmp_path / record.path).schema.equals(COUNTING.arrow)


def test_foreign_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="has the columns"):
        write_split(tmp_path, "counting", "test", [pa.table({"id": ["a"]})], COUNTING, 100)


def test_writing_does_not_gather_all_rows_in_memory(tmp_path: Path) -> None:
    """Thirty tables of 5 MB each; an accumulating writer would hold 150 MB at the end."""
    held: list[int] = []
    before = pa.total_allocated_bytes()

    def stream() -> Any:
        for part in range(30):
            held.append(pa.total_allocated_bytes() - before)
            rows = [ROWS["counting"][0] | {"id": f"{part}-{i}", "image": os.urandom(100_000)} for i in range(50)]
            yield row_table(rows, COUNTING)

    write_split(tmp_path, "counting", "test", stream(), COUNTING, 100_000)
    assert max(held) < 40e6


# --- the folder as a whole


def test_every_file_is_the_same_in_another_process_and_other_chunks(sample: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "x")
    code = f"from pathlib import Path; from sample_folder import write_sample; write_sample(Path({target!r}), 7)"
    root = Path(__file__).parent
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": f"{root}{os.pathsep}{root.parent}"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert digests(tmp_path / "x") == digests(sample)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", ["counting", "transformation"])
def test_datasets_loads_the_folder_with_real_pictures(
    sample: Path, tmp_path: Path, config: str, streaming: bool
) -> None:
    loaded = datasets.load_dataset(str(sample), config, split="test", streaming=streaming, cache_dir=str(tmp_path))
    rows = list(loaded)
    assert len(rows) == len(ROWS[config])
    for row, wanted in zip(rows, ROWS[config], strict=True):
        assert row["image"].format == "PNG"
        assert row["image"].size == (96, 64)
        assert {k: v for k, v in row.items() if k != "image"} == {k: v for k, v in wanted.items() if k != "image"}


@pytest.mark.parametrize("config", ["counting", "transformation"])
def test_mlcroissant_loads_every_record_and_picture(sample: Path, config: str) -> None:
    records = list(mlcroissant.Dataset(jsonld=sample / "croissant.json").records(config))
    assert len(records) == len(ROWS[config])
    for record, wanted in zip(records, ROWS[config], strict=True):
        found = plain(record)
        picture = found.pop("image")
        picture.load()
        assert picture.size == (96, 64)
        assert found == {k: v for k, v in wanted.items() if k != "image"}


def test_mlcroissant_has_nothing_to_say(sample: Path) -> None:
    assert mlcroissant_says(sample / "croissant.json") == []
    document = json.loads((sample / "croissant.json").read_bytes())
    assert set(RESPONSIBLE_AI) <= set(document)
    assert document["datePublished"] == RECIPE["release_date"]


@pytest.mark.parametrize("suite", list(COLUMNS))
def test_the_columns_of_every_suite_survive_croissant_and_datasets(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suites whose prose is not written yet borrow that of MaRVL-QA: nested lists are what may go wrong here."""
    borrowed = dataclasses.replace(TEXT, configs=dict.fromkeys(COLUMNS[suite], TEXT.configs["counting"]))
    monkeypatch.setattr(croissant, "text_of", lambda _: borrowed)
    splits = ("train", "validation", "test") if suite == "curves" else ("test",)
    files, rows = {}, {}
    for config in COLUMNS[suite]:
        schema = schema_of(suite, config)
        rows[config] = [any_row(schema, i) for i in range(3)]
        files[config] = {
            split: write_split(tmp_path, config, split, tables(rows[config], schema, 2), schema, 2) for split in splits
        }
    document = manifest.build(
        recipe=RECIPE | {"suite": suite},
        dataset="trial",
        version="1.0.0",
        seed=0,
        code_digest="0" * 64,
        libraries={},
        files=files,
        funnel={},
    )
    (tmp_path / "croissant.json").write_bytes(manifest.canonical_json(croissant.build(document)))
    assert mlcroissant_says(tmp_path / "croissant.json") == []
    config = next(reversed(COLUMNS[suite]))
    wanted = [{k: v for k, v in row.items() if k != "image"} for row in rows[config]]
    found = [plain(r) for r in mlcroissant.Dataset(jsonld=tmp_path / "croissant.json").records(config)]
    assert len(found) == 3 * len(splits)
    for record in found:
        record.pop("image").load()
    if len(splits) > 1:
        assert {record.pop("split") for record in found} == set(splits)
    assert [record for record in found if record in wanted] == found
    loaded = datasets.load_dataset(
        "parquet",
        data_files=[str(tmp_path / record.path) for record in files[config]["test"]],
        split="train",
        cache_dir=str(tmp_path / "cache"),
    )
    assert [{k: v for k, v in row.items() if k != "image"} for row in loaded] == wanted
    assert loaded[0]["image"].size == (96, 64)


def test_geogram_may_have_no_number_for_an_answer(tmp_path: Path) -> None:
    schema = schema_of("geogram", "geogram")
    row = any_row(schema, 1) | {"answer_value": None}
    (record,) = write_split(tmp_path, "geogram", "test", [row_table([row], schema)], schema, 10)
    assert pq.read_table(tmp_path / record.path)["answer_value"].to_pylist() == [None]


def test_manifest_has_the_promised_keys(sample: Path) -> None:
    document = json.loads((sample / "manifest.json").read_bytes())
    assert set(document) == {
        "dataset", "version", "recipe", "seed", "code", "libraries", "files", "configs", "funnel",
    }  # fmt: skip
    assert document["configs"] == {"counting": {"test": 18}, "transformation": {"test": 8}}
    assert document["recipe"] == RECIPE
    assert document["funnel"] == FUNNEL
    assert {"numpy", "pyarrow", "deflate", "matplotlib"} <= set(document["libraries"])


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes"])
def test_json_that_would_differ_from_reader_to_reader_is_refused(value: Any) -> None:
    with pytest.raises(ExportError, match="cannot be written as JSON"):
        manifest.canonical_json({"recipe": value})


def test_a_library_that_is_missing_is_named() -> None:
    with pytest.raises(ExportError, match="no-such-package decides bytes"):
        manifest.library_versions(["no-such-package"])


def test_a_suite_without_prose_says_which_file_to_write() -> None:
    with pytest.raises(ExportError, match=r"export/texts has no mazes.py"):
        text_of("mazes")


# --- card and report


def test_the_card_tells_the_hub_where_each_split_is(sample: Path) -> None:
    front = metadata_load(sample / "README.md")
    assert front["license"] == "cc-by-4.0"
    assert front["size_categories"] == ["n<1K"]
    assert front["configs"] == [
        {"config_name": config, "data_files": [{"split": "test", "path": f"data/{config}/test-*.parquet"}]}
        for config in ("counting", "transformation")
    ]


def test_the_card_shows_what_a_reader_needs(sample: Path) -> None:
    card = (sample / "README.md").read_text()
    assert "| prominence |  | 6 | 3 | 3 (50.0%) | too weak: 2, too near the frame: 1 |" in card
    assert "| contour | 3 | 1 (33.3%) |" in card
    assert ROWS["counting"][0]["prompt"] in card
    assert ROWS["transformation"][0]["system_prompt"] in card
    assert all(f"| `{column.name}` |" in card for column in COUNTING.columns)
    assert TEXT.citation in card
    assert "**26 rows** in 2 configs" in card


class _Nesting(html.parser.HTMLParser):
    """Fails on a tag that is closed out of order."""

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


def test_the_report_is_well_formed_and_runs_no_script(sample: Path) -> None:
    page = _Nesting()
    page.feed((sample / "report" / "index.html").read_text())
    assert page.open == []
    assert "script" not in page.seen
    assert page.seen.count("svg") == 7
    assert page.seen.count("img") == 18 + 4 + 1  # strata of counting, of transformation, one rejected picture


def test_hostile_text_is_shown_and_not_run(tmp_path: Path) -> None:
    tmp_path.joinpath("x").mkdir()
    nasty = "<script>alert('x')</script>"
    rows = [ROWS["counting"][0] | {"prompt": nasty, "family": nasty}]
    example = RejectExample(
        config="counting", stratum=nasty, check="certify", reason=nasty, measured=0.0, limit=0.0, picture=b""
    )
    write_dataset(
        tmp_path / "x",
        recipe=RECIPE,
        dataset="d",
        version="1.0.0",
        seed=0,
        code_digest="0" * 64,
        configs={"counting": {"test": [row_table(rows, COUNTING)]}},
        funnel=FUNNEL,
        rejects=[example],
    )
    page = (tmp_path / "x" / "report" / "index.html").read_text()
    assert nasty not in page
    assert page.count("&lt;script&gt;") >= 3


def test_few_pictures_still_cover_both_axes(sample: Path) -> None:
    found = survey(
        sample,
        sorted(p.relative_to(sample).as_posix() for p in sample.glob("data/counting/*")),
        TEXT.configs["counting"],
    )
    strata = [stratum for stratum, _ in found.places(9)]
    assert len({row for row, _ in strata}) == 2
    assert len({column for _, column in strata}) >= 5
    assert found.coverage.total() == found.rows == 18


def test_the_gallery_keeps_to_its_budget(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("export.report.MAX_BYTES", 30_000)
    write_sample(tmp_path / "x")
    sizes = [path.stat().st_size for path in (tmp_path / "x" / "report" / "gallery").rglob("*.png")]
    assert 0 < sum(sizes) <= 30_000


def test_a_small_share_is_not_rounded_to_nothing() -> None:
    assert [share(1, 10_000), share(9_999, 10_000), share(0, 5), share(5, 5), share(0, 0)] == [
        "<0.1%", ">99.9%", "0.0%", "100.0%", "–",
    ]  # fmt: skip


def test_the_funnel_runs_in_the_order_of_the_checks_and_not_of_the_alphabet() -> None:
    entry = {"seen": 1, "kept": 1, "rejected": {}, "strata": {}}
    found = stages(dict.fromkeys(("certify", "another", "distinct", "curation"), entry), TEXT.checks)
    assert [stage.check for stage in found] == ["curation", "certify", "distinct", "another"]


def test_eighty_one_pairs_of_styles_are_told_by_plot_type() -> None:
    styles = [f"{a}{i} and contour" for i in range(9) for a in ("heatmap/m", "heatmap-contour/m")]
    strata = {f"style={style}": {"seen": 2, "kept": 1, "rejected": 1} for style in styles}
    entry = {"seen": 36, "kept": 18, "rejected": {"r": 18}, "strata": strata}
    (stage,) = stages({"certify": entry}, TEXT.checks)
    assert stage.styles == (("contour and heatmap", 18, 9), ("contour and heatmap-contour", 18, 9))


# --- whole or not at all


def test_nothing_appears_before_commit(tmp_path: Path) -> None:
    final = tmp_path / "d" / "1.0.0"
    with Staging(final) as staging:
        (staging.path / "file").write_text("content")
        assert not final.exists()
        assert staging.path.parent == final.parent  # a rename across file systems is not atomic
        assert staging.commit() == final
    assert (final / "file").read_text() == "content"
    assert [path.name for path in final.parent.iterdir()] == ["1.0.0"]


@pytest.mark.parametrize("empty", [True, False])
def test_an_existing_version_is_never_replaced(tmp_path: Path, empty: bool) -> None:
    final = tmp_path / "1.0.0"
    with pytest.raises(ExportError, match="never overwritten"), Staging(final) as staging:
        final.mkdir()  # appears while the build runs; rename alone would replace it if it is empty
        if not empty:
            (final / "precious").touch()
        staging.commit()
    assert final.is_dir()
    with pytest.raises(ExportError, match="give another version"), Staging(final):
        pytest.fail("a version that exists must stop the build at once")
    assert [path.name for path in tmp_path.iterdir()] == ["1.0.0"]


@pytest.mark.parametrize(
    "error, message",
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on the disk; free some"),
        (OSError("[Errno 28] Error writing bytes to file"), "no space left on the disk; free some"),
        (PermissionError(errno.EACCES, "Permission denied"), "no right to write there"),
        (OSError(errno.EIO, "Input/output error"), "cannot be written: .*Input/output"),
    ],
)
def test_a_full_disk_leaves_no_half_folder(tmp_path: Path, error: OSError, message: str) -> None:
    with pytest.raises(ExportError, match=message), Staging(tmp_path / "1.0.0") as staging:
        (staging.path / "half").touch()
        raise error
    assert list(tmp_path.iterdir()) == []


def test_a_file_too_large_for_the_system_stops_arrow_with_a_clear_error(tmp_path: Path) -> None:
    """A real failed write inside Arrow, as a full disk gives: the limit on the size of a file."""
    code = f"""
import resource, signal, sys
from pathlib import Path
from sample_folder import write_sample
from export.atomic import ExportError, Staging
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    with Staging(Path({str(tmp_path / "1.0.0")!r})) as staging:
        staging.path.rmdir()
        write_sample(staging.path)
except ExportError as error:
    sys.exit(f"clear: {{error}}")
"""
    root = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root.parent}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("clear: ")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_nothing_and_passes_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Staging(tmp_path / "1.0.0") as staging:
        (staging.path / "half").touch()
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_does_not_get_in(tmp_path: Path) -> None:
    stale = tmp_path / ".1.0.0.staging"
    stale.mkdir()
    (stale / "old").touch()
    with Staging(tmp_path / "1.0.0") as staging:
        staging.commit()
    assert list((tmp_path / "1.0.0").iterdir()) == []


def test_a_parent_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "d").touch()
    with pytest.raises(ExportError, match="cannot be written"), Staging(tmp_path / "d" / "1.0.0"):
        pytest.fail("the folder cannot have been made")


def test_pictures_of_the_sample_differ() -> None:
    assert len({png(i) for i in range(48)}) == 48
