"""The commands that only look, and what they load; what a user can cause is one clear line and an exit code."""

import shlex
import shutil
from importlib import metadata
from pathlib import Path

import command_line
import pytest
import small_datasets
from command_line import here
from prefect.settings import PREFECT_API_URL, temporary_settings

from planimeter.flows.commands.build import next_steps
from planimeter.flows.errors import PlanimeterError, Terminated
from planimeter.flows.service.prefect_mode import importing_prefect
from planimeter.suites.loading import load

#: What takes a tenth of a second and more to load, or comes with what does.
HEAVY = ("prefect", "pandas", "numba", "matplotlib", "numpy", "pyarrow", "scipy", "sympy", "cv2")


def test_a_reading_command_loads_no_heavy_library(sample, tmp_path):
    """Those that read a manifest come last: they may load what reads it."""
    plain = [["--version"], ["--help"], ["build", "--help"], ["verify", "--help"], ["score", "--help"]]
    commands = [*plain, ["show", str(sample)]]
    code = f"""
import sys
from planimeter.flows.commands import cli
for arguments in {commands}:
    sys.argv[1:] = arguments
    try:
        cli.main()
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
    print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    ended = command_line.python(code, tmp_path)
    assert ended.code == 0, ended.err
    loaded = [line.split() for line in ended.err.splitlines()[-len(commands) :]]
    assert loaded[: len(plain)] == [[]] * len(plain)
    assert {*loaded[-2], *loaded[-1]} <= {"numpy", "pyarrow"}


@pytest.mark.parametrize(
    ("name", "config", "training"),
    [("marvl-qa-mini", "counting", "marvl-qa-train"), ("marvl-qa-hard", "surface", "marvl-qa-hard-train")],
)
def test_a_build_names_the_training_rows_of_its_edition(name, config, training, tmp_path):
    small_datasets.written(tmp_path, load(name).model_dump(mode="json"), {config: []})
    assert f"build {training} " in next_steps(tmp_path)[-1]


def test_the_version_of_the_package_is_printed():
    assert here("--version").out == f"planimeter {metadata.version('planimeter')}\n"


@pytest.fixture(scope="session")
def places(sample, tmp_path_factory):
    """What the commands below name: a dataset, the same without its report, a file, a link in a circle."""
    folder = tmp_path_factory.mktemp("places")
    without_report = Path(shutil.copytree(sample, folder / "without report"))
    (without_report / "report" / "index.html").unlink()
    (folder / "file").write_text("not a folder")
    (folder / "circle").symlink_to(folder / "circle")
    return {"sample": sample, "reportless": without_report, "file": folder / "file", "circle": folder / "circle"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("build imagenet", "no such dataset; there are: all, curves"),
        ("build travesal", "no such dataset; did you mean traversal? there are: all, curves"),
        ("build marvl-qa-mini --scale 0", "scale: Input should be greater than 0"),
        ("build marvl-qa-mini --workers 0", "--workers: Input should be"),
        ("build marvl-qa-mini --version ../x", "need a version such as 1.0.0"),
        ("build marvl-qa-mini --runner ray", "--runner: Input should be 'processes' or 'dask', got 'ray'"),
        ("build marvl-qa-mini --address tcp://h:1", "add --runner dask"),
        ("build marvl-qa-mini --runner dask --address tcp://h:1 --workers 2", "exclude each other"),
        ("build marvl-qa-mini --out {file}", "cannot write below"),
        ("build marvl-qa-mini --out {circle}", "--out"),
        ("build missing.toml", "cannot be read"),
        ("import geogram missing.jsonl --out {circle}", "--out"),
        ("evaluate {sample} --model m --log-dir {circle}", "is a broken link"),
        ("verify missing", "missing"),
        ("show missing", "is not a dataset"),
        ("show {reportless} --open", "index.html is missing; `planimeter verify "),
        ("rebuild {sample} counting-0000", "no row with the id 'counting-0000'"),
        ("audit marvl .", "there is no audit of 'marvl'"),
        ("audit traversal recipes", "neither a built dataset"),
    ],
)
def test_bad_input_is_one_clear_line(command, words, places):
    ended = here(*shlex.split(command.format(**{name: shlex.quote(str(path)) for name, path in places.items()})))
    # What is wrong with a recipe or a dataset may be more than one thing, and is listed.
    lists = "1 fault\n" in ended.err or "1 problem\n" in ended.err
    assert (ended.code, len(ended.lines)) == (1, 1 + lists), ended.err
    assert words in ended.err and ended.err.count("planimeter: ") == 1


def test_a_usage_error_exits_with_2():
    for command in ("build marvl-qa-mini --scale much", "no-such-command"):
        assert here(*command.split()).code == 2


COMMANDS = ("verify", "show", "rebuild x", "sample --rows 3", "publish --repo a/b", "probe")
COMMANDS += ("solve --by majority", "score replies.jsonl", "evaluate --model m", "export --out x")
FETCH = "need a local folder, not an address; download it first:"


def test_a_command_names_the_download_of_an_address(subtests):
    address = "s3://bkt/pre/geogram/1.2.1"
    for command in (*COMMANDS, "sheet --out x"):
        name, *more = command.split()
        ended = here(name, address, *more)
        with subtests.test(msg=command):
            line = f"planimeter: {address}: {FETCH} `aws s3 cp --recursive {address} 1.2.1`"
            assert (ended.code, ended.lines) == (1, [line])
    hf = "`hf download a/curves --repo-type dataset --local-dir curves`"
    for address, fetch in {
        "s3://key:secret@bkt/1.2.1/": "`aws s3 cp --recursive 's3://***@bkt/1.2.1/' 1.2.1`",
        "gs://bkt/1.2.1": "with the tool of that store",
        "hf://datasets/a/curves": hf,
        "https://huggingface.co/datasets/a/curves/tree/v1.2.1": hf,
    }.items():
        for ended in (here("verify", address), here("diff", address, "outputs")):
            assert (ended.code, len(ended.lines)) == (1, 1)
            assert ended.err.endswith(f"{FETCH.partition(', ')[2]} {fetch}\n") and "secret" not in ended.err


URL = "http://127.0.0.1:9/api"


def test_a_prefect_server_that_is_not_there_is_one_line(tmp_path, monkeypatch):
    # Between its tries the client waits.
    monkeypatch.setattr("time.sleep", lambda _: None)
    with temporary_settings({PREFECT_API_URL: URL}):
        silent = [
            here(*command.split()) for command in (f"build marvl-qa-mini --out {tmp_path}", "serve", "deploy --pool p")
        ]
    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        unset = here("serve")
    assert all((ended.code, len(ended.lines)) == (1, 1) for ended in (*silent, unset)), silent
    assert all(f"the Prefect server at {URL} does not answer (" in ended.err for ended in silent)
    assert "no Prefect server is configured: start one" in unset.err


def test_refused_settings_are_reported_without_secrets():
    message = r"Prefect refuses its settings.*http://\*\*\*@\[::1/api"
    with pytest.raises(PlanimeterError, match=message) as refused, importing_prefect():
        raise ValueError("no URL: http://me:secret@[::1/api")
    assert "secret" not in str(refused.value)
    for stop in (KeyboardInterrupt, Terminated):
        with pytest.raises(stop), importing_prefect():
            raise ValueError(f"Error calling function `_ser_model`: {stop.__name__}: ")
