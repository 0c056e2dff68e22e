"""The upload of a finished dataset to a bucket: cut off anywhere, or raced by another build, it harms nobody's work."""

import hashlib
import itertools
import json
import shutil
from functools import partial
from unittest import mock

import pytest

from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError, StoreError, VersionExistsError
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import Store
from planimeter.suites.loading import load

RECIPE = load("marvl-qa-mini", scale=0.02)
AT = f"{RECIPE.dataset}/{RECIPE.version}"

#: What an upload says that another has overtaken.
LOST = "exists with other content (its croissant.json is of another build); it is not replaced"


@pytest.fixture
def url(tmp_path, monkeypatch):
    """An address of the test's own, in this process's memory, and a folder for its machine."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return f"memory://shelf/{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]}"


def there(url):
    """What lies at ``url``."""
    root, _, name = url.rpartition("/")
    bucket = Store(root)
    return {path: bucket.read(f"{name}/{path}") for path in sorted(bucket.sizes(name))}


def version_at(url):
    """The files of the version at ``url``, where nothing else lies."""
    objects = there(url)
    assert all(name.startswith(f"{AT}/") for name in objects), objects.keys()
    return {name.removeprefix(f"{AT}/"): content for name, content in objects.items()}


def of_build(name):
    """The files of the version that ``machine(name, ...)`` delivers."""
    rows = {f"data/{file}": f"{file} of {name}".encode() for file in ("more", "rows")}
    return rows | {file: json.dumps({"by": name}).encode() for file in ("croissant.json", "manifest.json")}


def machine(name, url, tmp_path, monkeypatch):
    """The place of a machine whose folder has a small stand-in for a dataset to deliver."""
    (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / name))
    place = Place(RECIPE, url)
    place.prepare()
    (place.folder / "data").mkdir(parents=True)
    for file, content in of_build(name).items():
        (place.folder / file).write_bytes(content)
    return place


def deliver(place):
    with bars() as shown:
        place.deliver(shown)


def outcome(place):
    try:
        deliver(place)
    except PlanimeterError as error:
        return str(error)
    return "well"


def test_an_interrupted_upload_continues(url, tmp_path, monkeypatch):
    place = machine("only", url, tmp_path, monkeypatch)
    with mock.patch.object(Store, "sizes", side_effect=StoreError("the network is gone")), pytest.raises(StoreError):
        deliver(place)
    assert f"{AT}/data/rows" in there(url)
    assert not Place(RECIPE, url).is_built()
    left = there(url)
    assert LOST in outcome(machine("other", url, tmp_path, monkeypatch))
    assert there(url) == left
    deliver(place)
    assert version_at(url) == of_build("only")


PRESENT = [("thesis.txt", r"thesis\.txt is not a file of this"), ("data/rows", "its data/rows is of another build")]


@pytest.mark.parametrize("name, words", PRESENT)
def test_an_upload_replaces_no_foreign_file(name, words, url, tmp_path, monkeypatch):
    Store(url).write(f"{AT}/{name}", b"years of work")
    with pytest.raises(VersionExistsError, match=words):
        deliver(machine("only", url, tmp_path, monkeypatch))
    assert there(url)[f"{AT}/{name}"] == b"years of work"
    assert f"{AT}/manifest.json" not in there(url)


def hooked(plain, requests, overtake):
    """``plain``, which overtakes first when ``requests`` come to 0."""

    def request(*given, **more):
        if next(requests) == 0:
            overtake()
        return plain(*given, **more)

    return request


@pytest.mark.parametrize("same", [True, False], ids=["the same content", "other content"])
def test_two_uploads_at_once_lose_nothing(same, url, tmp_path, monkeypatch):
    """The second one does all its work before the first, the second, ... request of the first one."""
    monkeypatch.setattr("planimeter.flows.store.place.STREAMS", 1)
    winners = set()
    for moment in itertools.count():
        here = f"{url}/{moment}"
        first, second = (machine(f"{moment} {name}", here, tmp_path, monkeypatch) for name in ("first", "second"))
        if same:
            shutil.copytree(first.folder, second.folder, dirs_exist_ok=True)
        requests, outcomes = itertools.count(-moment), []
        overtake = partial(lambda place, ends: ends.append(outcome(place)), second, outcomes)
        with monkeypatch.context() as hooks:
            for method in ("read", "sha256", "sizes", "create"):
                hooks.setattr(Store, method, hooked(getattr(Store, method), requests, overtake))
            outcomes.append(outcome(first))
        if len(outcomes) < 2:
            break
        files = version_at(here)
        by = json.loads(files["manifest.json"])["by"]
        assert files == of_build(by)
        refused = [message for message in outcomes if message != "well"]
        assert len(refused) == (0 if same else 1), (moment, outcomes)
        assert all(LOST in message for message in refused), (moment, refused)
        winners.add(by.partition(" ")[2])
    assert winners == ({"first"} if same else {"first", "second"})
    assert moment > 8, "few requests were interrupted"
