"""Seeds of items, each derived from the address of the item, and the random generators made from them.

An item has an *address*, a path of names and numbers such as ``("counting", "gabor_function", "maxima", 3)``. Its
stream is ``SeedSequence(root, spawn_key=address)``, so that the streams of neighbouring addresses and of neighbouring
root seeds are independent. (With the sum ``seed + index``, root 0 index 1 and root 1 index 0 would be the same item.) A
digest turns a name into a number, because Python's ``hash`` of a string differs between processes.
"""

from hashlib import blake2b

import numpy as np

#: Root seeds of recipes are below this; the root of a sealed edition is secret, and at or above it.
PUBLIC_ROOTS = 2**64

#: The low bits of an item's seed that ``with_variant`` uses to distinguish the variants of one question.
VARIANT_BITS = 8


def spawn_key(address: tuple[str | int, ...]) -> tuple[int, ...]:
    """Return ``address`` as 32-bit integers, the ``spawn_key`` of a ``SeedSequence``; names are hashed.

    Raises:
        ValueError: if an int of the address is not from 0 to 2**32 - 1.
    """
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
    """Return the seed of the item at ``address`` (names and numbers): a uint64 whose last ``VARIANT_BITS`` bits are 0.

    ``root``: the root seed of the recipe. A root below 2**64 is public: as ``SeedSequence`` can be inverted, the seed
    of one item reveals the seeds of all. A larger root belongs to an edition with secret test rows. It is the key of a
    keyed digest instead, and remains secret even if seeds of items become known.
    """
    key = spawn_key(address)
    if root < PUBLIC_ROOTS:
        word = int(np.random.SeedSequence(root, spawn_key=key).generate_state(1, np.uint64)[0])
    else:
        words = b"".join(part.to_bytes(4, "little") for part in key)
        word = int.from_bytes(blake2b(words, key=root.to_bytes(32, "little"), digest_size=8).digest(), "little")
    return word >> VARIANT_BITS << VARIANT_BITS


def with_variant(seed: int, variant: int) -> int:
    """Return the seed of one variant of the question with ``seed``: the same question drawn in another plot style, say.

    ``variant``: the number of the variant, from 0 to ``2**VARIANT_BITS - 1``. The seed of a row thus identifies both
    the question and the variant.

    Raises:
        ValueError: if ``variant`` is out of range.
    """
    if not 0 <= variant < 2**VARIANT_BITS:
        raise ValueError(f"need 0 <= variant < {2**VARIANT_BITS}, got {variant}")
    return without_variant(seed) | variant


def without_variant(seed: int) -> int:
    """Return the seed of a question, given the seed of any of its variants (the same question drawn in another way)."""
    return seed >> VARIANT_BITS << VARIANT_BITS


def rng_of(seed: int) -> np.random.Generator:
    """Return a random generator for the item with ``seed``; variants of one question get the same random numbers."""
    return np.random.default_rng(without_variant(seed))
