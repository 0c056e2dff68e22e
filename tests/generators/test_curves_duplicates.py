"""Near-duplicates: found where a person would see one, and not where two drawings merely show one tree."""

from dataclasses import replace

import numpy as np
import pytest
from curves_drawings import first_good
from scipy.ndimage import gaussian_filter

from planimeter.filters.curves import likeness
from planimeter.filters.curves.likeness import NearDuplicates, alike_pairs
from planimeter.generators.curves.signatures import SIDE, pack, similarity, unpacked, views_of
from planimeter.generators.curves.signatures import signature as signature_of
from planimeter.generators.curves.styles import STYLES
from planimeter.generators.seeding import item_seed
from planimeter.suites.curves.checks import CurvesChecker

#: What recipes use.
LIMIT = 0.8


@pytest.fixture(scope="module")
def drawings():
    config = replace(STYLES["easy"].defaults, parents=(0, 1, 0))
    return [first_good("easy", config, item_seed(8, ("dup", i))) for i in range(16)]


def signature(item):
    return signature_of(item.curves)


def kept(seen, drawing):
    return seen.judge([pack(drawing)], LIMIT)[0].kept


def faults(rows):
    """Return what the verifier says of ``rows``: config, name, least similarity and drawing."""
    stored = CurvesChecker({})
    stored.drawings = {(config, name): (limit, pack(signature(item))) for config, name, limit, item in rows}
    return list(stored.together(sampled=False))


def changed(item, how):
    return replace(item, curves=tuple(how(c) for c in item.curves))


def jittered(item):
    rng = np.random.default_rng(4)
    return changed(item, lambda c: c + 3.0 * np.sin(np.arange(len(c)) / 5 + rng.random())[:, None])


def mirrored(item):
    return changed(item, lambda c: c * [-1, 1] + [1024, 0])


def test_a_moved_or_mirrored_drawing_is_a_duplicate(drawings):
    for item in drawings[:6]:
        base = signature(item)
        shrunk, turned = changed(item, lambda c: 0.8 * c + 90.0), changed(item, lambda c: c[:, ::-1])
        for other in (jittered(item), mirrored(item), shrunk, turned):
            assert similarity(signature(other), base) > 0.9
            seen = NearDuplicates()
            assert [kept(seen, base), kept(seen, signature(other))] == [True, False]
    signatures = [signature(item) for item in drawings]
    assert max(similarity(a, b) for i, a in enumerate(signatures) for b in signatures[:i]) < 0.75
    seen = NearDuplicates()
    assert all(kept(seen, drawing) for drawing in signatures)


def test_a_rejected_drawing_rejects_none_after_it(drawings):
    """Only what is published counts: a chain of drawings each a little off the one before must not lose them all."""
    seen = NearDuplicates()
    first, other = pack(signature(drawings[0])), pack(signature(drawings[1]))
    assert [v.kept for v in seen.judge((first, first, other, other, first), LIMIT)] == [True, False, True, False, False]
    assert not any(v.kept for v in seen.judge((other, first), LIMIT))


def test_the_verifier_finds_the_copies_that_a_build_drops(drawings):
    # Whatever the limits, it says of the stored curves what ``NearDuplicates`` says of the drawings.
    seen, rows = NearDuplicates(), []
    for number, item in enumerate([*drawings[:9], jittered(drawings[3]), mirrored(drawings[5])]):
        assert kept(seen, signature(item)) == (number < 9)
        rows.append(("easy", f"row {number}", LIMIT, item))
    assert [line.split(":")[0] for _, line in faults(rows)] == [
        "row 9 is a near-duplicate of row 3",
        "row 10 is a near-duplicate of row 5",
    ]
    *listed, last = faults([("easy", f"row {number}", LIMIT, drawings[0]) for number in range(100)])
    assert (len(listed), last) == (20, ("easy", "79 more rows are near-duplicates of earlier ones"))


def packed_of(grid):
    return pack((grid / np.sqrt((grid * grid).sum())).ravel().astype(np.float32))


@pytest.mark.parametrize("limit", [0.3, 0.6])
def test_the_search_finds_exactly_what_comparing_all_finds(drawings, limit, monkeypatch):
    """Smoothed noise, some of it turned and blended with other noise: similarities of all sizes."""
    monkeypatch.setattr(likeness, "_CHUNK", 32)
    rng = np.random.default_rng(6)
    grids = [gaussian_filter(rng.normal(size=(SIDE, SIDE)), 1.5 + number % 4) for number in range(40)]
    for number in range(40, 110):
        turned = np.rot90(grids[number % 40][:, :: rng.choice([-1, 1])], rng.integers(4))
        grids.append(turned + rng.uniform(0, 3) * grids[rng.integers(40)] * turned.std() / grids[0].std())
    packed = [*map(packed_of, grids), *(pack(signature(item)) for item in drawings)]
    upright, norms = (np.stack(part) for part in zip(*map(unpacked, packed), strict=True))
    views = np.stack([views_of(grid) for grid in upright])
    every = np.einsum("ac,bvc->bva", upright, views, optimize=True).max(axis=1) / (norms[:, None] * norms)
    every = every.astype(np.float64)
    kept = []
    for number in range(len(packed)):
        kept += [number] if every[number, kept].max(initial=0.0) < limit else []
    seen = NearDuplicates()
    verdicts = [v for start in range(0, len(packed), 50) for v in seen.judge(packed[start : start + 50], limit)]
    assert [number for number, verdict in enumerate(verdicts) if verdict.kept] == kept
    assert 10 < len(kept) < len(packed) - 10
    limits = limit + rng.uniform(0, 0.1, len(packed))
    excess = np.tril(every - np.maximum(limits[:, None], limits), -1) + np.triu(np.full_like(every, -1.0))
    wanted = [(int(excess[later].argmax()), later) for later in range(len(packed)) if excess[later].max() >= 0]
    assert [(earlier, later) for earlier, later, _ in alike_pairs(packed, limits.tolist())] == wanted
