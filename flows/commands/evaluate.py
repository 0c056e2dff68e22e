"""The command `evaluate`: Inspect AI asks a model every row of a dataset, and the command `score` makes the tables."""

import importlib.util
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from planimeter.evals import variants
from planimeter.export.measures import readable
from planimeter.flows.commands import score
from planimeter.flows.errors import PlanimeterError
from planimeter.harness.rows import source
from planimeter.items.suites import pooled

#: What we ask of Inspect unless told otherwise: of two options of one name the later counts, and the user's come later.
#: Logs keep no pictures; replies are kept, so that none is paid for twice; one row that cannot be asked stops no other.
DEFAULTS = ("--no-log-images", "--no-score-display", "--cache", "--continue-on-fail", "--retry-attempts=1")


def run(
    folder: Path,
    model: str,
    out: Console,
    err: Console,
    *,
    configs: Sequence[str],
    variant: str,
    logs: Path | None,
    flags: Sequence[str],
    readable_at: int | None = None,
) -> None:
    """Evaluate ``model`` on ``configs`` of the dataset in ``folder``, all by default, and score its replies.

    Logs go to ``logs``, beside the dataset by default, and the scores to a folder in it. What is answered is not asked
    again: an evaluation that was stopped goes on. ``flags`` are Inspect's own and go to it as they are. With
    ``readable_at`` only rows are asked that are readable in a picture of this longer side (px).

    Raises:
        PlanimeterError: if Inspect is not installed, there is no such config or variant, or rows are left unanswered.
    """
    if importlib.util.find_spec("inspect_ai") is None:
        raise PlanimeterError('this command needs Inspect AI: pip install "planimeter[inspect]"')
    found = source(str(folder))
    chosen = pooled(found.suite, configs) or list(found.tests)
    for config in chosen:
        if config not in found.tests:
            raise PlanimeterError(f"--config: {folder} has no {config!r}; it has {', '.join(found.tests)}")
        known = variants(found.suite, config)
        if variant not in known:
            raise PlanimeterError(f"--variant: {found.suite} {config} has no {variant!r}; it has {', '.join(known)}")
    place = found.folder
    logs = logs or place.with_name(f"{place.name}.logs") / re.sub(r"[^\w.-]+", "-", model)
    if logs.resolve().is_relative_to(place):
        raise PlanimeterError(f"--log-dir: {logs} lies within the dataset, which nothing is added to")
    logs.mkdir(parents=True, exist_ok=True)
    tasks = [f"planimeter/{found.suite}_{config}" for config in chosen]
    told = ["-T", f"folder={json.dumps(str(place))}", "-T", f"variant={variant}"]
    if readable_at:
        # Told now where it cannot be, and not by Inspect.
        readable(place, found.manifest, readable_at)
        told += ["-T", f"readable_at={readable_at}"]
    told += ["--model", model, "--log-dir", str(logs), "--log-dir-allow-dirty", *DEFAULTS, *flags]
    code = _run([sys.executable, "-m", "inspect_ai", "eval-set", *tasks, *told])
    finished = _finished(logs) if code == 0 else []
    if not finished:
        raise PlanimeterError(
            f"not every row was answered; `inspect view --log-dir {logs}` shows why, the same command asks for the "
            f"rest, and `planimeter score {folder} {logs}` scores what is there"
        )
    score.run(
        folder,
        finished,
        out,
        err,
        configs=chosen,
        model="",
        target=logs / "scores",
        workers=None,
        readable_at=readable_at,
    )


def _run(command: Sequence[str]) -> int:
    """Run ``command`` to its end. On Ctrl-C it ends by itself, for it hears of it too, and writes its log first."""
    interrupted = False
    with subprocess.Popen(command) as inspect:
        while inspect.returncode is None:
            try:
                inspect.wait()
            except KeyboardInterrupt:
                interrupted = True
            except BaseException:
                inspect.send_signal(signal.SIGINT)
                raise
    if interrupted:
        raise KeyboardInterrupt
    return inspect.returncode


def _finished(logs: Path) -> list[Path]:
    """Return the logs of the tasks that were just asked for, if all are whole; of other settings more may lie there."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    asked = {task["task_id"] for task in json.loads((logs / "eval-set.json").read_text(encoding="utf-8"))["tasks"]}
    heads = [read_eval_log(info, header_only=True) for info in list_eval_logs(str(logs))]
    whole = {head.eval.task_id: head.location for head in heads if head.status == "success"}
    return [Path(whole[task].removeprefix("file://")) for task in sorted(asked)] if asked <= whole.keys() else []
