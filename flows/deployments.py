"""The flows that prefect.yaml deploys: for each recipe, ``build_dataset`` (``build.py``) under a name of its own."""

from typing import Any

from prefect import Flow

from planimeter.flows.build import build_dataset
from planimeter.flows.display.flow_names import FLOW_OF
from planimeter.suites.loading import values_of


def build_of(recipe: str) -> Flow[Any, Any]:
    """Return a flow that builds the recipe named ``recipe``: ``build_dataset`` with another name and description."""
    summary = values_of(recipe)["summary"]
    return build_dataset.with_options(name=FLOW_OF[recipe], description=f"Build {recipe}. {summary}")


build_all = build_of("all")
build_curves = build_of("curves")
build_curves_looks = build_of("curves-looks")
build_curves_maps = build_of("curves-maps")
build_curves_polygons = build_of("curves-polygons")
build_curves_train = build_of("curves-train")
build_geogram = build_of("geogram")
build_geogram_paired = build_of("geogram-paired")
build_geogram_programs = build_of("geogram-programs")
build_geogram_train = build_of("geogram-train")
build_marvl_qa = build_of("marvl-qa")
build_marvl_qa_hard = build_of("marvl-qa-hard")
build_marvl_qa_hard_train = build_of("marvl-qa-hard-train")
build_marvl_mini = build_of("marvl-qa-mini")
build_marvl_qa_train = build_of("marvl-qa-train")
build_smoke = build_of("smoke")
build_traversal = build_of("traversal")
build_traversal_curved = build_of("traversal-curved")
build_traversal_hard = build_of("traversal-hard")
build_traversal_train = build_of("traversal-train")
