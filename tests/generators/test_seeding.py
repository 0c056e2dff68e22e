import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.generators.seeding import VARIANT_BITS, item_seed, rng_of, with_variant, without_variant

ADDRESS = ("counting", "gabor_function", "maxima", 3)
GOLDEN = 17590396305577157632


def test_a_seed_is_golden() -> None:
    assert item_seed(0, ADDRESS) == GOLDEN


def test_neighbouring_roots_share_no_item_as_seed_plus_index_would() -> None:
    zero = {item_seed(0, ("c", index)) for index in range(500)}
    one = {item_seed(1, ("c", index)) for index in range(500)}
    assert len(zero) == len(one) == 500
    assert not zero & one


def test_string_hashing_does_not_reach_the_seed() -> None:
    code = f"from planimeter.generators.seeding import item_seed; print(item_seed(7, {ADDRESS!r}))"
    seeds = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": salt, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for salt in ("0", "1", "2")
    }
    assert seeds == {f"{item_seed(7, ADDRESS)}\n".encode()}


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**VARIANT_BITS - 1))
def test_a_variant_changes_neither_the_question_nor_its_stream(root: int, variant: int) -> None:
    seed = item_seed(root, ADDRESS)
    row = with_variant(seed, variant)
    assert (without_variant(row), row - without_variant(row)) == (seed, variant)
    assert rng_of(row).integers(2**32) == rng_of(seed).integers(2**32)
    assert 0 <= row < 2**64


def test_addresses_that_join_alike_are_told_apart() -> None:
    assert item_seed(0, ("ab", "c")) != item_seed(0, ("a", "bc"))


@pytest.mark.parametrize("part", [-1, 2**32])
def test_an_int_out_of_range_is_refused(part: int) -> None:
    with pytest.raises(ValueError, match="0 to 2\\*\\*32 - 1"):
        item_seed(0, (part,))


def test_a_variant_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="variant"):
        with_variant(0, 256)


def test_the_stream_is_numpys_own() -> None:
    assert isinstance(rng_of(0), np.random.Generator)
