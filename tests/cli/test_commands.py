"""The commands that only look, and what they load; what a user can cause is one clear line and an exit code."""

import json
import shlex
import shutil
import sys
import webbrowser
from importlib import metadata
from pathlib import Path

import command_line
import pytest
from command_line import here
from prefect.settings import PREFECT_API_URL, temporary_settings
from rich.console import Console
from traversal_paths import generate_cell

from planimeter.flows.commands import list_datasets
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import PlanimeterError, Terminated
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.search import SearchConfig
from planimeter.suites.loading import available

#: What takes a tenth of a second and more to load, or comes with what does.
HEAVY = ("prefect", "pandas", "numba", "matplotlib", "numpy", "pyarrow", "scipy", "sympy", "cv2")


def test_a_command_that_only_looks_loads_no_heavy_library(sample, tmp_path):
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


def test_the_version_of_the_package_is_printed():
    assert here("--version").out == f"planimeter {metadata.version('planimeter')}\n"


def test_the_shell_completes_commands_and_names_of_datasets(monkeypatch):
    # Else the program is taken for a part of pytest, and looks for its words in other variables.
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None, raising=False)

    def completed(shell, line):
        given = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_PLANIMETER_COMPLETE": f"complete_{shell}"}
        given |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        return here().out

    for shell in ("bash", "zsh", "fish"):
        assert "evaluate" in completed(shell, "planimeter eva")
        words = completed(shell, "planimeter build marvl").replace('"', " ").split()
        assert {*words} & {*available()} == {"marvl-qa", "marvl-qa-mini", "marvl-qa-train"}


def test_the_rows_of_every_dataset_are_listed(monkeypatch):
    monkeypatch.setattr(list_datasets, "out", Console(highlight=False, soft_wrap=True, width=300))
    ended = here("list")
    assert ended.code == 0, ended.err
    lines = {line.split()[0]: line for line in ended.out.splitlines()}
    for name, rows in {"marvl-qa": "81,090", "traversal": "16,200", "curves": "756", "all": "101,294"}.items():
        assert f" {rows} " in lines[name]
    assert {*lines} > {*available()} and "curves-looks" in lines["smoke"]


@pytest.fixture
def awkward(sample, tmp_path):
    """The sample in a folder whose name a careless address would not survive."""
    return Path(shutil.copytree(sample, tmp_path / "my data #1 äö" / "1.0.0"))


def test_the_users_browser_is_given_the_report(awkward, tmp_path):
    program, noted = tmp_path / "browser", tmp_path / "opened"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{noted}"\n')
    program.chmod(0o755)
    ended = command_line.run("show", str(awkward), "--open", home=tmp_path, BROWSER=str(program))
    assert ended.code == 0, ended.err
    assert noted.read_text() == (awkward / "report" / "index.html").as_uri() + "\n"
    assert "rows" in ended.out


def test_no_browser_is_started_unasked_and_without_one_the_address_is_printed(awkward, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    assert here("show", str(awkward)).code == 0 and opened == []
    ended = here("show", str(awkward), "--open")
    assert len(opened) == 1
    page = awkward / "report" / "index.html"
    assert (ended.code, ended.lines) == (1, [f"planimeter: no browser was found; open {page} yourself"])


def test_an_audit_shows_zeros_of_a_clean_file_and_the_place_of_each_damaged_line(tmp_path):
    items = generate_cell(Cell(n_points=9, tortuosity_bin=2, crossing_bin=1), 3, 3, SearchConfig()).items
    released = [
        {
            "id": number,
            "points": [{"x": x, "y": y} for x, y in item.points],
            "metrics": {"self_intersections": float(item.self_intersections)},
            "target": {"tort_bin": item.tortuosity_bin, "self_int_bin": item.self_intersection_bin},
        }
        for number, item in enumerate(items)
    ]
    file = tmp_path / "backbones.jsonl"
    file.write_text("\n".join(map(json.dumps, released)))
    ended = here("audit", "traversal", str(file))
    assert (ended.code, ended.err) == (0, "")
    assert "near-duplicate" in ended.out
    file.unlink()
    folder = tmp_path / "backbones_no_confounding_lines" / "vertices_9"
    folder.mkdir(parents=True)
    first, wrong = json.dumps(released[0]), json.dumps(released[1] | {"metrics": {"self_intersections": 14}})
    deep, long, wide = "[" * 100_000, "1" * 5000, first.replace('"x": ', '"x": 1e999, "z": ', 1)
    lines = [first, '{"id": 1,', deep, long, wide, "\x00", wrong]
    (folder / "backbones.jsonl").write_bytes("\n".join(lines).encode() + b'\n{"id": "\xff\xfe"}\n')
    ended = here("audit", "traversal", str(tmp_path))
    assert ended.code == 1 and "Traceback" not in ended.err
    places = [line.split("backbones.jsonl:")[1] for line in ended.lines if "backbones.jsonl:" in line]
    assert [int(place.split(":")[0]) for place in places] == [2, 3, 4, 5, 6, 8]
    assert "1 violations, 6 damaged lines" in ended.lines[-1]


def test_line_100_is_printed_as_a_number(tmp_path):
    (tmp_path / "backbones.jsonl").write_text("{}\n" * 100)
    ended = here("audit", "traversal", str(tmp_path))
    assert f"{tmp_path}/backbones.jsonl:100: no field 'target'" in ended.lines


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
        ("build marvl-qa-mini --seed -1", "seed"),
        ("build marvl-qa-mini --workers 0", "--workers: Input should be"),
        ("build marvl-qa-mini --workers 129", "--workers: Input should be"),
        ("build marvl-qa-mini --version ../x", "need a version such as 1.0.0"),
        ("build marvl-qa-mini --runner ray", "--runner: Input should be 'processes' or 'dask', got 'ray'"),
        ("build marvl-qa-mini --address tcp://h:1", "add --runner dask"),
        ("build marvl-qa-mini --runner dask --address tcp://h:1 --workers 2", "exclude each other"),
        ("build marvl-qa-mini --out {file}", "cannot write below"),
        ("build marvl-qa-mini --out {circle}", "--out"),
        ("build missing.toml", "cannot be read"),
        ("import geogram missing.jsonl --out {circle}", "--out"),
        ("evaluate {sample} --model m --log-dir {circle}", "is a broken link"),
        ("probe {sample} --out {circle}", "is a broken link"),
        ("verify missing", "missing"),
        ("show missing", "is not a dataset"),
        ("show {reportless} --open", "index.html is missing; `planimeter verify "),
        ("rebuild marvl-qa-mini x", "is not a dataset"),
        ("rebuild {sample} counting-0000", "no row with the id 'counting-0000'"),
        ("audit marvl .", "there is no audit of 'marvl'"),
        ("audit traversal recipes", "neither a built dataset"),
        ("audit traversal /nowhere", "neither a built dataset"),
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


def test_the_address_of_a_dataset_is_taken_for_no_path_but_answered_with_what_fetches_it(subtests):
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


def test_settings_that_prefect_refuses_are_reported_without_their_secrets():
    message = r"Prefect refuses its settings.*http://\*\*\*@\[::1/api"
    with pytest.raises(PlanimeterError, match=message) as refused, importing_prefect():
        raise ValueError("no URL: http://me:secret@[::1/api")
    assert "secret" not in str(refused.value)
    for stop in (KeyboardInterrupt, Terminated):
        with pytest.raises(stop), importing_prefect():
            raise ValueError(f"Error calling function `_ser_model`: {stop.__name__}: ")
