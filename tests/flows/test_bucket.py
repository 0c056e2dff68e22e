"""Outputs in a bucket, against a real S3 server on loopback: nothing half there, nothing lost, no secret written."""

import errno
import hashlib
import io
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_line
import pyarrow as pa
import pytest
from command_line import TINY
from loopback_s3 import KEY, SECRET, content, objects
from prefect.logging import disable_run_logger
from rich.console import Console
from s3fs import S3FileSystem

from planimeter.flows.build import run
from planimeter.flows.commands import status
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Block
from planimeter.flows.store.bucket import Bucket
from planimeter.flows.store.remote_place import temporary_folder
from planimeter.flows.store.storage import FolderStore, Store, checked
from planimeter.flows.store.tables import rows_of


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return FolderStore(tmp_path / "store") if request.param == "folder" else Bucket(request.getfixturevalue("url"))


@pytest.mark.slow
def test_a_build_that_was_killed_goes_on_from_the_bucket(
    dataset: Path, s3: Any, url: str, s3_server: dict[str, str], tmp_path: Path
) -> None:
    """Made by processes and killed; damaged; gone on with by Dask's workers, who write to the bucket themselves, and by
    another machine at the same time.
    """
    command = ("build", *TINY, "--out", url)
    build = command_line.start(*command, home=tmp_path / "home", **s3_server)
    deadline = time.monotonic() + 240
    while sum(name.startswith(".planimeter/made/") for name in objects(s3, url)) < 4:
        assert build.poll() is None, build.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    build.kill()
    build.communicate()
    killed = objects(s3, url)
    assert not [name for name in killed if name.startswith("marvl-qa-mini/")], "half a dataset is there"
    told = Console(file=io.StringIO(), width=200)
    status.run(url, told)
    assert f"shards finished; running on {platform.node()}, or stopped there" in told.file.getvalue()  # type: ignore[attr-defined]
    shards = sorted(name for name in killed if name.startswith(".planimeter/shards/"))
    bucket = Bucket(url)
    bucket.put(shards[0], bucket.get(shards[0])[:-1] + b"?")
    bucket.delete(shards[1])
    (tmp_path / "elsewhere").mkdir()
    second = {**s3_server, "TMPDIR": str(tmp_path / "elsewhere")}
    other_machine = command_line.start(*command, "--workers", "1", home=tmp_path / "second home", **second)
    again = command_line.run(*command, "--runner", "dask", "--workers", "2", home=tmp_path / "home", **s3_server)
    assert again.code == 0, again.err
    said, errors = other_machine.communicate(timeout=300)
    assert (other_machine.returncode, said) == (0, again.out), errors
    assert again.out.splitlines()[0] == f"{url}/marvl-qa-mini/1.2.1"
    there = objects(s3, url)
    for name in shards[2:]:
        assert there[name] == killed[name], "a whole shard was made again"
    prefix = "marvl-qa-mini/1.2.1/"
    assert {
        name.removeprefix(prefix): hashlib.sha256(bucket.get(name)).hexdigest()
        for name in there
        if name.startswith(prefix)
    } == command_line.digests(dataset)
    assert not [name for name in there if name.startswith((".planimeter/locks", ".planimeter/uploads"))]
    assert not list((tmp_path / "tmp").glob("planimeter-*/marvl-qa-mini"))
    with disable_run_logger():
        other = run("marvl-qa-mini", scale=0.02, seed=1, out=url)
    assert f"{url}/marvl-qa-mini/1.2.1 exists with other content (its recipe differs: seed" in str(other.message)
    no_secret_in(s3, url, tmp_path, f"{again}{other.message}{told.file.getvalue()}")  # type: ignore[attr-defined]


def no_secret_in(s3: Any, url: str, folder: Path, said: str) -> None:
    written = [content(s3, url, name) for name in objects(s3, url)]
    written += [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert any(b"marvl-qa-mini" in text for text in written)
    for secret in (KEY, SECRET):
        assert secret not in said
        assert not [text for text in written if secret.encode() in text]


def test_a_store_gives_back_what_it_keeps(store: Store) -> None:
    assert store.names("some") == frozenset()
    with pytest.raises(FileNotFoundError):
        store.get("some/name")
    store.delete("some/name")
    store.put("some/name", b"one")
    store.put("some/other", b"two", create=True)
    assert (store.get("some/name"), store.names("some")) == (b"one", {"name", "other"})
    digest = hashlib.sha256(b"one").hexdigest()
    assert store.holds("some/name", digest)
    with pytest.raises(FileExistsError):
        store.put("some/name", b"three", create=True)
    assert store.get("some/name") == b"one"
    assert store.slices([("some/other", 1, 2), ("some/name", 0, 2), ("some/other", 0, 1)]) == [b"wo", b"on", b"t"]
    assert store.slices([("some/name", 2, 9)]) == [b"e"]
    store.put("some/name", b"onE")
    assert not store.holds("some/name", digest)
    store.delete("some/name")
    assert not store.holds("some/name", digest)
    with pytest.raises(FileNotFoundError):
        store.get("some/name")
    assert store.names("some") == {"other"}


def test_a_damaged_object_is_not_read_as_rows(url: str) -> None:
    bucket = Bucket(url)
    bucket.put("shards/x", b"other")
    block = Block(0, 1, 0, 5, hashlib.sha256(b"bytes").hexdigest())
    for path in ("shards/x", "shards/none"):
        with pytest.raises(
            PlanimeterError, match="damaged or removed while the build was at work; run the same command again"
        ):
            rows_of([(path, block)], pa.schema([]), bucket)


@pytest.mark.parametrize(
    "answer", [OSError(errno.ENOSYS, "Not Implemented"), NotImplementedError("no modes"), TypeError("no such argument")]
)
def test_a_service_without_conditional_writes_is_looked_at_first(
    answer: Exception, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = Bucket(url)
    for name in ("pipe_file", "put_file"):
        plain = getattr(bucket._files, name)

        def refusing(*given: Any, plain: Callable[..., None] = plain, mode: str = "overwrite") -> None:
            if mode == "create":
                raise answer
            plain(*given)

        monkeypatch.setattr(bucket._files, name, refusing)
    bucket.put("name", b"one", create=True)
    with pytest.raises(FileExistsError):
        bucket.put("name", b"two", create=True)
    (tmp_path / "file").write_bytes(b"three")
    with pytest.raises(FileExistsError):
        bucket.upload(str(tmp_path / "file"), "name")
    bucket.upload(str(tmp_path / "file"), "other")
    assert (bucket.get("name"), bucket.get("other")) == (b"one", b"three")


@pytest.mark.parametrize(
    ("out", "environment", "told"),
    [
        ("s3://no-such-bucket/x", {}, "The specified bucket does not exist; create the bucket first"),
        ("s3://shelf/x", {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Unable to locate credentials"),
        ("s3://shelf/x", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "Could not connect to the endpoint"),
        ("s4://shelf/x", {}, "Protocol not known: s4"),
        ("gs://shelf/x", {}, "install gcsfs"),
        ("s3://", {}, "names no bucket"),
        (f"s3://{KEY}:{SECRET}@shelf/x", {}, "credentials and options come from the environment"),
    ],
)
def test_a_bucket_that_cannot_be_written_is_one_line(
    out: str, environment: dict[str, str], told: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    S3FileSystem.clear_instance_cache()
    with disable_run_logger():
        state = run("marvl-qa-mini", scale=0.02, out=out)
    message = str(state.message)
    assert (state.name, message.count("\n")) == ("Refused", 0)
    assert told in message
    assert SECRET not in message


def test_a_file_address_is_a_folder() -> None:
    assert checked("file:///some/folder") == "/some/folder"
    assert checked("s3://shelf/x/") == "s3://shelf/x"


def test_a_temporary_folder_somebody_else_is_refused(url: str) -> None:
    folder = temporary_folder(url)
    assert folder.stat().st_mode & 0o077 == 0
    folder.rmdir()
    folder.symlink_to("/")
    with pytest.raises(PlanimeterError, match="belongs to somebody else"):
        temporary_folder(url)
    folder.unlink()
