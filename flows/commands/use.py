"""The commands that use a built dataset: what each is given. They are registered by ``register``."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

Folder = Annotated[Path, typer.Argument(help="Folder of a built dataset, such as outputs/marvl-qa-mini/1.1.0.")]

#: What is no option of ours is Inspect's, and goes to it as it is.
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer, out: Console) -> None:
    """Add the commands to ``app``; they print to ``out``."""

    @app.command(context_settings=PASSED_ON)
    def evaluate(
        context: typer.Context,
        folder: Folder,
        model: Annotated[str, typer.Option(help="Model as Inspect names it, such as vllm/Qwen/Qwen3-VL-8B-Instruct.")],
        config: Annotated[list[str] | None, typer.Option(help="A config to ask; again for more, all by default.")] = None,
        log_dir: Annotated[
            Path | None, typer.Option(help="Folder of the logs; <version>.logs/<model> beside FOLDER by default.")
        ] = None,
    ) -> None:
        """Ask MODEL every test row by Inspect AI, and score the replies. All flags of `inspect eval-set` work too."""
        from planimeter.flows.commands import evaluate as command

        command.run(folder, model, out, configs=config or (), logs=log_dir, flags=context.args)
