"""Which pixels or runs hang together: each has a link to another of its component, its root a link to itself."""

import numba


@numba.njit(cache=True)
def root_of(link, node):  # type: ignore[no-untyped-def]
    """Return the root of ``node`` and halve the way there; ``link``: integers, one for each."""
    while link[node] != node:
        link[node] = link[link[node]]
        node = link[node]
    return node
