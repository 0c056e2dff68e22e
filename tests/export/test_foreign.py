"""What others made: names, links, pipes, sizes, nesting and texts of foreign folders do no harm, and are named."""

import gzip
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_line
import pandas as pd
import pytest
from sample_folder import edit_manifest, problems

from planimeter.export.atomic import write_file
from planimeter.export.foreign import (
    MOST_DEPTH,
    MOST_PARTS,
    ForeignError,
    lines_of,
    name_fault,
    open_file,
    parse_json,
    path_below,
    read_file,
    require_plain,
)
from planimeter.export.hub.files import local_files
from planimeter.export.manifest import FILES, FOLDERS, Manifest, NoDatasetError
from planimeter.export.spreadsheets import csv_of
from planimeter.flows.options import BuildOptions
from planimeter.flows.store.storage import local_copy
from planimeter.items.errors import PlanimeterError
from planimeter.items.printing import printable, redacted


def test_only_plain_names_become_paths(tmp_path: Path) -> None:
    for name in ("", ".", "..", "../x", "a/b", "/etc/x", "a\\b", "a\nb", "a\x1b[0m", ".ssh", "x" * 999):
        with pytest.raises(ForeignError, match="rename it at its source"):
            path_below(tmp_path, name)
    for name in ("counting-0123456789abcdef", "a b", "a[1]*", "réponse", "x.png"):
        assert path_below(tmp_path, "sub", name) == tmp_path / "sub" / name and name_fault(name) == ""


def _link(folder: Path, name: str) -> None:
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to("/etc/hostname")


def _link_folder(folder: Path) -> None:
    (folder / "data").rename(folder.parent / "elsewhere")
    (folder / "data").symlink_to(folder.parent / "elsewhere")


ATTACKS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a link in report": (lambda f: _link(f, "report/extra.png"), r"report/extra.png: is a link"),
    "a link as manifest": (lambda f: _link(f, "manifest.json"), r"manifest.json: is a link"),
    "a link as folder": (_link_folder, "data: is a link"),
    "a pipe as probes": (lambda f: os.mkfifo(f / "probes.json"), "probes.json: is neither a regular file nor a folder"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_links_and_pipes_below_a_folder_are_refused(name: str, folder: Path) -> None:
    damage, words = ATTACKS[name]
    damage(folder)
    assert words.split(": ")[-1] in problems(folder)
    with pytest.raises(ForeignError, match=words):
        Manifest.read(folder)
    shown = command_line.here("show", str(folder))
    assert shown.code == 1 and len(shown.lines) == 1


def test_a_cache_of_the_hub_is_read_through_its_links(sample: Path, tmp_path: Path) -> None:
    snapshot, blobs = tmp_path / "datasets--a--b" / "snapshots" / "c0ffee", tmp_path / "datasets--a--b" / "blobs"
    shutil.copytree(sample, snapshot)
    blobs.mkdir()
    for number, path in enumerate(sorted(path for path in snapshot.rglob("*") if path.is_file())):
        path.rename(blobs / str(number))
        path.symlink_to(os.path.relpath(blobs / str(number), path.parent))
    assert Manifest.read(snapshot) == Manifest.read(sample)
    (blobs / "0").unlink()
    (blobs / "0").symlink_to("/etc/hostname")
    with pytest.raises(ForeignError, match="is a link"):
        require_plain(snapshot, (*FILES, *FOLDERS))


def test_publishing_sends_only_files_of_a_build(folder: Path) -> None:
    before = set(local_files(folder, Manifest.read(folder)))
    page = folder / "report" / "index.html"
    page.write_text(page.read_text().replace("</footer>", '<img src="extra.png"></footer>'))
    for name in ("report/extra.png", "data/counting/extra.parquet", "probes.svg.bak"):
        (folder / name).write_text("secret")
    assert set(local_files(folder, Manifest.read(folder))) == before
    assert "report/extra.png: is not part of a report" in problems(folder)


def test_names_of_a_manifest_are_checked_before_they_are_used(folder: Path) -> None:
    edit_manifest(folder, lambda document: document.update(version="/tmp/x"))
    with pytest.raises(NoDatasetError, match="version: need a version such as"):
        Manifest.read(folder)


@pytest.mark.parametrize("name", ["manifest.json", "croissant.json"])
@pytest.mark.parametrize("depth", [MOST_DEPTH + 1, 900, 100_000])
def test_deeply_nested_json_is_a_problem(name: str, depth: int, folder: Path) -> None:
    (folder / name).write_text('{"x": ' + "[" * depth + "]" * depth + "}")
    assert f"{name}: cannot be read as JSON: lists and objects are nested deeper" in problems(folder)


@pytest.mark.parametrize("content", ["[" + "{}," * MOST_PARTS + "{}]", b"[" + b"[]," * MOST_PARTS + b"[]]"])
def test_json_of_millions_of_parts_is_not_parsed(content: str | bytes) -> None:
    with pytest.raises(ValueError, match="more than 2,000,000 lists and objects"):
        parse_json(content)


def test_open_file_refuses_pipes_devices_and_folders(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(ForeignError, match=r"a pipe or device|a folder"):
            open_file(path)


def test_a_file_has_a_limit(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(11))
    assert read_file(tmp_path / "x", 11) == bytes(11)
    with pytest.raises(ForeignError, match="more than 10 bytes"):
        read_file(tmp_path / "x", 10)


def test_a_long_line_is_passed_over_and_the_next_is_read() -> None:
    text = gzip.compress(b"nine char\n" + b"x" * 1000 + b"\nb\n" + b"y" * 11)
    with gzip.open(io.BytesIO(text), "rt", encoding="utf-8") as file:
        assert list(lines_of(file, 10)) == ["nine char\n", None, "b\n", None]


def test_writing_a_file_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for name in ("page.html", ".page.html.tmp"):
        (tmp_path / name).symlink_to(tmp_path / "mine")
    write_file(tmp_path / "page.html", b"page")
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "page.html").read_text() == "page" and not (tmp_path / "page.html").is_symlink()


# --- printing


def test_printed_texts_contain_no_control_character() -> None:
    foreign = "a\x1b]0;title\x07\x1b[31m\x9b1m\u202eb\ud800\r"
    assert printable(foreign) == r"a\x1b]0;title\x07\x1b[31m\x9b1m\u202eb\ud800\r"
    assert printable("é\tb\n中") == "é\tb\n中"
    assert str(PlanimeterError(f"{foreign} http://me:secret@host/x?token=1")).endswith(r"\r http://***@host/x")


def test_no_escape_sequence_of_a_manifest_reaches_the_terminal(folder: Path) -> None:
    def edit(document: dict[str, Any]) -> None:
        checks = document["funnel"]["counting"]
        document["funnel"]["counting"] = {f"\x1b[31m{name}": check for name, check in checks.items()}

    edit_manifest(folder, edit)
    shown = command_line.here("show", str(folder))
    assert shown.code == 0 and "\x1b" not in shown.out and r"\x1b[31m" in shown.out


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("http://user:p@ss'word@host/a", "http://***@host/a"),
        ("s3://b/k?X-Amz-Signature=abc&x=1 is gone", "s3://b/k is gone"),
        ("https://host/a#access_token=abc", "https://host/a"),
        ("host/a?api_key=abc&b=1", "host/a?api_key=***&b=1"),
        ("with hf_abc and Bearer abc.def", "with *** and Bearer ***"),
        ("see https://host/a/b, or me@host", "see https://host/a/b, or me@host"),
    ],
)
def test_an_address_is_shown_without_credentials(text: str, hidden: str) -> None:
    assert redacted(text) == hidden


# --- tables


def test_no_text_of_a_table_is_a_formula_or_starts_a_row() -> None:
    texts = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", " =x", "\uff1dx", "a\r=b", "-1.5", "plain", "a,b"]
    table = csv_of(pd.DataFrame({"=head": texts, "n": [-1.5] * len(texts)}))
    read = pd.read_csv(io.StringIO(table), dtype=str, keep_default_na=False)
    assert list(read) == ["'=head", "n"] and set(read["n"]) == {"-1.5"}
    safe = ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "'\nx", "' =x", "'\uff1dx", "a\n=b", "-1.5", "plain", "a,b"]
    assert list(read["'=head"]) == safe


# --- every command


COMMANDS = {
    "verify": (),
    "show": (),
    "score": ("replies.jsonl",),
    "solve": ("--by", "majority"),
    "sheet": ("--out", "out"),
    "export": ("--out", "out"),
    "diff": ("other",),
    "rebuild": ("an-id",),
    "probe": (),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_refuses_a_pipe_as_manifest(name: str, folder: Path) -> None:
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    ended = command_line.here(name, str(folder), *COMMANDS[name])
    assert ended.code == 1 and "manifest.json: is neither a regular file nor a folder" in ended.err
    assert "Traceback" not in ended.err


def test_an_audit_reads_no_pipe_and_no_link(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("{}\n")
    for name in ("piped", "linked"):
        (tmp_path / name).mkdir()
    for pipe in ("pipe", "piped/backbones.jsonl"):
        os.mkfifo(tmp_path / pipe)
    (tmp_path / "linked" / "backbones.jsonl").symlink_to(tmp_path / "there")
    for name in ("pipe", "piped", "linked"):
        ended = command_line.here("audit", "traversal", str(tmp_path / name))
        assert ended.code == 1 and len(ended.lines) == 1


def test_an_address_of_dask_or_a_corpus_shows_no_password(tmp_path: Path) -> None:
    with pytest.raises(PlanimeterError, match="credentials") as refused:
        BuildOptions.of(recipe="curves", runner="dask", address="tls://me:secret@host:8786")
    assert "secret" not in str(refused.value)
    with pytest.raises(PlanimeterError, match=r"cannot be read") as caught:
        local_copy("http://me:secret@127.0.0.1:9/x.jsonl?token=abc", tmp_path / "new")
    assert "secret" not in str(caught.value) and "abc" not in str(caught.value) and caught.value.__cause__ is None
