"""Follows each rope through the picture: strands are connected pixels, and a rope crosses a gap straight.

It sees pixels alone, and knows that letters stand at the left edge and numbers at the right.
"""

import cv2
import numpy as np

from planimeter.items import Reading

CERTIFIER = "strand-following"

#: A pixel is ink where a channel is darker; labels lie so near to the edges, px.
INK, EDGE = 170, 54
#: Farthest ends of a gap, px; how much nearer than any other the right end must be; end of a rope to its label, px.
FARTHEST, CLEARLY, TO_LABEL = 48.0, 1.3, 60.0
#: A strand ends where it fills less than this share of a square of so many px; how far its end is straight, px.
SHARE, SQUARE, STRAIGHT = 0.32, 23, 14.0


def certify(png, prompt):
    """Return the number at the end of each letter's rope, read from the picture."""
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    ink = (picture.min(axis=2) < INK).astype(np.uint8)
    count, parts, boxes, centres = cv2.connectedComponentsWithStats(ink, connectivity=8)
    left, right = boxes[:, 0] + boxes[:, 2] <= EDGE, boxes[:, 0] >= ink.shape[1] - EDGE
    letters = {_read(ink, centres[i], "ABCDEF"): centres[i] for i in range(1, count) if left[i]}
    numbers = {_read(ink, centres[i], "123456"): centres[i] for i in range(1, count) if right[i]}
    strands = [i for i in range(1, count) if not left[i] and not right[i]]
    if not letters or len(letters) != len(numbers) or len(letters) + len(numbers) != count - 1 - len(strands):
        return _nothing("labels cannot be read")
    tips, ways = _ends(parts, boxes, strands)
    if len(tips) != 2 * len(strands):
        return _nothing("a strand without two ends")
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
        while (end := end ^ 1) in links:
            end = links[end]
        answer[name] = ends.get(end, "")
    if "" in answer.values():
        return _nothing("a rope that ends at a letter", margin)
    return Reading(certifier=CERTIFIER, answer=" ".join(f"{a}{answer[a]}" for a in sorted(answer)), margin=margin)


def _nothing(reason, margin=0.0):
    return Reading(certifier=CERTIFIER, answer=None, reason=reason, margin=margin)


def _read(ink, centre, names):
    """Return the one of ``names`` that the glyph around ``centre`` resembles most."""
    x, y = np.maximum(centre.astype(int), 18)
    seen = 255 * ink[y - 18 : y + 18, x - 18 : x + 18]

    def likeness(name):
        glyph = np.zeros((28, 28), np.uint8)
        cv2.putText(glyph, name, (5, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 255, 2, cv2.LINE_AA)
        return cv2.matchTemplate(seen, glyph, cv2.TM_CCOEFF_NORMED).max()

    return max(names, key=likeness)


def _ends(parts, boxes, strands):
    """Return the tips of both ends of each strand, in pairs, and the direction in which each points."""
    tips, ways = [], []
    for strand in strands:
        x, y, width, height = boxes[strand, :4]
        own = (parts[y : y + height, x : x + width] == strand).astype(np.float32)
        around = cv2.blur(own, (SQUARE, SQUARE), borderType=cv2.BORDER_CONSTANT)
        count, _, _, blobs = cv2.connectedComponentsWithStats(((own > 0) & (around < SHARE)).astype(np.uint8))
        pixels = np.argwhere(own)[:, ::-1]
        for tip in blobs[1:] if count == 3 else ():
            way = tip - pixels[np.hypot(*(pixels - tip).T) < STRAIGHT].mean(axis=0)
            tips.append(tip + (x, y))
            ways.append(way / max(float(np.hypot(*way)), 1e-9))
    return np.array(tips), np.array(ways)


def _nearest(tips, centre):
    distances = np.hypot(*(tips - centre).T)
    return int(np.argmin(distances)) if distances.min() <= TO_LABEL else None


def _links(tips, ways, taken):
    """Return the pairs of ends across gaps, None for an unclear one, and the least margin."""
    free = [i for i in range(len(tips)) if i not in taken]
    if not free:
        return {}, 99.0
    across = tips[None, free] - tips[free, None]
    distance = np.hypot(across[..., 0], across[..., 1]) + 1e-9
    ahead = (across * ways[free, None]).sum(axis=2) / distance
    # Seen from the other end the way across is the opposite one.
    cost = np.where((ahead > 0.5) & (ahead.T > 0.5) & (distance < FARTHEST), distance * (3 - ahead - ahead.T), np.inf)
    best = cost.argmin(axis=1)
    first, second = np.sort(np.column_stack([cost, np.full(len(free), np.inf)]), axis=1)[:, :2].T
    if not np.isfinite(first).all() or (best[best] != np.arange(len(free))).any():
        return None, 0.0
    margin = float(np.minimum(second / first, 99.0).min())
    return {free[i]: free[j] for i, j in enumerate(best)} if margin >= CLEARLY else None, margin
