"""Outputs in a bucket, against a real S3 server on loopback: nothing half there, nothing lost, no secret written."""

import errno
import hashlib
import io
import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import planimeter
import pytest
from moto.server import ThreadedMotoServer
from planimeter import TINY
from rich.console import Console
from s3fs import S3FileSystem

from flows import lease
from flows.bucket import Bucket, StoreError
from flows.build import run
from flows.errors import BusyError, PlanimeterError, VersionExistsError
from flows.keeping import rows_of
from flows.lease import Lease
from flows.progress import bars
from flows.remote_place import RemotePlace, desk_of
from flows.shards import StoredTable
from flows.storage import FolderStore, Store, checked
from flows.summary import status
from recipes.base import Recipe
from recipes.loading import load

RECIPE = load("marvl-qa-mini", scale=0.02)
assert isinstance(RECIPE, Recipe)

#: What must appear nowhere.
KEY, SECRET = "AKIAPLANIMETERTEST", "s3cr3t-of-the-tests"


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    """The environment that leads to a server with the bucket `shelf`."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    environment = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    boto3.client("s3", **as_arguments(environment)).create_bucket(Bucket="shelf")
    yield environment
    running.stop()


def as_arguments(environment: dict[str, str]) -> dict[str, str]:
    return {
        "aws_access_key_id": environment["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": environment["AWS_SECRET_ACCESS_KEY"],
        "region_name": environment["AWS_DEFAULT_REGION"],
        "endpoint_url": environment["AWS_ENDPOINT_URL"],
    }


@pytest.fixture
def s3(server: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A plain client of the server, which this process reaches too."""
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    S3FileSystem.clear_instance_cache()
    yield boto3.client("s3", **as_arguments(server))
    S3FileSystem.clear_instance_cache()


@pytest.fixture
def url(s3: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address of the test's own, and a place of its own for desks."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return f"s3://shelf/{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]}"


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return FolderStore(tmp_path / "store") if request.param == "folder" else Bucket(request.getfixturevalue("url"))


def objects(s3: Any, url: str) -> dict[str, dict[str, Any]]:
    prefix = url.removeprefix("s3://shelf/") + "/"
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="shelf", Prefix=prefix)
    return {entry["Key"].removeprefix(prefix): entry for page in pages for entry in page.get("Contents", [])}


def content(s3: Any, url: str, name: str) -> bytes:
    return bytes(s3.get_object(Bucket="shelf", Key=f"{url.removeprefix('s3://shelf/')}/{name}")["Body"].read())


def test_a_build_that_was_killed_goes_on_from_the_bucket(
    dataset: Path, s3: Any, url: str, server: dict[str, str], tmp_path: Path
) -> None:
    """Made by processes and killed; damaged; gone on with by Dask's workers, who write to the bucket themselves."""
    command = ("build", *TINY, "--out", url)
    build = planimeter.start(*command, home=tmp_path / "home", **server)
    deadline = time.monotonic() + 240
    while sum(name.startswith(".planimeter/records/") for name in objects(s3, url)) < 4:
        assert build.poll() is None, build.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    build.kill()
    build.communicate()
    killed = objects(s3, url)
    assert not [name for name in killed if name.startswith("marvl-qa-mini/")], "half a dataset is there"
    told = Console(file=io.StringIO(), width=200)
    status(url, told)
    assert "shards finished; running on" in told.file.getvalue()  # type: ignore[attr-defined]
    shards = sorted(name for name in killed if name.startswith(".planimeter/shards/"))
    bucket = Bucket(url)
    bucket.put(shards[0], bucket.get(shards[0])[:-1] + b"?")
    bucket.delete(shards[1])
    again = planimeter.run(*command, "--runner", "dask", "--workers", "2", home=tmp_path / "home", **server)
    assert again.code == 0, again.err
    assert again.out.splitlines()[0] == f"{url}/marvl-qa-mini/1.0.0"
    there = objects(s3, url)
    for name in shards[2:]:
        assert there[name] == killed[name], "a whole shard was made again"
    prefix = "marvl-qa-mini/1.0.0/"
    assert {
        name.removeprefix(prefix): hashlib.sha256(bucket.get(name)).hexdigest()
        for name in there
        if name.startswith(prefix)
    } == planimeter.digests(dataset)
    assert not [name for name in there if name.startswith((".planimeter/locks", ".planimeter/uploads"))]
    assert not list((tmp_path / "tmp").glob("planimeter-*/marvl-qa-mini"))
    other = run("marvl-qa-mini", scale=0.02, seed=1, out=url)
    assert not isinstance(other, str)
    assert f"{url}/marvl-qa-mini/1.0.0 exists with other content (its recipe differs: seed" in str(other.message)
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
    table = StoredTable(config="c", path="shards/x", sha256=hashlib.sha256(b"bytes").hexdigest(), rows_of_items=())
    with pytest.raises(
        PlanimeterError, match="damaged or removed while the build was at work; run the same command again"
    ):
        list(rows_of(table, bucket))


@pytest.mark.parametrize("answer", [OSError(errno.ENOSYS, "Not Implemented"), NotImplementedError("no modes")])
def test_a_service_without_conditional_writes_is_looked_at_first(
    answer: Exception, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = Bucket(url)
    plain = bucket._files.pipe_file

    def refusing(path: str, value: bytes, mode: str = "overwrite") -> None:
        if mode == "create":
            raise answer
        plain(path, value)

    monkeypatch.setattr(bucket._files, "pipe_file", refusing)
    bucket.put("name", b"one", create=True)
    with pytest.raises(FileExistsError):
        bucket.put("name", b"two", create=True)
    assert bucket.get("name") == b"one"


def test_a_lease_that_is_alive_is_not_taken(store: Store) -> None:
    with Lease(store, "d", "first", beat=0.1, patience=1.0) as held:
        with pytest.raises(BusyError, match="another build of d is at work on"), Lease(store, "d", "second", beat=0.1):
            pytest.fail("it is held")
        held.check()
    with Lease(store, "d", "second", beat=0.1) as free:
        free.check()


def test_a_lease_whose_holder_is_gone_is_taken_and_its_return_noticed(store: Store) -> None:
    asleep = Lease(store, "d", "first", beat=60.0, patience=0.2)
    with pytest.raises(PlanimeterError, match="another took its place"), asleep:
        with Lease(store, "d", "second", beat=0.1, patience=0.2) as held:
            held.check()
        asleep.check()
    assert not store.names("locks")


def test_a_lease_of_a_dead_process_of_this_desk_is_taken_at_once(store: Store) -> None:
    store.put(lease.name_of("d"), json.dumps({"holder": "first", "machine": "here", "beats": 7}).encode())
    began = time.monotonic()
    with Lease(store, "d", "first") as held:
        held.check()
    assert time.monotonic() - began < 5


def finished(url: str) -> RemotePlace:
    """A place with a small stand-in for a dataset on its desk."""
    place = RemotePlace(RECIPE, url)
    place.prepare()
    (place.folder / "data").mkdir(parents=True)
    (place.folder / "data" / "rows").write_bytes(b"rows")
    (place.folder / "manifest.json").write_bytes(b'{"recipe": {}}')
    return place


def deliver(place: RemotePlace) -> None:
    with bars() as shown:
        place.deliver(shown)


def test_an_upload_that_was_cut_off_is_not_there_and_goes_on(
    s3: Any, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = finished(url)
    (place.folder / "data" / "of an earlier attempt").write_bytes(b"old")
    with monkeypatch.context() as cut, pytest.raises(StoreError):
        cut.setattr(Bucket, "sizes", lambda *_: (_ for _ in ()).throw(StoreError("the network is gone")))
        deliver(place)
    assert "marvl-qa-mini/1.0.0/data/rows" in objects(s3, url)
    assert not RemotePlace(RECIPE, url).is_built()
    (place.folder / "data" / "of an earlier attempt").unlink()
    deliver(place)
    assert [name for name in objects(s3, url) if "1.0.0/" in name] == [
        "marvl-qa-mini/1.0.0/data/rows",
        "marvl-qa-mini/1.0.0/manifest.json",
    ]


def test_what_others_put_there_stays(s3: Any, url: str) -> None:
    Bucket(url).put("marvl-qa-mini/1.0.0/thesis.txt", b"years of work")
    with pytest.raises(VersionExistsError, match="not a dataset that Planimeter finished"):
        RemotePlace(RECIPE, url).is_built()
    place = finished(url)
    with pytest.raises(PlanimeterError, match=r"thesis\.txt is not what was uploaded"):
        deliver(place)
    assert content(s3, url, "marvl-qa-mini/1.0.0/thesis.txt") == b"years of work"


def test_a_version_that_appears_meanwhile_is_not_replaced(s3: Any, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = finished(url)
    sizes = Bucket.sizes

    def and_then(bucket: Bucket, folder: str) -> dict[str, int]:
        found = sizes(bucket, folder)
        Bucket(url).put("marvl-qa-mini/1.0.0/manifest.json", b"theirs")
        return found

    monkeypatch.setattr(Bucket, "sizes", and_then)
    with pytest.raises(VersionExistsError, match="it appeared while this build was at work"):
        deliver(place)
    assert content(s3, url, "marvl-qa-mini/1.0.0/manifest.json") == b"theirs"


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
    state = run("marvl-qa-mini", scale=0.02, out=out)
    assert not isinstance(state, str)
    message = str(state.message)
    assert (state.name, message.count("\n")) == ("Refused", 0)
    assert told in message
    assert SECRET not in message


def test_a_file_address_is_a_folder() -> None:
    assert checked("file:///some/folder") == "/some/folder"
    assert checked("s3://shelf/x/") == "s3://shelf/x"


def test_a_desk_of_somebody_else_is_refused(url: str) -> None:
    desk = desk_of(url)
    assert desk.stat().st_mode & 0o077 == 0
    desk.rmdir()
    desk.symlink_to("/")
    with pytest.raises(PlanimeterError, match="belongs to somebody else"):
        desk_of(url)
    desk.unlink()
