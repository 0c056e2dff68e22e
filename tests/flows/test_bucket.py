"""Outputs in a bucket, against a real S3 server on loopback: nothing half there, nothing lost, no secret written."""

import errno
import hashlib
import shutil

import command_line
import plain
import pytest
from command_line import TINY, here, wait_until
from loopback_s3 import KEY, SECRET, content, objects
from s3fs import S3FileSystem

from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.store.place import temporary_folder
from planimeter.flows.store.storage import Store, checked


@pytest.mark.slow
def test_a_killed_build_continues_from_the_bucket(dataset, s3, url, s3_server, tmp_path):
    """Made by Dask's workers, who write to the bucket themselves, and killed; damaged; gone on with by Dask, and by
    processes of another machine at the same time.
    """
    command, prefix = ("build", *TINY, "--out", url), f"{dataset.parent.name}/{dataset.name}/"
    by_dask = (*command, "--runner", "dask", "--workers", "2")
    build = command_line.start(*by_dask, home=tmp_path / "home", **s3_server)
    wait_until(lambda: build.poll() is not None or sum("/results/" in name for name in objects(s3, url)) >= 4)
    build.kill()
    _, err = build.communicate()
    assert (build.returncode, err) == (-9, "")
    killed = objects(s3, url)
    assert not [name for name in killed if name.startswith(prefix)], "half a dataset is there"
    status = here("status", *TINY, "--out", url).out
    assert "not built: " in status and "shards are finished" in status
    shards = sorted(name for name in killed if name.endswith(".arrow"))
    bucket = Store(url)
    bucket.write(shards[0], bucket.read(shards[0])[:-1] + b"?")
    bucket.delete(shards[1])
    (tmp_path / "elsewhere").mkdir()
    second = {**s3_server, "TMPDIR": str(tmp_path / "elsewhere")}
    other_machine = command_line.start(*command, "--workers", "1", home=tmp_path / "second home", **second)
    again = command_line.run(*by_dask, home=tmp_path / "home", **s3_server)
    assert again.code == 0, again.err
    out, errors = other_machine.communicate(timeout=command_line.PATIENCE)
    assert (other_machine.returncode, out) == (0, again.out), errors
    assert again.out.splitlines()[0] == f"{url}/{prefix}".rstrip("/")
    there = objects(s3, url)
    assert [name for name in shards[2:] if there[name] != killed[name]] == [], "a whole shard was made again"
    holds_the_dataset(bucket, prefix, [*there], dataset)
    written = [content(s3, url, name) for name in there]
    written += [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(b"marvl-qa-mini" in text for text in written)
    for secret in (KEY, SECRET):
        assert secret not in f"{again}{status}" and not [text for text in written if secret.encode() in text]


def holds_the_dataset(bucket, prefix, names, dataset):
    """Whether nothing but the files of ``dataset`` and finished shards is there."""
    files = {name.removeprefix(prefix): bucket.read(name) for name in names if name.startswith(prefix)}
    assert {name: hashlib.sha256(file).hexdigest() for name, file in files.items()} == command_line.digests(dataset)
    assert not [name for name in names if name.startswith((".planimeter/locks", ".planimeter/uploads"))]


def test_a_dataset_in_a_bucket_is_that_of_a_folder(little, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    name = hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]
    url, shelf = f"memory://shelf/{name}", Store("memory://shelf")
    (in_folder,) = little.glob("marvl-qa-mini/*")
    built = plain.build("marvl-qa-mini", url, scale=0.001)
    assert (built.place.address, built.stood) == (f"{url}/marvl-qa-mini/{in_folder.name}", False)
    holds_the_dataset(Store(url), f"marvl-qa-mini/{in_folder.name}/", [*shelf.sizes(name)], in_folder)
    assert not list(tmp_path.glob("planimeter-*/marvl-qa-mini"))
    with pytest.raises(VersionExistsError) as refused:
        plain.build("marvl-qa-mini", url, scale=0.001, seed=1)
    assert f"{built.place.address} exists with other content (its recipe differs: seed" in str(refused.value)

    # Fetched and verified, where this machine knows nothing of it.
    shutil.rmtree(next(tmp_path.glob("planimeter-*")))
    monkeypatch.setattr("planimeter.flows.work.make_shard", lambda *_: pytest.fail("a shard is made again"))
    assert plain.build("marvl-qa-mini", url, scale=0.001).stood


def test_a_temporary_folder_of_somebody_else_is_refused(url):
    folder = temporary_folder(url)
    assert folder.stat().st_mode & 0o077 == 0
    folder.rmdir()
    folder.symlink_to("/")
    with pytest.raises(PlanimeterError, match="belongs to another user"):
        temporary_folder(url)
    folder.unlink()


@pytest.mark.parametrize("answer", [OSError(errno.ENOSYS, "Not Implemented"), TypeError("no such argument")])
def test_a_service_without_conditional_writes_replaces_nothing(answer, url, tmp_path):
    bucket = Store(url)
    put_file = bucket._files.put_file

    def refusing(*given, mode="overwrite"):
        if mode == "create":
            raise answer
        put_file(*given)

    bucket._files.put_file = refusing
    (tmp_path / "file").write_bytes(b"three")
    bucket.write("name", b"one")
    with pytest.raises(FileExistsError):
        bucket.create("name", tmp_path / "file")
    bucket.create("other", tmp_path / "file")
    assert (bucket.read("name"), bucket.read("other")) == (b"one", b"three")


@pytest.mark.usefixtures("url")
def test_a_bucket_that_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for out, environment, words in (
        ("s3://no-such-bucket/x", {}, "The specified bucket does not exist; create it first"),
        ("s3://shelf/x", {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Unable to locate credentials"),
        ("s3://shelf/x", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "Could not connect to the endpoint"),
        ("s4://shelf/x", {}, "Protocol not known: s4"),
        ("gs://shelf/x", {}, "install gcsfs"),
        ("s3://", {}, "names no bucket"),
        (f"s3://{KEY}:{SECRET}@shelf/x", {}, "credentials and options come from the environment"),
    ):
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value) if value else patch.delenv(name)
            S3FileSystem.clear_instance_cache()
            ended = here("build", *TINY, "--out", out)
        assert (ended.code, len(ended.lines)) == (1, 1), ended.err
        assert words in ended.err and SECRET not in ended.err
    assert [checked("file:///some/folder"), checked("s3://shelf/x/")] == ["/some/folder", "s3://shelf/x"]
