"""Shrunk pictures: which answers are still read from them, and what `verify --certify --at N` prints."""

from collections.abc import Callable
from pathlib import Path

import command_line
import cv2
import numpy as np
import pytest
from small_datasets import Small, whole

from planimeter.evals.probes.shrunk import look_of, readable
from planimeter.export.manifest import Manifest
from planimeter.filters.certify.marvl_qa import shrunk
from planimeter.filters.certify.marvl_qa.shrunk import read_count
from planimeter.filters.certify.png import decoded, greys, indexed
from planimeter.filters.certify.readable import REDUCTIONS, is_readable_at, shown_at
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.items import STYLES
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import render_panel
from planimeter.rendering.png import encode


def stripes(period: int) -> bytes:
    """Return black and white lines, one of each in ``period`` px."""
    row = np.where(np.arange(320) % period < period // 2, 0, 255).astype(np.uint8)
    return cv2.imencode(".png", np.tile(row, (240, 1)))[1].tobytes()


def contrast(picture: np.ndarray, share: float, reduction: str) -> list[str]:
    """Say "lines" where the picture still goes from dark to light; lines that are averaged away are grey."""
    return ["lines" if shown_at(picture, share, reduction)[:, 20:-20].std() > 40 else "grey"]


def test_a_png_that_claims_too_many_pixels_is_refused() -> None:
    png = stripes(8)
    huge = png[:16] + (100_000).to_bytes(4, "big") * 2 + png[24:]
    assert decoded(png) is not None and decoded(huge) is None and greys(huge) is None and indexed(huge) is None
    for content in (huge, b"none"):
        with pytest.raises(ValueError, match=f"expected a PNG, got {len(content)} other bytes"):
            is_readable_at(content, "1", contrast, 100)


def test_wider_lines_are_readable_in_smaller_pictures() -> None:
    smallest = [
        min(side for side in (320, 160, 80, 40) if is_readable_at(stripes(period), "lines", contrast, side))
        for period in (2, 6, 12, 40)
    ]
    assert smallest == sorted(smallest, reverse=True)
    assert (smallest[0], smallest[-1]) == (320, 40)


@pytest.mark.parametrize("lost", REDUCTIONS)
def test_both_reductions_must_give_the_answer(lost: str) -> None:
    def look(picture: np.ndarray, share: float, reduction: str) -> list[str | None]:
        return [None, "no" if reduction == lost and share < 0.4 else "yes"]

    assert [is_readable_at(stripes(8), "yes", look, side) for side in (127, 128)] == [False, True]
    assert is_readable_at(stripes(8), "yes", lambda *_: [], 320), "it is not shrunk"


def test_two_wide_bumps_are_counted_in_a_small_picture() -> None:
    mixture = family("gaussian_mixture")
    two = {"n": 2.0, "x1": -2.0, "y1": 1.0, "u1": 1.2, "v1": 1.0, "a1": 1.0}
    surface = mixture.surface(two | {"x2": 1.5, "y2": -1.5, "u2": 1.0, "v2": 1.4, "a2": 0.8})
    grid = sample(mixture, surface.parameters, surface.domain, RENDER_POINTS)
    png = encode(render_panel(grid, surface.domain, scale_of_heights(grid), STYLES[4]))

    def look(*how):
        return read_count(*how, "maxima")

    assert is_readable_at(png, "2", look, 120) and not is_readable_at(png, "3", look, 639)


def test_verify_prints_the_share_of_readable_rows(small: Callable[[str], Small], tmp_path: Path) -> None:
    given = small("curves")
    config = "polygon"
    folder = whole(tmp_path / "curves" / "1.0.0", given, {config: given.rows[config]})
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    refused = command_line.here("verify", str(folder), "--at", "224")
    assert (refused.code, refused.lines) == (1, ["planimeter: --at needs --certify; add it"])
    rows, look = given.rows[config], look_of(given.suite, config, Manifest.read(folder).recipe)
    for side in (224, 32):
        read = sum(readable(row, look, side) for row in rows)
        ended = command_line.here("verify", str(folder), "--certify", "--at", str(side))
        line = f"{config}: {read} of {len(rows)} rows ({read / len(rows):.1%}) are readable at {side} px"
        assert ended.code == 0 and line in ended.out.splitlines()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(("colour", "read"), [((250, 240, 255), "contours"), ((10, 20, 255), "colours")])
def test_a_key_of_bright_colours_is_not_one_of_lines(colour, read, monkeypatch) -> None:
    monkeypatch.setattr(shrunk, "read_contours", lambda *_: "contours")
    monkeypatch.setattr(shrunk, "_read_colours", lambda *_: "colours")
    assert str(shrunk._read(np.full((*shrunk.PANEL, 3), colour, np.uint8))) == read
