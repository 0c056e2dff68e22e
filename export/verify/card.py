"""Verifies the dataset card: it must equal the card that a build writes from manifest.json and the rows.

`planimeter publish` may have changed three parts: the address in the code that loads the dataset, the changelog, and
the section with the results of `planimeter probe`, whose content is not checked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import jinja2

from planimeter.export import dataset
from planimeter.export.atomic import ExportError
from planimeter.export.foreign import read_text
from planimeter.export.hub.card import Addition, published_card
from planimeter.export.hub.diff import CHANGELOG
from planimeter.export.hub.inspect_views import FOLDER
from planimeter.export.hub.space import address_of
from planimeter.export.manifest import ADDED, Manifest
from planimeter.export.pages.card import render
from planimeter.export.pages.report import hero_of
from planimeter.export.pages.sections import LOAD, section
from planimeter.export.promises import MISSHAPEN
from planimeter.export.schema import schema_of
from planimeter.export.texts import text_for
from planimeter.export.verify.part import BAD_PARQUET
from planimeter.export.verify.problems import Problem, first_difference

#: Lines that quote texts of a row.
_QUOTED = re.compile(r"^    .*$", flags=re.MULTILINE)


def verify_card(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Yield the problems of the card: differences from the one that a build writes, and links to missing files."""
    path = folder / "README.md"
    if not path.is_file():
        return
    try:
        card = read_text(path)
    except (OSError, ValueError, ExportError) as error:
        yield Problem(path.name, f"cannot be read: {error}")
        return
    try:
        expected = _as_published(_render(folder, manifest), card, folder, manifest)
    except (ExportError, jinja2.TemplateError, *BAD_PARQUET, *MISSHAPEN) as error:
        yield Problem(path.name, f"cannot be compared with what manifest.json and the rows make: {error!r}")
    else:
        yield from first_difference(path.name, card, expected)
    prose = _QUOTED.sub("", card)
    links = re.findall(r"\]\((?![a-z]+:|#)([^)\s]+)\)", prose)
    for target in dict.fromkeys((*links, *re.findall(r'<img src="([^"]*)"', prose))):
        if not (folder / target).is_file():
            yield Problem(path.name, f"links to {target}, which does not exist")


def _render(folder: Path, manifest: Manifest) -> str:
    surveys = dataset.surveys_of(folder, manifest)
    suite = manifest.recipe["suite"]
    heroes = {config: hero_of(config) for config, counted in surveys.items() if counted.rows}
    for config in [name for name in heroes if schema_of(suite, name).by_name["image"].nullable]:
        # If no row has a picture, the card has none.
        if not (folder / heroes[config]).exists():
            del heroes[config]
    return render(manifest, text_for(manifest), surveys, heroes)


def _as_published(built: str, card: str, folder: Path, manifest: Manifest) -> str:
    """Return the card ``built`` with those changes that `planimeter publish` made in ``card``."""
    loaded = re.search(r'load_dataset\("([\w.-]+/[\w.-]+)", ', section(card, LOAD))
    repo = loaded[1] if loaded else ""
    changes = section(card, CHANGELOG)
    if f"\n### {manifest.version} ({manifest.recipe['release_date']})\n" not in changes:
        changes = ""
    headings = re.findall(r"^## (.+)$", card, flags=re.MULTILINE)
    added = ""
    if (folder / ADDED[0]).is_file() and LOAD in headings[1:]:
        heading = headings[headings.index(LOAD) - 1]
        added = "" if section(built, heading) else section(card, heading)
    views = {path.relative_to(folder).as_posix(): path for path in (folder / FOLDER).rglob("*.parquet")}
    addition = Addition(section=added, views=views, space=bool(repo) and f"]({address_of(repo)})" in card)
    return published_card(built, manifest, repo, addition, changes)
