"""The command line `planimeter`: each command is a function of a module in this folder."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer

from planimeter.export.atomic import OUTAGES, explain
from planimeter.flows.commands.build import build
from planimeter.flows.commands.canary import canary
from planimeter.flows.commands.check import check
from planimeter.flows.commands.diff import diff
from planimeter.flows.commands.evaluate import evaluate
from planimeter.flows.commands.export import export
from planimeter.flows.commands.home import require_home
from planimeter.flows.commands.import_geogram import geogram
from planimeter.flows.commands.list_datasets import list_datasets
from planimeter.flows.commands.new import new
from planimeter.flows.commands.options import err, out
from planimeter.flows.commands.probe import probe
from planimeter.flows.commands.publish import publish
from planimeter.flows.commands.rebuild import rebuild
from planimeter.flows.commands.sample import sample
from planimeter.flows.commands.score import score
from planimeter.flows.commands.serve import deploy, serve
from planimeter.flows.commands.sheet import sheet
from planimeter.flows.commands.show import show
from planimeter.flows.commands.solve import solve
from planimeter.flows.commands.status import status
from planimeter.flows.commands.stream import stream
from planimeter.flows.commands.try_suite import try_suite
from planimeter.flows.commands.unseal import unseal
from planimeter.flows.commands.verify import verify
from planimeter.flows.errors import PlanimeterError, Terminated
from planimeter.items.suites import working_suites

#: The exit statuses of a program that Ctrl-C or SIGTERM ended.
INTERRUPTED, TERMINATED = 130, 143

STOPPED = "stopped; finished work is kept, and the same command goes on from there"

app = typer.Typer(
    help="Benchmark datasets of visual geometry with exact answers, each recovered by an independent program.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
importer = typer.Typer(help="Curate an existing corpus into a dataset of the same format.", no_args_is_help=True)
app.add_typer(importer, name="import")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        # Imported here, like everything that one command alone needs.
        from importlib import metadata

        out.print(f"planimeter {metadata.version('planimeter')}")
        raise typer.Exit


@app.callback()
def planimeter(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version of Planimeter.")
    ] = False,
) -> None:
    """Handle the options that precede a command, and require a writable home folder for most commands."""
    if context.invoked_subcommand not in ("list", "new"):
        require_home()


def audit(
    suite: Annotated[str, typer.Argument(help="Suite whose rules are applied, such as traversal.")],
    path: Annotated[Path, typer.Argument(help="A built dataset, a released backbones.jsonl, or a folder of them.")],
) -> None:
    """Check a built dataset, or files released with a paper, by every rule of SUITE; print the violations."""
    audits = {known.name: known for known in working_suites() if known.audit}
    if suite not in audits:
        raise PlanimeterError(f"there is no audit of {suite!r}; suites with an audit: {', '.join(audits)}")
    audits[suite].load("audit")(path, out, err)


command: Callable[..., None]
for command in (build, verify, show, publish, sample, diff, audit, canary, new, check):
    app.command()(command)
app.command(name="try")(try_suite)
app.command(name="list")(list_datasets)
for command in (status, rebuild, unseal, serve, deploy, score, solve, export, sheet, stream, probe):
    app.command()(command)
# Options that we do not know are options of Inspect, and are passed on unchanged.
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(evaluate)
importer.command()(geogram)


def main() -> NoReturn:
    """Run the command line; an error that a user can cause prints one clear line and exits with a non-zero code."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        # Until here Ctrl-C ended the process silently (``flows.__main__``); an ignored signal stays ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = app(standalone_mode=False) or 0
        if code == INTERRUPTED:
            # Typer has handled Ctrl-C.
            _fail(STOPPED)
    except PlanimeterError as error:
        code = _fail(str(error))
    except typer.TyperException as error:
        cast("Any", error).show()
        code = error.exit_code
    except KeyboardInterrupt:
        code = _fail(STOPPED, INTERRUPTED)
    except Terminated:
        code = _fail(STOPPED, TERMINATED)
    except BrokenPipeError:
        # The reader of our output has ended, as in `planimeter show ... | head`.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - open until the interpreter ends
        code = 1
    except OSError as error:
        # Such as an unreadable folder or a failing disk: the error contains the file and the reason.
        known = error.errno in OUTAGES and isinstance(error.filename, str)
        code = _fail(explain(error, Path(error.filename)) if known else str(error))
    sys.exit(code)


def _terminate(*_: object) -> NoReturn:
    raise Terminated


def _fail(message: str, code: int = 1) -> int:
    err.print(f"planimeter: {message}")
    return code
