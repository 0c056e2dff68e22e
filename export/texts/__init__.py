"""What a suite says about itself in the card, in Croissant and in the report.

The words of a suite stand in ``<suite>.yaml``. The module ``<suite>.py`` exports ``TEXT``: these words, and how the
report lays out the rows. A file that is ``like`` another one holds only the keys in which it differs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import pydantic.dataclasses
import yaml  # type: ignore[import-untyped]
from pydantic import ConfigDict, TypeAdapter

from planimeter.export.atomic import ExportError
from planimeter.export.columns import Column, Row
from planimeter.items.suites import part_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """A way to sort rows into named strata: ``of`` returns the name of a row's stratum.

    ``order`` lists names in their order, where it is not that of the alphabet.
    """

    title: str
    of: Callable[[Row], str]
    order: tuple[str, ...] = ()

    def place(self, name: str) -> tuple[int, str]:
        """Return by what names are sorted: those of ``order`` first, then the others."""
        return (self.order.index(name) if name in self.order else len(self.order)), name


@dataclass(frozen=True, kw_only=True, slots=True)
class Heatmap:
    """Coverage as a picture: a grid of two axes, once for all rows and once for each stratum of ``panels``.

    ``rows`` grow upwards and ``columns`` to the right. Both axes need their ``order``, of which all names up to the
    last that occurs are shown. ``empty`` says in a word why a cell has no rows, where there is a reason.
    """

    rows: Axis
    columns: Axis
    panels: Axis
    empty: Callable[[str, str], str]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the report shows the rows of a config.

    ``rows`` and ``columns`` are the axes of its gallery and coverage table, ``distributions`` what the report draws as
    bars, ``caption`` a few words under a picture. ``empty`` says in a word why a cell of the coverage table, named
    on both axes, has no rows, where there is a reason. ``family`` is by what else the gallery can be filtered, where it
    is not ``rows``; ``heatmap`` is drawn before the table, where there is one. ``rings`` are the axes, from the inmost
    on, of a chart of all configs that have them. ``shortcuts`` are ways to an answer without solving: each says under
    its name whether it leads to the answer of a row.
    """

    rows: Axis
    columns: Axis
    distributions: tuple[Axis, ...]
    caption: Callable[[Row], str]
    empty: Callable[[str, str], str] = lambda _row, _column: ""
    family: Axis | None = None
    heatmap: Heatmap | None = None
    rings: tuple[Axis, ...] = ()
    shortcuts: Mapping[str, Callable[[Row], bool]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ConfigText(Layout):
    """One config: ``asks`` is its question in one sentence, ``scoring`` how an answer is marked.

    The report counts ``shortcuts`` in a table, under ``shortcuts_title`` and a paragraph.
    """

    title: str
    asks: str
    scoring: str
    shortcuts_title: str = ""
    shortcuts_note: str = ""


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """A step of the making, as provenance tells it: what was done, and by what."""

    label: str
    description: str


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, slots=True, config=ConfigDict(extra="forbid"))
class SuiteText:
    """The prose of a suite; every sentence must be true of any dataset that its recipes can describe.

    ``certificate`` says in a sentence what was certified of every row, and by what; ``seeding`` what the column
    ``seed`` has to do with the row; ``training`` where rows for training come from, for a card whose rows are to be
    kept out of it. ``shows_picture`` is whether a model is given ``image`` with the prompt. ``columns`` has meanings of
    columns that stand in place of those in the table of columns, where these are true of other suites only.
    ``made`` and ``certified`` are paragraphs of Markdown. ``checks`` says in a sentence what each check of the funnel
    asks, in the order in which an item meets them. ``sources`` names what the data are derived from (Croissant's
    ``prov:wasDerivedFrom``), ``paper_url`` is the address by which the Hub links to the ``paper``, ``citation`` is
    BibTeX. ``hub`` holds fields of the card's front matter as they stand there (task categories, origin of the data).
    ``use_cases`` are sentences, each of ``not_for`` goes on from "Not for". ``collection`` says how the data came
    together, ``collection_type`` names that in the words of Croissant's responsible-AI vocabulary, where it has some.
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
    paper: str
    paper_url: str
    citation: str
    hub: dict[str, list[str]]
    tags: tuple[str, ...]
    configs: dict[str, ConfigText]
    collection_type: str = ""
    shows_picture: bool = True
    columns: dict[str, str] = field(default_factory=dict)

    def meaning(self, column: Column) -> str:
        """Return what ``column`` means in this suite."""
        return self.columns.get(column.name, column.description)


def suite_text(suite: str, layouts: Mapping[str, Layout]) -> SuiteText:
    """Return the words of ``suite`` with the layout of each of its configs."""
    said = words(suite)
    configs = {name: ConfigText(**said["configs"][name], **vars(layout)) for name, layout in layouts.items()}
    return TypeAdapter(SuiteText).validate_python(said | {"configs": configs})


def words(name: str) -> dict[str, Any]:
    """Return the content of ``<name>.yaml``, over that of the file that it is ``like``."""
    own: dict[str, Any] = yaml.safe_load(resources.files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8"))
    base = own.pop("like", None)
    return words(base) | own if base else own


def text_of(suite: str) -> SuiteText:
    """Return the prose of ``suite``.

    Raises:
        ExportError: if no module of this package is named like it.
    """
    try:
        text: SuiteText = part_of(__name__, suite).TEXT
    except LookupError as error:
        raise ExportError(str(error)) from None
    return text
