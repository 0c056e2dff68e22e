"""What is published of a dataset that its build did not write: a section of the card, and files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from planimeter.export import measures
from planimeter.export.pages.sections import put

#: The section of a card that an added one is put before: what a score is worth comes right after the first pictures.
BEFORE = "Load"


@dataclass(frozen=True, kw_only=True)
class Addition:
    """A ``section`` of the card ("## ..." and its text) and ``files`` by name; empty where nothing is added.

    ``space``: whether the report is published as a Space, too. ``refused``: why this version is not to be published,
    if so; what is published already stays.
    """

    section: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""
    space: bool = False

    @property
    def heading(self) -> str:
        """The heading of the section."""
        return self.section.partition("\n")[0].removeprefix("## ")

    def in_card(self, card: str) -> str:
        """Return ``card`` with the section, and the configs of measures in its front matter."""
        listed = measures.listed(card, self.files)
        return put(listed, self.section, BEFORE) if self.section else listed

    def as_published(self, names: Iterable[str]) -> Self:
        """Keep only what the version published with the files ``names`` contains; nothing is added to it later."""
        published = set(names)
        files = {name: content for name, content in self.files.items() if name in published}
        return replace(self, files=files, section=self.section if files else "")


NOTHING = Addition()
