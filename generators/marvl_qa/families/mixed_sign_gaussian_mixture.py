"""Mixed-Sign Gaussian Mixture: bumps and hollows that take turns on a jittered chequerboard.

Why not scattered at random: three bumps around a level pocket make that pocket a faint additional minimum, which no
reader can count with confidence. Where the signs take turns, every pocket drains into a hollow.
"""

import numpy as np

from planimeter.generators.marvl_qa.families import _mixture
from planimeter.generators.marvl_qa.families._drawing import integer, rounded
from planimeter.generators.marvl_qa.families._frame import square
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import TRANSFORMATIONS


def _draw(rng: np.random.Generator) -> Parameters:
    columns, rows = integer(rng, 1, 6), integer(rng, 2, 5)
    if rng.random() < 0.5:
        columns, rows = rows, columns
    pitch_x, pitch_y = (rng.uniform(0.85, 1.0) * min(9.2 / n, 3.4) for n in (columns, rows))
    slack_x, slack_y = (4.4 - pitch * n / 2 for pitch, n in ((pitch_x, columns), (pitch_y, rows)))
    centre_x, centre_y = (max(s, 0.0) * rng.uniform(-0.7, 0.7) for s in (slack_x, slack_y))
    first, jitter = integer(rng, 0, 1), 0.1
    points, signs = [], []
    for i in range(columns):
        for j in range(rows):
            dx, dy = rng.uniform(-jitter, jitter, 2)
            x = centre_x + pitch_x * (i - (columns - 1) / 2 + dx)
            y = centre_y + pitch_y * (j - (rows - 1) / 2 + dy)
            points.append((rounded(x, 2), rounded(y, 2)))
            signs.append(1 if (i + j + first) % 2 == 0 else -1)
    return _mixture.terms(rng, points, signs)


FAMILY = Family(
    name="mixed_sign_gaussian_mixture",
    title="Mixed-Sign Gaussian Mixture",
    tier=4,
    draw=_draw,
    height=_mixture.height,
    expression=_mixture.expression,
    domain=square(_mixture.HALF_WIDTH),
    counts={"maxima": (1, 15), "minima": (1, 15)},
    transformations=TRANSFORMATIONS,
    smooth=True,
    outline=_mixture.outline,
)
