"""The command `evaluate`: Inspect AI asks a model every row of a dataset, and `planimeter score` makes the tables."""

import importlib.util
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from planimeter.export.manifest import Manifest
from planimeter.flows.errors import PlanimeterError

#: What we ask of Inspect unless told otherwise: of two options of one name the later counts, and the user's come later.
#: Logs keep no pictures; replies are kept, so that none is paid for twice; one row that cannot be asked stops no other.
DEFAULTS = ("--no-log-images", "--no-score-display", "--cache", "--continue-on-fail", "--retry-attempts=1")


def run(folder: Path, model: str, out: Console, *, configs: Sequence[str], logs: Path | None, flags: Sequence[str]) -> None:
    """Evaluate ``model`` on ``configs`` of the dataset in ``folder``, all by default, and write its scores.

    Logs go to ``logs``, beside the dataset by default. An evaluation that was stopped goes on, and what is finished is
    not asked again. ``flags`` are Inspect's own and go to it as they are.

    Raises:
        PlanimeterError: if Inspect is not installed, there is no such config, or rows are left without a reply.
    """
    if importlib.util.find_spec("inspect_ai") is None:
        raise PlanimeterError('this command needs Inspect AI: pip install "planimeter[inspect]"')
    manifest = Manifest.read(folder)
    chosen = configs or [config for config, splits in manifest.configs.items() if "test" in splits] or [*manifest.configs]
    unknown = [config for config in chosen if config not in manifest.configs]
    if unknown:
        raise PlanimeterError(f"{folder} has no config {unknown[0]!r}; it has: {', '.join(manifest.configs)}")
    place = folder.resolve()
    logs = logs or place.with_name(f"{place.name}.logs") / re.sub(r"[^\w.-]+", "-", model)
    logs.mkdir(parents=True, exist_ok=True)
    tasks = [f"planimeter/{manifest.recipe['suite']}_{config}" for config in chosen]
    command = [sys.executable, "-m", "inspect_ai", "eval-set", *tasks, "-T", f"folder={json.dumps(str(place))}"]
    command += ["--model", model, "--log-dir", str(logs), "--log-dir-allow-dirty", *DEFAULTS, *flags]
    code = _run(command)
    if code:
        raise PlanimeterError(
            f"not all rows have been answered (see above, and `inspect view --log-dir {logs}`); the same command asks "
            f"for the rest, and `planimeter score {folder} {logs}/*.eval` scores what is there"
        )
    found = " ".join(str(path) for path in _logs_of_this_run(logs))
    out.print(f"scores: planimeter score {folder} {found}", markup=False)


def _run(command: Sequence[str]) -> int:
    """Run ``command`` to its end, which after Ctrl-C is its own: it hears of it too, and first writes its log."""
    with subprocess.Popen(command) as inspect:
        interrupted = False
        while True:
            try:
                code = inspect.wait()
                break
            except KeyboardInterrupt:
                interrupted = True
            except BaseException:
                inspect.send_signal(signal.SIGINT)
                raise
    if interrupted:
        raise KeyboardInterrupt
    return code


def _logs_of_this_run(logs: Path) -> list[Path]:
    """Return the logs of the tasks that Inspect has just finished: others may lie there, of other settings."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    tasks = {task["task_id"] for task in json.loads((logs / "eval-set.json").read_text(encoding="utf-8"))["tasks"]}
    found = [Path(info.name.removeprefix("file://")) for info in list_eval_logs(str(logs))]
    return sorted(path for path in found if read_eval_log(str(path), header_only=True).eval.task_id in tasks)
