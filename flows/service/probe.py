"""Two flows of Prefect: one probes a built dataset, the other builds, certifies, probes and publishes a dataset."""

from pathlib import Path
from typing import cast

from prefect import flow, task

from planimeter.evals.probes.results import probes_folder
from planimeter.flows import certifying
from planimeter.flows.build import build_dataset
from planimeter.flows.display.bars import bars
from planimeter.flows.display.flow_names import CHAIN_FLOW, FLOW_OF, GENERIC_FLOW, PROBE_FLOW
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.options import BuildOptions, WorkerCount
from planimeter.flows.probing import is_probed, probe_folder
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.service.publish import publish_dataset
from planimeter.flows.store.storage import local
from planimeter.flows.tasks import refusing
from planimeter.flows.workers.processes import cores
from planimeter.suites.base import Scale, Seed, Version


@task(name="certify", task_run_name="certify {folder}", persist_result=False)
def certify(folder: str, workers: int) -> str:
    """Verify and certify the dataset in ``folder``; return a line about it. Raises ``PlanimeterError`` for problems."""
    with bars() as progress:
        problems, recovering = certifying.check_folder(Path(folder), progress, workers)
    if problems:
        raise PlanimeterError(
            f"{folder} has {len(problems)} problems, first {problems[0]}; `planimeter verify` lists all"
        )
    return recovering


@task(name="probe", task_run_name="probe {folder}", persist_result=False)
def probe(folder: str, home: str) -> str:
    """Probe the dataset in ``folder``; return ``home``, the folder of the results."""
    probe_folder(Path(folder), Path(home))
    return home


@flow(name=PROBE_FLOW, flow_run_name="probe {folder}", persist_result=True, result_serializer="json")
@refusing
def probe_dataset(folder: str, out: str | None = None) -> str:
    """Probe a dataset (chance level, shortcuts, partial-input baselines), which is required before it is published.

    Args:
        folder: Folder of a built dataset, such as outputs/geogram/1.2.2, on the machine that runs the flow.
        out: Folder of the results; next to the dataset by default, such as 1.2.2.probes.
    """
    return str(probe(folder, out or str(probes_folder(local(folder)))))


@flow(
    name=CHAIN_FLOW,
    flow_run_name="build {recipe} and publish it to {repo}",
    persist_result=True,
    result_serializer="json",
    on_crashed=[end_within],
    on_cancellation=[end_within],
)
@refusing
def build_and_publish(
    recipe: str,
    repo: str,
    private: bool = False,
    space: bool = True,
    scale: Scale | None = None,
    seed: Seed | None = None,
    workers: WorkerCount | None = None,
    out: str | None = None,
    version: Version | None = None,
) -> dict[str, object]:
    """Build a dataset, certify it, probe it and publish it to the Hub; steps that are done already are skipped.

    Args:
        recipe: Name of a recipe that comes with Planimeter, or path of a TOML file.
        repo: Repository on the Hub, as owner/name; it is created if there is none.
        private: Make a new repository private.
        space: Publish the report, too, as a static Space of the same name.
        scale: Factor for the recipe's numbers of items, such as 0.01 for one per cent; by default that of the recipe.
        seed: Root seed, by default that of the recipe; datasets with different seeds share no item.
        workers: Number of worker processes, by default one for each core.
        out: Folder in which DATASET/VERSION/ is made; outputs/ by default.
        version: Version of the dataset, such as 1.0.0; by default that of the recipe.
    """
    options = BuildOptions.of(recipe=recipe, scale=scale, seed=seed, workers=workers, out=out, version=version)
    if len(options.each()) > 1:
        raise PlanimeterError(f"{recipe} is a collection: build and publish its datasets one by one")
    with suspendable():
        build = build_dataset.with_options(name=FLOW_OF.get(recipe, GENERIC_FLOW))
        folder = cast("str", build(**options.model_dump()))
        local(folder)
        certify(folder, workers or cores())
        if not is_probed(Path(folder), probes_folder(Path(folder))):
            probe_dataset(folder)
        return cast("dict[str, object]", publish_dataset(folder=folder, repo=repo, private=private, space=space))
