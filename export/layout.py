"""The layout of a config in the report: the axes by which its rows are grouped, and the captions of pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planimeter.export.columns import Column
from planimeter.items.order import natural
from planimeter.items.values import Row


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of the report, which divides rows into named groups (strata); ``of`` returns the name of a row's group.

    ``order`` lists the names, if their order is neither numerical nor alphabetical.
    """

    title: str
    of: Callable[[Row], str]
    order: Sequence[str] = ()

    def place(self, name: str) -> tuple[object, ...]:
        """Return the sort key of the group ``name``: those in ``order`` are first, then the others in natural order."""
        return (self.order.index(name) if name in self.order else len(self.order)), *natural(name)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of the rows of a config in the report.

    ``rows`` and ``columns`` are the axes of the gallery of pictures and of the table of counts; each of
    ``distributions`` has a bar chart. ``caption`` returns the few words under the picture of a row. ``family`` is the
    axis by which the first filter of the gallery selects pictures; if None, it is ``rows``.
    """

    rows: Axis
    columns: Axis
    distributions: tuple[Axis, ...]
    caption: Callable[[Row], str]
    family: Axis | None = None


def axes_of(columns: Sequence[Column]) -> dict[str, Axis]:
    """Return column name -> axis of the report, for those ``columns`` that declare one."""
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
    """Return the report's layout of a config with these ``columns``; an axis can be given as the name of a column.

    ``rows`` and ``across`` are the two axes of the table of counts: by default the first two that ``columns`` declare,
    or the answer if they declare none. By default, each axis has a bar chart, and a caption lists a row's groups.
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
