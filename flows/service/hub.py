"""Publishes a folder to the Hugging Face Hub and compares versions. Needs no Prefect, so that commands start fast.

The Hub's client reads the token itself, from the environment or its own files. No logged line and no message contains
the token.
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
from planimeter.export.atomic import explain_os_errors
from planimeter.export.built import Built
from planimeter.export.foreign import read_file, require_plain
from planimeter.export.hub.card import Addition
from planimeter.export.hub.diff import Difference, diff
from planimeter.export.hub.files import added_files
from planimeter.export.hub.inspect_views import write_views
from planimeter.export.hub.publish import Published, Target, publish, publish_file
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import ADDED, Manifest
from planimeter.export.seal import SEAL_FILE, SEED_FILE, is_due
from planimeter.flows import certifying
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.secret import Sealed
from planimeter.flows.store.storage import local
from planimeter.flows.workers.processes import cores
from planimeter.items.hub import repository
from planimeter.items.printing import command

#: Time limits of requests to the Hub in seconds; by default the client has none, so that a run could wait forever.
TIMEOUT = httpx2.Timeout(30, read=120, write=120)

#: The logger of the lines about a publication, which the command line prints.
LINES = getLogger("planimeter.publish")

Log = Callable[[str], object]


def publication(
    folder: Path, repo: str, *, private: bool, dry_run: bool, log: Log, space: bool = True, inspect: bool = False
) -> Callable[[], Published]:
    """Return a function that publishes ``folder`` to ``repo`` by ``export.hub.publish``.

    ``space`` also publishes the report as a Space, ``inspect`` adds copies of the test rows that Inspect can load. When
    first called, the function verifies and certifies the folder, after all cheaper checks. ``PlanimeterError`` or
    ``ExportError`` is raised if the folder cannot be published.
    """
    return partial(
        publish,
        folder,
        Target(repo=repo, private=private),
        api=client(),
        log=log,
        dry_run=dry_run,
        addition=replace(probe_files(folder), space=space, views=_views(folder) if inspect else {}),
        require_sound=cache(lambda: log(_certified(folder))),
    )


def _views(folder: Path) -> dict[str, Path]:
    """Write the test rows as files for Inspect next to ``folder``; return path in the repository -> local file.

    Raises ``PlanimeterError`` if Inspect cannot score any config.
    """
    built, place = Built.at(folder), folder.resolve()
    views = write_views(built, place.with_name(f"{place.name}.inspect"))
    if not views:
        raise PlanimeterError(
            f"--inspect: Inspect on the Hub scores questions with a picture and an answer of one word, but {folder} "
            "has none; leave out --inspect, and use `planimeter evaluate`"
        )
    return views


def sealed_publication(
    folder: Path, repo: str, *, private: bool, dry_run: bool, log: Log, seed: str | None = None
) -> Callable[[], Published]:
    """Return a function that publishes the ``seed`` file of a sealed edition or, for None, its seal (hash of the seed).

    Raises ``PlanimeterError`` if the folder is not a sealed edition, or if the seed does not match its seal.
    """
    manifest = Manifest.read(folder)
    if not is_due(manifest):
        raise PlanimeterError(f"{folder} is not a sealed edition: it has neither seal nor seed file to publish")
    name, content = SEAL_FILE, read_file(folder / SEAL_FILE)
    if seed:
        name, content = SEED_FILE, Sealed(seed, manifest.seal).open().line.encode()
    target = Target(repo=repo, private=private)
    return partial(publish_file, folder, target, name, content, api=client(), log=log, dry_run=dry_run)


def _certified(folder: Path) -> str:
    """Verify and certify the dataset in ``folder``, and return a line about the result.

    Raises ``PlanimeterError`` if the dataset fails verification, or if its certifier does not recover an answer.
    """
    with bars() as progress:
        problems, recovering = certifying.check_folder(folder, progress, cores())
    if problems:
        verify = command("planimeter", "verify", folder, *(["--certify"] if recovering else []))
        raise PlanimeterError(
            f"{folder} is not published: it has {len(problems)} problem{'s' if len(problems) > 1 else ''} "
            f"({problems[0]}); `{verify}` lists all"
        )
    return f"verified; {recovering}"


def probe_files(folder: Path) -> Addition:
    """Return the results of `planimeter probe` for the dataset in ``folder``, as files and a section to publish.

    If the dataset must not be published, ``refused`` of the result has the reason: there are no results, or results of
    other data; the certifier failed on a probed row; or a probe that sees no picture found a shortcut that the recipe
    does not declare.
    """
    manifest = Manifest.read(folder)
    homes = [home for home in (probes_folder(folder), folder) if (home / FILE).is_file()]
    probe, certify = command("planimeter", "probe", folder), command("planimeter", "verify", folder, "--certify")
    if not homes:
        return Addition(refused=f"{folder} is not published before it is probed: run `{probe}`")
    path = homes[0] / FILE
    with explain_os_errors(path):
        require_plain(homes[0], ADDED)
        probes = Probes.parse(read_file(path), str(path))
        if probes.data != data_of(manifest):
            return Addition(refused=f"{path} was measured on other data than {folder} contains: run `{probe}`")
        files = {name: read_file(homes[0] / name) for name in added_files(homes[0])}
    refused = ""
    if unread := list(_unread(probes)):
        refused = (
            f"{folder} is not published, its certifier does not recover all rows that were probed "
            f"({', '.join(unread)}): `{certify}` lists them"
        )
    elif open_ones := undeclared_shortcuts(probes, manifest.recipe):
        refused = (
            f"{folder} is not published, its answers are predicted without the picture ({'; '.join(open_ones)}): "
            "remove the shortcut, or declare it in the recipe under [[known_shortcuts]] with config, probe and reason"
        )
    return Addition(section=section(probes, manifest.recipe), files=files, refused=refused)


def _unread(probes: Probes) -> Iterator[str]:
    """Yield each config whose certifier recovered fewer than all probed answers, with the share that it recovered."""
    for config, probe in probes.configs.items():
        for certifier in probe.of_kind("certifier"):
            if certifier[probe.headline] != 1.0:
                yield f"{config}: {certifier[probe.headline] or 0:.1%}"


def plan(planned: Published, repo: str) -> Iterator[str]:
    """Yield the lines of a dry run: one for each step and each file of ``planned``."""
    if not planned.steps:
        yield f"nothing: {repo} has {planned.tag} with this content"
    for step in planned.steps:
        yield f"would do: {step}"
    for verb, paths in zip(("add", "change", "remove"), planned.changes, strict=True):
        for path in paths:
            yield f"  {verb} {path}"


def compare(old: str, new: str) -> Difference:
    """Return the difference of two versions of a dataset, each a folder or ``owner/name@tag`` on the Hub."""
    return diff(_version(old), _version(new))


def client() -> HfApi:
    """Return a client of the Hub with time limits, and without its log, which contains signed URLs."""
    logging.set_verbosity_error()
    disable_progress_bars()
    set_client_factory(lambda: httpx2.Client(follow_redirects=True, timeout=TIMEOUT))
    return HfApi(library_name="planimeter")


def _version(named: str) -> Version:
    """Return the version at ``named``: ``owner/name@tag`` on the Hub, or else the path of a folder."""
    remote = repository(named)
    if remote and remote.revision:
        return Version.on_hub(client(), remote.name, remote.revision)
    return Version.in_folder(local(named))
