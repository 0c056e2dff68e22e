"""The part of the verifier that looks at a sample as such: what its manifest says of parent and strata."""

from collections.abc import Iterator
from pathlib import Path

from planimeter.export.atomic import ExportError
from planimeter.export.manifest import Manifest
from planimeter.export.strata import population
from planimeter.export.verify.part import BAD_PARQUET
from planimeter.export.verify.problems import Problem

_REDRAW = "draw the sample again"


def verify_sample(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Check that the recipe is the parent's, and count the strata again from the rows; nothing for a whole dataset."""
    sample, recipe = manifest.sample, manifest.recipe
    if sample is None:
        return
    parent = (sample.parent.dataset, sample.parent.version)
    if parent != (recipe.get("dataset"), recipe.get("version")):
        what = f"sample.parent is {' '.join(parent)}, but the recipe makes another dataset or version"
        yield Problem("manifest.json", what, _REDRAW)
    if not sample.taken <= sample.rows or any(stratum.rows > stratum.of for stratum in sample.strata):
        yield Problem("manifest.json", "sample has more rows than were asked for, or than there are", _REDRAW)
    try:
        cells = population(folder, manifest, tuple(manifest.configs), sample.by)
    except (ExportError, *BAD_PARQUET, LookupError) as error:
        yield Problem("manifest.json", f"sample.strata cannot be counted again: {error}", _REDRAW)
        return
    listed = {stratum.stratum: stratum.rows for stratum in sample.strata if stratum.rows}
    counted = {
        label: units * size for label, units, size in zip(cells.labels, cells.counts, cells.sizes, strict=True) if units
    }
    for label in sorted({*listed, *counted}):
        if listed.get(label) != counted.get(label):
            what = f"{'/'.join(label)} has {counted.get(label, 0)} rows, sample.strata says {listed.get(label, 0)}"
            yield Problem("manifest.json", what, _REDRAW)
