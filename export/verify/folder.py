"""Verifies the folder of a dataset: checks every property that readers can rely on.

It uses only the files, the declared columns and the checker of the suite, and nothing from the build. Damage of any
kind becomes a ``Problem``, never a traceback. ``verify_data`` checks files and rows; ``verify_croissant``,
``verify_card`` and ``verify_report`` check the documents.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from planimeter.export.atomic import ExportError
from planimeter.export.built import Built
from planimeter.export.foreign import ForeignError, entries_below, parse_json, read_file, read_text
from planimeter.export.hub.inspect_views import FOLDER, verify_views
from planimeter.export.manifest import ADDED, FILES, FOLDERS, STRAYS, Check, FormError, Manifest, canonical_json
from planimeter.export.promises import MISSHAPEN
from planimeter.export.seal import SEAL_FILE, SEED_FILE, is_due, seal_of
from planimeter.export.strata import population
from planimeter.export.verify.card import verify_card
from planimeter.export.verify.croissant import verify_croissant
from planimeter.export.verify.data import Each, Progress, verify_data
from planimeter.export.verify.part import BAD_PARQUET
from planimeter.export.verify.problems import Problem, first_difference
from planimeter.export.verify.report import verify_privacy, verify_report

#: Entries that publishing or a download from the Hub adds, and files that any folder may contain.
_TOLERATED = (".cache", ".gitattributes", "eval.yaml", SEAL_FILE, SEED_FILE, FOLDER, *ADDED, *STRAYS)

#: Entries that are read, none of which may be a link.
_KNOWN = (*FILES, *FOLDERS, SEAL_FILE, SEED_FILE, FOLDER, *ADDED)

#: The remedy for a fault of a sample.
_REDRAW = "draw the sample again"


def verify(folder: Path, *, progress: Progress = lambda _: None, each: Each = map) -> list[Problem]:
    """Return all problems of the dataset in ``folder``; an empty list if there are none.

    ``progress`` is called with the number of rows just checked. ``each`` is a function like ``map``, which may check
    the files in other processes. Memory: one row group, and some 200 bytes of each row; 36 kB of each row for suites
    whose checker compares the drawings of all rows.
    """
    problems: list[Problem] = []
    try:
        problems.extend(_problems(folder, progress, each))
    except OSError as error:
        place = str(error.filename or folder)
        problems.append(Problem(place, f"cannot be read: {error.strerror}", "fix the permissions or the disk"))
    except (ForeignError, RecursionError, MemoryError) as error:
        problems.append(Problem(str(folder), f"cannot be read: {error or type(error).__name__}", "do not use it"))
    return problems


def _problems(folder: Path, progress: Progress, each: Each) -> Iterator[Problem]:
    """Yield all problems of the dataset in ``folder``. Raises ``OSError`` or ``ForeignError`` for unreadable files."""
    if not folder.is_dir():
        yield Problem(str(folder), "is not a folder", "give the folder <dataset>/<version> of a built dataset")
        return
    strange = [(path, fault) for path, fault in entries_below(folder, _KNOWN) if fault]
    yield from (
        Problem(path.relative_to(folder).as_posix(), fault, "put the file itself there") for path, fault in strange
    )
    if strange:
        return
    yield from _verify_top(folder)
    manifest, faults = _read_manifest(folder / "manifest.json")
    yield from faults
    if manifest is None:
        return
    yield from _verify_manifest(manifest)
    # Datasets that were written by code before 2.0 have no canary.
    if manifest.canary not in ("", manifest.expected_canary):
        yield Problem("manifest.json", f"canary is not {manifest.expected_canary}")
    if (yield from verify_data(folder, manifest, progress, each)):
        # These checks read the data files, so that they would report damaged ones as faults of documents.
        yield from verify_sample(folder, manifest)
        yield from verify_card(folder, manifest)
        yield from verify_seal(folder, manifest)
        yield from _verify_views(folder, manifest)
    yield from verify_croissant(folder, manifest)
    yield from verify_report(folder, manifest)
    yield from verify_privacy(folder)


def _verify_top(folder: Path) -> Iterator[Problem]:
    for name in FILES:
        if not (folder / name).is_file():
            yield Problem(name, "is not a file" if (folder / name).exists() else "is missing")
    for name in FOLDERS:
        if not (folder / name).is_dir():
            yield Problem(name, "is not a folder" if (folder / name).exists() else "is missing")
    for name in sorted({path.name for path in folder.iterdir()} - {*FILES, *FOLDERS, *_TOLERATED}):
        yield Problem(name, "does not belong to a dataset", "move it elsewhere")


def _read_manifest(path: Path) -> tuple[Manifest | None, list[Problem]]:
    if not path.is_file():
        return None, []
    try:
        content = read_file(path)
        document = parse_json(content)
    except (OSError, ValueError, ForeignError) as error:
        return None, [Problem(path.name, f"cannot be read as JSON: {error}")]
    try:
        manifest = Manifest.of(document)
        canonical = canonical_json(document) == content
    except FormError as error:
        return None, [Problem(path.name, fault) for fault in error.faults]
    except (ExportError, UnicodeEncodeError) as error:
        # NaN and lone surrogates, which Python's parser accepts.
        return None, [Problem(path.name, str(error))]
    if manifest.lacking:
        return None, [Problem(path.name, f"lacks the keys {', '.join(manifest.lacking)}")]
    what = "is not in canonical form (sorted keys, indentation of 2)"
    return manifest, [] if canonical else [Problem(path.name, what)]


def _verify_manifest(manifest: Manifest) -> Iterator[Problem]:
    recipe = manifest.recipe
    # A sample has another name and version than its recipe; ``verify_sample`` compares those of the parent.
    for key in ("dataset", "version", "seed") if manifest.sample is None else ("seed",):
        value = getattr(manifest, key)
        if value != recipe.get(key):
            yield Problem("manifest.json", f"{key} is {value!r}, but its recipe says {recipe.get(key)!r}")
    if not re.fullmatch(r"[0-9a-f]{16,128}", manifest.code):
        yield Problem("manifest.json", f"code must be a hexadecimal digest, got {manifest.code!r}")
    if not manifest.libraries:
        yield Problem("manifest.json", "libraries must give the version of each library that decides bytes")
    for config, splits in manifest.configs.items():
        for split, rows in splits.items():
            start = f"data/{config}/{split}-"
            listed = sum(record.rows for record in manifest.files if record.path.startswith(start))
            if listed != rows:
                what = f"configs promises {rows} rows of {config}/{split}, its files have {listed}"
                yield Problem("manifest.json", what)
        if not any(check.kept >= sum(splits.values()) for check in manifest.funnel.get(config, {}).values()):
            what = f"no check kept as many items as {config} has rows ({sum(splits.values())})"
            yield Problem(f"manifest.json: funnel.{config}", what)
    for config, checks in manifest.funnel.items():
        for name, check in checks.items():
            for fault in _funnel_faults(check):
                yield Problem(f"manifest.json: funnel.{config}.{name}", fault)


def _funnel_faults(check: Check) -> Iterator[str]:
    """Yield a line for each contradiction between the counts of ``check`` and of its groups of items (strata)."""
    for name, part in (("", check), *((f"{name}: ", part) for name, part in check.strata.items())):
        if part.seen != part.kept + part.rejections:
            yield f"{name}seen {part.seen} is not kept {part.kept} + rejected {part.rejections}"
        if part.seen > check.seen:
            yield f"{name}seen {part.seen} is more than the {check.seen} of the whole check"


def verify_seal(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Yield the problems of a sealed edition, a dataset whose seed is published after its rows.

    Its seal.json must follow from manifest and rows, and the SHA-256 of seed.txt, if that exists, must be the seal.
    Other datasets must have neither file.
    """
    seal, seed = folder / SEAL_FILE, folder / SEED_FILE
    if not is_due(manifest):
        yield from (
            Problem(path.name, "belongs to a sealed edition, and this dataset is not sealed", "move it elsewhere")
            for path in (seal, seed)
            if path.exists()
        )
        return
    try:
        text = read_text(seal)
    except (OSError, ValueError) as error:
        yield Problem(SEAL_FILE, f"cannot be read: {error}", "replace it with the published one")
        return
    try:
        expected = canonical_json(seal_of(folder, manifest)).decode()
    except (*BAD_PARQUET, *MISSHAPEN) as error:
        yield Problem(SEAL_FILE, f"cannot be compared with what manifest.json and the rows make: {error!r}")
    else:
        yield from first_difference(SEAL_FILE, text, expected)
    if seed.is_file() and hashlib.sha256(read_file(seed)).hexdigest() != manifest.seal:
        yield Problem(SEED_FILE, f"its SHA-256 is not the seal {manifest.seal}", "replace it with the published one")


def _verify_views(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    try:
        yield from verify_views(Built(folder=folder, manifest=manifest))
    except BAD_PARQUET as error:
        yield Problem(FOLDER, f"cannot be read: {error}", "publish it again")


def verify_sample(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Yield the problems of a sample: another recipe than its parent's, or other numbers of rows than it lists.

    Yield nothing for a dataset that is not a sample.
    """
    sample, recipe = manifest.sample, manifest.recipe
    if sample is None:
        return
    parent = (sample.parent.dataset, sample.parent.version)
    if parent != (recipe.get("dataset"), recipe.get("version")):
        what = f"sample.parent is {' '.join(parent)}, but the recipe makes another dataset or version"
        yield Problem("manifest.json", what, _REDRAW)
    if not sample.taken <= sample.rows or any(stratum.rows > stratum.of for stratum in sample.strata):
        yield Problem("manifest.json", "sample has more rows than requested or available", _REDRAW)
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
