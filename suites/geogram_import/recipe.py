"""The recipe of an import of a corpus of geometry problems: its files by hash, its columns, limits of the curation.

No TOML file goes with it: the command line gives the files, and the limits are the paper's.
"""

from typing import Annotated, Literal

from pydantic import Field

from planimeter.suites.base import DatasetName, Date, Positive, Table, Version

Share = Annotated[float, Field(gt=0, lt=1)]

License = Literal["unknown", "MIT", "Apache-2.0", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0"]


class Columns(Table):
    """Names of the corpus's columns; ``code`` is empty if the code is in the problem."""

    problem: str = "problem"
    answer: str = "answer"
    code: str = ""


class Source(Table):
    """A file of the corpus, without its folder."""

    name: str
    sha256: str


class ImportRecipe(Table):
    """The recipe of an imported dataset, as its manifest holds it."""

    dataset: DatasetName
    version: Version = "1.0.0"
    suite: Literal["geogram_import"] = "geogram_import"
    title: str
    summary: str = "Geometry problems with drawing code, curated from an existing corpus."
    #: Pinned, because the clock must not decide bytes.
    release_date: Date = "2026-11-20"
    #: The corpus's own licence, which the importer must know.
    license: License = "unknown"
    seed: Literal[0] = 0
    rows_per_file: Positive = 5_000
    origin: str
    files: tuple[Source, ...]
    columns: Columns = Columns()
    #: SHA-256 of the review that was fed back; empty without one.
    review: str = ""
    #: The model that judged geometry and level; empty if rules did.
    judge: str = ""
    #: The version line of `asy`, if it drew the pictures; else empty.
    asymptote: str = ""
    #: 8-gram similarity above which two statements are one problem: ours; GeoGramBench, section 4.2, has no figure.
    similarity: Share = 0.5
    #: Relative difference below which a size in the drawing is the answer by no accident (a leak, section 4.1): ours.
    tolerance: Share = 0.002
    #: Relative error of a ruler that still answers a question: of 110 published problems, measuring answers 39.
    ruler: Share = 0.02
