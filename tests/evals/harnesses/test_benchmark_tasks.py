"""eval.yaml, which makes a repository a Benchmark of the Hub: as the Hub and Inspect's loader read it."""

import re
from pathlib import Path

import pytest
import yaml
from asked_folders import SUITES, write_small
from inspect_ai._eval.task.hf import HFTask

from planimeter.evals import suite
from planimeter.export.built import Built
from planimeter.export.hub.card import TASKS, tasks_file
from planimeter.export.manifest import Manifest
from planimeter.items.suites import declared

#: Identifiers of frameworks in huggingface.js, packages/tasks/src/eval.ts, of which ours is one.
FRAMEWORKS = ("inspect-ai", "math-arena", "mteb", "harbor", "nemo-evaluator")


def dataset_of(suite: str, folder: Path, **changed: object) -> Built:
    found = Manifest.read(write_small(folder, suite))
    recipe = {**found.recipe, "title": "T", "summary": "S"}
    return Built(folder=folder, manifest=found.model_copy(update={"recipe": recipe, **changed}))


@pytest.mark.parametrize("name", SUITES)
def test_the_hub_and_inspect_read_the_tasks_of_a_benchmark(name: str, tmp_path: Path) -> None:
    built = dataset_of(name, tmp_path / name)
    document = yaml.safe_load(tasks_file(built)[TASKS])
    assert document.keys() == {"name", "description", "evaluation_framework", "tasks"}
    assert document["evaluation_framework"] in FRAMEWORKS
    tasks = [HFTask.model_validate(task) for task in document["tasks"]]
    assert [(task.id, task.config, task.split) for task in tasks] == [(c, c, s) for c, s in built.tests.items()]
    shown = {task.field_spec.input_image for task in tasks}
    assert shown == ({"image"} if declared(name).pictures else {None})


def test_the_scorer_of_a_benchmark_reads_the_asked_form(tmp_path: Path) -> None:
    for name, answer in (("curves", "2\n1 0"), ("curves_maps", "2 1")):
        (scorer,) = yaml.safe_load(tasks_file(dataset_of(name, tmp_path / name))[TASKS])["tasks"][0]["scorers"]
        found = re.search(scorer["args"]["pattern"], f"So:\n{suite(name).render(answer)}")
        assert found and found[1] == answer
    (scorer,) = yaml.safe_load(tasks_file(dataset_of("traversal", tmp_path / "t"))[TASKS])["tasks"][0]["scorers"]
    assert scorer == {"name": "exact"}, "the bare list is the whole reply"


def test_a_dataset_of_training_rows_is_no_benchmark(tmp_path: Path) -> None:
    configs = dataset_of("geogram", tmp_path / "geogram").manifest.configs
    only = {config: {"train": 9} for config in configs}
    assert tasks_file(dataset_of("geogram", tmp_path / "only", configs=only)) == {}
    both = {config: {"test": 1, "train": 9} for config in configs}
    built = dataset_of("geogram", tmp_path / "both", configs=both)
    (task,) = yaml.safe_load(tasks_file(built)[TASKS])["tasks"]
    assert task["split"] == "test"
