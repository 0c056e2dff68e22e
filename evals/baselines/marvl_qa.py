"""Reference models for MaRVL-QA."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, cast

import numpy as np

from planimeter.evals.baselines.solver import Drawn, Majority, Reader, Row, Solver
from planimeter.evals.baselines.thumbnails import peaks, registered, thumbnails
from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier
from planimeter.items import Option


class _Certificate(Reader):
    """One certifier for a row group: the pictures in it that show one function are read once."""

    slow = True
    kind: ClassVar[type[CountingCertifier | PairCertifier]]

    @cached_property
    def certifier(self) -> Any:
        return self.kind()

    def read(self, row: Row) -> str:
        image, question = (row[name] for name in self.columns)
        return self.certifier.certify(image["bytes"], question).answer or ""


class CountingCertificate(_Certificate):
    """Counts on the picture with the check that the rows were certified with; the feature is the prompt's."""

    columns = ("image", "feature")
    kind = CountingCertifier


class PairCertificate(_Certificate):
    """Registers both panels with the check that the rows were certified with; the options are the prompt's."""

    columns = ("image", "options")
    kind = PairCertifier


class CommonestCount(Majority):
    """The commonest count of the feature that is asked for, taken from the very rows."""

    columns = ("feature",)
    learns = ("answer", "feature")
    by = "feature"


class CommonestOption(Majority):
    """The commonest transformation, wherever it stands among the options."""

    columns = ("options",)
    learns = ("transformation",)

    def read(self, row: Row) -> str:
        return _numbered(super().read(row), row)


class AnyOption(Solver):
    """A random option."""

    columns = ("options",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        return str(int(rng.integers(len(row["options"]))) + 1)


class ThumbnailPeaks(Reader):
    """Counts what stands out in a thumbnail of the plot."""

    columns = ("image", "feature")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        return "".join(str(peaks(small, row["feature"])) for small in thumbnails(row["image"]["bytes"], self.size, 1))


class ThumbnailPair(Reader):
    """Registers the thumbnails of both plots."""

    columns = ("image", "options")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        small = thumbnails(row["image"]["bytes"], self.size, 2)
        options = cast(Sequence[Option], row["options"])
        return _numbered(registered(small[0], small[1], options), row) if small else ""


def _numbered(option: str, row: Row) -> str:
    return str(row["options"].index(option) + 1)


SOLVERS: Mapping[str, Mapping[str, type[Solver]]] = MappingProxyType(
    {
        "certifier": {"counting": CountingCertificate, "transformation": PairCertificate},
        "majority": {"counting": CommonestCount, "transformation": CommonestOption},
        "random": {"counting": Drawn, "transformation": AnyOption},
        "thumbnail": {"counting": ThumbnailPeaks, "transformation": ThumbnailPair},
    }
)
