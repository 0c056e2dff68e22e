"""What `inspect eval hf/OWNER/NAME` finds in a repository, and that it changes nothing that is published already."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import command_line
import pytest
import stand_in_hub
import yaml
from asked_folders import ROWS, write_small
from huggingface_hub import HfApi
from stand_in_hub import REPO

from planimeter.export.hub.tasks import NAME, tasks_file
from planimeter.export.manifest import Manifest

#: Inspect takes replies from a model whose output a test decides; on the command line it has none.
RUN = """
import sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def output(*_):
    reply = ModelOutput.from_content("mock", sys.argv[2])
    reply.usage = ModelUsage()
    return reply

(log,) = eval(sys.argv[1], model=get_model("mockllm/model", custom_outputs=output), display="none", log_dir=sys.argv[3])
assert log.status == "success", log.error
print(log.results.total_samples, log.results.scores[0].metrics["accuracy"].value)
"""


def manifest_of(suite: str, folder: Path) -> Manifest:
    found = Manifest.read(write_small(folder, suite))
    return found.model_copy(update={"recipe": {**found.recipe, "title": "T", "summary": "S"}})


def test_only_problems_in_words_have_tasks(tmp_path: Path) -> None:
    assert list(tasks_file(manifest_of("geogram", tmp_path / "a"))) == [NAME]
    assert tasks_file(manifest_of("curves", tmp_path / "b")) == {}


@pytest.mark.slow
def test_inspect_runs_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = manifest_of("geogram", tmp_path / "geogram")
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        api, repo = HfApi(endpoint=hub.url), {"repo_id": REPO, "repo_type": "dataset"}
        api.create_repo(**repo)
        content: Any = tasks_file(manifest)[NAME].source
        files = "[{split: test, path: data/geogram/test-*}]"
        card = f"---\nconfigs:\n- config_name: geogram\n  data_files: {files}\n---\n"
        (data,) = (tmp_path / "geogram").rglob("*.parquet")
        path = data.relative_to(tmp_path / "geogram").as_posix()
        for name, source in ((NAME, content), ("README.md", card.encode()), (path, data)):
            api.upload_file(path_or_fileobj=source, path_in_repo=name, **repo)
        for reply, accuracy in (("\\boxed{8\\pi+27}", 1.0), ("\\boxed{3}", 0.0)):
            done = subprocess.run(
                [sys.executable, "-c", RUN, f"hf/{REPO}", reply, str(tmp_path / "logs")],
                env=command_line.environment(tmp_path / "prefect", **hub.environment(tmp_path)),
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr[-2000:]
            assert done.stdout.splitlines()[-1].split() == [str(ROWS), str(accuracy)]
    assert yaml.safe_load(content)["evaluation_framework"] == "inspect-ai"
