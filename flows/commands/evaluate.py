"""The command `evaluate`: asks a model each test question of a dataset by Inspect AI, and scores the replies."""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planimeter.flows.commands.options import Folder, names_in, out
from planimeter.flows.commands.score import score
from planimeter.flows.errors import PlanimeterError, require_module
from planimeter.flows.store.storage import resolved
from planimeter.items.declaration import Sampling
from planimeter.items.printing import command
from planimeter.items.suites import declared

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from planimeter.export.built import Built

#: Our default options of Inspect, which options of the user override: logs contain no pictures; if a row cannot be
#: asked, the others are; errors, which Inspect would print with the whole prompt, are reported at the end.
DEFAULTS = ("--no-log-images", "--no-score-display", "--continue-on-fail", "--retry-attempts=1", "--log-level=error")
#: Limits for models behind a server: 300 seconds for an attempt (OpenAI's client waits for 600), and 8 repetitions, the
#: waits between which add up to 13 minutes.
TIME_LIMITS = ("--attempt-timeout=300", "--max-retries=8")
#: Inspect's providers that run a model in this process, where a batch needs no time limit. They show no pictures to the
#: model: `hf` refuses them, the others leave them out.
IN_PROCESS = ("hf", "nnterp", "transformer_lens")

#: The most errors in a message, and the most characters of each.
MOST_ERRORS, LONGEST_ERROR = 3, 160


def evaluate(
    context: typer.Context,
    folder: Folder,
    model: Annotated[str, typer.Option(help="Model as Inspect names it, such as vllm/Qwen/Qwen3-VL-8B-Instruct.")] = "",
    config: Annotated[str, typer.Option(help="Configs to evaluate, such as counting; all by default.")] = "",
    variant: Annotated[str, typer.Option(help="Prompt variant; the published prompts by default.")] = "default",
    log_dir: Annotated[
        Path | None, typer.Option(help="Folder of logs and scores; <version>.logs/<model> next to FOLDER by default.")
    ] = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Only print the plan: replies, tokens, and the smallest difference that could be detected."
        ),
    ] = False,
) -> None:
    """Ask MODEL each test question by Inspect AI, and score the replies; any flag of `inspect eval-set` may follow."""
    if plan:
        _print_plan(folder, names_in(config), variant, context.args)
        return
    if not model:
        raise PlanimeterError("--model: name a model, or give --plan to print the plan only")
    # After an evaluation that was stopped, only rows without a reply are asked. Rows that the provider refuses
    # permanently count as wrong.
    require_module("inspect_ai", "inspect", "this command")
    data, chosen = _chosen(folder, names_in(config), variant)
    local = model.split("/")[0] in IN_PROCESS
    if local and data.shows_pictures:
        raise PlanimeterError(
            f"--model: {model} would see no picture, because Inspect runs it as a text model; serve it instead, as "
            "vllm/..., or by any OpenAI-compatible server as openai-api/..."
        )
    place = data.folder
    logs = log_dir or place.with_name(f"{place.name}.logs") / re.sub(r"[^\w.-]+", "-", model)
    if resolved(logs).is_relative_to(place):
        raise PlanimeterError(f"--log-dir: {logs} is inside the dataset folder, which is never modified")
    logs.mkdir(parents=True, exist_ok=True)
    options = ["-T", f"folder={json.dumps(str(place))}", "-T", f"variant={variant}"]
    options += ["--model", model, "--log-dir", str(logs), "--log-dir-allow-dirty", *DEFAULTS]
    options += [*(() if local else TIME_LIMITS), *context.args]
    before = _logs_in(logs)
    tasks = [f"planimeter/{data.suite}_{name}" for name in chosen]
    # -P: not the working directory on Python's path, where files that `pip wheel .` left would hide our tasks.
    code = _run([sys.executable, "-P", "-m", "inspect_ai", "eval-set", *tasks, *options])
    asked_anew = bool(_logs_in(logs) - before)
    if code and not asked_anew:
        raise PlanimeterError("Inspect could not ask the model; its message above has the reason")
    evaluation = _read_logs(data.suite, logs)
    if not evaluation.whole or (code and evaluation.open):
        view, score_rest = command("inspect", "view", "--log-dir", logs), command("planimeter", "score", folder, logs)
        raise PlanimeterError(
            f"not every row was answered{_why(evaluation.open)}; `{view}` shows the reasons, the same command asks the "
            f"remaining rows, and `{score_rest}` scores the replies so far"
        )
    if not evaluation.answered:
        raise PlanimeterError(f"{model} refuses every row: {_listed(evaluation.refused.values())}")
    score([folder, *evaluation.logs], config=",".join(chosen), target=logs / "scores")
    _report(evaluation, logs)
    if not asked_anew:
        out.print(f"nothing was asked: {logs} has every reply; give another --log-dir to ask again")


def _chosen(folder: Path, names: Sequence[str], variant: str) -> tuple["Built", list[str]]:
    """Return the dataset in ``folder`` and the configs in ``names``; all configs if ``names`` is empty.

    Raises ``PlanimeterError`` if a config lacks the prompt variant ``variant``.
    """
    from planimeter.evals import variants
    from planimeter.evals.harnesses.rows import source

    data = source(str(folder))
    chosen = data.chosen(names)
    for name in chosen:
        known = variants(data.suite, name)
        if variant not in known:
            raise PlanimeterError(f"--variant: {data.suite} {name} has no variant {variant!r}, only {', '.join(known)}")
    return data, chosen


def _print_plan(folder: Path, names: Sequence[str], variant: str, flags: Sequence[str]) -> None:
    """Print the plan of an evaluation as in the suite's paper. Raises ``PlanimeterError`` if there are ``flags``."""
    from planimeter.evals.harnesses.plan import plan
    from planimeter.evals.scores.tables import terminal

    if flags:
        raise PlanimeterError(
            f"--plan: takes no flags of Inspect, got {flags[0]}; leave them out: the suite's paper has the settings"
        )
    data, chosen = _chosen(folder, names, variant)
    with data.reading():
        table = plan(data, chosen, variant)
    out.print(terminal(table))


def _run(command: Sequence[str]) -> int:
    """Run ``command`` to its end, and return its exit code.

    On Ctrl-C, let the command write its log and end, then raise ``KeyboardInterrupt``.
    """
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


@dataclass(frozen=True, kw_only=True)
class _Evaluation:
    """The result of an evaluation, from the newest log of each task.

    ``whole``: every task ran to its end; ``answered``: some row has a reply; ``cached``: Inspect's cache was used.
    ``refused``: row id -> error of each row that the provider refuses permanently; ``open``: the errors of other rows.
    ``settings``: for each task, a line with temperature, samples and tokens, and with the paper's if they differ.
    """

    logs: list[Path]
    whole: bool
    answered: bool
    refused: dict[str, str]
    open: list[str]
    cached: bool
    settings: list[str]


def _logs_in(logs: Path) -> set[Path]:
    """Return the paths of Inspect's logs in the folder ``logs``, which are the files with a "_" in their names."""
    return set(logs.glob("*_*.*"))


def _read_logs(suite: str, logs: Path) -> _Evaluation:
    """Return the result of the latest run, from its logs in the folder ``logs``, which may also have other logs."""
    from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

    tasks = {task["task_id"] for task in json.loads((logs / "eval-set.json").read_text(encoding="utf-8"))["tasks"]}
    infos = sorted(list_eval_logs(str(logs)), key=lambda info: (info.mtime or 0, info.name))
    heads = {head.eval.task_id: head for head in (read_eval_log(info, header_only=True) for info in infos)}
    newest = [heads[task] for task in sorted(tasks & heads.keys())]
    complete, answered = tasks <= heads.keys(), False
    errors: list[tuple[str, str]] = []
    for head in newest:
        samples = read_eval_log_sample_summaries(head.location)
        errors += [(str(sample.id), sample.error) for sample in samples if sample.error]
        answered |= any(not sample.error for sample in samples)
        number = len(head.eval.dataset.sample_ids or ()) * (head.eval.config.epochs or 1)
        complete &= head.status in ("success", "error") and len(samples) == number
    return _Evaluation(
        logs=[Path(head.location.removeprefix("file://")) for head in newest],
        whole=complete,
        answered=answered,
        refused={name: error for name, error in errors if _is_refusal(error)},
        open=[error for _, error in errors if not _is_refusal(error)],
        cached=any(head.eval.model_generate_config.cache for head in newest),
        settings=[_settings(suite, head) for head in newest],
    )


def _settings(suite: str, head: "EvalLog") -> str:
    """Return a line with the sampling settings in ``head``, the head of a log, and the paper's if they differ."""
    config = head.eval.task.removeprefix("planimeter/").removeprefix(f"{suite}_")
    paper, given = declared(suite).sampling_of(config), head.plan.config
    samples = head.eval.config.epochs or 1
    own = Sampling(temperature=given.temperature, samples=samples, max_tokens=given.max_tokens)
    return f"{config}: {own}" + (", as in the paper" if own == paper else f"; the paper: {paper}")


def _is_refusal(error: str) -> bool:
    """True if ``error`` of Inspect says that the provider refuses the request permanently (status 400, 413, 422).

    A refusal with status 403 may be due to the API key only, and is not permanent.
    """
    return error.startswith("ModelGenerateError(") and "code: 403" not in _tail(error)


def _tail(error: str) -> str:
    """Return the message of the provider in ``error``, without the request or the retry that Inspect adds to it."""
    if retried := re.match(r"RetryError\(.* raised (\w+)>\)", error):
        return retried[1]
    request, _, cause = error.rpartition("\\n\\n")
    return (cause.replace("\\'", "'").removesuffix("')") if request else error)[:LONGEST_ERROR]


def _listed(errors: Iterable[str]) -> str:
    """Return the most frequent ``errors`` as one text, each with the number of rows that have it."""
    counts = Counter(map(_tail, errors))
    listed = [f"{number:,} x {error}" for error, number in counts.most_common(MOST_ERRORS)]
    return "; ".join([*listed, *(["..."] if len(counts) > MOST_ERRORS else [])])


def _why(errors: Sequence[str]) -> str:
    """Return the most frequent ``errors`` in brackets, with advice if one of them is a time-out; "" for no errors."""
    listed = _listed(errors)
    longer = "; `--attempt-timeout` sets the seconds that a reply may take" if "AttemptTimeoutError" in listed else ""
    return f" ({listed}{longer})" if errors else ""


def _report(evaluation: _Evaluation, logs: Path) -> None:
    """Print the refused rows, the settings, and a warning if replies came from Inspect's cache."""
    import pyarrow.parquet as pq

    from planimeter.evals.scores.forms import FILE

    is_filtered = [("finish_reason", "=", "content_filter")]
    filtered = pq.read_table(logs / "scores" / FILE, columns=["id"], filters=is_filtered)["id"].unique()
    errors = [*evaluation.refused.values(), *["content filter"] * len(filtered)]
    if errors:
        out.print(f"{len(errors):,} rows refused, which count as wrong: {_listed(errors)}")
    for line in evaluation.settings:
        out.print(line)
    if evaluation.cached:
        out.print("--cache: replies may be those of another model that was served under the same name and URL")
