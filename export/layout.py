"""The layout of a config in the report: the axes that sort its rows, and the caption of a picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planimeter.export.columns import Column
from planimeter.items.order import natural
from planimeter.items.values import Row


@dataclass(frozen=True, slots=True)
class Axis:
    """A way to sort rows into named strata: ``of`` returns the name of a row's stratum.

    ``order`` lists the names, if their order is neither numerical nor alphabetical.
    """

    title: str
    of: Callable[[Row], str]
    order: Sequence[str] = ()

    def place(self, name: str) -> tuple[object, ...]:
        """Return the sort key of ``name``: the names of ``order`` come first, then the others."""
        return (self.order.index(name) if name in self.order else len(self.order)), *natural(name)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of the rows of a config in the report.

    ``rows`` and ``columns`` are the axes of its gallery and coverage table, ``distributions`` the axes of bar charts,
    ``caption`` a few words under a picture. ``family`` is a further filter of the gallery, if it is not ``rows``.
    """

    rows: Axis
    columns: Axis
    distributions: tuple[Axis, ...]
    caption: Callable[[Row], str]
    family: Axis | None = None


def axes_of(columns: Sequence[Column]) -> dict[str, Axis]:
    """Return the axes of ``columns``, by the name of the column; columns without one are skipped."""
    return {
        column.name: Axis(column.axis, lambda row, column=column: column.named(row[column.name]), column.order)  # type: ignore[misc]
        for column in columns
        if column.axis
    }


def layout(
    columns: Sequence[Column],
    *,
    rows: Axis | str = "",
    across: Axis | str = "",
    distributions: Sequence[Axis | str] = (),
    caption: Callable[[Row], str] | None = None,
    family: str = "",
) -> Layout:
    """Return the layout of a config with these ``columns``; an axis may be given by the name of its column.

    By default rows are sorted by the first two axes, or by their answers; each axis has bars, and the caption is a
    row's names on all axes.
    """
    axes = axes_of(columns) or {"answer": Axis("Answer", lambda row: str(row["answer"]))}
    first, *others = axes.values()
    bars = tuple(axes[axis] if isinstance(axis, str) else axis for axis in distributions or axes)
    return Layout(
        rows=(axes[rows] if rows else first) if isinstance(rows, str) else rows,
        columns=(axes[across] if across else (others or [first])[0]) if isinstance(across, str) else across,
        distributions=bars,
        caption=caption or (lambda row: ", ".join(axis.of(row) for axis in bars)),
        family=axes[family] if family else None,
    )
