import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.generators.seeding import VARIANT_BITS, item_seed, rng_of, with_variant, without_variant

ADDRESS = ("counting", "gabor_function", "maxima", 3)
GOLDEN = 17590396305577157632


def test_a_seed_is_golden_under_any_hashing_of_strings() -> None:
    assert item_seed(0, ADDRESS) == GOLDEN
    # The salt of this process is drawn by Python, or is that of PYTHONHASHSEED.
    code = f"from planimeter.generators.seeding import item_seed; print(item_seed(0, {ADDRESS!r}))"
    for salt in ("0", "1"):
        environment = {"PYTHONHASHSEED": salt, "PYTHONPATH": "."}
        child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        assert int(child.stdout) == GOLDEN


def test_addresses_side_by_side_share_no_item_as_seed_plus_index_would() -> None:
    zero, one = ({item_seed(root, ("c", index)) for index in range(500)} for root in (0, 1))
    assert len(zero) == len(one) == 500
    assert not zero & one
    assert item_seed(0, ("ab", "c")) != item_seed(0, ("a", "bc")), "joined alike"


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**VARIANT_BITS - 1))
def test_a_variant_changes_neither_the_question_nor_its_stream(root: int, variant: int) -> None:
    seed = item_seed(root, ADDRESS)
    row = with_variant(seed, variant)
    assert (without_variant(row), row - without_variant(row)) == (seed, variant)
    assert rng_of(row).integers(2**32) == rng_of(seed).integers(2**32)
    assert 0 <= row < 2**64


def test_an_address_or_a_variant_out_of_range_is_refused_and_the_stream_is_numpys() -> None:
    for part in (-1, 2**32):
        with pytest.raises(ValueError, match="0 to 2\\*\\*32 - 1"):
            item_seed(0, (part,))
    with pytest.raises(ValueError, match="variant"):
        with_variant(0, 256)
    assert isinstance(rng_of(0), np.random.Generator)
