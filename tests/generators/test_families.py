"""The library of surfaces: one law a test, over every family that the registry finds."""

import itertools
import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import sympy

from planimeter.filters.marvl_qa import expressions
from planimeter.filters.marvl_qa.ambiguity import AmbiguityLimits, judge
from planimeter.filters.marvl_qa.extrema import CurationLimits
from planimeter.filters.marvl_qa.prominence import peaks
from planimeter.generators.marvl_qa import plan
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.generators.marvl_qa.transformation import propose

FAMILIES = {family.name: family for family in plan.families()}
#: The titles of the paper.
TITLES = """Lattice of Gaussian Peaks, Inverted Lattice of Valleys, Gaussian Mixture, Inverted Gaussian Mixture,
Windowed Waves, Crossed Tunnels, Plane, Elliptic Paraboloid, Hyperbolic Paraboloid, Parabolic Cylinder, Wave Surface,
Circular Ripples, Gabor Function, Checkerboard, Cone, Cusp, Monkey Saddle, Step Function, Sharp Ridge, Astroidal Bowl,
Logarithmic Singularity, Ring Singularity, Modulated Wave, Damped Oscillator, Volcano, Spiraling Surface,
Mixed-Sign Gaussian Mixture, Contained Symmetric Lobes, Beaded Rings, Inverted Beaded Rings,
Hyperboloid of One Sheet, Extruded Witch of Agnesi"""
MAXIMA, MINIMA, BOTH = {"maxima"}, {"minima"}, {"maxima", "minima"}
TABLE_5 = {
    **dict.fromkeys(("lattice_of_gaussian_peaks", "gaussian_mixture", "beaded_rings"), MAXIMA),
    **dict.fromkeys(("inverted_lattice_of_valleys", "inverted_gaussian_mixture", "inverted_beaded_rings"), MINIMA),
    **dict.fromkeys(("wave_surface", "gabor_function", "windowed_waves", "contained_symmetric_lobes"), BOTH),
    "crossed_tunnels": MINIMA,
    "mixed_sign_gaussian_mixture": BOTH,
}


def each_family(law: Callable[[Family], None]) -> Callable[..., None]:
    """Make a test over all families, tier by tier, of a law for one; what fails for one is its own failure."""

    @pytest.mark.parametrize("tier", range(1, 6))
    def test(tier: int, subtests: pytest.Subtests) -> None:
        for name, family in FAMILIES.items():
            if family.tier == tier:
                with subtests.test(name):
                    law(family)

    return test


def drawn(family: Family, seed: int) -> Parameters:
    return family.draw(np.random.default_rng(seed))


def sampled(family: Family, p: Parameters, nodes: int) -> npt.NDArray[np.float64]:
    window = family.domain
    x = np.linspace(window.x_min, window.x_max, nodes)[None, :]
    return family.height(x, np.linspace(window.y_min, window.y_max, nodes)[:, None], p)


def test_no_family_of_the_paper_is_missing() -> None:
    assert {family.title for family in FAMILIES.values()} == {*re.split(r",\s", TITLES)}
    assert {family.tier for family in FAMILIES.values()} == {1, 2, 3, 4, 5}
    assert {name: set(family.counts) for name, family in FAMILIES.items() if family.counts} == TABLE_5
    assert all(1 <= low < high <= 20 for family in FAMILIES.values() for low, high in family.counts.values())


@each_family
def test_the_printed_expression_is_the_surface(family: Family) -> None:
    """With two readers of a moved surface, whose expression holds that of the plain one, and our own of both."""
    rng = np.random.default_rng(0)
    for seed, moved in ((0, {}), (3, {"moved_x": -1.25, "moved_y": 0.6, "widened_x": 1.75, "widened_y": 0.5})):
        surface = family.surface({**drawn(family, seed), **moved})
        window = surface.domain
        x, y = rng.uniform(window.x_min, window.x_max, 200), rng.uniform(window.y_min, window.y_max, 200)
        if moved:
            printed = sympy.lambdify(sympy.symbols("x y"), sympy.parse_expr(surface.expression), "numpy")
            np.testing.assert_allclose(family.height(x, y, surface.parameters), printed(x, y), rtol=0, atol=1e-9)
        grid = (np.sort(x)[None, :], np.sort(y)[:, None])
        heights = family.height(*grid, surface.parameters) + 0 * sum(grid)
        np.testing.assert_allclose(expressions.surface(surface.expression)(*grid), heights, atol=1e-9)


@pytest.mark.parametrize("text", ["x +", "z", "x.real", "open(x)", "x if y else 1", "exp(x, base=2)", "'x'", "(" * 999])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expression"):
        expressions.surface(text)


@each_family
def test_expressions_have_no_long_decimals_or_double_signs(family: Family) -> None:
    clumsy = ("- -", "+ -", "--", "e-", "-0 ", "*-", "/-", "00000", "99999")
    for p in (drawn(family, seed) for seed in range(30)):
        text = family.expression(p)
        assert [part for part in clumsy if part in text] == [], text
        assert text.count("(") == text.count(")")
        for key, value in p.items():
            assert (type(value), value, str(value) == "-0.0") == (float, round(value, 4), False), key


@each_family
def test_no_two_seeds_show_the_same_picture(family: Family) -> None:
    """A heat map without its scale shows heights in 256 steps of their range: amplitude alone does not count."""
    pictures = set()
    for seed in range(20):
        z = sampled(family, drawn(family, seed), 100)
        assert (z.shape, z.dtype) == ((100, 100), np.float64)
        assert np.isfinite(z).all() and 1e-2 < np.ptp(z) < 1e3
        pictures.add(np.round(255 * (z - z.min()) / (z.max() - z.min())).astype(np.uint8).tobytes())
    assert len(pictures) == 20


@pytest.mark.parametrize("name", TABLE_5)
def test_counts_promise_no_bin_that_draws_do_not_reach(name: str, subtests: pytest.Subtests) -> None:
    """The plan asks for bins of five; a bin that draws miss would leave the quota unfilled."""
    limits = CurationLimits()
    for feature in sorted(TABLE_5[name]):
        low, high = FAMILIES[name].counts[feature]
        missing, seed = set(range((low - 1) // 5, (high - 1) // 5 + 1)), 0
        while missing and seed < 200:
            z = sampled(FAMILIES[name], drawn(FAMILIES[name], seed), 200) * (1 if feature == "maxima" else -1)
            clear, faint = (peaks(z).at_least(share * float(np.ptp(z))) for share in (limits.prominence, limits.ripple))
            if len(faint) == len(clear) and not clear.near_border((200, 200), limits.border).any():
                assert low <= len(clear) <= high, (feature, seed)
                missing.discard((len(clear) - 1) // 5)
            seed += 1
        with subtests.test(feature):
            assert not missing, "no draw of 200 has a count in one of these bins of five"


@each_family
def test_declared_transformations_pass_algorithm_1(family: Family) -> None:
    """Who is asked for the first is judged for all others, too."""
    first, *others = family.transformations
    candidates = (propose(family, first, np.random.default_rng(seed)) for seed in range(60))
    kept = (candidate for candidate in candidates if judge(family, candidate, AmbiguityLimits()).verdict.kept)
    assert [[other.transformation for other in candidate.others] for candidate in itertools.islice(kept, 1)] == [others]
