"""Rows of every suite as hypothesis strategies: the columns that grading and prompt variants need, without pictures."""

from typing import Any

from hypothesis import strategies as st

from planimeter.evals.curves import prompt as curves
from planimeter.evals.curves_maps import prompt as maps
from planimeter.evals.geogram import prompt as geogram
from planimeter.evals.marvl_qa import prompt as marvl_qa
from planimeter.evals.traversal import prompt as traversal
from planimeter.generators.curves import trees
from planimeter.items import FEATURES, MARKER_COLORS, MARKER_SHAPES, OPTIONS

MARKERS = tuple(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)
Row = dict[str, Any]

counts = st.builds(
    lambda count, feature: {
        "answer": str(count),
        "count": count,
        "feature": feature,
        "system_prompt": marvl_qa.counting_system_prompt(),
        "prompt": marvl_qa.counting_prompt(feature),
    },
    st.integers(1, 20),
    st.sampled_from(FEATURES),
)
pairs = st.builds(
    lambda options, right: {
        "answer": str(right),
        "options": options,
        "system_prompt": marvl_qa.transformation_system_prompt(),
        "prompt": marvl_qa.transformation_prompt(options),
    },
    st.permutations(OPTIONS),
    st.integers(1, 5),
)
paths = st.lists(st.sampled_from(MARKERS), min_size=2, max_size=17, unique=True).map(
    lambda markers: {
        "answer": traversal.answer(markers),
        "markers": markers,
        "system_prompt": traversal.SYSTEM_PROMPT,
        "prompt": traversal.prompt(markers[0], len(markers), "confounded"),
    }
)
nested = (
    st.integers(1, 12)
    .flatmap(lambda n: st.tuples(*(st.integers(0, node) for node in range(n))))
    .map(
        lambda parents: {
            "answer": curves.answer(trees.canonical_parents(parents)),
            "parents": trees.canonical_parents(parents),
            "system_prompt": curves.SYSTEM_PROMPT,
            "prompt": curves.prompt(arcs=len(parents) % 2 == 0),
            "seed": len(parents),
        }
    )
)
crossing = st.integers(2, 6).flatmap(
    lambda faces: (
        st.tuples(
            st.tuples(*(st.integers(0, face) for face in range(faces))),
            st.sets(st.sampled_from([(u, v) for u in range(faces + 1) for v in range(u + 1, faces + 1)])),
        )
        .map(
            # Each face borders on one before it.
            lambda pairs: sorted({(u, face) for face, u in enumerate(pairs[0], 1)} | pairs[1])
        )
        .map(
            lambda adjacent: {
                "answer": maps.answer(faces, adjacent),
                "adjacent": adjacent,
                "system_prompt": maps.SYSTEM_PROMPT,
                "prompt": maps.PROMPT,
            }
        )
    )
)
problems = st.sampled_from(["12", "\\frac{7}{3}", "2\\sqrt{29}", "8\\pi+27", "\\frac{3\\sqrt{2}}{2}"]).map(
    lambda answer: {
        "answer": answer,
        "answer_latex": answer,
        "code": "draw((0,0)--(1,0));",
        "system_prompt": "",
        "prompt": geogram.prompt("Find the area.", "draw((0,0)--(1,0));", "asymptote"),
    }
)

#: A strategy of rows for each suite and config; the categories of nested curves are all alike.
ROWS = {
    ("marvl_qa", "counting"): counts,
    ("marvl_qa", "transformation"): pairs,
    ("traversal", "base"): paths,
    ("curves", "easy"): nested,
    ("curves_maps", "planar_map"): crossing,
    ("geogram", "geogram"): problems,
}


def with_ids(rows: st.SearchStrategy[Row]) -> st.SearchStrategy[Row]:
    """Return ``rows``, each with an id of its own."""
    return st.builds(lambda row, number: {**row, "id": f"row-{number:016x}"}, rows, st.integers(0, 2**64 - 1))


def row_of(suite: str, config: str) -> Row:
    """Return one row, always the same."""
    return EXAMPLES[suite, config]


EXAMPLES: dict[tuple[str, str], Row] = {
    ("marvl_qa", "counting"): {
        "answer": "7",
        "count": 7,
        "feature": "maxima",
        "system_prompt": marvl_qa.counting_system_prompt(),
        "prompt": marvl_qa.counting_prompt("maxima"),
    },
    ("marvl_qa", "transformation"): {
        "answer": "2",
        "options": list(OPTIONS),
        "system_prompt": marvl_qa.transformation_system_prompt(),
        "prompt": marvl_qa.transformation_prompt(OPTIONS),
    },
    ("traversal", "base"): {
        "answer": traversal.answer(MARKERS[3:12]),
        "markers": list(MARKERS[3:12]),
        "system_prompt": traversal.SYSTEM_PROMPT,
        "prompt": traversal.prompt(MARKERS[3], 9),
    },
    ("curves", "easy"): {
        "answer": "4\n1 0\n2 0\n3 1\n4 1",
        "parents": [0, 0, 1, 1],
        "system_prompt": "",
        "prompt": curves.prompt(),
        "seed": 5,
    },
    ("curves_maps", "planar_map"): {
        "answer": "3\n0 1\n1 2\n2 3",
        "adjacent": [(0, 1), (1, 2), (2, 3)],
        "system_prompt": "",
        "prompt": maps.PROMPT,
    },
    ("geogram", "geogram"): {
        "answer": "8\\pi+27",
        "answer_latex": "8\\pi+27",
        "code": "draw((0,0)--(1,0));",
        "system_prompt": "",
        "prompt": geogram.prompt("Find the area.", "draw((0,0)--(1,0));", "asymptote"),
    },
}
