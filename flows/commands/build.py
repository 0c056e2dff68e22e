"""The command `build`: builds one dataset, or those of a collection one after the other."""

import shlex
import shutil
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Dataset, Out, Version, err, out
from planimeter.flows.service.prefect_mode import importing_prefect
from planimeter.flows.store.storage import is_remote


def build(
    dataset: Dataset,
    scale: Annotated[
        float | None, typer.Option(help="Factor of the number of rows; 0.01 makes about one per cent.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Root seed; datasets with different seeds share no item.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; one for each core by default.")] = None,
    out_folder: Out = None,
    version: Version = None,
    runner: Annotated[str, typer.Option(help="Workers that make the shards: processes, or dask.")] = "processes",
    address: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")] = None,
    sealed: Annotated[
        str | None, typer.Option(help="Path of a seed file: build a sealed edition, which keeps its seed secret.")
    ] = None,
) -> None:
    """Build DATASET and verify it. After a kill, the same command continues from the last finished shard."""
    from planimeter.flows.options import BuildOptions

    options = BuildOptions.of(
        recipe=dataset,
        scale=scale,
        seed=seed,
        workers=workers,
        out=out_folder,
        version=version,
        runner=runner,
        address=address,
        sealed=sealed and str(Path(sealed).absolute()),
    )
    if sealed:
        warn_if_exposed(sealed)
    # Refused here, before a server is started.
    for each in options.each():
        each.place().prepare()
    with importing_prefect():
        from planimeter.flows.build import build_dataset
        from planimeter.flows.display.flow_names import FLOW_OF, GENERIC_FLOW
        from planimeter.flows.service.run import run_flow
    built = run_flow(build_dataset.with_options(name=FLOW_OF.get(dataset, GENERIC_FLOW)), **options.model_dump())
    folders = built if isinstance(built, list) else [built]
    for folder in folders:
        out.print(f"{folder}\nreport: {folder}/report/index.html")
    # On stderr: scripts read the dataset's address from stdout.
    for line in () if is_remote(folders[-1]) else next_steps(Path(folders[-1])):
        err.print(line)


def warn_if_exposed(path: str) -> None:
    """Check the seed file at ``path``, and print a warning if other users may read it."""
    from planimeter.flows.secret import Secret, is_exposed

    Secret.read(path)
    if is_exposed(path):
        err.print(
            f"warning: other users of this machine may read {path}; run `chmod 600 {path}` to keep the seed secret"
        )


def next_steps(folder: Path) -> tuple[str, ...]:
    """Return commands to run next with the dataset in ``folder``, as lines such as "score: planimeter score ..."."""
    from planimeter.export.manifest import Manifest
    from planimeter.items.suites import declared
    from planimeter.suites.loading import available

    # `make mini` installs the command in an environment that is not on the PATH.
    typed = Path(sys.argv[0]).name == "planimeter" and not shutil.which("planimeter")
    program = shlex.quote(sys.argv[0] if typed else "planimeter")
    at, exported = shlex.quote(str(folder)), shlex.quote(f"{folder}.export")
    manifest = Manifest.read(folder)
    trains = any("train" in splits for splits in manifest.configs.values())
    suite = str(manifest.recipe["suite"])
    own, shared = f"{manifest.dataset}-train", f"{suite}-train".replace("_", "-")
    training = own if own in available() else shared
    lines = (f"look:  {program} show {at} --open", f"score: {program} score {at} replies.jsonl")
    if trains:
        return *lines, f"train: {program} export {at} --out {exported}"
    if training in available():
        return *lines, f"train: {program} build {training}  (the rows above are for tests)"
    streams = (f"train: {program} stream {name}  (the rows above are for tests)" for name in declared(suite).ladders)
    return *lines, *islice(streams, 1)
