"""planimeter-evals in other people's environments: it goes with every trainer, and needs nothing else of ours."""

import json
from pathlib import Path

import pytest
import wheels
from graded_rows import EXAMPLES

from planimeter.evals import suite
from planimeter.evals.rewards import packed

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheels.built(tmp_path_factory.mktemp("wheel"))["planimeter_evals"]


@pytest.mark.parametrize("partner", PARTNERS)
def test_it_goes_with_a_trainer(partner: str, wheel: Path, tmp_path: Path) -> None:
    needed, overridden = PARTNERS[partner]
    (tmp_path / "wanted.in").write_text("\n".join([f"planimeter-evals @ {wheel.as_uri()}", *needed]))
    (tmp_path / "overridden.in").write_text("\n".join(overridden))
    options = ("--python-version", "3.12", "--no-header", "--no-annotate", "--override", tmp_path / "overridden.in")
    done = wheels.uv("pip", "compile", *options, tmp_path / "wanted.in")
    if done.returncode != 0 and "No solution found" not in done.stderr:
        pytest.skip(f"no index here knows {', '.join(needed)}: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    names = {line.split("==")[0].strip() for line in done.stdout.splitlines()}
    assert {"math-verify", "antlr4-python3-runtime"} <= names
    assert not {"planimeter", "prefect"} & names


def test_alone_it_grades_and_rewards_every_suite(wheel: Path, tmp_path: Path) -> None:
    python = wheels.environment(tmp_path / "venv", str(wheel)) / "python"
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
