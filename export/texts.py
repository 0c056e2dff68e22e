"""Reads the texts of a suite for card, Croissant and report.

The texts are in ``card.yaml`` in the package of the module that a suite declares as ``export``; this module also has
the layouts for the report. Suites of other Python packages may call the file ``<suite>.yaml``. Texts that the file
lacks come from the file that its key ``like`` names.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import pairwise

import pydantic.dataclasses
import yaml  # type: ignore[import-untyped]
from pydantic import ConfigDict, TypeAdapter

from planimeter.export.atomic import ExportError
from planimeter.export.columns import Column
from planimeter.export.layout import Layout, layout
from planimeter.export.manifest import Manifest
from planimeter.items.builtin_suites import SUITES
from planimeter.items.suites import declared
from planimeter.items.values import Record

#: The keys of texts that are lists of sentences.
PROSE = ("made", "certified", "limitations", "biases", "use_cases", "not_for")


@dataclass(frozen=True, kw_only=True)
class ConfigText(Layout):
    """The texts and the layout of one config: ``asks`` describes the question, and ``scoring`` the rule of grading."""

    title: str
    asks: str
    scoring: str


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """A source of the data, or an activity that made them, for the provenance in Croissant."""

    label: str
    description: str


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Followed:
    """One point of the comparison of a suite with its paper, as a line of a table.

    ``claim`` is a statement in ``section`` of the paper, ``ours`` is what Planimeter does, and ``why`` may be empty.
    """

    claim: str
    section: str
    ours: str
    why: str


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, slots=True, config=ConfigDict(extra="forbid"))
class SuiteText:
    """The texts of a suite; every sentence must be true of any dataset that its recipes can describe.

    Rows: ``certificate`` is a sentence about the certified property of every row, and the certifier. ``seeding``
    explains the column ``seed``. ``training`` names a source of training rows, for a card whose rows must not be
    trained on. ``shows_picture`` is true if a model gets ``image`` with the prompt. ``columns`` maps columns to
    descriptions that replace the general ones. ``made`` and ``certified`` are paragraphs of Markdown. ``checks`` maps
    each check, in order, to a sentence about its rule.

    Sources and uses: ``sources`` are the sources of the data (Croissant's ``prov:wasDerivedFrom``). ``collection``
    describes their collection, and ``collection_type`` is the term of Croissant's vocabulary for that, if it has one.
    ``use_cases`` are sentences, each of ``not_for`` continues "Not for". ``hub`` contains fields of the card's front
    matter, verbatim. ``follows`` compares the suite with its paper, on the page ``paper_page`` of ``docs/papers/``.

    Optional: ``paper`` and ``citation`` (BibTeX), ``authors`` (names of people), and the addresses ``paper_url``,
    ``code_url`` (of the suite's code), ``issues_url`` (for reports of wrong items) and ``homepage``.
    """

    summary: str
    certificate: str
    seeding: str
    training: str
    made: tuple[str, ...]
    certified: tuple[str, ...]
    checks: dict[str, str]
    limitations: tuple[str, ...]
    biases: tuple[str, ...]
    personal_information: str
    use_cases: tuple[str, ...]
    not_for: tuple[str, ...]
    collection: str
    social_impact: str
    has_synthetic_data: bool
    sources: tuple[Activity, ...]
    activities: tuple[Activity, ...]
    hub: dict[str, list[str]]
    tags: tuple[str, ...]
    configs: dict[str, ConfigText]
    paper: str = ""
    paper_url: str = ""
    citation: str = ""
    authors: tuple[str, ...] = ()
    code_url: str = ""
    issues_url: str = ""
    homepage: str = ""
    collection_type: str = ""
    paper_page: str = ""
    follows: tuple[Followed, ...] = ()
    shows_picture: bool = True
    columns: dict[str, str] = field(default_factory=dict)

    def cited(self, manifest: Manifest) -> str:
        """Return BibTeX for the dataset of ``manifest``: ``citation``, or an entry with the authors of the suite."""
        if self.citation:
            return self.citation
        fields = {"title": manifest.recipe["title"], "author": " and ".join(self.authors)}
        fields |= {"year": manifest.recipe["release_date"][:4], "version": manifest.version, "url": self.homepage}
        listed = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        return f"@misc{{{manifest.dataset},\n{listed}\n}}"

    def meaning(self, column: Column) -> str:
        """Return the description of ``column`` for this suite, which may replace the general one."""
        return self.columns.get(column.name, column.description)


@cache
def text_of(suite: str) -> SuiteText:
    """Return the texts of ``suite``, with the layout of each of its configs.

    Raises:
        ExportError: for an unknown suite, or if its texts cannot be read.
    """
    try:
        own = declared(suite).load("export")
    except LookupError as error:
        raise ExportError(str(error)) from None
    with declared(suite).blamed("its texts cannot be read"):
        said = words(suite, own.__package__)
    layouts = {name: getattr(own, "LAYOUTS", {}).get(name) or layout(columns) for name, columns in own.COLUMNS.items()}
    configs = {name: ConfigText(**said["configs"][name], **vars(laid_out)) for name, laid_out in layouts.items()}
    return TypeAdapter(SuiteText).validate_python(said | {"configs": configs})


def text_for(manifest: Manifest) -> SuiteText:
    """Return the texts of the suite of ``manifest``; in a sealed edition, they tell that the seed is secret."""
    text = text_of(manifest.recipe["suite"])
    if not manifest.seal:
        return text
    general = words("generated", "planimeter.suites")
    sealed = words("sealed", "planimeter.export").items()
    return replace(text, **{name: said for name, said in sealed if getattr(text, name) == general[name]})


def words(name: str, package: str = "") -> Record:
    """Return key -> text of the YAML file of texts in ``package``, by default that of Planimeter's suite ``name``.

    Keys that the file lacks come from the file that its key ``like`` names. Raises ``ExportError`` if it is not YAML.
    """
    path = _prose(name, package or ("planimeter.suites" + (f".{name}" if name in SUITES else "")))
    try:
        own: Record = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        raise ExportError(f"{path}: {_unreadable(error)}") from None
    base = own.pop("like", None)
    if not base:
        return own
    return words(base) | own


def _prose(name: str, package: str) -> Traversable:
    """Return the file of texts in ``package``: ``card.yaml``, or else ``<name>.yaml``."""
    folder = resources.files(package)
    card = folder.joinpath("card.yaml")
    return card if card.is_file() else folder.joinpath(f"{name}.yaml")


def _unreadable(error: yaml.MarkedYAMLError) -> str:
    mark, said = error.problem_mark, error.problem or "is not YAML"
    where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "a line"
    return f"{where}: {said}; quote a text that contains a colon, or, within {{braces}}, a comma or ?"


def cut_entries(name: str) -> Iterator[str]:
    """Yield a line for each list entry in the texts of the suite ``name`` that a comma may have split in two."""
    suite = declared(name)
    path = _prose(name, suite.load("export").__package__)
    text = path.read_text(encoding="utf-8")
    for key, entries in yaml.compose(text).value:
        if key.value in PROSE and isinstance(entries, yaml.SequenceNode) and entries.flow_style:
            for entry, following in pairwise(entries.value):
                if entry.style is None and not str(entry.value).endswith((".", "!", "?")):
                    yield (
                        f"{path.name}: {key.value} has an entry {entry.value!r}, then {following.value!r}: in brackets "
                        "a comma makes two entries; write each on its own line, or in quotes"
                    )
