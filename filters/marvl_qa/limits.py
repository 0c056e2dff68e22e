"""The limits of the MaRVL-QA filters, as sections of a recipe that validate their values."""

from dataclasses import dataclass, fields
from typing import ClassVar


class _Shares:
    """Limits that are shares of a range of heights or of the window's side, therefore between 0 and 1."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            if not 0 < getattr(self, field.name) < 1:
                raise ValueError(f"need 0 < {field.name} < 1, got {getattr(self, field.name)}")


@dataclass(frozen=True, kw_only=True)
class CurationLimits(_Shares):
    """Limits that define an unambiguous count; they replace the authors' manual review (MaRVL-QA, A.3)."""

    #: Of stored extrema (Table 4).
    decimals: ClassVar[int] = 4

    prominence: float = 0.12
    """Least prominence of a feature that counts, as a share of the plot's range of heights."""
    ripple: float = 0.001
    """No feature may have a prominence between this and ``prominence``: the count may not depend on the limit."""
    border: float = 0.02
    """Least distance of a feature from the frame, as a share of the window."""
    separation: float = 0.07
    """Least distance of two features, as a share of the window."""
    ring: float = 0.03
    """Radius of the lower ring around each feature, as a share of the window."""
    ring_drop: float = 0.002
    """Least drop to that ring in every direction, as a share of the range of heights."""
    definiteness: float = 0.02
    """Least ratio of the smallest to the largest curvature at a feature."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ripple > self.prominence:
            raise ValueError(
                f"need ripple <= prominence, got ripple = {self.ripple} and prominence = {self.prominence}"
            )
        if 2 * self.ring > self.separation:
            raise ValueError(f"need 2 * ring <= separation, got ring = {self.ring} and separation = {self.separation}")


@dataclass(frozen=True, kw_only=True)
class AmbiguityLimits(_Shares):
    """Limits of Algorithm 1 (MaRVL-QA, A.4) and of our own tests that define an unambiguous transformation."""

    threshold: float = 0.07
    """Least NRMSE of two plots that count as different."""
    largest_shift: float = 0.25
    """Longest translation that is compared with a rotation, as a share of the axis."""
    prominence: float = 0.10
    """Least prominence of a feature that makes a translation visible, as a share of the range of heights."""
    border: float = 0.02
    """Least distance of such a feature from the frame, as a share of the window."""
    ridge_lines: float = 0.5
    """A ridge across this share of the lines of the plot is such a feature, too."""
    cliff_lines: float = 0.25
    """A discontinuity across this share of the lines of the plot is such a feature, too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.largest_shift > 0.25:
            raise ValueError(f"need largest_shift <= 0.25, got {self.largest_shift}")
