"""eval.yaml, which makes a repository a Benchmark of the Hub, and the views of pictures that Inspect's loader reads."""

import base64
import re
import subprocess
import sys
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest
import stand_in_hub
import yaml
from asked_folders import SUITES, write_small
from huggingface_hub import HfApi
from inspect_ai._eval.task.hf import HFTask
from stand_in_hub import REPO

from planimeter.evals import suite
from planimeter.export.built import Built
from planimeter.export.hub.card import TASKS, Addition, tasks_file
from planimeter.export.hub.inspect_views import verify_views, viewed, write_views
from planimeter.export.hub.publish import Target, publish
from planimeter.export.manifest import Manifest
from planimeter.export.verify.folder import verify
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
    assert tasks_file(dataset_of("geogram", tmp_path / "only", configs={"geogram": {"train": 9}})) == {}
    both = dataset_of("geogram", tmp_path / "both", configs={"geogram": {"test": 1, "train": 9}})
    (task,) = yaml.safe_load(tasks_file(both)[TASKS])["tasks"]
    assert task["split"] == "test"


#: Inspect takes replies from a model whose output a test decides; on the command line it has none.
RUN = """
import sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def output(*_):
    return ModelOutput.from_content("mock", sys.argv[2]).model_copy(update={"usage": ModelUsage()})

(log,) = eval(sys.argv[1], model=get_model("mockllm/model", custom_outputs=output), display="none", log_dir=sys.argv[3])
assert log.status == "success", log.error
print(log.results.total_samples, log.results.scores[0].metrics["accuracy"].value)
"""


@pytest.fixture
def views(sample: Path, tmp_path: Path) -> dict[str, Path]:
    return write_views(Built.at(sample), tmp_path / "views")


def test_a_view_repeats_the_rows_with_data_uris(sample: Path, views: dict[str, Path]) -> None:
    assert {path.split("/")[1] for path in views} == {"counting_inspect", "transformation_inspect"}
    for path, file in views.items():
        source = sample / path.replace("inspect/", "data/", 1).replace("_inspect/", "/")
        rows, shown = pq.read_table(source).to_pylist(), pq.read_table(file).to_pylist()
        assert [row["id"] for row in shown] == [row["id"] for row in rows]
        assert all(
            base64.b64decode(one["image"].removeprefix("data:image/png;base64,")) == other["image"]["bytes"]
            for one, other in zip(shown, rows, strict=True)
        )
        assert {*shown[0]} == {"id", "system_prompt", "prompt", "answer", "image"}


def test_tasks_ask_the_views(sample: Path, views: dict[str, Path]) -> None:
    tasks = yaml.safe_load(tasks_file(Built.at(sample), views)[TASKS])["tasks"]
    assert [task["config"] for task in tasks] == ["counting_inspect", "transformation_inspect"]
    assert [task["id"] for task in tasks] == ["counting", "transformation"]
    assert {solver["name"] for task in tasks for solver in task["solvers"]} == {"system_message", "generate"}


def test_no_empty_system_message_is_sent(tmp_path: Path) -> None:
    for name, solvers in (("curves", ["generate"]), ("traversal", ["system_message", "generate"])):
        built = Built.at(write_small(tmp_path / name, name))
        (task,) = yaml.safe_load(tasks_file(built)[TASKS])["tasks"]
        assert [solver["name"] for solver in task["solvers"]] == solvers
        assert viewed(built) == {}, "answers of several words are not compared as texts"


def test_a_damaged_view_is_found(folder: Path) -> None:
    views = write_views(Built.at(folder), folder)
    first, second, *_ = views.values()
    pq.write_table(pq.read_table(first).slice(1), first)
    second.unlink()
    (folder / "inspect" / "more.parquet").write_bytes(b"")
    said = sorted(str(problem) for problem in verify_views(Built.at(folder)))
    assert [line.partition(": ")[2].partition(";")[0].split(" of ")[0] for line in said] == [
        f"has other rows than data/counting/{first.name}",
        "is missing",
        "is not a view",
    ]


@pytest.mark.slow
def test_inspect_runs_published_pictures_and_words(
    sample: Path, views: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        api = HfApi(endpoint=hub.url)
        given = {"api": api, "log": str, "addition": Addition(views=views)}
        assert publish(sample, Target(repo=REPO), **given).steps
        assert publish(sample, Target(repo=REPO), **given).steps == ()
        found = Path(api.snapshot_download(REPO, repo_type="dataset", local_dir=tmp_path / "found"))
        assert verify(found) == []
        # And a config of words, which needs no view.
        problems, card = write_small(tmp_path / "geogram", "geogram"), "configs: [{config_name: geogram, data_files: "
        (problems / "README.md").write_text(f"---\n{card}[{{split: test, path: data/geogram/test-*}}]}}]\n---\n")
        (problems / TASKS).write_bytes(tasks_file(Built.at(problems))[TASKS])
        words = {"repo_id": f"{REPO}-words", "repo_type": "dataset"}
        api.create_repo(**words)
        for path in (problems / TASKS, problems / "README.md", *problems.rglob("*.parquet")):
            api.upload_file(path_or_fileobj=path, path_in_repo=path.relative_to(problems).as_posix(), **words)
        for task, reply, printed in (
            (f"hf/{REPO}/counting", "<final_answer>3</final_answer>", ["18", "0.5"]),
            (f"hf/{REPO}/counting", "3", ["18", "0.0"]),
            (f"hf/{REPO}-words", "\\boxed{8\\pi+27}", ["6", "1.0"]),
        ):
            command = [sys.executable, "-c", RUN, task, reply, str(tmp_path / "logs")]
            environment = command_line.environment(tmp_path / "prefect", **hub.environment(tmp_path))
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[-2000:]
            assert done.stdout.splitlines()[-1].split() == printed
