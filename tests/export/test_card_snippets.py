"""Every snippet of a card runs as it stands: those of a built folder, and those of a published one, against the Hub."""

import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import command_line
import pytest
import stand_in_hub
from card_snippets import snippets
from huggingface_hub import HfApi
from sample_folder import write_sample
from small_datasets import Small, whole

from planimeter.evals import suite
from planimeter.export.hub.publish import Target, publish
from planimeter.export.manifest import Manifest
from planimeter.export.pages.loading import configs_of
from planimeter.export.pages.sections import section

#: Readers that are none of ours: their snippets run where they are installed.
READERS = ("duckdb", "polars")


def script(card: str) -> str:
    """All Python of the card in its order, with a line at the end that prints what came of it."""
    parts = [
        part
        for part in snippets(card, "python")
        if all(f"import {name}" not in part or importlib.util.find_spec(name) for name in READERS)
    ]
    assert len(parts) >= 3
    parts[-1] = re.sub(r"\n(grade\(.*\))\n", r"\nscored = \1.metrics\n", parts[-1])
    last = 'print(json.dumps({"rows": len(rows), "size": rows[0]["image"].size, "answer": answer, "scored": scored}))'
    return "\n".join(["import json", *parts, last])


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], dict[str, object]]:
    """Runs the card of a folder in the folder, with an empty cache."""
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "hf")

    def run(folder: Path) -> dict[str, object]:
        monkeypatch.chdir(folder)
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(script((folder / "README.md").read_text()), "README.md", "exec"), {})
        found: dict[str, object] = json.loads(printed.getvalue().splitlines()[-1])
        return found

    return run


SCORED = {"accuracy": 1.0, "relaxed_10": 1.0, "relaxed_20": 1.0, "signed_error": 0.0}
EXPECTED = {"rows": 18, "size": [96, 64], "answer": "7", "scored": SCORED}


def test_the_card_of_a_folder_runs_in_the_folder(folder: Path, ran: Callable[[Path], dict[str, object]]) -> None:
    assert ran(folder) == EXPECTED


@pytest.mark.parametrize("name", ["traversal", "curves", "curves-maps", "geogram"])
def test_the_card_of_another_suite_holds_no_line_that_fails(
    name: str, small: Callable[[str], Small], tmp_path: Path, ran: Callable[[Path], dict[str, object]]
) -> None:
    made = small(name)
    carded = whole(tmp_path / "1.0.0", made, made.rows)
    ended = ran(carded)
    rows = made.rows[configs_of(Manifest.read(carded))[0]]
    assert ended["rows"] == len(rows)
    assert ended["answer"] in [row["answer"] for row in rows]
    assert isinstance(ended["scored"], dict)
    assert ended["scored"][suite(made.suite).HEADLINE] == 1.0


@pytest.mark.slow
def test_the_card_on_the_hub_runs_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, for which the Hub is this one."""
    stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
    with stand_in_hub.started() as hub:
        folder = write_sample(tmp_path / "1.0.0")
        for repo in ("tester/elsewhere", "tester/landing"):
            publish(folder, Target(repo=repo), api=HfApi(hub.url), sleep=lambda _: None, tell=str)
        card = (folder / "README.md").read_text()
        assert "elsewhere" not in card
        assert 'load_dataset("tester/landing", "counting", split="test", revision="v1.0.0")' in section(card, "Load")
        env = hub.environment(tmp_path)
        (fetch,) = snippets(card, "sh")
        there = command_line.environment(tmp_path, PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin", **env)
        subprocess.run(["sh", "-ec", fetch], cwd=tmp_path, env=there, check=True, capture_output=True)
        fetched = tmp_path / "marvl-qa-mini"
        # What the client notes beside its download.
        shutil.rmtree(fetched / ".cache", ignore_errors=True)
        here = command_line.digests(fetched)
        assert here == hub.files("tester/landing") | {".gitattributes": here[".gitattributes"]}
        # The readers may lie on a path of the caller's.
        env["PYTHONPATH"] = f"{command_line.ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        env = command_line.environment(tmp_path, **{"HF_HOME": str(tmp_path / "hf"), **env})
        command = [sys.executable, "-c", script(card)]
        ended = subprocess.run(command, cwd=fetched, env=env, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout.splitlines()[-1]) == EXPECTED


def test_the_card_holds_what_a_landing_page_needs(sample: Path) -> None:
    card = (sample / "README.md").read_text()
    headings = re.findall(r"^## (.+)$", card, flags=re.MULTILINE)
    needed = {"Load", "Prompt and scoring", "How it was certified", "Columns", "Limits", "Changelog"}
    assert needed | {"Licence and citation"} <= set(headings)
    assert re.search(r"`PLANIMETER-CANARY marvl-qa-mini [0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}`", card)
    pictures = re.findall(r'<img src="([^"]+)" alt="An example', card)
    assert len(pictures) == 2
    assert all((sample / picture).is_file() for picture in pictures)
