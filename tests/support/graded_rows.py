"""Rows of every suite, as examples and as hypothesis strategies: what grading and prompt variants need, no pictures."""

from typing import Any

from hypothesis import strategies as st

from planimeter.evals.curves import prompt as curves
from planimeter.evals.curves_maps import prompt as maps
from planimeter.evals.geogram import prompt as geogram
from planimeter.evals.marvl_qa import prompt as marvl_qa
from planimeter.evals.traversal import prompt as traversal
from planimeter.generators.curves import trees
from planimeter.items import FEATURES, MARKER_COLORS, MARKER_SHAPES, OPTIONS
from planimeter.items.motions import MOTIONS

MARKERS = tuple(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)
Row = dict[str, Any]


def _count(count: int, feature: str) -> Row:
    prompts = {"system_prompt": marvl_qa.counting_system_prompt(), "prompt": marvl_qa.counting_prompt(feature)}
    return {"answer": str(count), "count": count, "feature": feature, **prompts}


def _pair(options: list[str], right: int) -> Row:
    system = marvl_qa.transformation_system_prompt()
    prompt = marvl_qa.transformation_prompt(options)
    return {"answer": str(right), "options": options, "system_prompt": system, "prompt": prompt}


def _motion(options: list[str], right: int) -> Row:
    system = marvl_qa.motion_system_prompt()
    return {**_pair(options, right), "motion": options[right - 1], "system_prompt": system}


def _seen(count: int, feature: str, elevation: int) -> Row:
    views = {"elevation": elevation, "azimuth": -60, "mesh": True, "colormap": "magma"}
    return {**_count(count, feature), **views, "system_prompt": marvl_qa.surface_system_prompt()}


def _seen_motion(options: list[str], right: int) -> Row:
    views = {"elevation_a": 40, "azimuth_a": -60, "elevation_b": 70, "azimuth_b": -30, "mesh": True}
    return {**_motion(options, right), **views, "system_prompt": marvl_qa.surface_motion_system_prompt()}


def _path(markers: list[str], kind: str = "base") -> Row:
    prompts = {"system_prompt": traversal.SYSTEM_PROMPT, "prompt": traversal.prompt(markers[0], len(markers), kind)}
    return {"answer": traversal.answer(markers), "markers": markers, **prompts}


def _nested(parents: list[int]) -> Row:
    prompts = {"system_prompt": curves.SYSTEM_PROMPT, "prompt": curves.prompt(arcs=len(parents) % 2 == 0)}
    tree = trees.canonical_parents(parents)
    return {"answer": curves.answer(tree), "parents": tree, "seed": len(parents), **prompts}


def _map(faces: int, adjacent: list[tuple[int, int]]) -> Row:
    prompts = {"system_prompt": maps.SYSTEM_PROMPT, "prompt": maps.PROMPT}
    return {"answer": maps.answer(faces, adjacent), "adjacent": adjacent, **prompts}


def _problem(answer: str) -> Row:
    code = "draw((0,0)--(1,0));"
    prompts = {"system_prompt": "", "prompt": geogram.prompt("Find the area.", code, "asymptote")}
    return {"answer": answer, "answer_latex": answer, "code": code, **prompts}


def _maps(faces: int) -> st.SearchStrategy[Row]:
    """Each face borders on one before it."""
    earlier = st.tuples(*(st.integers(0, face) for face in range(faces)))
    others = st.sets(st.sampled_from([(u, v) for u in range(faces + 1) for v in range(u + 1, faces + 1)]))
    bordering = earlier.map(lambda chosen: {(u, face) for face, u in enumerate(chosen, 1)})
    return st.builds(lambda pairs, more: _map(faces, sorted(pairs | more)), bordering, others)


#: A strategy of rows for each suite and config; the categories of nested curves are all alike.
ROWS = {
    ("marvl_qa", "counting"): st.builds(_count, st.integers(1, 20), st.sampled_from(FEATURES)),
    ("marvl_qa", "transformation"): st.builds(_pair, st.permutations(OPTIONS), st.integers(1, 5)),
    ("marvl_qa", "counting_hard"): st.builds(
        lambda row, other: {**row, "other_count": other},
        st.builds(_count, st.integers(10, 60), st.sampled_from(FEATURES)),
        st.integers(1, 40),
    ),
    ("marvl_qa", "surface"): st.builds(
        _seen, st.integers(8, 31), st.sampled_from(FEATURES), st.sampled_from((40, 55, 70))
    ),
    ("marvl_qa", "transformation_hard"): st.builds(_motion, st.permutations(list(MOTIONS)), st.integers(1, 18)),
    ("marvl_qa", "surface_transformation"): st.builds(_seen_motion, st.permutations(list(MOTIONS)), st.integers(1, 18)),
    ("traversal", "base"): st.lists(st.sampled_from(MARKERS), min_size=2, max_size=17, unique=True).map(
        lambda markers: _path(markers, "confounded")
    ),
    ("curves", "easy"): st.integers(1, 12)
    .flatmap(lambda n: st.tuples(*(st.integers(0, node) for node in range(n))))
    .map(_nested),
    ("curves_maps", "planar_map"): st.integers(2, 6).flatmap(_maps),
    ("geogram", "geogram"): st.sampled_from(
        ["12", "\\frac{7}{3}", "2\\sqrt{29}", "8\\pi+27", "\\frac{3\\sqrt{2}}{2}"]
    ).map(_problem),
}

#: One row of each, always the same.
EXAMPLES: dict[tuple[str, str], Row] = {
    ("marvl_qa", "counting"): _count(7, "maxima"),
    ("marvl_qa", "transformation"): _pair(list(OPTIONS), 2),
    ("marvl_qa", "counting_hard"): _count(41, "minima") | {"other_count": 17},
    ("marvl_qa", "transformation_hard"): _motion(list(MOTIONS), 9),
    ("marvl_qa", "surface"): _seen(23, "maxima", 55),
    ("marvl_qa", "surface_transformation"): _seen_motion(list(MOTIONS), 13),
    ("traversal", "base"): _path(list(MARKERS[3:12])),
    ("curves", "easy"): {"answer": "4\n1 0\n2 0\n3 1\n4 1", "parents": [0, 0, 1, 1]}
    | {"seed": 5, "system_prompt": "", "prompt": curves.prompt()},
    ("curves_maps", "planar_map"): _map(3, [(0, 1), (1, 2), (2, 3)]) | {"system_prompt": ""},
    ("geogram", "geogram"): _problem("8\\pi+27"),
}


def with_ids(rows: st.SearchStrategy[Row]) -> st.SearchStrategy[Row]:
    """Return ``rows``, each with an id of its own."""
    return st.builds(lambda row, number: {**row, "id": f"row-{number:016x}"}, rows, st.integers(0, 2**64 - 1))
