"""The guide to a suite of one's own is run as it stands, in an environment like that of its readers."""

import os
import re
import sys
import venv
from pathlib import Path

import command_line
import loopback_openai
import outsiders
import pytest
import stand_in_hub

from planimeter.evals.harnesses.rows import source

GUIDE = (command_line.ROOT / "docs/guides/your-suite.md").read_text()
FENCE = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {"planimeter": "planimeter.flows", "pip": "pip"}


def scripts(text: str) -> list[str]:
    """Return what is typed in ``text``, block by block in its order."""
    text = text.replace("YOU/", f"{stand_in_hub.OWNER}/").replace("MODEL", "openai-api/loopback/gold")
    return [code if language == "sh" else f"python - <<'CODE'\n{code}CODE\n" for language, code in FENCE.findall(text)]


def environment(folder: Path) -> dict[str, str]:
    """An environment of its own, which borrows all packages that are installed here."""
    venv.create(folder / "venv", with_pip=False)
    (site,) = (folder / "venv/lib").glob("python*/site-packages")
    borrowed = [path for path in sys.path if path and Path(path).is_dir() and "tests" not in path]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    for name, module in PROGRAMS.items():
        program = folder / "venv/bin" / name
        program.write_text(f'#!/bin/sh\nexec "{folder}/venv/bin/python" -m {module} "$@"\n')
        program.chmod(0o755)
    more = {
        "PATH": f"{folder / 'venv/bin'}:{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "HOME": str(folder),
    }
    return {**command_line.environment(folder / "prefect"), **more, "PYTHONPATH": "", "XDG_CACHE_HOME": str(folder)}


def run(typed: list[str], folder: Path, env: dict[str, str]) -> None:
    for block in typed:
        ended = command_line.child("bash", "-c", f"set -e; cd {folder}\n{block}", env=env)
        assert ended.code == 0, f"{block}\n{ended.out[-2000:]}\n{ended.err[-4000:]}"


@pytest.mark.slow
def test_every_step_of_the_guide_runs_from_its_text(tmp_path: Path) -> None:
    before, heading, after = GUIDE.partition("## Score a model")
    assert heading and len(FENCE.findall(GUIDE)) >= 9
    env = environment(tmp_path)
    with stand_in_hub.started() as hub:
        env |= hub.environment(tmp_path)
        first, *others = scripts(before)
        run([first], tmp_path, env)
        home = tmp_path / "odd-one"
        run(others, home, env)
        assert "data/discs/test-00000-of-00001.parquet" in hub.files(f"{stand_in_hub.OWNER}/odd-one", "v0.1.0")
        (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")
        with outsiders.installed(site, "odd_one"), outsiders.installed(home, "odd_one"):
            served = source(str(home / "outputs/odd-one/0.1.0"))
            with loopback_openai.serving(served) as model:
                run(scripts(after), home, env | model.environment)
    overview = (home / "logs/scores/tables/overview.md").read_text()
    assert "| discs | openai-api/loopback/gold | 160 | 160 | 100.0 [" in overview
    assert (home / "train.parquet").is_file()
    assert (home / "scores/baselines/tables/differences.csv").is_file()
