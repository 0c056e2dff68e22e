"""Trainers and verifiers load what we give them and get our scores, and planimeter-evals goes with each of them.

EasyR1 is in no index of packages: what its own loader makes of our files is not tried here.
"""

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import command_line
import pytest
import stand_in_hub
import wheels
import yaml
from asked_folders import ROWS, write_small
from card_snippets import snippets
from graded_rows import EXAMPLES
from huggingface_hub import HfApi
from loopback_openai import serving
from reply_files import lines
from small_datasets import CELLS, Small
from stand_in_hub import REPO
from trainer_environments import SCRIPTS, call, python_of, run

from planimeter.evals import Scores, grade, suite
from planimeter.evals.harnesses.export import export
from planimeter.evals.harnesses.rows import source
from planimeter.evals.rewards import packed
from planimeter.evals.scores.replies.reading import read
from planimeter.export.manifest import Manifest
from planimeter.export.pages.card import card_configs
from planimeter.export.pages.templating import environment
from planimeter.export.texts import text_of
from planimeter.items.suites import declared

pytestmark = pytest.mark.slow

Find = Callable[[str], Small]
DATASETS = [name for name in CELLS if name not in ("curves-train", "curves-looks", "curves-polygons", "geogram-paired")]
TRAINING = command_line.ROOT / "docs" / "training"


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    subprocess.run([python_of("trl"), SCRIPTS / "tiny_model.py", folder], check=True, capture_output=True)
    return folder


def carded(folder: Path) -> Path:
    front = yaml.safe_dump({"configs": card_configs(Manifest.read(folder))})
    (folder / "README.md").write_text(f"---\n{front}---\n")
    return folder


def exported(folder: Path, trainer: str, out: Path, model: Path) -> list[str]:
    """Export ``folder``, and return the words of the command for ``trainer`` in README.md."""
    export(source(str(folder)), out, "default")
    text = (out / "README.md").read_text().partition(f"\n{trainer}:\n\n")[2].partition("\n\n")[0]
    words = shlex.split(text.replace("\\\n", " ").replace("MODEL", str(model)))
    return [word for word in words if word != "..."]


@pytest.mark.parametrize(
    ("name", "config"), [("curves", "easy"), ("marvl-qa-mini", "counting"), ("geogram", "geogram")]
)
def test_trl_trains_on_a_published_dataset(name: str, config: str, small: Find, model: Path, tmp_path: Path) -> None:
    """By the lines of its card, at once and as a stream."""
    made = small(name)
    system, shows = made.rows[config][0]["system_prompt"], text_of(made.suite).shows_picture
    card = environment().get_template("train.md.j2").render(system=system, shows_picture=shows)
    (lines,) = snippets(card, "python")
    given = {"model": str(model), "folder": str(carded(made.folder)), "config": config, "lines": lines}
    for steps in call("trl", [("trained", given | {"streaming": how}) for how in (False, True)], tmp_path):
        assert len(steps) == 2
        assert all(line["rewards/reward/mean"] == line["reward"] == 0.0 for line in steps)


@pytest.mark.parametrize(("trainer", "title"), [("verl", "verl"), ("swift", "ms-swift")])
@pytest.mark.parametrize("name", ["curves", "geogram"])
def test_a_trainer_loads_what_is_exported(trainer: str, title: str, name: str, model: Path, tmp_path: Path) -> None:
    found, out = source(str(write_small(tmp_path / name, name, {"train": 4, "validation": 4}))), tmp_path / "out"
    command, shows = exported(found.folder, title, out, model), found.shows_pictures
    (config,) = found.manifest.configs
    given = {"model": str(model), "out": str(out), "config": config, "command": command[3:], "shows": shows}
    (loaded,) = call(trainer, [("loaded", given)], tmp_path)
    for line, row in zip(loaded, found.rows(config, "train"), strict=True):
        roles, text = ["system", "user"] if row["system_prompt"] else ["user"], "<image>" * shows + row["prompt"]
        assert line == {"roles": roles, "text": text, "pictures": int(shows), "truth": row["answer"]}


def recorded(name: str, rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield replies to ``rows`` of the suite ``name``: right, wrong, unfinished, malformed and empty ones."""
    for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
        right, wrong = (suite(name).render(one["answer"]) for one in (row, other))
        texts = [right, f"<think>{wrong}?</think>\n\nIn 7 steps:\n{right}", f"> {row['prompt']}\n\n{right}", right[:-2]]
        texts += [f"The answer is {row['answer']}.", f"{wrong}\nWait. {right}", f"<think>It may be {right}", wrong]
        texts += [f'```json\n{{"answer": "{row["answer"]}"}}\n```', row["prompt"], "3", "sorry… 見えません.", ""]
        yield from ({"id": row["id"], "reply": text} for text in texts)


class Recorded(NamedTuple):
    """Replies to the rows of a config: each a row's id, its number and the text; and how they are graded."""

    made: Small
    config: str
    replies: list[tuple[str, int, str]]
    graded: list[Scores]

    @property
    def scores(self) -> list[float]:
        return [scores.value for scores in self.graded]


@pytest.fixture(scope="module")
def replies(small: Find) -> list[Recorded]:
    parts = []
    for made in map(small, DATASETS):
        for config, rows in made.rows.items():
            places = {row["id"]: place for place, row in enumerate(rows)}
            texts = [(one["id"], places[one["id"]], one["reply"]) for one in recorded(made.suite, rows)]
            graded = [grade(rows[place], text, suite=made.suite, config=config) for _, place, text in texts]
            parts.append(Recorded(made, config, texts, graded))
    # As many are right as wrong, so that no constant would do.
    assert all(0.2 < sum(part.scores) / len(part.scores) < 0.8 for part in parts)
    return parts


@pytest.mark.parametrize("trainer", ["trl", "verl", "swift"])
def test_rewards_are_our_scores(trainer: str, replies: list[Recorded], model: Path, tmp_path: Path) -> None:
    """Each reply goes through the trainer's own call of rewards; verl's begins at the tokens."""
    calls, command = [], list[str]()
    for part in replies:
        folder, out = carded(part.made.folder), tmp_path / part.made.suite
        if trainer != "trl" and not out.exists():
            command = exported(folder, {"swift": "ms-swift"}.get(trainer, trainer), out, model)[3:]
        given = {"model": str(model), "folder": str(folder), "out": str(out), "config": part.config}
        calls.append(("rewarded", given | {"command": command, "replies": part.replies}))
    assert call(trainer, calls, tmp_path) == [part.scores for part in replies]


def test_the_run_of_the_paper_starts(small: Find, model: Path, tmp_path: Path) -> None:
    """With its own script and settings, but of sizes that a CPU can do."""
    sizes: dict[str, object] = {"dataset_name": carded(small("curves").folder), "model_name_or_path": model}
    sizes |= dict.fromkeys(("dataset_train_split", "dataset_test_split"), "test")
    sizes |= {"dtype": "float32", "bf16": "false", "use_vllm": "false", "output_dir": tmp_path / "trained"}
    twos = ("num_generations", "num_generations_eval", "per_device_train_batch_size", "per_device_eval_batch_size")
    sizes |= dict.fromkeys((*twos, "max_steps"), 2) | {"max_completion_length": 8}
    sizes |= dict.fromkeys(("gradient_accumulation_steps", "eval_steps", "save_steps"), 1)
    flags = [word for name, value in sizes.items() for word in (f"--{name}", value)]
    given = ("--config", TRAINING / "curvebench.yaml", "--reward", "tree", *flags)
    run(python_of("trl"), TRAINING / "curvebench.py", *given, home=tmp_path)
    history = json.loads((tmp_path / "trained" / "trainer_state.json").read_text())["log_history"]
    for metric in ("rewards/reward_tree_accuracy/mean", "eval_rewards/reward_tree_accuracy/mean"):
        assert [line["step"] for line in history if metric in line] == [1, 2]
    adapter = json.loads((tmp_path / "trained" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"], adapter["lora_dropout"]) == (4, 8, 0.0)


# --- verifiers


#: Nothing goes to a cloud, no tools, no container.
LOCAL = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich")


@pytest.fixture(scope="module")
def wheels_built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return wheels.built(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def binaries(wheels_built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment with verifiers and the slim wheel."""
    folder = tmp_path_factory.mktemp("verifiers")
    return wheels.environment(folder / "venv", f"{wheels_built['planimeter_evals']}[verifiers]")


def whole_of(wheels_built: dict[str, Path], folder: Path) -> Path:
    """The `bin` of another one that has all of Planimeter too, whose other libraries are those of this environment."""
    binaries = wheels.environment(folder / "venv", f"{wheels_built['planimeter_evals']}[verifiers]")
    done = wheels.uv(*("pip", "install", "--no-deps", "--python", binaries / "python", str(wheels_built["planimeter"])))
    assert done.returncode == 0, done.stderr
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (packages / "libraries.pth").write_text("\n".join(path for path in sys.path if Path(path).name == "site-packages"))
    return binaries


def ran(binaries: Path, name: str, *arguments: object, folder: Path, **more: Any) -> str:
    more |= {"PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(folder), "KEY": "none", "no_proxy": "127.0.0.1"}
    return wheels.ran(binaries / name, *map(str, arguments), cwd=folder, **more)


def valid(binaries: Path, *arguments: object, folder: Path, **more: str) -> int:
    """Return how many tasks vf-validate looked at, all of them valid."""
    options = ("--only-gold", "--runtime.type", "subprocess")
    printed = ran(binaries, "vf-validate", "planimeter-env", *arguments, *options, folder=folder, **more)
    summary = json.loads(printed[printed.index("{") :])
    assert (summary["valid_rate"], summary["outcomes"]["valid"]) == (1.0, summary["total"])
    return int(summary["total"])


def test_a_repository_of_the_hub_is_a_dataset(binaries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_small(tmp_path / "dataset", "traversal")
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        api, repo = HfApi(endpoint=hub.url), {"repo_id": REPO, "repo_type": "dataset"}
        api.create_repo(**repo)
        for path in folder.rglob("*.parquet"):
            api.upload_file(path_or_fileobj=path, path_in_repo=path.relative_to(folder).as_posix(), **repo)
        api.create_tag(**repo, tag="1.0.0")
        given = ("--taskset.dataset", f"{REPO}@1.0.0")
        assert valid(binaries, *given, folder=tmp_path, **hub.environment(tmp_path)) == ROWS


def test_a_stream_never_ends(wheels_built: dict[str, Path], tmp_path: Path) -> None:
    whole = whole_of(wheels_built, tmp_path)
    stream = ("--taskset.stream", "geogram", "--taskset.level", 2, "--taskset.seed", 7)
    assert valid(whole, *stream, "-n", 3, folder=tmp_path) == 3
    printed = ran(whole, "vf-validate", "planimeter-env", *stream, "--only-gold", folder=tmp_path, fails=True)
    assert "PlanimeterTaskset is infinite" in printed


@pytest.mark.parametrize(("config", "rows"), [("easy", ROWS), ("hard", 4 * ROWS)])
def test_curvebench_has_both_environments_of_its_paper(config: str, rows: int, binaries: Path, tmp_path: Path) -> None:
    """CurveBench, Table 5: `hard` is a pool of four configs."""
    for name in ("easy", *declared("curves").pools["hard"]):
        made = write_small(tmp_path / name, "curves")
        shutil.copytree(made / "data" / "easy", tmp_path / "curves" / "data" / name)
    given = ("--taskset.dataset", tmp_path / "curves", "--taskset.config", config)
    assert valid(binaries, *given, folder=tmp_path) == rows


@pytest.mark.parametrize("name", ["geogram", "traversal"])
def test_a_model_behind_a_server_is_asked_and_scored(name: str, binaries: Path, small: Find, tmp_path: Path) -> None:
    """And its traces are read by `planimeter score`."""
    found = small(name)
    with serving(source(str(found.folder))) as endpoint:
        served = ("--client.base-url", f"http://127.0.0.1:{endpoint.server_port}/v1", "--client.api-key-var", "KEY")
        given = ("planimeter-env", "--env.taskset.dataset", found.folder, *LOCAL, "--model", "gold", *served)
        ran(binaries, "vf-eval", *given, *("-n", 3, "-r", 2), folder=tmp_path)
        asked = dict(endpoint.answered)
    assert [*asked.values()] == [2, 2, 2]
    (traces,) = tmp_path.glob("outputs/*/traces.jsonl")
    episodes = [json.loads(line) for line in traces.read_text().splitlines()]
    rewards = [trace["rewards"]["reward"]["score"] for episode in episodes for trace in episode["traces"]]
    assert rewards == [1.0] * 6
    render = suite(found.suite).render
    gold = {row["id"]: render(row["answer"]) for rows in found.rows.values() for row in rows}
    replies = [reply for reply in read(traces) if not isinstance(reply, Exception)]
    assert sorted((reply.id, reply.text) for reply in replies) == sorted((i, gold[i]) for i in asked for _ in "12")


def test_rewards_of_verifiers_are_our_scores(replies: list[Recorded], binaries: Path, tmp_path: Path) -> None:
    plain = [{"id": name, "reply": text} for part in replies for name, _, text in part.replies]
    folders = sorted({part.made.folder for part in replies})
    script, file = SCRIPTS.with_name("rewarded_by_verifiers.py"), lines(tmp_path / "replies.jsonl", plain)
    printed = ran(binaries, "python", script, file, "headline", *folders, folder=tmp_path).splitlines()
    found = [json.loads(line) for line in printed]
    assert [line["reward"] for line in found] == [score for part in replies for score in part.scores]
    assert [line["metrics"]["answered"] for line in found] == [one.answered for part in replies for one in part.graded]
    assert not any(math.isnan(value) for line in found for value in line["metrics"].values())


#: What it is installed beside, by name; then what has to be overridden for an index that lags behind.
PARTNERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "verl": (("verl==0.9.1",), ()),
    "ms-swift": (("ms-swift==4.6.0",), ()),
    # vLLM wants the certifi of the day before.
    "trl-vllm": (("trl==1.16.0", "vllm==0.33.0"), ("certifi",)),
    "verifiers": (("verifiers>=0.4,<0.5",), ()),
    "inspect": (("inspect-ai>=0.3.280,<0.4", "openai>=3.4"), ()),
}

#: Grades and rewards of right, wrong and empty replies.
SCRIPT = """
import importlib.util, json, sys
from importlib.metadata import distributions
from planimeter.evals import grade
from planimeter.evals.rewards import compute_score

for source, truth, replies in json.load(open(sys.argv[1])):
    row, (suite, config) = json.loads(truth), source.split("/")
    graded = [grade(row, reply, suite=suite, config=config).value for reply in replies]
    rewarded = [compute_score(source, reply, row["answer"], {"row": truth})["score"] for reply in replies]
    print(source, json.dumps([graded, rewarded]))
packages = [name for name in ("flows", "generators", "export") if importlib.util.find_spec(f"planimeter.{name}")]
print("packages", packages, sorted(d.name for d in distributions() if d.name.startswith("planimeter")))
"""


@pytest.mark.parametrize("partner", PARTNERS)
def test_it_goes_with_a_trainer(partner: str, wheels_built: dict[str, Path], tmp_path: Path) -> None:
    needed, overridden = PARTNERS[partner]
    ours = f"planimeter-evals @ {wheels_built['planimeter_evals'].as_uri()}"
    (tmp_path / "wanted.in").write_text("\n".join([ours, *needed]))
    (tmp_path / "overridden.in").write_text("\n".join(overridden))
    options = ("--python-version", "3.12", "--no-header", "--no-annotate", "--override", tmp_path / "overridden.in")
    done = wheels.uv("pip", "compile", *options, tmp_path / "wanted.in")
    if done.returncode != 0 and "No solution found" not in done.stderr:
        pytest.skip(f"no index here knows {', '.join(needed)}: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    names = {line.split("==")[0].strip() for line in done.stdout.splitlines()}
    assert {"math-verify", "antlr4-python3-runtime"} <= names
    assert not {"planimeter", "prefect"} & names


def test_alone_it_grades_and_rewards_every_suite(wheels_built: dict[str, Path], tmp_path: Path) -> None:
    python = wheels.environment(tmp_path / "venv", str(wheels_built["planimeter_evals"])) / "python"
    cases = []
    for (name, config), row in EXAMPLES.items():
        right = suite(name).render(row["answer"])
        wrong = "<final_answer>4</final_answer>" if name == "marvl_qa" else right.replace("8", "9").replace("1", "2")
        cases.append((f"{name}/{config}", packed(row), [right, "red star" if name == "traversal" else wrong, ""]))
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    (tmp_path / "script.py").write_text(SCRIPT)
    *lines, packages = wheels.ran(python, tmp_path / "script.py", tmp_path / "cases.json", cwd=tmp_path).splitlines()
    printed = {source: json.loads(rewards) for source, rewards in (line.split(" ", 1) for line in lines)}
    assert printed.keys() == {"/".join(place) for place in EXAMPLES}
    assert [*printed.values()] == [[[1.0, 0.0, 0.0]] * 2] * len(EXAMPLES)
    assert packages == "packages [] ['planimeter-evals']"
