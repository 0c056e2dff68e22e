"""The recipe of a dataset that is imported from a corpus of geometry problems: files, columns, and limits of filters.

There is no TOML file: the command line gives the files, and the limits have fixed values.
"""

from typing import Annotated, Literal

from pydantic import Field

from planimeter.suites.base import DatasetName, Date, Positive, Table, Version

Share = Annotated[float, Field(gt=0, lt=1)]

License = Literal["unknown", "MIT", "Apache-2.0", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0"]


class Columns(Table):
    """The names of the corpus's columns with problem, answer and code; ``code`` is empty if the problem contains it."""

    problem: str = "problem"
    answer: str = "answer"
    code: str = ""


class Source(Table):
    """A file of the corpus: its name without folder, and the SHA-256 of its bytes."""

    name: str
    sha256: str


class ImportRecipe(Table):
    """The recipe of an imported dataset, as its manifest stores it."""

    dataset: DatasetName
    version: Version = "1.0.0"
    suite: Literal["geogram_import"] = "geogram_import"
    title: str
    summary: str = "Geometry problems with drawing code, curated from an existing corpus."
    #: Pinned, because the clock must not decide bytes.
    release_date: Date = "2026-11-20"
    #: The licence of the corpus, given by the importer.
    license: License = "unknown"
    seed: Literal[0] = 0
    rows_per_file: Positive = 5_000
    origin: str
    files: tuple[Source, ...]
    columns: Columns = Columns()
    #: SHA-256 of the review file that was applied; empty without one.
    review: str = ""
    #: The model that judged geometry and level; empty if rules did.
    judge: str = ""
    #: The version line of `asy` if it drew the pictures, otherwise empty.
    asymptote: str = ""
    #: 8-gram similarity above which two statements are the same problem; our choice, GeoGramBench (4.2) gives none.
    similarity: Share = 0.5
    #: Relative difference to the answer below which a size in the drawing is a leak (section 4.1); our choice.
    tolerance: Share = 0.002
    #: Relative error at which a measurement of the drawing answers the question, as in 39 of 110 published problems.
    ruler: Share = 0.02
