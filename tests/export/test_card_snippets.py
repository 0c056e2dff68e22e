"""Every snippet of a card runs as it stands: those of a built folder, and those of a published one, against the Hub."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import command_line
import pytest
import stand_in_hub
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


def snippets(card: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", card, flags=re.MULTILINE | re.DOTALL)


def script(card: str) -> str:
    """All Python of the card in its order, with a line at the end that tells what came of it."""
    parts = [
        part
        for part in snippets(card, "python")
        if all(f"import {name}" not in part or importlib.util.find_spec(name) for name in READERS)
    ]
    assert len(parts) >= 3
    parts[-1] = re.sub(r"\n(grade\(.*\))\n", r"\nscored = \1.metrics\n", parts[-1])
    told = 'print(json.dumps({"rows": len(rows), "size": rows[0]["image"].size, "answer": answer, "scored": scored}))'
    return "\n".join(["import json", *parts, told])


def ran(code: str, folder: Path, **more: str) -> dict[str, object]:
    # The readers may lie on a path of the caller's.
    more["PYTHONPATH"] = f"{command_line.ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    env = command_line.environment(folder.parent, **{"HF_HOME": str(folder.parent / "hf"), **more})
    ended = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return found


EXPECTED = {
    "rows": 18,
    "size": [96, 64],
    "answer": "7",
    "scored": {"accuracy": 1.0, "relaxed_10": 1.0, "relaxed_20": 1.0, "signed_error": 0.0},
}


def test_the_card_of_a_folder_runs_in_the_folder(folder: Path) -> None:
    assert ran(script((folder / "README.md").read_text()), folder) == EXPECTED


@pytest.mark.parametrize("name", ["traversal", "curves", "curves-maps", "geogram"])
def test_the_card_of_another_suite_holds_no_line_that_fails(
    name: str, small: Callable[[str], Small], tmp_path: Path
) -> None:
    made = small(name)
    carded = whole(tmp_path / "1.0.0", made, made.rows)
    ended = ran(script((carded / "README.md").read_text()), carded)
    rows = made.rows[configs_of(Manifest.read(carded))[0]]
    assert ended["rows"] == len(rows)
    assert ended["answer"] in [row["answer"] for row in rows]
    assert isinstance(ended["scored"], dict)
    assert ended["scored"][suite(made.suite).HEADLINE] == 1.0


def test_the_card_on_the_hub_runs_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        bin_folder = str(Path(sys.executable).parent)
        subprocess.run(
            ["sh", "-ec", fetch],
            cwd=tmp_path,
            env=command_line.environment(tmp_path, PATH=f"{bin_folder}:/usr/bin:/bin", **env),
            check=True,
            capture_output=True,
        )
        fetched = tmp_path / "marvl-qa-mini"
        # What the client notes beside its download.
        shutil.rmtree(fetched / ".cache", ignore_errors=True)
        assert command_line.digests(fetched) == hub.files("tester/landing") | {
            ".gitattributes": command_line.digests(fetched)[".gitattributes"]
        }
        assert ran(script(card), fetched, **env) == EXPECTED


def test_the_card_holds_what_a_landing_page_needs(sample: Path) -> None:
    card = (sample / "README.md").read_text()
    headings = re.findall(r"^## (.+)$", card, flags=re.MULTILINE)
    for heading in ("Load", "Prompt and scoring", "How it was certified", "Columns", "Limits", "Changelog"):
        assert heading in headings
    assert "Licence and citation" in headings
    assert re.search(r"`PLANIMETER-CANARY marvl-qa-mini [0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}`", card)
    pictures = re.findall(r'<img src="([^"]+)" alt="An example', card)
    assert len(pictures) == 2
    assert all((sample / picture).is_file() for picture in pictures)
