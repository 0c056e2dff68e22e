"""The only maker of random streams: a seed is an address, never a sum.

Each item has an *address*, a path of names and numbers such as ``("counting", "gabor_function", "maxima", 3)``. Its
stream is ``SeedSequence(root, spawn_key=address)``, so that neighbouring addresses and neighbouring root seeds share
nothing (``seed + index`` would: root 0 index 1 and root 1 index 0 are then the same item). Names enter the key through
a digest, because Python's own ``hash`` of a string changes from process to process.
"""

from hashlib import blake2b

import numpy as np

#: The roots of recipes are smaller; that of a sealed edition is secret, and larger.
PUBLIC_ROOTS = 2**64

#: The low bits of an item's seed that ``with_variant`` uses to distinguish the views of one question.
VARIANT_BITS = 8


def spawn_key(address: tuple[str | int, ...]) -> tuple[int, ...]:
    """Return the 32-bit words for ``address``; a non-negative int is its own word."""
    words: list[int] = []
    for part in address:
        if isinstance(part, int):
            if not 0 <= part < 2**32:
                raise ValueError(f"an address contains ints from 0 to 2**32 - 1, got {part!r} in {address!r}")
            words.append(part)
        else:
            words.append(int.from_bytes(blake2b(part.encode(), digest_size=4).digest(), "little"))
    return tuple(words)


def item_seed(root: int, address: tuple[str | int, ...]) -> int:
    """Return the seed of the item at ``address``: a uint64 whose lowest ``VARIANT_BITS`` bits are zero.

    ``SeedSequence`` can be inverted, so that the seed of one item gives those of all. A root of 2**64 or more is the
    key of a keyed digest instead: it stays secret even if seeds of items become known.
    """
    key = spawn_key(address)
    if root < PUBLIC_ROOTS:
        word = int(np.random.SeedSequence(root, spawn_key=key).generate_state(1, np.uint64)[0])
    else:
        words = b"".join(part.to_bytes(4, "little") for part in key)
        word = int.from_bytes(blake2b(words, key=root.to_bytes(32, "little"), digest_size=8).digest(), "little")
    return word >> VARIANT_BITS << VARIANT_BITS


def with_variant(seed: int, variant: int) -> int:
    """Return the seed of one view (a plot style, a condition) of the question with ``seed``.

    ``variant`` runs from 0 to ``2**VARIANT_BITS - 1``. So a row's seed identifies both the question and the view.
    """
    if not 0 <= variant < 2**VARIANT_BITS:
        raise ValueError(f"need 0 <= variant < {2**VARIANT_BITS}, got {variant}")
    return without_variant(seed) | variant


def without_variant(seed: int) -> int:
    """Return the seed of the question that a row with ``seed`` shows."""
    return seed >> VARIANT_BITS << VARIANT_BITS


def rng_of(seed: int) -> np.random.Generator:
    """Return the generator of all draws of the item with ``seed``."""
    return np.random.default_rng(without_variant(seed))
