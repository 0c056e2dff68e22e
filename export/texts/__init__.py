"""What a suite says about itself: the prose of card and Croissant, and how its report lays out the rows.

One module a suite, named like it, exports ``TEXT``. Nothing else needs to be touched for a new suite (its columns
stand in ``export/rows/``, its row checks in ``export/verify/checks/``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from planimeter.export.atomic import ExportError
from planimeter.export.columns import Column
from planimeter.generators.suites import part_of

Row = Mapping[str, Any]

#: How the data of a suite with a generator came together.
GENERATED = (
    "Nothing was collected from people, from the web or from other datasets. Programs made every item from the recipe "
    "and its seed, both in manifest.json; independent programs checked it and recovered its answer from what a model "
    "sees. What they rejected is counted there by check and reason. There were no annotators."
)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Shortcuts:
    """Ways to an answer without solving, and how often each is right: a table of the report, by the config's ``rows``.

    ``rules`` says of each way, under its name, whether it leads to the answer of a row. ``note`` is a paragraph.
    """

    title: str
    note: str
    rules: Mapping[str, Callable[[Row], bool]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigText:
    """One config: ``asks`` is its question in one sentence, ``scoring`` how an answer is marked.

    ``rows`` and ``columns`` are the axes of its gallery and coverage table, ``distributions`` what the report draws as
    bars, ``caption`` a few words under a picture. ``empty`` says in a word why a cell of the coverage table, named
    on both axes, has no rows, where there is a reason. ``family`` is by what else the gallery can be filtered, where it
    is not ``rows``; ``heatmap`` is drawn before the table and ``shortcuts`` counted, where there are any.
    """

    title: str
    asks: str
    scoring: str
    rows: Axis
    columns: Axis
    distributions: tuple[Axis, ...]
    caption: Callable[[Row], str]
    empty: Callable[[str, str], str] = lambda _row, _column: ""
    family: Axis | None = None
    heatmap: Heatmap | None = None
    shortcuts: Shortcuts | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """A step of the making, as provenance tells it: what was done, and by what."""

    label: str
    description: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteText:
    """The prose of a suite; every sentence must be true of any dataset that its recipes can describe.

    ``certificate`` says in a sentence what was certified of every row, and by what; ``seeding`` what the column
    ``seed`` has to do with the row; ``training`` where rows for training come from, for a card whose rows are to be
    kept out of it. ``shows_picture`` is whether a model is given ``image`` with the prompt. ``columns`` has meanings of
    columns that stand in place of those in the table of columns, where these are true of other suites only.
    ``made`` and ``certified`` are paragraphs of Markdown. ``checks`` says in a sentence what each check of the funnel
    asks, in the order in which an item meets them. ``sources`` names what the data are derived from (Croissant's
    ``prov:wasDerivedFrom``), ``citation`` is BibTeX. ``use_cases`` are sentences, each of ``not_for`` goes on from "Not
    for". ``collection`` says how the data came together, ``collection_type`` names that in the words of Croissant's
    responsible-AI vocabulary, where it has some.
    """

    summary: str
    certificate: str
    seeding: str
    training: str
    made: tuple[str, ...]
    certified: tuple[str, ...]
    checks: Mapping[str, str]
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
    citation: str
    task_categories: tuple[str, ...]
    tags: tuple[str, ...]
    configs: Mapping[str, ConfigText]
    collection_type: str = ""
    shows_picture: bool = True
    columns: Mapping[str, str] = field(default_factory=dict)

    def meaning(self, column: Column) -> str:
        """Return what ``column`` means in this suite."""
        return self.columns.get(column.name, column.description)


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
