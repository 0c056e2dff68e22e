"""Writes scores in two external formats: the evaluation results of a model on the Hub, and Every Eval Ever.

Both contain the headline metric of each config on its test split. The formats are those of ``eval_results.yaml`` in
huggingface/hub-docs, and of the package ``every-eval-ever`` 0.3.
"""

import hashlib
import json
import re
import uuid  # noqa: TID251 - of digests
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import yaml  # type: ignore[import-untyped]
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from planimeter import evals
from planimeter.evals.answers import PROTOCOL
from planimeter.evals.scores.forms import Scored, records
from planimeter.evals.scores.summary import coverage, headline, of_rows, summary, with_flags
from planimeter.export.atomic import ExportError, explain_os_errors, write_file
from planimeter.export.foreign import path_below
from planimeter.items.hub import Repository
from planimeter.items.values import Record

#: The folder of a model's repository in which the Hub looks for results.
HUB_FOLDER = ".eval_results"

#: The version of Every Eval Ever's schema.
SCHEMA = "0.3.0"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Facts that the written files state in addition to the scores.

    ``tests``: the test split of each config. ``repository``: the dataset's repository on the Hub, if known. ``date``:
    the date of the run, or empty. ``now``: the current time, in seconds since 1970.
    """

    tests: Mapping[str, str]
    repository: Repository | None
    date: str
    now: int


def hub_results(scored: Scored, origin: Origin, folder: Path) -> list[Path]:
    """Write a file ``.eval_results/<dataset>.yaml`` for each model's repository on the Hub, and return the paths.

    The file of a single model is below ``folder``, those of several below ``folder``/<model>. Only replies to the
    published prompts count.

    Raises:
        ExportError: if the repository is unknown, there is no such reply, two models have one path, or a file cannot
            be written.
    """
    if origin.repository is None:
        raise ExportError("--hub-results: needs --repo OWNER/NAME, the dataset's repository on the Hub")
    tested = _tested(scored, origin)
    tested = replace(tested, frame=tested.frame[tested.frame["variant"].isin((evals.DEFAULT, ""))])
    if tested.frame.empty:
        raise ExportError("--hub-results: needs replies to the published prompts of a test split; there are none")
    name, revision = origin.repository
    files: dict[Path, bytes] = {}
    models = tested.frame["model"].unique()
    for model, lines in _lines(tested).groupby("model", sort=False):
        entries = [
            EvalResultEntry(
                dataset_id=name,
                task_id=line["config"],
                value=round(100 * line["score"], 2),
                dataset_revision=revision or f"v{scored.version}",
                date=origin.date or None,
                notes=_notes(line),
            )
            for line in records(lines)
        ]
        home = (folder if len(models) == 1 else path_below(folder, _file_name(str(model)))) / HUB_FOLDER
        text = yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True, width=1000)
        _add(files, path_below(home, f"{scored.dataset}.yaml"), text.encode())
    return _write(files)


def every_eval_ever(scored: Scored, origin: Origin, folder: Path) -> list[Path]:
    """Write ``data/<dataset>/<developer>/<model>/<uuid>.json`` and ``<uuid>_samples.jsonl`` for each model and variant.

    The uuid is a function of dataset, version, model, variant and version of the grading rules: a second run replaces
    the files. Returns the paths.

    Raises:
        ExportError: if there are no replies to a test split, or a file cannot be written.
    """
    tested = _tested(scored, origin)
    if tested.frame.empty:
        raise ExportError("--every-eval-ever: needs replies to a test split; there are none")
    files: dict[Path, bytes] = {}
    for (model, variant), part in tested.frame.groupby(["model", "variant"], sort=False):
        key = f"{scored.dataset} {scored.version} {model} {variant} {PROTOCOL}"
        # The schema requires a UUID of version 4.
        name = uuid.UUID(bytes=hashlib.sha256(key.encode()).digest()[:16], version=4)
        developer, _, rest = str(model).partition("/")
        place = [scored.dataset, *map(_file_name, (developer, rest) if rest else ("unknown", developer))]
        samples = list(_instances(replace(tested, frame=part), origin))
        content = "".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples).encode()
        aggregate = _aggregate(replace(tested, frame=part), origin) | {
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": "/".join(["data", *place, f"{name}_samples.jsonl"]),
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(content).hexdigest(),
                "total_rows": len(samples),
            }
        }
        _add(files, path_below(folder, "data", *place, f"{name}_samples.jsonl"), content)
        text = json.dumps(aggregate, ensure_ascii=False, indent=2) + "\n"
        _add(files, path_below(folder, "data", *place, f"{name}.json"), text.encode())
    return _write(files)


def _tested(scored: Scored, origin: Origin) -> Scored:
    frame = scored.frame
    return replace(scored, frame=frame[frame["split"] == frame["config"].map(origin.tests)])


def _lines(scored: Scored) -> pd.DataFrame:
    """Return a table with a line for each model, variant and config: score, interval, numbers of rows and samples."""
    metric, by = headline(scored), ["model", "variant", "config"]
    frame = with_flags(scored.frame)
    table = summary(frame, by, [metric, "unmarked"]).merge(coverage(scored, by), on=by)
    samples = frame.groupby(by, sort=False)["sample"].max() + 1
    names = {metric: "score", f"{metric}_low": "low", f"{metric}_high": "high"}
    return table.join(samples.rename("samples"), on=by).rename(columns=names).assign(metric=metric)


def _notes(line: Record) -> str:
    """Return a note on a score for the Hub: interval, numbers of questions, rows and samples, unmarked replies."""
    asked = "" if line["asked"] == line["rows"] else f"{of_rows(line['asked'], line['rows'])} rows; "
    return (
        f"{line['metric']} in per cent; 95% interval [{100 * line['low']:.1f}, {100 * line['high']:.1f}], clustered by "
        f"question ({line['questions']:,} questions); {asked}{line['samples']} replies a row; unmarked "
        f"{100 * line['unmarked']:.1f}%; Planimeter protocol {PROTOCOL}"
    )


def _aggregate(scored: Scored, origin: Origin) -> Record:
    model, variant = scored.frame[["model", "variant"]].iloc[0]
    dated = {"evaluation_timestamp": origin.date} if origin.date else {}
    source: Record = {"dataset_name": scored.dataset, "source_type": "other"}
    if origin.repository:
        source |= {"source_type": "hf_dataset", "hf_repo": origin.repository.name}
    results = [
        {
            "evaluation_result_id": line["config"],
            "evaluation_name": f"{scored.dataset}/{line['config']}",
            "source_data": source | {"additional_details": {"version": scored.version, "config": line["config"]}},
            "metric_config": {
                "metric_id": f"planimeter.{scored.suite}.{line['metric']}",
                "metric_name": line["metric"],
                "metric_unit": "proportion",
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": 0,
                "max_score": 1,
            },
            "score_details": _score(line),
        }
        for line in records(_lines(scored))
    ]
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation_id(scored, origin),
        **dated,
        "retrieved_timestamp": str(origin.now),
        "source_metadata": {
            "source_name": "Planimeter",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "planimeter",
            "version": version("planimeter"),
            "additional_details": {"protocol": str(PROTOCOL), "prompt_variant": variant or evals.DEFAULT},
        },
        "model_info": {
            "name": model,
            "id": model,
            "developer": model.partition("/")[0] if "/" in model else "unknown",
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": results,
    }


def _score(line: Record) -> Record:
    details = {name: str(line[name]) for name in ("questions", "asked", "rows", "samples", "unmarked")}
    uncertainty: Record = {"num_samples": line["n"]}
    if not pd.isna(line["low"]):
        uncertainty["confidence_interval"] = {
            "lower": line["low"],
            "upper": line["high"],
            "confidence_level": 0.95,
            "method": "analytic, clustered by question",
        }
    return {"score": line["score"], "details": details, "uncertainty": uncertainty}


def _instances(scored: Scored, origin: Origin) -> Iterator[Record]:
    """Yield the line of ``<uuid>_samples.jsonl`` for each reply: its prompts, text, parsed answer and score."""
    metric, common = headline(scored), {"schema_version": SCHEMA, "evaluation_id": _evaluation_id(scored, origin)}
    rows = {
        config: {row["id"]: row for row in records(frame.rename_axis("id").reset_index())}
        for config, frame in scored.rows.items()
    }
    for line in records(scored.frame):
        config = line["config"]
        row = rows[config][line["id"]]
        prompts = evals.prompt_of(row, line["variant"] or evals.DEFAULT, suite=scored.suite, config=config)
        read = {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": line["read"],
            "extraction_method": f"planimeter protocol {PROTOCOL}",
            "is_terminal": True,
        }
        yield common | {
            "model_id": line["model"],
            "evaluation_name": f"{scored.dataset}/{config}",
            "evaluation_result_id": config,
            "sample_id": line["id"],
            "interaction_type": "single_turn",
            "input": {"raw": "\n\n".join(filter(None, prompts)), "reference": [line["answer"]]},
            "output": {"raw": [line["reply"]]},
            "answer_attribution": [read] if line["answered"] else [],
            "evaluation": {"score": line[metric], "is_correct": line[metric] == 1},
            "metadata": {name: str(line[name]) for name in ("sample", "question", "finish_reason", "reason")},
        }


def _evaluation_id(scored: Scored, origin: Origin) -> str:
    return f"{scored.dataset}/{scored.frame['model'].iloc[0]}/{origin.now}"


def _file_name(model: str) -> str:
    """Return a model's label as a file name: a hyphen replaces characters other than letters, digits, ``_.-``."""
    return re.sub(r"[^\w.-]+", "-", model)


def _add(files: dict[Path, bytes], path: Path, content: bytes) -> None:
    if path in files:
        raise ExportError(f"{path}: two models would have this path; score them one at a time, or rename one")
    files[path] = content


def _write(files: Mapping[Path, bytes]) -> list[Path]:
    for path, content in files.items():
        with explain_os_errors(path):
            write_file(path, content)
    return list(files)
