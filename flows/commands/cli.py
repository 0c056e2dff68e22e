"""The command line `planimeter`: options of each command. Each is implemented in a separate module beside this one,
which is imported when the command runs: Prefect takes seconds to load, and most commands do not need it.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from rich.console import Console

from planimeter.export.atomic import ExportError
from planimeter.flows.commands import use
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.commands.use import Folder
from planimeter.flows.errors import PlanimeterError, Terminated
from planimeter.flows.store.storage import OUTPUTS, checked, is_remote, resolved
from planimeter.items.suites import SuiteError, sound
from planimeter.recipes.errors import RecipeError

#: What a shell expects of a program that Ctrl-C or SIGTERM ended.
INTERRUPTED, TERMINATED = 130, 143

STOPPED = "stopped; what is finished is kept, and the same command goes on from there"

app = typer.Typer(
    help="Benchmark datasets of visual geometry with exact answers, each recovered by an independent program.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
importer = typer.Typer(help="Curate an existing corpus into a dataset of the same format.", no_args_is_help=True)
app.add_typer(importer, name="import")
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def _dataset_names(incomplete: str) -> list[str]:
    """Return the datasets whose names begin with what was typed, for the shell."""
    from planimeter.recipes.loading import available

    return [name for name in available() if name.startswith(incomplete)]


def _print_version(is_asked: bool) -> None:
    if is_asked:
        # Like all that one command alone needs.
        from importlib import metadata

        out.print(f"planimeter {metadata.version('planimeter')}")
        raise typer.Exit


Dataset = Annotated[
    str,
    typer.Argument(
        help="Name of a dataset (see `planimeter list`), or path of a recipe (.toml).", autocompletion=_dataset_names
    ),
]
Out = Annotated[
    str | None, typer.Option("--out", help="Put <dataset>/<version>/ under this folder, or s3://bucket/prefix.")
]
Version = Annotated[str | None, typer.Option("--version", help="Version of the dataset, such as 1.0.0.")]


@app.callback()
def planimeter(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version of Planimeter.")
    ] = False,
) -> None:
    """Take what stands before a command."""


@app.command()
def build(
    dataset: Dataset,
    scale: Annotated[float | None, typer.Option(help="Share of the quotas; 0.01 is about one per cent.")] = None,
    seed: Annotated[int | None, typer.Option(help="Root seed; another seed shares no item.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; one for each core by default.")] = None,
    out_folder: Out = None,
    version: Version = None,
    runner: Annotated[str, typer.Option(help="Who makes the shards: processes, or dask.")] = "processes",
    address: Annotated[str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.")] = None,
) -> None:
    """Build DATASET and verify it. Killed at any moment, the same command goes on from the last finished shard."""
    from planimeter.flows.commands import build as command

    command.run(
        dataset,
        out,
        scale=scale,
        seed=seed,
        version=version,
        out=out_folder,
        workers=workers,
        runner=runner,
        address=address,
    )


@app.command()
def verify(
    folder: Folder,
    certify: Annotated[
        bool, typer.Option("--certify", help="Recover each answer anew from its picture and question, too.")
    ] = False,
) -> None:
    """Check every promise of a built dataset, from its folder alone."""
    from planimeter.flows.commands import verify as command

    command.run(folder, out, err, certify=certify)


@app.command()
def show(
    folder: Folder,
    open_report: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
) -> None:
    """Summarise a built dataset: rows per config, the funnel, where the report is."""
    from planimeter.flows.commands import show as command

    command.run(folder, out)
    if open_report:
        command.open_report(folder)


@app.command()
def publish(
    folder: Folder,
    repo: Annotated[str, typer.Option(help="Repository on the Hub, as owner/name; created if there is none.")],
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    space: Annotated[bool, typer.Option(help="Show the report as a static Space of the same name, too.")] = True,
) -> None:
    """Publish a built dataset to the Hugging Face Hub as its version. The same version again changes nothing."""
    from planimeter.flows.commands import publish as command

    command.run(folder, repo, out, err, private=private, dry_run=dry_run, space=space)


@app.command()
def sample(
    folder: Folder,
    rows: Annotated[int, typer.Option(help="Rows to draw, of all configs together.")],
    by: Annotated[str, typer.Option(help="Columns whose values make the strata, such as family,plot_type.")] = "",
    equal: Annotated[
        bool, typer.Option("--equal/--proportional", help="As many rows of each stratum, or in proportion to it.")
    ] = False,
    config: Annotated[str, typer.Option(help="Configs to draw from, such as counting; all by default.")] = "",
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
    out_folder: Out = None,
    version: Version = None,
    name: Annotated[str, typer.Option(help="Name of the sample; <dataset>-sample-<rows> by default.")] = "",
) -> None:
    """Draw a stratified sample of a built dataset, and verify it. A smaller one lies within a larger one."""
    if rows < 1 or not 0 <= seed < 2**64:
        raise PlanimeterError(f"need --rows of 1 or more and a --seed of 0 to 2**64 - 1, got {rows} and {seed}")
    from planimeter.flows.commands import sample as command

    command.run(
        out,
        err,
        folder=str(folder),
        rows=rows,
        by=use.names_in(by),
        shares="equal" if equal else "proportional",
        configs=use.names_in(config),
        seed=seed,
        out=str(_folder(out_folder)),
        version=version,
        name=name,
    )


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="Folder of a built dataset, or owner/name@tag on the Hub.")],
    new: Annotated[str, typer.Argument(help="The version to compare with it, named in the same way.")],
) -> None:
    """Show what differs between two versions of a dataset: rows, recipe, funnel."""
    from planimeter.flows.commands import diff as command

    command.run(old, new, out)


@app.command()
def audit(
    suite: Annotated[str, typer.Argument(help="Whose rules: traversal.")],
    path: Annotated[Path, typer.Argument(help="A built dataset, a released backbones.jsonl, or a folder of them.")],
) -> None:
    """Run every rule of SUITE over rows that already exist, built or released, and print the table rule x config."""
    audits = {known.name: known for known in sound() if known.audit}
    if suite not in audits:
        raise PlanimeterError(f"there is no audit of {suite!r}; there is: {', '.join(audits)}")
    audits[suite].load("audit")(path, out, err)


@app.command(name="list")
def list_datasets() -> None:
    """List the datasets that can be built."""
    from planimeter.flows.commands import list_datasets as command

    command.run(out)


@app.command()
def status(
    out_folder: Out = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Remove the unfinished builds that other code began, and their shards.")
    ] = False,
) -> None:
    """Report which builds are unfinished, how far they are, and how to go on."""
    from planimeter.flows.commands import status as command

    command.run(out_folder or str(OUTPUTS), out, forget=forget)


@app.command()
def rebuild(
    folder: Folder, item: Annotated[str, typer.Argument(metavar="ID", help="Id of a row of the built dataset.")]
) -> None:
    """Make the row ID again from its address alone, and show whether its bytes agree with the built dataset."""
    from planimeter.flows.commands import rebuild as command

    command.run(folder, item, out)


@importer.command()
def geogram(
    files: Annotated[list[str], typer.Argument(help="JSONL, JSON or Parquet files; hf:// and s3:// work too.")],
    out_folder: Out = None,
    version: Version = None,
    name: Annotated[str, typer.Option(help="Name of the corpus; that of the first file by default.")] = "",
    corpus_license: Annotated[str, typer.Option("--license", help="The corpus's licence, such as MIT.")] = "unknown",
    problem: Annotated[str, typer.Option(help="Column of the problem, with its code.")] = "problem",
    answer: Annotated[str, typer.Option(help="Column of the answer.")] = "answer",
    code: Annotated[str, typer.Option(help="Column of the code, where it does not stand in the problem.")] = "",
    review: Annotated[Path | None, typer.Option(help="A review file that a person has edited.")] = None,
    judge: Annotated[str, typer.Option(help="OpenAI-compatible endpoint that judges geometry and level.")] = "",
    judge_model: Annotated[str, typer.Option(help="Model to ask there (token: PLANIMETER_JUDGE_TOKEN).")] = "",
    patience: Annotated[float, typer.Option(min=0, help="Seconds that the endpoint may be busy or gone.")] = 300.0,
    workers: Annotated[int | None, typer.Option(min=1, max=128, help="Worker processes; one for each core.")] = None,
) -> None:
    """Curate problems with drawing code from FILES into a dataset; nothing is dropped without a reason.

    Killed at any moment, the same command goes on, and asks the model nothing that it has answered.
    """
    if bool(judge) != bool(judge_model):
        raise PlanimeterError("--judge and --judge-model go together: an endpoint, and the model to ask there")
    from planimeter.flows.commands import import_geogram as command

    columns = command.Columns(problem=problem, answer=answer, code=code)
    options = command.Options(
        files=tuple(files),
        outputs=_folder(out_folder),
        name=name,
        version=version or "1.0.0",
        license=corpus_license,
        columns=columns,
        review=review,
        judge=command.Judge(url=judge, model=judge_model, patience=patience) if judge else None,
        workers=workers,
    )
    command.run(options, out)


@app.command()
def serve() -> None:
    """Serve every flow to Prefect without work pool or worker (needs a running server: `prefect server start`)."""
    with importing_prefect():
        from planimeter.flows.service import serve as command
    command.serve()


@app.command()
def deploy(
    pool: Annotated[
        str, typer.Option(help="Work pool whose workers run the flows; they need Planimeter, no checkout.")
    ],
    image: Annotated[str | None, typer.Option(help="Image of the containers, where the pool runs containers.")] = None,
) -> None:
    """Deploy every flow to a work pool of a running Prefect server, from the installed package."""
    with importing_prefect():
        from planimeter.flows.service import serve as command
    for name in command.deploy(pool, image):
        out.print(name, markup=False)


use.register(app)


def main() -> NoReturn:
    """Run the command line; whatever a user can cause ends in one clear line and a non-zero exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        # Until here it has ended us silently (``flows.__main__``); where it is ignored, it stays so.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = app(standalone_mode=False) or 0
        if code == INTERRUPTED:
            # Typer takes Ctrl-C for itself and returns this.
            _fail(STOPPED)
    except (PlanimeterError, RecipeError, ExportError, SuiteError) as error:
        code = _fail(str(error))
    except typer.TyperException as error:
        cast("Any", error).show()
        code = error.exit_code
    except KeyboardInterrupt:
        code = _fail(STOPPED, INTERRUPTED)
    except Terminated:
        code = _fail(STOPPED, TERMINATED)
    except BrokenPipeError:
        # `planimeter show ... | head`: the reader has what it wanted.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - held open until the interpreter ends
        code = 1
    except OSError as error:
        # A folder that may not be read, a disk that fails: the error names the file and the system's reason.
        code = _fail(str(error))
    sys.exit(code)


def _terminate(*_: object) -> NoReturn:
    raise Terminated


def _folder(outputs: str | None) -> Path:
    """Return the folder of ``outputs``, which may not be a bucket here, nor lead in a circle."""
    if outputs is None:
        return OUTPUTS
    if is_remote(outputs):
        raise PlanimeterError(f"--out: this command needs a folder of this machine, got {checked(outputs)}")
    return resolved(Path(checked(outputs)))


def _fail(message: str, code: int = 1) -> int:
    err.print(f"planimeter: {message}", markup=False)
    return code
