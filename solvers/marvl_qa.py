"""Reference models for MaRVL-QA."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, cast

import numpy as np

from planimeter.filters.certify.marvl_qa.certificate import CountingCertifier, PairCertifier
from planimeter.generators.items import Option
from planimeter.solvers.solver import Drawn, Majority, Row, Solver
from planimeter.solvers.thumbnails import peaks, registered, thumbnails


class CountingCertificate(Solver):
    """Counts on the picture with the check that the rows were certified with; the feature is the prompt's."""

    columns: ClassVar[tuple[str, ...]] = ("image", "feature")
    slow: ClassVar[bool] = True

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - nothing is left to chance
        if not hasattr(self, "certifier"):
            self.certifier = CountingCertifier()
        return self.certifier.certify(row["image"]["bytes"], row["feature"]).answer or ""


class PairCertificate(Solver):
    """Registers both panels with the check that the rows were certified with; the options are the prompt's."""

    columns: ClassVar[tuple[str, ...]] = ("image", "options")
    slow: ClassVar[bool] = True

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - nothing is left to chance
        if not hasattr(self, "certifier"):
            self.certifier = PairCertifier()
        return self.certifier.certify(row["image"]["bytes"], row["options"]).answer or ""


class CommonestCount(Majority):
    """The commonest count of the feature that is asked for, taken from the very rows."""

    columns: ClassVar[tuple[str, ...]] = ("feature",)
    learns: ClassVar[tuple[str, ...]] = ("answer", "feature")
    by: ClassVar[str] = "feature"


class CommonestOption(Majority):
    """The commonest transformation, wherever it stands among the options."""

    columns: ClassVar[tuple[str, ...]] = ("options",)
    learns: ClassVar[tuple[str, ...]] = ("transformation",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        return _numbered(super().answer(row, rng), row)


class AnyOption(Solver):
    """One of the options by lot."""

    columns: ClassVar[tuple[str, ...]] = ("options",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        return str(int(rng.integers(len(row["options"]))) + 1)


class ThumbnailPeaks(Solver):
    """Counts what stands out in a thumbnail of the plot."""

    columns: ClassVar[tuple[str, ...]] = ("image", "feature")
    slow: ClassVar[bool] = True
    sized: ClassVar[bool] = True

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - nothing is left to chance
        return "".join(str(peaks(small, row["feature"])) for small in thumbnails(row["image"]["bytes"], self.size, 1))


class ThumbnailPair(Solver):
    """Registers the thumbnails of both plots."""

    columns: ClassVar[tuple[str, ...]] = ("image", "options")
    slow: ClassVar[bool] = True
    sized: ClassVar[bool] = True

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - nothing is left to chance
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
