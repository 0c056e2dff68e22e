"""A build with nothing to do starts no Prefect server and verifies nothing twice, and still notices any change."""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import command_line
import pytest
from command_line import TINY, Ended, digests
from filelock import FileLock

DATASET = Path("marvl-qa-mini") / "1.2.1"

#: The command line, where whoever starts a server, loads the verifier or starts a process is named on stderr.
WATCHED = """
import sys
from planimeter.flows.commands import cli

def watch(event, arguments):
    if event in ("subprocess.Popen", "os.posix_spawn", "os.fork"):
        print("WATCHED", event, file=sys.stderr)

sys.addaudithook(watch)
sys.argv = ["planimeter", *sys.argv[1:]]
try:
    cli.main()
finally:
    for name in ("prefect.server", "uvicorn", "planimeter.flows.tasks", "planimeter.export.verify.folder"):
        if name in sys.modules:
            print("WATCHED", name, file=sys.stderr)
"""


def watched(*arguments: str, home: Path) -> tuple[Ended, list[str]]:
    """How the command ended, and what it started or loaded that takes seconds."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        cwd=command_line.ROOT,
        env=command_line.environment(home),
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = done.stderr.splitlines(keepends=True)
    seen = [line.removeprefix("WATCHED ").strip() for line in lines if line.startswith("WATCHED")]
    return Ended(done.returncode, done.stdout, "".join(x for x in lines if not x.startswith("WATCHED"))), seen


def test_the_same_command_again_starts_nothing_and_says_where_to_look(built: Path, dataset: Path) -> None:
    ended, seen = watched("build", *TINY, "--out", str(built), home=built / "home")
    assert (ended.code, seen) == (0, []), ended.err
    assert ended.out.splitlines() == [str(dataset), f"report: {dataset}/report/index.html"]
    said, look, score, train = ended.lines
    assert said.startswith("found built and sound: marvl-qa-mini 1.2.1, ")
    assert look == f"look:  planimeter show {dataset} --open"
    assert score == f"score: planimeter score {dataset} replies.jsonl"
    assert train == "train: planimeter build marvl-qa-train  (the rows above are for tests)"


@pytest.mark.parametrize("options", [("--seed", "1"), ("--scale", "0.03")], ids=" ".join)
def test_a_version_with_other_content_is_refused_without_a_server(
    options: tuple[str, str], built: Path, dataset: Path
) -> None:
    ended, seen = watched("build", *TINY, *options, "--out", str(built), home=built / "home")
    assert (ended.code, len(ended.lines), seen) == (1, 1, []), ended.err
    assert "exists with other content (its recipe differs: " in ended.err


def test_a_busy_dataset_is_refused_without_a_server(built: Path, dataset: Path) -> None:
    with FileLock(built / ".planimeter" / "locks" / "marvl-qa-mini.lock"):
        ended, seen = watched("build", *TINY, "--out", str(built), home=built / "home")
    assert (ended.code, len(ended.lines), seen) == (1, 1, []), ended.err
    assert "another build of marvl-qa-mini is at work" in ended.err


def flip(folder: Path) -> None:
    path = next(folder.rglob("*.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def forge(folder: Path) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    document["files"][0]["rows"] += 1
    path.write_text(json.dumps(document, sort_keys=True, indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (flip, "its SHA-256 is not the one in manifest.json"),
        (forge, "manifest.json: configs promises"),
        (lambda folder: (folder / "croissant.json").unlink(), "croissant.json: is missing"),
        (lambda folder: (folder / "notes.txt").write_text("mine"), "notes.txt: does not belong to a dataset"),
        (lambda folder: (folder / "notes").mkdir(), "notes: does not belong to a dataset"),
    ],
    ids=["a bit", "a number", "a missing file", "a file more", "a folder more"],
)
def test_a_dataset_that_was_changed_since_it_was_verified_is_not_taken_for_sound(
    damage: Callable[[Path], object], told: str, built: Path, dataset: Path, tmp_path: Path
) -> None:
    shutil.copytree(dataset, tmp_path / DATASET)
    shutil.copytree(built / ".planimeter" / "sound", tmp_path / ".planimeter" / "sound")
    before, _ = watched("build", *TINY, "--out", str(tmp_path), home=built / "home")
    assert before.code == 0
    damage(tmp_path / DATASET)
    changed = digests(tmp_path / DATASET)
    for _ in range(2):
        ended, seen = watched("build", *TINY, "--out", str(tmp_path), home=built / "home")
        assert (ended.code, seen) == (1, ["planimeter.export.verify.folder"]), ended.err
        assert told in ended.err
    assert digests(tmp_path / DATASET) == changed


def test_a_dataset_without_a_note_is_verified_once(built: Path, dataset: Path, tmp_path: Path) -> None:
    """As one that an earlier Planimeter built, or whose `.planimeter` was deleted."""
    shutil.copytree(dataset, tmp_path / DATASET)
    for loaded in (["planimeter.export.verify.folder"], []):
        ended, seen = watched("build", *TINY, "--out", str(tmp_path), home=built / "home")
        assert (ended.code, seen) == (0, loaded), ended.err


def test_what_can_be_done_next_is_quoted_for_the_shell(dataset: Path, tmp_path: Path) -> None:
    from planimeter.flows.commands.build import next_steps

    folder = Path(shutil.copytree(dataset, tmp_path / "my data"))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["configs"]["counting"] = {"train": 1}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    look, score, train = next_steps(folder)
    assert shlex.split(look)[1:] == ["planimeter", "show", str(folder), "--open"]
    assert shlex.split(score)[1:] == ["planimeter", "score", str(folder), "replies.jsonl"]
    assert shlex.split(train)[1:] == [
        "planimeter", "export", str(folder), "--for", "verl", "--out", f"{folder}.verl"
    ]  # fmt: skip
