"""Measures of each row: the ladder of sizes, readers of shrunk pictures, files that resume, and who uses them."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from small_datasets import Small

from planimeter.evals.probes import tables
from planimeter.export import measures
from planimeter.export.hub.card import Addition
from planimeter.export.manifest import Manifest
from planimeter.export.verify.folder import verify_measures
from planimeter.filters.certify.marvl_qa.shrunk import read_count
from planimeter.filters.certify.png import decoded, greys, indexed
from planimeter.filters.certify.readable import LADDER, REDUCTIONS, readable_at, shown_at, size_at
from planimeter.flows.commands.probe import measure_folder
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.items import LEVELS, STYLES
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import render_panel
from planimeter.rendering.png import encode


def stripes(period: int) -> bytes:
    """Return black and white lines, one of each in ``period`` px."""
    row = np.where(np.arange(320) % period < period // 2, 0, 255).astype(np.uint8)
    return cv2.imencode(".png", np.tile(row, (240, 1)))[1].tobytes()


def test_a_picture_that_claims_more_pixels_than_any_is_none() -> None:
    png = stripes(8)
    huge = png[:16] + (100_000).to_bytes(4, "big") * 2 + png[24:]
    assert decoded(png) is not None and decoded(huge) is None and greys(huge) is None and indexed(huge) is None
    with pytest.raises(ValueError, match="need the bytes of a picture"):
        readable_at(huge, "1", contrast)


def contrast(picture: np.ndarray, share: float, reduction: str) -> list[str]:
    """Say "lines" where the picture still goes from dark to light; lines that are averaged away are grey."""
    return ["lines" if shown_at(picture, share, reduction)[:, 20:-20].std() > 40 else "grey"]


def test_the_smallest_size_is_the_one_that_a_walk_down_the_ladder_finds() -> None:
    sizes = []
    for period in (2, 4, 6, 8, 12, 16, 24, 40):
        picture = np.asarray(cv2.imdecode(np.frombuffer(stripes(period), np.uint8), cv2.IMREAD_COLOR), np.uint8)
        walked = 320
        for share in LADDER[1:]:
            if any(contrast(picture, share, reduction) != ["lines"] for reduction in REDUCTIONS):
                break
            walked = size_at(picture, share)[0]
        sizes.append(readable_at(stripes(period), "lines", contrast))
        assert sizes[-1] == walked, period
    assert sizes == sorted(sizes, reverse=True), "wider lines are readable in smaller pictures"
    assert (sizes[0], sizes[-1]) == (320, 40)


def test_the_worse_of_both_reductions_counts() -> None:
    for lost in ("area", "bicubic"):
        for share, size in ((2.0, 320), (0.4, 160)):
            read = lambda *how: ["no" if how[2] == lost and how[1] < share else "yes"]  # noqa: B023, E731
            assert readable_at(stripes(40), "yes", read) == size
    assert readable_at(stripes(8), "yes", lambda *_: iter([None, "no", "yes"])) == 40
    with pytest.raises(ValueError, match="need the bytes of a picture, got 4 bytes"):
        readable_at(b"none", "1", contrast)


@pytest.mark.parametrize("style", [STYLES[0], pytest.param(STYLES[4], marks=pytest.mark.slow)], ids=str)
def test_two_wide_bumps_are_counted_in_a_small_picture(style) -> None:
    mixture = family("gaussian_mixture")
    two = {"n": 2.0, "x1": -2.0, "y1": 1.0, "u1": 1.2, "v1": 1.0, "a1": 1.0}
    surface = mixture.surface(two | {"x2": 1.5, "y2": -1.5, "u2": 1.0, "v2": 1.4, "a2": 0.8})
    grid = sample(mixture, surface.parameters, surface.domain, RENDER_POINTS)
    png = encode(render_panel(grid, surface.domain, scale_of_heights(grid), style))
    assert readable_at(png, "2", lambda *how: read_count(*how, "maxima")) <= 120
    assert readable_at(png, "3", lambda *how: read_count(*how, "maxima")) == 640


@pytest.fixture(scope="module")
def given(small: Callable[[str], Small], tmp_path_factory: pytest.TempPathFactory) -> Small:
    """A small dataset in a folder of its own, as measures are written beside it."""
    folder = tmp_path_factory.mktemp("traversal") / "1.0.0"
    rows = small("traversal")
    return replace(rows, folder=shutil.copytree(rows.folder, folder, ignore=shutil.ignore_patterns("rows")))


@pytest.fixture(scope="module")
def measured(given: Small) -> Path:
    return measure_folder(given.folder, 1)


def bytes_of(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*.parquet")}


def test_every_row_has_its_measures_and_the_dataset_stays_as_it_was(given: Small, measured: Path) -> None:
    assert measured == measures.beside(given.folder) / "measures"
    loaded = measures.load(given.folder, Manifest.read(given.folder))
    for config, rows in given.rows.items():
        assert list(loaded[config].index) == [row["id"] for row in rows]
        assert loaded[config]["readable_at"].between(84, 336).all() and loaded[config]["solved"].between(0, 1).all()
    schema = pq.read_schema(next(measured.rglob("*.parquet")))
    assert [str(schema.field(name).type) for name in ("id", "readable_at")] == ["string", "int32"]
    assert sorted(path.name for path in given.folder.iterdir()) == ["data", "manifest.json"]


def test_a_run_that_is_stopped_goes_on_behind_the_last_whole_file(given: Small, measured: Path, monkeypatch) -> None:
    whole = bytes_of(measured)
    shutil.rmtree(measured)
    write, kept = measures.write, []

    def stopped(home, record, *rest) -> None:
        if kept:
            raise KeyboardInterrupt
        kept.append(record.path)
        write(home, record, *rest)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(measures, "write", stopped)
        measure_folder(given.folder, 1)
    (first,) = measured.rglob("*.parquet")
    before = first.stat().st_mtime_ns
    assert measures.measured(given.folder, Manifest.read(given.folder)) == {}
    assert bytes_of(measure_folder(given.folder, 1)) == whole
    assert first.stat().st_mtime_ns == before


def test_a_published_folder_is_held_to_its_measures(given: Small, measured: Path, tmp_path: Path) -> None:
    folder = tmp_path / "2.0.0"
    shutil.copytree(given.folder, folder)
    shutil.copytree(measured, folder / "measures")
    manifest = Manifest.read(folder)
    assert list(verify_measures(folder, manifest)) == []
    assert measures.home_of(folder) == folder
    first, *_, last = (folder / measures.path_of(record) for record in manifest.files)
    last.unlink()
    pq.write_table(pq.read_table(first)[::-1], first)
    faults = [problem.what for problem in verify_measures(folder, manifest)]
    assert "is missing" in faults and any("does not have the rows of" in fault for fault in faults)


def test_a_card_lists_the_configs_of_measures_once_and_no_others() -> None:
    card = "---\nlicense: x\nconfigs:\n- config_name: base\n  data_files:\n  - split: test\n    path: d\n---\n\n# T\n"
    added = Addition(files={"measures/base/test-00000-of-00001.parquet": b"", "probes.json": b""})
    listed = "- config_name: base_measures\n  data_files:\n  - split: test\n    path: measures/base/test-*.parquet\n"
    assert listed in added.in_card(card) == added.in_card(added.in_card(card))
    assert Addition().in_card(added.in_card(card)) == card


def test_sizes_are_listed_by_config_and_bins_by_whether_they_are_harder(given: Small, measured: Path) -> None:
    (table,) = tables.sizes(measures.measured(given.folder, Manifest.read(given.folder)), given.suite)
    assert table.frame.groupby("config")["rows"].sum().to_dict() == {k: len(rows) for k, rows in given.rows.items()}
    steps = pd.DataFrame([("n", str(n), 10, 1 / n) for n in (2, 3, 10)], columns=["stratum", "value", "rows", "solved"])
    assert tables.in_words("n", steps).startswith("`n`: higher bins are harder")
    assert tables.in_words("n", steps[::-1]).startswith("`n`: higher bins are easier")
    levels = pd.DataFrame({"stratum": "level", "value": sorted(LEVELS), "rows": 10, "solved": 0.1})
    ordered = [axis["value"].tolist() for _, axis in tables.ordered(pd.concat([steps, levels]))]
    assert ordered == [["2", "3", "10"], list(LEVELS)]
