"""The names of the flows in Prefect; users of our command line type the name of a dataset instead."""

from planimeter.items.suites import working_suites
from planimeter.suites.loading import available

#: Name of a recipe that comes with Planimeter, of a dataset or a collection -> name of the flow that builds it.
FLOW_OF = {name: f"build-{name}" for name in available()} | {k: v for s in working_suites() for k, v in s.flows.items()}

#: Name of a flow -> name of its recipe.
RECIPE_OF = {flow: recipe for recipe, flow in FLOW_OF.items()}

#: The flow that builds any recipe, by name or path.
GENERIC_FLOW = "build-dataset"

#: The flow that publishes a built dataset.
PUBLISH_FLOW = "publish-dataset"

#: The flow that curates a corpus of geometry problems.
IMPORT_FLOW = "import-geogram"

#: The flow that probes a built dataset.
PROBE_FLOW = "probe-dataset"

#: The flow that builds, certifies, probes and publishes a dataset.
CHAIN_FLOW = "build-and-publish"

OTHERS = (GENERIC_FLOW, IMPORT_FLOW, PUBLISH_FLOW, PROBE_FLOW, CHAIN_FLOW)

FLOW_NAMES = frozenset({*FLOW_OF.values(), *OTHERS})
