"""Views of pictures as text, by which Inspect's loader of the Hub asks picture configs as they are."""

import base64
import subprocess
import sys
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest
import stand_in_hub
import yaml
from asked_folders import write_small
from huggingface_hub import HfApi
from stand_in_hub import REPO

from planimeter.export.built import Built
from planimeter.export.hub.card import TASKS, Addition, tasks_file
from planimeter.export.hub.inspect_views import verify_views, viewed, write_views
from planimeter.export.hub.publish import Target, publish
from planimeter.export.verify.folder import verify

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
    for suite, solvers in (("curves", ["generate"]), ("traversal", ["system_message", "generate"])):
        built = Built.at(write_small(tmp_path / suite, suite))
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
        "does not repeat the rows",
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
        words = {"repo_id": "lab/words", "repo_type": "dataset"}
        api.create_repo(**words)
        for path in (problems / TASKS, problems / "README.md", *problems.rglob("*.parquet")):
            api.upload_file(path_or_fileobj=path, path_in_repo=path.relative_to(problems).as_posix(), **words)
        for task, reply, printed in (
            (f"hf/{REPO}/counting", "<final_answer>3</final_answer>", ["18", "0.5"]),
            (f"hf/{REPO}/counting", "3", ["18", "0.0"]),
            ("hf/lab/words", "\\boxed{8\\pi+27}", ["6", "1.0"]),
        ):
            command = [sys.executable, "-c", RUN, task, reply, str(tmp_path / "logs")]
            environment = command_line.environment(tmp_path / "prefect", **hub.environment(tmp_path))
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr[-2000:]
            assert done.stdout.splitlines()[-1].split() == printed
