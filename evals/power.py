"""Statistical power: the smallest difference between two models that an evaluation would detect.

The test is that of `planimeter score`: two models answer the same rows, their differences are clustered by question,
and the 95% interval of the mean difference excludes 0. The formula is that of Miller (2024), "Adding Error Bars to
Evals", section 5, with the design effect of Kish (1965) for rows of one question.

For a difference d the two accuracies are assumed to be (1 + d) / 2 and (1 - d) / 2, where scores vary most; at other
accuracies smaller differences are detected. A third of the variance of scores is assumed to be between rows and the
rest between replies to one row, as if the chance of a right reply were uniformly distributed over rows (Miller's
example). ``WITHIN_QUESTION`` is the correlation of the models' differences in two rows of one question.
"""

from collections.abc import Iterable
from math import nan, sqrt
from statistics import NormalDist

#: The chance that the difference is found, and the two-sided level of the test.
POWER, LEVEL = 0.8, 0.05

#: Correlations of two models' scores of a row: none, and the middle of the 0.3 to 0.7 that Miller reports.
INDEPENDENT, TYPICAL = 0.0, 0.5

#: Correlation between the differences of two rows of one question; assumed, for no published figure is known.
WITHIN_QUESTION = 0.25

#: The share of a reply's variance that lies between rows.
_BETWEEN_ROWS = 1 / 3


def smallest_difference(sizes: Iterable[int], *, samples: int = 1, correlation: float = INDEPENDENT) -> float:
    """Return the smallest difference in accuracy (0 to 1) between two models that is detected with a power of 80%.

    ``sizes``: the number of rows of each question. ``samples``: the number of replies to a row, whose mean is its
    score. ``correlation``: between the two models' scores of a row. The result is NaN for fewer than two questions.

    With N rows in questions of m rows, k samples, and the correlations r of models and w within a question, the mean
    difference has the variance v * (1 - d**2), where v = (1 - r) / 2 * (1/3 + 2/3 / k) * (1 + (sum(m**2) / N - 1) * w)
    / N. The smallest d solves d**2 = (z(0.975) + z(0.8))**2 * v * (1 - d**2).
    """
    counts = list(sizes)
    if len(counts) < 2:
        return nan
    rows = sum(counts)
    alike = sum(count**2 for count in counts) / rows
    of_row = (1 - correlation) / 2 * (_BETWEEN_ROWS + (1 - _BETWEEN_ROWS) / samples)
    variance = of_row * (1 + (alike - 1) * WITHIN_QUESTION) / rows
    normal = NormalDist()
    odds = (normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)) ** 2 * variance
    return sqrt(odds / (1 + odds))
