"""The promises of a build, kept by the real command line: same bytes however it went, and nothing lost."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest
from command_line import TINY, digests, end_after, here, run, shards_below, start

DATASET = Path("marvl-qa-mini") / "1.2.1"


def rows_of(folder: Path, config: str) -> list[dict[str, object]]:
    columns = [
        name for name in pq.read_schema(next((folder / "data" / config).glob("*.parquet"))).names if name != "image"
    ]
    return [
        row
        for path in sorted((folder / "data" / config).glob("*.parquet"))
        for row in pq.read_table(path, columns=columns).to_pylist()
    ]


def test_it_leaves_a_dataset_that_verifies_and_no_journal(built: Path, dataset: Path) -> None:
    ended = run("verify", str(dataset), home=built / "home")
    assert (ended.code, ended.err) == (0, "")
    assert "no unfinished build" in here("status", "--out", str(built)).out


@pytest.mark.slow
def test_one_worker_and_three_kills_give_the_same_bytes(built: Path, dataset: Path, tmp_path: Path) -> None:
    command = ("build", *TINY, "--workers", "1", "--out", str(tmp_path))
    total = shards_below(built)
    finished = 0
    for shards in (1, total // 3, 2 * total // 3):
        process = start(*command, home=tmp_path / "home")
        end_after(process, tmp_path, shards, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert shards_below(tmp_path) >= finished, "a finished shard was lost"
        finished = shards_below(tmp_path)
        assert not (tmp_path / DATASET).exists(), "a half-done dataset looks finished"
    told = run("status", "--out", str(tmp_path), home=tmp_path / "home").out
    assert f"{finished} of {total} shards finished" in told
    assert "stopped; go on with: planimeter build" in told
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / ".planimeter" / "made").iterdir()}
    assert run(*command, home=tmp_path / "home").code == 0
    assert digests(tmp_path / DATASET) == digests(dataset)
    assert all(path.stat().st_mtime_ns == then for path, then in made.items()), "a finished shard was made again"


@pytest.mark.slow
def test_damaged_shards_are_made_again(built: Path, dataset: Path, tmp_path: Path) -> None:
    shutil.copytree(built / ".planimeter", tmp_path / ".planimeter")
    shards = sorted((tmp_path / ".planimeter" / "shards").rglob("*.arrow"), key=lambda path: -path.stat().st_size)
    flipped = bytearray(shards[0].read_bytes())
    flipped[len(flipped) // 2] ^= 1
    shards[0].write_bytes(flipped)
    shards[1].write_bytes(shards[1].read_bytes()[:-100])
    shards[2].unlink()
    records = sorted((tmp_path / ".planimeter" / "made").iterdir())
    records[0].write_text(records[0].read_text()[:-10])
    ended = run("build", *TINY, "--out", str(tmp_path), home=built / "home")
    assert ended.code == 0, ended.err
    assert digests(tmp_path / DATASET) == digests(dataset)


def test_the_same_command_again_changes_nothing(built: Path, dataset: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in dataset.rglob("*")}
    assert run("build", *TINY, "--out", str(built), home=built / "home").code == 0
    assert {path: path.stat().st_mtime_ns for path in dataset.rglob("*")} == before


def test_an_existing_version_with_other_content_stays(built: Path, dataset: Path) -> None:
    before = digests(dataset)
    ended = run("build", *TINY, "--seed", "1", "--out", str(built), home=built / "home")
    assert ended.code == 1
    assert len(ended.lines) == 1
    assert "exists with other content (its recipe differs: seed" in ended.err
    assert "--version" in ended.err
    assert digests(dataset) == before


def test_a_folder_that_is_no_dataset_stays(built: Path, tmp_path: Path) -> None:
    (tmp_path / DATASET).mkdir(parents=True)
    (tmp_path / DATASET / "thesis.txt").write_text("years of work")
    ended = run("build", *TINY, "--out", str(tmp_path), home=built / "home")
    assert ended.code == 1
    assert "not a dataset that Planimeter finished" in ended.err
    assert (tmp_path / DATASET / "thesis.txt").read_text() == "years of work"


@pytest.mark.slow
def test_another_seed_shares_no_item(built: Path, dataset: Path, tmp_path: Path) -> None:
    ended = run("build", *TINY, "--seed", "1", "--out", str(tmp_path), home=built / "home")
    assert ended.code == 0, ended.err
    for config in ("counting", "transformation"):
        ours, others = rows_of(dataset, config), rows_of(tmp_path / DATASET, config)
        assert len(ours) == len(others)
        for column in ("id", "seed"):
            assert not {row[column] for row in ours} & {row[column] for row in others}
        assert not {(row["family"], row["parameters"]) for row in ours} & {
            (r["family"], r["parameters"]) for r in others
        }


@pytest.mark.slow
def test_a_second_build_at_once_stops_with_one_line(built: Path, tmp_path: Path) -> None:
    first = start("build", *TINY, "--out", str(tmp_path), home=tmp_path / "home")
    try:
        end_after(first, tmp_path, 1, signal.SIGSTOP)
        second = run("build", *TINY, "--out", str(tmp_path), home=built / "home")
    finally:
        first.kill()
        first.communicate()
    assert second.code == 1
    assert len(second.lines) == 1
    assert "another build of marvl-qa-mini is at work" in second.err


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)]
)
def test_stopping_a_build_is_one_line_and_loses_nothing(how: signal.Signals, code: int, tmp_path: Path) -> None:
    process = start("build", *TINY, "--out", str(tmp_path), home=tmp_path / "home")
    end_after(process, tmp_path, 1, how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    need, *said = err.strip().splitlines()
    assert said == ["planimeter: stopped; what is finished is kept, and the same command goes on from there"]
    assert re.fullmatch(r"\d+ rows, about .* of disk \(.*\); .* are free", need), "told without a terminal too"
    assert shards_below(tmp_path) >= 1
    assert not (tmp_path / DATASET).exists()


@pytest.mark.slow
def test_a_build_that_was_told_to_ignore_ctrl_c_goes_on(built: Path, dataset: Path, tmp_path: Path) -> None:
    """As a shell tells what it starts with `&` in a script."""
    shutil.copytree(built / ".planimeter", tmp_path / ".planimeter")
    records = sorted((tmp_path / ".planimeter" / "made").glob("?" * 64))
    assert len(records) > 4
    for record in records[:4]:
        record.unlink()
    deaf = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")
    process = start("build", *TINY, "--out", str(tmp_path), home=tmp_path / "home", prefix=deaf)
    end_after(process, tmp_path, len(records) - 3, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert digests(tmp_path / DATASET) == digests(dataset)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8])
def test_stopping_the_program_while_it_loads_says_nothing_of_its_insides(share: float, tmp_path: Path) -> None:
    # The interpreter itself takes a while to start, and nothing of ours can answer for it. The command line looks for
    # some 170 modules until it stands.
    code = f"""
import signal, sys
from planimeter.flows.__main__ import main

class Stop:
    seen = 0
    def find_spec(self, name, *_):
        Stop.seen += 1
        if Stop.seen == {int(share * 150)}:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Stop())
sys.argv = ["planimeter", "list"]
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=command_line.ROOT, env=command_line.environment(tmp_path), capture_output=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")


def test_rebuild_makes_a_row_again_from_its_address(built: Path, dataset: Path, tmp_path: Path) -> None:
    """Also of a dataset that was downloaded to a folder of any name."""
    downloaded = Path(shutil.copytree(dataset, tmp_path / "from-the-hub"))
    for config, folder in (("counting", dataset), ("transformation", downloaded)):
        wanted = str(rows_of(dataset, config)[-1]["id"])
        ended = run("rebuild", str(folder), wanted, home=built / "home")
        assert ended.code == 0, ended.err
        assert f"{wanted}: same bytes" in ended.out


def test_rebuild_of_an_unknown_id_is_one_line(built: Path, dataset: Path) -> None:
    ended = here("rebuild", str(dataset), "counting-0000")
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "no row with the id 'counting-0000'" in ended.err


def test_show_tells_rows_funnel_and_report(built: Path, dataset: Path) -> None:
    told = here("show", str(dataset)).out
    manifest = json.loads((dataset / "manifest.json").read_text())
    for config, splits in manifest["configs"].items():
        assert config in told
        assert str(splits["test"]) in told
    assert "certify" in told
    assert str(dataset / "report" / "index.html") in told


def mounted(folder: Path, size: str) -> bool:
    folder.mkdir()
    return (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True
        ).returncode
        == 0
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", ["64k", "2m"])
def test_a_full_disk_is_one_line_and_the_rerun_goes_on(size: str, built: Path, dataset: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    if not mounted(disk, size):
        pytest.skip("mounting a small tmpfs needs root on Linux")
    try:
        ended = run("build", *TINY, "--out", str(disk), home=built / "home")
        assert ended.code == 1
        assert "Traceback" not in ended.err
        assert "No space left" in ended.err or "full" in ended.err
        assert not (disk / DATASET).exists()
        assert not list(disk.rglob(".tmp-*")), "a half file is left"
        subprocess.run(["mount", "-o", "remount,size=512m", str(disk)], check=True)
        assert run("build", *TINY, "--out", str(disk), home=built / "home").code == 0
        assert digests(disk / DATASET) == digests(dataset)
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_an_output_that_cannot_be_written_is_one_line(built: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    ended = run("build", *TINY, "--out", str(file), home=built / "home")
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "cannot write below" in ended.err


def test_no_free_port_is_one_line(tmp_path: Path) -> None:
    """In a network of its own that has one port for programs to take, and somebody holds it."""
    crowd = (
        "import os, socket, subprocess, sys\n"
        "subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)\n"
        "open('/proc/sys/net/ipv4/ip_local_port_range', 'w').write('40000 40000')\n"
        "holder = socket.create_server(('127.0.0.1', 40000))\n"
        "sys.exit(subprocess.run(sys.argv[1:]).returncode)\n"
    )
    alone = ("unshare", "--net", sys.executable, "-c", crowd)
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode:
        pytest.skip("a network of its own needs root on Linux, and iproute2")
    ended = run("build", *TINY, "--out", str(tmp_path / "out"), home=tmp_path / "home", prefix=alone)
    assert (ended.code, len(ended.lines)) == (1, 1), ended.err
    assert "no free port on 127.0.0.1" in ended.err


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://127.0.0.1:9/api", "http://127.0.0.1:9/api does not answer"),
        ("http://127.0.0.1:port/api", "http://127.0.0.1:port/api does not answer (Invalid port"),
        ("http://[::1/api", "Prefect refuses its settings"),
    ],
)
def test_a_server_that_is_not_there_is_told(url: str, told: str, built: Path, tmp_path: Path) -> None:
    ended = run("build", *TINY, "--out", str(tmp_path), home=built / "home", PREFECT_API_URL=url)
    assert ended.code == 1
    assert "Traceback" not in ended.err
    assert told in ended.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("build", "imagenet"), "no such dataset; there are: all, curves"),
        (("build", "travesal"), "no such dataset; did you mean traversal? there are: all, curves"),
        (("build", "marvl-qa-mini", "--scale", "-1"), "scale: Input should be greater than 0"),
        (("build", "marvl-qa-mini", "--scale", "0"), "scale: Input should be greater than 0"),
        (("build", "marvl-qa-mini", "--seed", "-1"), "seed"),
        (("build", "marvl-qa-mini", "--workers", "0"), "--workers: need 1 to 128"),
        (("build", "marvl-qa-mini", "--version", "../x"), "need a version such as 1.0.0"),
        (("build", "missing.toml"), "cannot be read"),
        (("verify", "missing"), "missing"),
        (("show", "missing"), "holds no dataset"),
        (("rebuild", "marvl-qa-mini", "x"), "holds no built dataset; give the folder of one, such as outputs/"),
    ],
)
def test_bad_input_is_told_without_a_traceback(arguments: tuple[str, ...], told: str) -> None:
    ended = here(*arguments)
    assert ended.code == 1
    assert told in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "command",
    [
        ("verify",),
        ("show",),
        ("rebuild", "x"),
        ("sample", "--rows", "3"),
        ("publish", "--repo", "a/b"),
        ("probe",),
        ("measure",),
        ("solve", "--by", "majority"),
        ("score", "replies.jsonl"),
        ("evaluate", "--model", "m"),
        ("export", "--for", "verl", "--out", "x"),
        ("sheet", "--out", "x"),
    ],
    ids=lambda command: command[0],
)
def test_the_address_of_a_bucket_is_answered_with_what_fetches_it(command: tuple[str, ...]) -> None:
    ended = here(command[0], "s3://bkt/pre/geogram/1.2.1", *command[1:])
    assert (ended.code, ended.lines) == (
        1,
        [
            "planimeter: s3://bkt/pre/geogram/1.2.1: need a folder of this machine, not an address; fetch it first: "
            "`aws s3 cp --recursive s3://bkt/pre/geogram/1.2.1 1.2.1`"
        ],
    )


@pytest.mark.parametrize(
    ("address", "fetch"),
    [
        ("s3://key:secret@bkt/1.2.1/", "`aws s3 cp --recursive s3://***@bkt/1.2.1/ 1.2.1`"),
        ("gs://bkt/1.2.1", "with the store's own tool"),
        ("hf://datasets/a/curves", "`hf download a/curves --repo-type dataset --local-dir curves`"),
        (
            "https://huggingface.co/datasets/a/curves/tree/v1.2.1",
            "`hf download a/curves --repo-type dataset --local-dir curves`",
        ),
    ],
)
def test_no_address_of_a_dataset_is_taken_for_a_path(address: str, fetch: str) -> None:
    for ended in (here("verify", address), here("diff", address, "outputs")):
        assert (ended.code, len(ended.lines)) == (1, 1)
        assert ended.err.endswith(f"not an address; fetch it first: {fetch}\n")
        assert "secret" not in ended.err


def test_a_usage_error_exits_with_2() -> None:
    assert here("build", "marvl-qa-mini", "--scale", "much").code == 2
    assert here("no-such-command").code == 2


def test_commands_that_only_look_do_not_load_prefect(tmp_path: Path) -> None:
    commands = [f"commands.{path.stem}" for path in (command_line.ROOT / "flows/commands").glob("[a-z]*.py")]
    modules = ", ".join(f"planimeter.flows.{name}" for name in (*commands, "work", "suites.marvl_qa"))
    code = f"import sys, {modules}; sys.exit('prefect' in sys.modules)"
    environment = command_line.environment(tmp_path)
    assert subprocess.run([sys.executable, "-c", code], env=environment, cwd=command_line.ROOT).returncode == 0
