"""How the report of a config lays out its rows: the axes by which they are sorted, and what stands under a picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planimeter.export.columns import Column
from planimeter.items.order import natural
from planimeter.items.values import Row


@dataclass(frozen=True, slots=True)
class Axis:
    """A way to sort rows into named strata: ``of`` returns the name of a row's stratum.

    ``order`` lists names in their order, where it is not that of their numbers and of the alphabet.
    """

    title: str
    of: Callable[[Row], str]
    order: Sequence[str] = ()

    def place(self, name: str) -> tuple[object, ...]:
        """Return by what names are sorted: those of ``order`` first, then the others."""
        return (self.order.index(name) if name in self.order else len(self.order)), *natural(name)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the report shows the rows of a config.

    ``rows`` and ``columns`` are the axes of its gallery and coverage table, ``distributions`` what the report draws as
    bars, ``caption`` a few words under a picture. ``family`` is by what else the gallery can be filtered, where it is
    not ``rows``.
    """

    rows: Axis
    columns: Axis
    distributions: tuple[Axis, ...]
    caption: Callable[[Row], str]
    family: Axis | None = None


def axes_of(columns: Sequence[Column]) -> dict[str, Axis]:
    """Return the axes of those ``columns`` that have one, by the name of the column."""
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
    """Return the layout of a config with these ``columns``, which are named where they are an axis.

    Where nothing else is said, rows are sorted by the first two axes, or by their answers; the bars are those of all
    axes, and the caption is a row's names on them.
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
