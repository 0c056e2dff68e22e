"""What other harnesses load out of tree: folders of tasks for lmms-eval, tables for VLMEvalKit, files for trainers.

All send the published prompts, or a variant of them. Both harnesses are scored by `planimeter score` from what they
write; what trainers load is in ``trainers``.
"""

import csv
import glob
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from planimeter.evals import prompt_of, suite, variants
from planimeter.evals.harnesses import lmms_eval
from planimeter.evals.harnesses.trainers import for_easyr1, for_swift, for_verl
from planimeter.export.atomic import ExportError, Staging
from planimeter.export.built import Built
from planimeter.export.foreign import path_below
from planimeter.items.declaration import Sampling
from planimeter.items.printing import command
from planimeter.items.suites import declared

#: Tokens of a reply for lmms-eval where the paper names no limit.
MOST_TOKENS = 8192

_UTILS = '''# {install}
"""Prompts and scores, by Planimeter."""

from planimeter.evals.harnesses import lmms_eval

VARIANT = {variant!r}
lmms_eval.check({suite!r})


def doc_to_visual(doc):
    return lmms_eval.visuals(doc)


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return lmms_eval.text(doc, VARIANT)


def doc_to_messages(doc, lmms_eval_specific_kwargs=None):
    return lmms_eval.messages(doc, VARIANT)


def process_results(doc, results):
    return lmms_eval.scores(doc, results, VARIANT)


def average(results):
    return lmms_eval.average(results)
'''


def for_lmms_eval(dataset: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with a task a config and their ``utils.py``; return how to run them."""
    install = lmms_eval.install(dataset.suite)
    utils = _UTILS.format(variant=variant, suite=dataset.suite, install=install)
    (out / "utils.py").write_text(utils, encoding="utf-8")
    group = f"planimeter_{dataset.suite}"
    for config, split in dataset.tests.items():
        metric = suite(dataset.suite).HEADLINE
        task = {
            "task": f"{group}_{config}",
            "tag": group,
            "dataset_path": "parquet",
            # `datasets` takes a path for a pattern.
            "dataset_kwargs": {
                "data_files": {split: [glob.escape(str(path)) for path in dataset.files(config, split)]}
            },
            "test_split": split,
            "output_type": "generate_until",
            "doc_to_visual": "!function utils.doc_to_visual",
            "doc_to_text": "!function utils.doc_to_text",
            "doc_to_messages": "!function utils.doc_to_messages",
            "doc_to_target": "answer",
            "process_results": "!function utils.process_results",
            "generation_kwargs": _generation(declared(dataset.suite).sampling_of(config)),
            "repeats": declared(dataset.suite).sampling_of(config).samples,
            "cluster_key": "question",
            "metric_list": [{"metric": metric, "aggregation": "!function utils.average", "higher_is_better": True}],
            "metadata": {"version": dataset.manifest.version},
        }
        lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in task.items())
        # JSON is YAML, but for the functions, whose names are no strings.
        text = re.sub(r'"(!function [\w.]+)"', r"\1", "".join(lines))
        (out / f"{group}_{config}.yaml").write_text(text, encoding="utf-8")
    started = command("python", "-m", "lmms_eval", "--include_path", final, "--tasks", group)
    return f"{install}\n  {started} --log_samples --output_path LOGS --model ..."


def _generation(paper: Sampling) -> dict[str, object]:
    """Return the settings of lmms-eval for those of a paper; without a temperature the model's own is used."""
    # An end that no reply has: by default two line breaks would cut it off.
    settings: dict[str, object] = {"max_new_tokens": paper.max_tokens or MOST_TOKENS, "until": []}
    if paper.temperature is not None:
        settings |= {"temperature": paper.temperature, "do_sample": paper.temperature > 0}
    return settings


def for_vlmevalkit(source: Built, out: Path, final: Path, variant: str) -> str:
    """Fill ``out`` with a table a config, and the pictures as PNG, since VLMEvalKit makes JPEG of what tables hold.

    Options stay within the prompt and get no columns: else VLMEvalKit would add its own list, by letters.

    Raises:
        ExportError: for a suite without pictures, which no table of VLMEvalKit can do without.
    """
    if not source.shows_pictures:
        raise ExportError(f"VLMEvalKit takes no dataset without pictures, and {source.suite} shows none")
    names = []
    for config, split in source.tests.items():
        pictures = out / "images" / config
        pictures.mkdir(parents=True)
        names.append(f"planimeter_{source.suite}_{config}_openended")
        with (out / f"{names[-1]}.tsv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, delimiter="\t", lineterminator="\n")
            table.writerow(["index", "image_path", "question", "answer", "config", "split", "variant"])
            for row in source.rows(config, split):
                path_below(pictures, f"{row['id']}.png").write_bytes(row["image"])
                prompt = "\n\n".join(filter(None, prompt_of(row, variant, suite=source.suite, config=config)))
                place = str(final / "images" / config / f"{row['id']}.png")
                table.writerow([row["id"], place, prompt, row["answer"], config, split, variant])
    paper = {str(declared(source.suite).sampling_of(config)) for config in source.tests}
    started = (
        f"LMUData={command(final)} PRED_FORMAT=tsv python run.py --mode infer --data {' '.join(names)} --model ..."
    )
    # The settings of a model lie in its own class there.
    return f"{started}\n  the paper's settings, to be set in the model's config: {'; '.join(sorted(paper))}"


#: For each harness what fills a folder, which will stand at its final place, and returns the command that runs it.
HARNESSES: Mapping[str, Callable[[Built, Path, Path, str], str]] = {
    "lmms-eval": for_lmms_eval,
    "vlmevalkit": for_vlmevalkit,
    "verl": for_verl,
    "easyr1": for_easyr1,
    "swift": for_swift,
}


def export(source: Built, harness: str, out: Path, variant: str) -> str:
    """Write what ``harness`` loads to the folder ``out``, which appears whole or not at all; return how to run it.

    Raises:
        ExportError: if there is no such harness or variant, or ``out`` exists or cannot be written.
    """
    if harness not in HARNESSES:
        raise ExportError(f"there is no export for {harness!r}; there are: {', '.join(HARNESSES)}")
    for config in source.tests:
        if variant not in variants(source.suite, config):
            raise ExportError(
                f"{source.suite} {config} has no prompt variant {variant!r}; it has: "
                f"{', '.join(variants(source.suite, config))}"
            )
    out = out.resolve()
    if out.exists():
        raise ExportError(f"{out} exists; give --out a folder that does not")
    with Staging(out) as staging, source.reading(writes=True):
        started = HARNESSES[harness](source, staging.path, out, variant)
        staging.commit()
    return started
