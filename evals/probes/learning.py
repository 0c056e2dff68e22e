"""Predicts answers from features of a row, cross-validated; permuted answers give the null distribution.

The predictor is a ridge regression of the answers, as classes, on the quantiles of the features and on smooth functions
of these (Nyström's approximation of a Gaussian kernel). Its fit is linear in the answers, so that hundreds of
permutations cost little more than one fit, and the standard deviation of the null distribution is reliable. Its
accuracy agrees with that of a random forest (30% to 34% on MaRVL-QA's pairs of plots if the features are those of Plot
B only). No parameter is tuned to a dataset.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import QuantileTransformer
from threadpoolctl import threadpool_limits

from planimeter.evals.probes.part import Floats, Ints

#: Folds of the cross-validation, and its repeats; in each repeat a row is guessed once, from the other folds.
FOLDS, REPEATS = 8, 2

#: The number of permutations of the answers for the null distribution.
PERMUTATIONS = 200

#: Of the guesser: points of the smooth map, width of its kernel (1 over the number of measures), weight of the measures
#: themselves, and the penalty, as a share of the rows.
POINTS, WIDTH, LINEAR, PENALTY = 200, 0.3, 0.3, 0.01

#: The bound of a measure's quantile, converted to that of the normal distribution.
_MOST = 3.0

#: The number of permutations guessed at once; bounds the memory.
_AT_ONCE = 40


_Fitted = tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32], npt.NDArray[np.float32]]


def hits(features: npt.ArrayLike, groups: npt.ArrayLike, answers: npt.ArrayLike, seed: int) -> Floats:
    """Return for each answer the share (0 to 1) of cross-validation repeats that guess it right, as (n, k).

    ``features``: (n, d) numbers. ``groups``: (n,) labels; a group is never in both training and test. ``answers``:
    (n, k) classes from 0 on; each column is one assignment of answers to rows, guessed separately. If there is only
    one group, no training rows are left, and the result is 0.
    """
    targets = np.asarray(answers, np.int64)
    hit = np.zeros(targets.shape)
    classes = int(targets.max(initial=0)) + 1
    # Threads of the libraries would add the same numbers in another order.
    with threadpool_limits(1):
        for train, left, right in _fitted(np.asarray(features, np.float64), np.asarray(groups), seed):
            for first in range(0, targets.shape[1], _AT_ONCE):
                some = slice(first, first + _AT_ONCE)
                hit[~train, some] += _guess(left, right, targets[train, some], classes) == targets[~train, some]
    return hit / REPEATS


def permuted(answers: Ints, questions: Ints, strata: npt.ArrayLike, seed: int, times: int = PERMUTATIONS) -> Ints:
    """Return ``times`` permutations of ``answers`` (n,) among the questions of each stratum, as (n, times).

    ``questions`` (n,) numbers the question of each row from 0 on, ``strata`` (n,) labels its stratum. All rows of a
    question have the same stratum and the same answer, before and after the permutation.
    """
    rng = np.random.default_rng([seed, 1])
    _, first, member = np.unique(questions, return_index=True, return_inverse=True)
    first_answers = answers[first]
    pools = [np.flatnonzero(np.asarray(strata)[first] == name) for name in np.unique(strata)]
    shuffled = np.empty((len(answers), times), np.int64)
    for column in range(times):
        exchanged = first_answers.copy()
        for pool in pools:
            exchanged[pool] = first_answers[rng.permutation(pool)]
        shuffled[:, column] = exchanged[member]
    return shuffled


def _fitted(features: Floats, groups: npt.NDArray[np.generic], seed: int) -> Iterator[_Fitted]:
    """Yield for each repeat and fold the mask (n,) of its training rows, and two matrices for ``_guess``."""
    rng = np.random.default_rng([seed, 0])
    names, member = np.unique(groups, return_inverse=True)
    parts = min(FOLDS, len(names))
    if parts < 2:
        return
    mapped = _mapped(features)
    for _ in range(REPEATS):
        dealt = rng.permutation(len(names)) % parts
        for number in range(parts):
            train = dealt[member] != number
            gram = mapped[train].T @ mapped[train]
            gram[np.diag_indices_from(gram)] += PENALTY * train.sum()
            right = np.linalg.solve(gram, mapped[~train].T)
            yield train, mapped[train].astype(np.float32), right.astype(np.float32)


def _mapped(features: Floats) -> Floats:
    """Return the inputs of the regression (n, columns), computed from the ``features`` (n, d) of all rows."""
    count, measures = features.shape
    scale = QuantileTransformer(n_quantiles=min(100, count), output_distribution="normal", random_state=0)
    level = np.clip(scale.fit_transform(features), -_MOST, _MOST)
    smooth = Nystroem(gamma=WIDTH / measures, n_components=min(POINTS, count), random_state=0).fit_transform(level)
    return np.hstack([smooth * np.sqrt(measures), level * LINEAR, np.ones((count, 1))])


def _guess(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32], answers: Ints, classes: int) -> Ints:
    """Return the classes (test, k) that a ridge regression on ``answers`` (train, k) guesses for the test rows.

    A class has an indicator for each row: 1 if it is the answer, else 0. Scores are ``right.T @ left.T @ indicators``
    with the matrices ``left`` (train, d) and ``right`` (d, test) of ``_fitted``. The share of rows with the class is
    subtracted from the indicators, and then added to the scores, so that no tie favours a rare class.
    """
    indicators = (answers[:, :, None] == np.arange(classes)).astype(np.float32).reshape(len(answers), -1)
    shares = indicators.mean(axis=0)
    scores = right.T @ (left.T @ (indicators - shares)) + shares
    return np.asarray(scores.reshape(-1, answers.shape[1], classes).argmax(axis=2), np.int64)
