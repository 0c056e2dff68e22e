"""Publishes a folder and compares versions, without Prefect, so that commands that only read the Hub start at once.

The client itself reads the token, from the environment or its own store. No line that is logged or raised contains it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from logging import getLogger
from pathlib import Path

import httpx2
from huggingface_hub import HfApi, set_client_factory
from huggingface_hub.utils import disable_progress_bars, logging

from planimeter.evals.probes.results import FILE, Probes, data_of, probes_folder, undeclared_shortcuts
from planimeter.evals.probes.tables import section
from planimeter.export.atomic import clear_errors
from planimeter.export.foreign import read_file, require_plain
from planimeter.export.hub.card import Addition
from planimeter.export.hub.diff import Difference, diff
from planimeter.export.hub.files import added_files
from planimeter.export.hub.publish import Published, Target, publish
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import ADDED, Manifest
from planimeter.flows import certifying
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import local
from planimeter.flows.workers.processes import cores
from planimeter.items.hub import repository
from planimeter.items.printing import command

#: Seconds that the Hub may take to answer; without a limit, which the client does not have, a run could wait for ever.
TIMEOUT = httpx2.Timeout(30, read=120, write=120)

#: Gets each line of a publication; the command line prints them.
LINES = getLogger("planimeter.publish")

Log = Callable[[str], object]


def publication(
    folder: Path, repo: str, *, private: bool, dry_run: bool, log: Log, space: bool = True
) -> Callable[[], Published]:
    """Return what publishes ``folder``; see ``export.hub.publish``. Raises ``PlanimeterError`` or ``ExportError``.

    Once nothing cheaper forbids it, the folder is verified and certified anew: once, however often that is called.
    """
    return partial(
        publish,
        folder,
        Target(repo=repo, private=private),
        api=client(),
        log=log,
        dry_run=dry_run,
        addition=replace(probed(folder), space=space),
        require_sound=cache(lambda: log(_certified(folder))),
    )


def _certified(folder: Path) -> str:
    """Return a line on what recovers the answers of the dataset in ``folder``. Raises ``PlanimeterError`` unless it is
    sound, and all of them are recovered if it has a certifier.
    """
    with bars() as shown:
        problems, recovering = certifying.examined(folder, shown, cores())
    if problems:
        verify = command("planimeter", "verify", folder, *(["--certify"] if recovering else []))
        raise PlanimeterError(
            f"{folder} is not published, it breaks {len(problems)} promise{'s' if len(problems) > 1 else ''} "
            f"({problems[0]}); `{verify}` lists all"
        )
    return f"verified; {recovering}"


def probed(folder: Path) -> Addition:
    """Return what `planimeter probe` measured of the dataset in ``folder``, as it is published.

    A dataset that was not probed is refused, and one in which a blind probe finds a shortcut that its recipe does not
    name.
    """
    manifest = Manifest.read(folder)
    homes = [home for home in (probes_folder(folder), folder) if (home / FILE).is_file()]
    probe, certify = command("planimeter", "probe", folder), command("planimeter", "verify", folder, "--certify")
    if not homes:
        return Addition(refused=f"{folder} is not published before it is probed: run `{probe}`")
    path = homes[0] / FILE
    with clear_errors(path):
        require_plain(homes[0], ADDED)
        probes = Probes.parse(read_file(path), str(path))
        if probes.data != data_of(manifest):
            return Addition(refused=f"{path} was measured on other data than {folder} holds: run `{probe}`")
        files = {name: read_file(homes[0] / name) for name in added_files(homes[0])}
    refused = ""
    if unread := list(_unread(probes)):
        refused = (
            f"{folder} is not published, its certifier does not recover all rows that were probed "
            f"({', '.join(unread)}): `{certify}` lists them"
        )
    elif open_ones := undeclared_shortcuts(probes, manifest.recipe):
        refused = (
            f"{folder} is not published, its answers are predicted without the picture ({'; '.join(open_ones)}): mend "
            "that, or name it in the recipe under [[known_shortcuts]] with config, probe and reason"
        )
    return Addition(section=section(probes, manifest.recipe), files=files, refused=refused)


def _unread(probes: Probes) -> Iterator[str]:
    """Yield each config whose certifier scores below 100%, with its score."""
    for config, probe in probes.configs.items():
        for certifier in probe.of_kind("certifier"):
            if certifier[probe.headline] != 1.0:
                yield f"{config}: {certifier[probe.headline] or 0:.1%}"


def plan(planned: Published, repo: str) -> Iterator[str]:
    """Yield what a dry run found, a line for each step and each file."""
    if not planned.steps:
        yield f"nothing: {repo} has {planned.tag} with this content"
    for step in planned.steps:
        yield f"would do: {step}"
    for verb, paths in zip(("add", "change", "remove"), planned.changes, strict=True):
        for path in paths:
            yield f"  {verb} {path}"


def compare(old: str, new: str) -> Difference:
    """Return what differs between two versions, each a folder or ``owner/name@tag``."""
    return diff(_version(old), _version(new))


def client() -> HfApi:
    """Return the client, with a time limit; its own log, which names signed addresses, is kept quiet."""
    logging.set_verbosity_error()
    disable_progress_bars()
    set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=TIMEOUT))
    return HfApi(library_name="planimeter")


def _version(named: str) -> Version:
    remote = repository(named)
    if remote and remote.revision:
        return Version.on_hub(client(), remote.name, remote.revision)
    return Version.in_folder(local(named))
