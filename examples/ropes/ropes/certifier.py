"""Follows each rope through the picture: strands are what hangs together; at a gap one goes on straight.

It sees pixels alone, and knows that letters stand at the left edge and numbers at the right.
"""

import cv2
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from planimeter.items import Reading

CERTIFIER = "strand-following"

#: A pixel is ink where a channel is darker; labels lie so near to the edges, px.
INK, EDGE = 170, 54
#: Farthest ends of a gap, px; how much nearer than any other the right end must be; end of a rope to its label, px.
FARTHEST, CLEARLY, TO_LABEL = 48.0, 1.3, 60.0
#: From the end of a strand its tip and its stem lie so far within, px.
TIP, STEM = 5.0, 14.0

Points = npt.NDArray[np.float64]


def certify(png: bytes, prompt: str) -> Reading:
    """Return which number each letter's rope ends at, as the picture shows it."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    ink = picture.min(axis=2) < INK
    count, parts, boxes, centres = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    left, right = boxes[:, 0] + boxes[:, 2] <= EDGE, boxes[:, 0] >= ink.shape[1] - EDGE
    letters = {_read(parts == i, "ABCDEF"): centres[i] for i in range(1, count) if left[i]}
    numbers = {_read(parts == i, "123456"): centres[i] for i in range(1, count) if right[i]}
    strands = [i for i in range(1, count) if not left[i] and not right[i]]
    if not letters or len(letters) != len(numbers) or len(letters) + len(numbers) != count - 1 - len(strands):
        return _nothing("labels cannot be read")
    tips, ways = _ends(parts, strands)
    starts = {name: _nearest(tips, centre) for name, centre in letters.items()}
    ends = {_nearest(tips, centre): name for name, centre in numbers.items()}
    if None in starts.values() or None in ends or len({*starts.values(), *ends}) != 2 * len(letters):
        return _nothing("a label without a rope")
    links, margin = _links(tips, ways, {*starts.values(), *ends})
    if links is None:
        return _nothing("a gap that cannot be followed", margin)
    answer = {}
    for name, end in starts.items():
        # The other end of a strand is its neighbour: ends are listed in twos.
        while (end := end ^ 1) not in ends:
            end = links[end]
        answer[name] = ends[end]
    if sorted(answer.values()) != sorted(numbers):
        return _nothing("two ropes end at one number", margin)
    return Reading(certifier=CERTIFIER, answer=" ".join(f"{a}{answer[a]}" for a in sorted(answer)), margin=margin)


def _nothing(reason: str, margin: float = 0.0) -> Reading:
    return Reading(certifier=CERTIFIER, answer=None, reason=reason, margin=margin)


def _read(glyph: npt.NDArray[np.bool_], names: str) -> str:
    """Return which of ``names`` looks most like the ``glyph``."""
    seen = _square(glyph.astype(np.uint8) * 255)

    def unlike(name: str) -> float:
        ink = np.zeros((60, 60), np.uint8)
        cv2.putText(ink, name, (15, 45), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 255, 2, cv2.LINE_AA)
        return float(np.abs(seen - _square(np.where(ink > 255 - INK, 255, 0).astype(np.uint8))).sum())

    return min(names, key=unlike)


def _square(ink: npt.NDArray[np.uint8]) -> Points:
    x, y, width, height = cv2.boundingRect(ink)
    side = max(width, height)
    square = np.zeros((side, side), np.uint8)
    square[(side - height) // 2 :, (side - width) // 2 :][:height, :width] = ink[y : y + height, x : x + width]
    return cv2.resize(square, (24, 24), interpolation=cv2.INTER_AREA).astype(float)


def _ends(parts: npt.NDArray[np.int32], strands: list[int]) -> tuple[Points, Points]:
    """Return the tip of both ends of each strand, two by two, and the way in which each points out."""
    thin = cv2.erode(np.isin(parts, strands).astype(np.uint8), np.ones((5, 5), np.uint8))
    rows, columns = np.nonzero(thin)
    numbers = np.full((parts.shape[0] + 2, parts.shape[1] + 2), -1)
    numbers[rows + 1, columns + 1] = np.arange(len(rows))
    pairs = []
    for down, right, length in ((0, 1, 1.0), (1, 0, 1.0), (1, 1, 2**0.5), (1, -1, 2**0.5)):
        neighbours = numbers[rows + 1 + down, columns + 1 + right]
        known = np.flatnonzero(neighbours >= 0)
        pairs.append((known, neighbours[known], np.full(len(known), length)))
    of, to, lengths = (np.concatenate(column) for column in zip(*pairs, strict=True))
    graph = sparse.csr_array((lengths, (of, to)), shape=(len(rows), len(rows)))
    owner = parts[rows, columns]
    pixels = [np.flatnonzero(owner == strand) for strand in strands]
    where = np.column_stack([columns, rows]).astype(float)
    # The pixel farthest from any is at an end, and the one farthest from that at the other.
    far = [own[0] for own in pixels]
    tips, ways = np.empty((2 * len(strands), 2)), np.empty((2 * len(strands), 2))
    for side in (None, 0, 1):
        distance = dijkstra(graph, directed=False, indices=far, min_only=True)
        for i, own in enumerate(pixels):
            if side is not None:
                tip = where[own[distance[own] <= TIP]].mean(axis=0)
                stem = where[own[(distance[own] > TIP) & (distance[own] <= STEM)]]
                way = tip - stem.mean(axis=0) if len(stem) else np.zeros(2)
                tips[2 * i + side], ways[2 * i + side] = tip, way / max(float(np.hypot(*way)), 1e-9)
            far[i] = own[np.argmax(distance[own])]
    return tips, ways


def _nearest(tips: Points, centre: Points) -> int | None:
    distances = np.hypot(*(tips - centre).T)
    return int(np.argmin(distances)) if distances.min() <= TO_LABEL else None


def _links(tips: Points, ways: Points, taken: set[int]) -> tuple[dict[int, int] | None, float]:
    """Return which end goes on at which across a gap, None where that is not clear, and how clear it is at least."""
    free = [i for i in range(len(tips)) if i not in taken]
    across = tips[None, free] - tips[free, None]
    distance = np.hypot(across[..., 0], across[..., 1]) + 1e-9
    ahead = (across * ways[free, None]).sum(axis=2) / distance
    # Seen from the other end the way across is the opposite one.
    cost = np.where((ahead > 0.5) & (ahead.T > 0.5) & (distance < FARTHEST), distance * (3 - ahead - ahead.T), np.inf)
    links, margin = {}, np.inf
    for i, costs in enumerate(cost):
        first, second = np.sort(costs)[:2] if len(costs) > 1 else (np.inf, np.inf)
        best = int(np.argmin(costs))
        if not np.isfinite(first) or int(np.argmin(cost[best])) != i or second < CLEARLY * first:
            return None, float(second / first) if np.isfinite(second) else 0.0
        margin = min(margin, second / first)
        links[free[i]] = free[best]
    return links, float(min(margin, 99.0))
