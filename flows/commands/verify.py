"""The command `verify`: checks that a built dataset is complete and correct, from its folder alone."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planimeter.flows.commands.options import Folder, SeedFile, err, out
from planimeter.flows.errors import PlanimeterError

if TYPE_CHECKING:
    from planimeter.flows.display.bars import Bars


def verify(
    folder: Folder,
    certify: Annotated[
        bool, typer.Option("--certify", help="Also recover each answer from its picture and question.")
    ] = False,
    at: Annotated[
        int | None,
        typer.Option(
            min=1, help="With --certify: print the share of rows readable in pictures shrunk to this longer side in px."
        ),
    ] = None,
    seed: SeedFile = None,
) -> None:
    """Check hashes, columns, rows, pictures and pages of a built dataset, from its folder alone."""
    from planimeter.flows import certifying
    from planimeter.flows.display.bars import bars
    from planimeter.flows.unsealing import seed_lines
    from planimeter.flows.workers.processes import cores

    if at and not certify:
        raise PlanimeterError("--at needs --certify; add it")
    with bars() as progress:
        problems, recovering = certifying.check_folder(folder, progress, cores(), certify=certify)
        shares = list(_readable_shares(folder, at, progress)) if at and not problems else []
    for problem in problems:
        err.print(str(problem))
    if problems:
        raise PlanimeterError(f"{folder}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    sealed = list(seed_lines(folder, seed))
    out.print(f"{folder}: no problem found\n{recovering}")
    for line in (*shares, *sealed):
        out.print(line)


def _readable_shares(folder: Path, side: int, progress: "Bars") -> Iterator[str]:
    """Yield a line for each config: the share of rows whose answer the certifier still reads in a shrunk picture.

    The longer side of a shrunk picture has ``side`` px.
    """
    from planimeter.evals.probes.shrunk import look_of, readable_rows
    from planimeter.export.built import Built
    from planimeter.flows.workers.processes import cores, mapping

    built = Built.at(folder)
    suite, recipe = built.suite, built.manifest.recipe
    for config in built.manifest.configs:
        if look_of(suite, config, recipe) is None:
            yield f"{config}: the certifier of {built.suite} cannot read shrunk pictures"
            continue
        groups = list(built.groups(config))
        rows, read = sum(group.size for group in groups), 0
        stage = progress.stage(f"{config} at {side} px", rows)
        count = partial(readable_rows, suite=suite, config=config, recipe=recipe, side=side)
        with mapping(cores()) as each, built.reading():
            for group, number in zip(groups, each(count, groups), strict=True):
                read += number
                stage.advance(group.size)
        yield f"{config}: {read:,} of {rows:,} rows ({read / max(rows, 1):.1%}) are readable at {side} px"
