"""The part of the verifier that reads the dataset card: it must be the one that manifest.json and the rows make.

Publishing changes three things in a card, which are allowed for: the address in the lines for loading, the changelog,
and the section on what a score is worth, whose content is not looked at.
"""

import re
from collections.abc import Iterator
from itertools import takewhile, zip_longest
from pathlib import Path

import jinja2

from planimeter.export import dataset
from planimeter.export.atomic import ExportError
from planimeter.export.foreign import read_text
from planimeter.export.hub.diff import CHANGELOG
from planimeter.export.hub.space import address_of, spaced
from planimeter.export.manifest import ADDED, Manifest
from planimeter.export.pages.card import render
from planimeter.export.pages.report import hero_of
from planimeter.export.pages.sections import LOAD, addressed, adopted, put, section
from planimeter.export.promises import MISSHAPEN
from planimeter.export.schema import schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.part import BAD_PARQUET
from planimeter.export.verify.problems import Problem

#: Lines that quote a row.
_QUOTED = re.compile(r"^    .*$", flags=re.MULTILINE)


def verify_card(folder: Path, manifest: Manifest) -> Iterator[Problem]:
    """Check that the card is what this Planimeter writes for the dataset, and that what it links to exists."""
    path = folder / "README.md"
    if not path.is_file():
        return
    try:
        card = read_text(path)
    except (OSError, ValueError, ExportError) as error:
        yield Problem(path.name, f"cannot be read: {error}")
        return
    try:
        expected = _as_published(_rendered(folder, manifest), card, folder, manifest)
    except (ExportError, jinja2.TemplateError, *BAD_PARQUET, *MISSHAPEN) as error:
        yield Problem(path.name, f"cannot be compared with what manifest.json and the rows make: {error!r}")
    else:
        lines = zip_longest(card.split("\n"), expected.split("\n"), fillvalue="")
        for number, (line, expected_line) in enumerate(lines, start=1):
            if line != expected_line:
                actual, made = _around_the_difference(line, expected_line)
                what = f"line {number} is {actual}, but manifest.json and the rows make it {made}"
                remedy = "build the dataset again, or verify it with the Planimeter that built it"
                yield Problem(path.name, what, remedy)
                break
    prose = _QUOTED.sub("", card)
    links = re.findall(r"\]\((?![a-z]+:|#)([^)\s]+)\)", prose)
    for target in dict.fromkeys((*links, *re.findall(r'<img src="([^"]*)"', prose))):
        if not (folder / target).is_file():
            yield Problem(path.name, f"links to {target}, which does not exist")


def _rendered(folder: Path, manifest: Manifest) -> str:
    """Return the card as a build writes it."""
    surveys = dataset.surveys_of(folder, manifest)
    suite = manifest.recipe["suite"]
    heroes = {config: hero_of(config) for config, counted in surveys.items() if counted.rows}
    for config in [name for name in heroes if schema_of(suite, name).by_name["image"].nullable]:
        # Where no row has a picture, the card shows none.
        if not (folder / heroes[config]).exists():
            del heroes[config]
    return render(manifest, text_of(suite), surveys, heroes)


def _as_published(card: str, published: str, folder: Path, manifest: Manifest) -> str:
    """Return ``card`` with what publishing changes in it, where the card that was ``published`` has that."""
    repo = re.search(r'load_dataset\("([\w.-]+/[\w.-]+)", ', section(published, LOAD))
    if repo:
        card = addressed(card, manifest, repo[1])
        if f"]({address_of(repo[1])})" in published:
            card = spaced(card, repo[1])
    if f"\n### {manifest.version} ({manifest.recipe['release_date']})\n" in section(published, CHANGELOG):
        card = adopted(card, CHANGELOG, published)
    headings = re.findall(r"^## (.+)$", published, flags=re.MULTILINE)
    if (folder / ADDED[0]).is_file() and LOAD in headings[1:]:
        heading = headings[headings.index(LOAD) - 1]
        if not section(card, heading):
            card = put(card, section(published, heading), LOAD)
    return card


def _around_the_difference(line: str, other: str) -> tuple[str, str]:
    """Return the parts of two lines that are about the place from which they differ, quoted."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(line, other, strict=False))
    start = max(sum(1 for _ in same) - 40, 0)
    return repr(line[start : start + 80]), repr(other[start : start + 80])
