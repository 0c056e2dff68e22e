"""Which pixels or runs hang together: each has a link to another of its component, its root a link to itself."""

import numba


@numba.njit(cache=True)
def root_of(link, one):  # type: ignore[no-untyped-def]
    """Return the root of ``one`` and halve the way there; ``link``: integers, one for each."""
    while link[one] != one:
        link[one] = link[link[one]]
        one = link[one]
    return one
