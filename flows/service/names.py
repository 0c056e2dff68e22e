"""Which flow builds which dataset. Prefect's users type the name of a flow, ours the name of a dataset."""

#: Dataset (the name of its recipe) to flow.
FLOW_OF = {
    "marvl-qa": "build-marvl-qa",
    "marvl-qa-mini": "build-marvl-mini",
    "traversal": "build-traversal",
    "curves": "build-curves",
    "curves-train": "build-curves-train",
    "geogram": "build-geogram",
}

#: Builds any recipe by name or path.
GENERIC_FLOW = "build-dataset"

#: Builds the datasets of the papers; publishes a built one.
BUILD_ALL_FLOW, PUBLISH_FLOW = "build-all", "publish-dataset"

#: Draws a sample of a built dataset.
SAMPLE_FLOW = "sample-dataset"

FLOW_NAMES = frozenset({*FLOW_OF.values(), GENERIC_FLOW, BUILD_ALL_FLOW, PUBLISH_FLOW, SAMPLE_FLOW})
