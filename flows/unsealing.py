"""Checks a sealed edition against its seed and its seal, the published SHA-256 of its seed file. Needs no Prefect.

A sealed edition is a dataset whose seed is secret at first. Rows that are made again from the seed must be equal.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from planimeter.export.built import Built
from planimeter.export.manifest import architecture, library_versions
from planimeter.export.parquet import sha256_of
from planimeter.export.seal import SEAL_FILE, SEED_FILE, differences, is_due, read_seal, seal_of
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.secret import Sealed, Secret, kept_from_messages
from planimeter.flows.store.sources import code_digest
from planimeter.flows.workers.processes import mapping
from planimeter.items.printing import command
from planimeter.items.values import Record
from planimeter.suites.base import Recipe
from planimeter.suites.pipeline import suite_of

#: The least number of rows for which starting worker processes saves time.
MANY = 10


def seed_file(folder: Path, given: Path | None) -> Path:
    """Return the path of the seed file: ``given``, or else seed.txt in ``folder``, if it was published.

    Raises ``PlanimeterError`` if there is neither.
    """
    if given is None and not (folder / SEED_FILE).is_file():
        raise PlanimeterError(f"{folder} is a sealed edition: give its seed file by --seed FILE")
    return given or folder / SEED_FILE


def opened_recipe(built: Built, given: Path | None) -> Recipe:
    """Return the recipe of the dataset ``built``; for a sealed edition, with the seed from its seed file.

    Raises ``PlanimeterError`` if there is no seed file, or the seed is not that of the dataset.
    """
    if not built.manifest.seal:
        return built.recipe
    return Sealed(str(seed_file(built.folder, given)), built.manifest.seal).open().opened(built.recipe)


def seed_lines(folder: Path, given: Path | None) -> Iterator[str]:
    """Yield a line about seal and seed if ``folder`` is a sealed edition (secret seed); nothing otherwise.

    Raises ``PlanimeterError`` if the seed in the file ``given`` is not that of the edition, or if a seed file is
    ``given`` for a dataset that is not sealed.
    """
    built = Built.at(folder)
    manifest = built.manifest
    if manifest.seal:
        unseal = command("planimeter", "unseal", folder, "--seed", "FILE")
        seen = given or (folder / SEED_FILE).is_file()
        if seen:
            opened_recipe(built, given)
        checked = "the seed file has this seal" if seen else "the seed is secret, and was not checked"
        yield f"sealed edition, seal {manifest.seal}; {checked}; `{unseal}` compares some rows with new ones"
    elif given:
        raise PlanimeterError(f"--seed: {folder} is not sealed; its seed is in manifest.json")


def faults(built: Built, secret: Secret, seal: Path | None) -> Iterator[str]:
    """Yield a line for each contradiction between the sealed edition ``built``, its seal, its seed and our code.

    ``secret`` is the content of the seed file, and ``seal`` the path of the published seal (hash of the seed), by
    default seal.json in the folder of the edition. Raises ``PlanimeterError`` if ``built`` is not a sealed edition.
    """
    folder, manifest = built.folder, built.manifest
    if not is_due(manifest):
        raise PlanimeterError(f"{folder} is not a sealed edition: its manifest has no seal")
    promised = read_seal(seal or folder / SEAL_FILE)
    yield from differences(promised, seal_of(folder, manifest))
    if secret.seal != promised.get("seal"):
        yield f"the seed file has the seal {secret.seal}, but the edition has {promised.get('seal')!r}"
    for record in manifest.files:
        if sha256_of(folder / record.path) != record.sha256:
            yield f"{record.path} is not the file in manifest.json: its SHA-256 differs"
    here = {
        "code": code_digest(manifest.recipe["suite"]),
        "architecture": architecture(),
        "libraries": library_versions(),
    }
    for line in differences({name: promised.get(name) for name in here}, here):
        yield f"this Planimeter makes other rows: {line}"


def unlike_rows(built: Built, secret: Secret, rows: int, bars: Bars, workers: int) -> Iterator[str]:
    """Make ``rows`` rows of each config again, evenly spread over the config; yield a line for each that differs."""
    chosen = [row for config in built.manifest.configs for row in _spread(built, config, rows)]
    stage = bars.stage("rebuild", len(chosen))
    with mapping(workers if len(chosen) >= MANY else 1) as each:
        for line in each(partial(_difference, built.recipe, secret), chosen):
            stage.advance()
            yield from (line,) if line else ()


def _spread(built: Built, config: str, rows: int) -> Iterator[Record]:
    """Return an iterator over ``rows`` rows of ``config``, evenly spaced over all of its rows."""
    total = sum(built.manifest.configs[config].values())
    step = max(total // rows, 1)
    listed = (row for group in built.groups(config) for row in group.rows())
    return islice(listed, 0, step * rows, step)


def _difference(recipe: Recipe, secret: Secret, row: Record) -> str:
    """Make ``row`` again from recipe and seed; return a line with the columns that differ, empty if there are none."""
    with kept_from_messages(secret, f"making {row['id']}"):
        remade = suite_of(recipe).rebuild(secret.opened(recipe), row)
    if remade is None:
        return f"{row['id']}: no item of the recipe with this seed has its id"
    odd = [name for name, value in row.items() if remade.get(name) != value]
    return f"{row['id']}: made again, it differs in {', '.join(odd)}" if odd else ""
