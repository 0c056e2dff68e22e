"""The declarations of the suites that Planimeter itself contains, in the order of ``items.suites.names``."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from planimeter.items.declaration import Sampling, Suite

#: The requirement of the grader of word problems. lmms-eval requires any math-verify, and latex2sympy2, whose old antlr
#: runtime works only with math-verify 0.1.0.
_MATH = '"math-verify[antlr4_13_2]>=0.9"'

#: GeoGramBench, section 5.1: the mean of eight replies.
_GEOGRAM = {"": Sampling(temperature=0.6, samples=8)}


def _ours(name: str, **given: Any) -> Suite:
    """Return the declaration of our suite ``name``; ``given``: other fields, or replacements of the usual paths."""
    parts = {
        "grader": f"planimeter.evals.{name}.grader",
        "recipe": f"planimeter.suites.{name}.recipe:SuiteRecipe",
        "datasets": f"planimeter.suites.{name}",
        "build": f"planimeter.suites.{name}.pipeline:PIPELINE",
        "export": f"planimeter.suites.{name}.rows",
        "likeness": f"planimeter.suites.{name}.signature",
        "results": f"planimeter.suites.{name}.scores",
        **dict.fromkeys(("solvers", "probes"), f"planimeter.suites.{name}.probes"),
    }
    return Suite(name=name, **{**parts, **given})


_SUITES = (
    _ours(
        "marvl_qa",
        editions=("marvl-qa-mini", "marvl-qa", "marvl-qa-hard"),
        recognised_by={
            "surface": frozenset({"feature", "elevation"}),
            "counting_hard": frozenset({"feature", "other_count"}),
            "surface_transformation": frozenset({"motion", "elevation_a"}),
            "transformation_hard": frozenset({"motion", "options"}),
            "transformation": frozenset({"options"}),
            "counting": frozenset({"feature", "count"}),
        },
        ladders={
            **{name: ("marvl-qa-train", name) for name in ("counting", "transformation")},
            **{
                name: ("marvl-qa-hard-train", name)
                for name in ("counting_hard", "transformation_hard", "surface", "surface_transformation")
            },
        },
        flows={"marvl-qa-mini": "build-marvl-mini"},
        # MaRVL-QA, section 4.
        sampling={"": Sampling(temperature=0.0)},
    ),
    _ours(
        "traversal",
        variants="planimeter.evals.traversal.grader",
        editions=("traversal", "traversal-hard", "traversal-curved"),
        audit="planimeter.suites.traversal.audit:run",
        recognised_by={
            "confounded": frozenset({"markers", "confounders"}),
            "reading_order": frozenset({"markers", "regime"}),
            "curved": frozenset({"markers", "pair_id"}),
            "base": frozenset({"markers"}),
        },
        ladders={"traversal": ("traversal-train", "base"), "traversal-curved": ("traversal-train", "curved")},
    ),
    _ours(
        "curves",
        likeness="planimeter.suites.drawing.signature",
        variants="planimeter.evals.curves.grader",
        editions=("curves", "curves-looks", "curves-polygons"),
        # The categories of nested curves share reader and scores: each counts as the easy one here.
        recognised_by={"curriculum": frozenset({"parents", "level"}), "easy": frozenset({"parents"})},
        # CurveBench, section 3.
        pools={"hard": ("polygon", "topographical", "maze", "counting")},
        ladders={"curves": ("curves-train", "curriculum")},
        # CurveBench, Tables 6 and 7, and section 6 for the tokens; the paper names no temperature.
        sampling={"easy": Sampling(samples=4, max_tokens=8192), "": Sampling(max_tokens=8192)},
        rewards={"parent_f1_above_commonest": "planimeter.evals.curves.grader:above_commonest"},
    ),
    _ours(
        "curves_maps",
        likeness="planimeter.suites.drawing.signature",
        editions=("curves-maps",),
        certify="planimeter.filters.certify.curves_maps:read_planar_map",
        recognised_by={"planar_map": frozenset({"adjacent"})},
    ),
    _ours(
        "geogram",
        editions=("geogram", "geogram-paired", "geogram-programs"),
        pictures=False,
        illustration="planimeter.filters.certify.geogram.picture",
        recognised_by={"geogram": frozenset({"code", "answer_latex"})},
        ladders={"geogram": ("geogram-train", "geogram")},
        sampling=_GEOGRAM,
        requires=_MATH,
    ),
    # Its problems are imported: it has no generator.
    _ours(
        "geogram_import",
        **dict.fromkeys(("recipe", "build", "likeness"), ""),
        results="planimeter.suites.geogram.scores",
        pictures=False,
        sampling=_GEOGRAM,
        requires=_MATH,
    ),
)

SUITES: Mapping[str, Suite] = MappingProxyType({suite.name: suite for suite in _SUITES})
