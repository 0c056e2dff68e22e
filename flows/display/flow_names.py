"""The names of the flows, for users of Prefect; users of our command line type the name of a dataset."""

from planimeter.items.suites import working_suites
from planimeter.suites.loading import available

#: Each recipe that comes with Planimeter, a dataset or a collection, to the flow that builds it.
FLOW_OF = {name: f"build-{name}" for name in available()} | {k: v for s in working_suites() for k, v in s.flows.items()}

#: The recipe of each flow.
RECIPE_OF = {flow: recipe for recipe, flow in FLOW_OF.items()}

#: Builds any recipe by name or path.
GENERIC_FLOW = "build-dataset"

#: Publishes a built dataset.
PUBLISH_FLOW = "publish-dataset"

#: Curates a corpus of geometry problems.
IMPORT_FLOW = "import-geogram"

#: Probes a built dataset.
PROBE_FLOW = "probe-dataset"

#: Builds, certifies, probes and publishes a dataset.
CHAIN_FLOW = "build-and-publish"

OTHERS = (GENERIC_FLOW, IMPORT_FLOW, PUBLISH_FLOW, PROBE_FLOW, CHAIN_FLOW)

FLOW_NAMES = frozenset({*FLOW_OF.values(), *OTHERS})
