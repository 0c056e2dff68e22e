"""The canary of a dataset: a string in its files by which copies of the files are found in other data.

It contains dataset, version, and a GUID that is a digest of both. It is in Parquet's key-value metadata, in
``croissant.json``, ``manifest.json``, the card and the report, but not in pictures. A sample has the canary of the
dataset from which it was drawn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

#: The key of the canary in Parquet's metadata.
KEY = b"planimeter_canary"

_WORD = "PLANIMETER-CANARY"
#: The separator of two parts: spaces, a line break (also as escaped in JSON) followed by signs that quote a line or
#: begin a comment (``>``, ``#``, ``//``), or a space of HTML.
_GAP = r"(?:\\[nrt]|&nbsp;|[^0-9a-z-]){1,12}"
_CANARY = re.compile(
    rf"{_WORD}{_GAP}(?P<dataset>[a-z0-9-]{{1,80}}){_GAP}(?P<version>\d{{1,6}}\.\d{{1,6}}\.\d{{1,6}}){_GAP}"
    r"(?P<guid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    re.IGNORECASE,
)


@dataclass(frozen=True, order=True)
class Canary:
    """The canary of ``version`` of ``dataset``, by which copies of its files are found in other data."""

    dataset: str
    version: str

    @property
    def guid(self) -> str:
        """The GUID: a digest of dataset and version."""
        digest = blake2b(f"{self.dataset} {self.version}".encode(), digest_size=16, person=b"planimeter").hexdigest()
        return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:]))

    def __str__(self) -> str:
        return f"{_WORD} {self.dataset} {self.version} {self.guid}"


def canary_of(dataset: str, version: str) -> str:
    """Return the canary of ``version`` of ``dataset`` as a text: a fixed word, dataset, version and GUID."""
    return str(Canary(dataset, version))


def find(text: str) -> Iterator[Canary]:
    """Yield the canaries in ``text`` in order, without those whose GUID does not match their dataset and version."""
    for match in _CANARY.finditer(text):
        found = Canary(match["dataset"].lower(), match["version"])
        if found.guid == match["guid"].lower():
            yield found
