"""The numbers of a numpy generator, drawn by compiled code: many at once, and the same to the last bit.

PCG64 steps a state of 128 bits by ``state * multiplier + increment``, modulo 2**128, and each number is a hash of the
state that it has come to (O'Neill 2014: XSL-RR). Several lanes, each as many steps ahead of itself as there are lanes,
need not wait for each other.
"""

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_LANES = 16
_ALL, _HALF = 2**128 - 1, 2**64 - 1
_LOW, _32 = np.uint64(2**32 - 1), np.uint64(32)

#: The upper and lower halves of the states of all lanes, then those of what each is multiplied by, and increased by.
Stream = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], np.uint64, np.uint64, np.uint64, np.uint64]


def stream_of(rng: np.random.Generator, number: int) -> Stream:
    """Return the stream of the next ``number`` draws of ``rng``, which is left as if it had drawn them itself.

    Raises:
        TypeError: if ``rng`` is not of the kind that ``numpy.random.default_rng`` makes.
    """
    if not isinstance(rng.bit_generator, np.random.PCG64):
        raise TypeError(f"need a generator of PCG64, got {type(rng.bit_generator).__name__}")
    before: Any = rng.bit_generator.state
    # What is left of a draw that 32 bits were taken of stays: advancing alone drops it.
    after: Any = {**before, "state": rng.bit_generator.advance(number).state["state"]}
    rng.bit_generator.state = after
    state, increment = before["state"]["state"], before["state"]["inc"]
    states, times, plus = [], 1, 0
    for _ in range(_LANES):
        times, plus = times * _MULTIPLIER & _ALL, (plus * _MULTIPLIER + increment) & _ALL
        states.append((times * state + plus) & _ALL)
    halves = np.array([(value >> 64, value & _HALF) for value in states], np.uint64)
    words = (np.uint64(word) for value in (times, plus) for word in (value >> 64, value & _HALF))
    return (halves[:, 0].copy(), halves[:, 1].copy(), *words)  # type: ignore[return-value]


@numba.njit(cache=True, error_model="numpy")
def draw(values, number, upper, lower, times_upper, times_lower, plus_upper, plus_lower):  # type: ignore[no-untyped-def]
    """Put the next ``number`` draws from [0, 1) into ``values``, which is as long as a multiple of the lanes; all but
    the last call on a stream draw such a multiple.
    """
    a, b = times_lower & _LOW, times_lower >> _32
    for first in range(0, number, _LANES):
        line = values[first : first + _LANES]
        for k in range(_LANES):
            high, low = upper[k], lower[k]
            mixed, turn = high ^ low, high >> np.uint64(58)
            mixed = mixed >> turn | mixed << (np.uint64(64) - turn & np.uint64(63))
            line[k] = np.int64(mixed >> np.uint64(11)) * 2.0**-53
            # The product of the lower halves, by their own halves.
            c, d = low & _LOW, low >> _32
            crossed = a * d + (a * c >> _32)
            middle = b * c + (crossed & _LOW)
            product = middle << _32 | a * c & _LOW
            lower[k] = product + plus_lower
            carried = b * d + (crossed >> _32) + (middle >> _32) + np.uint64(lower[k] < product)
            upper[k] = carried + high * times_lower + low * times_upper + plus_upper
