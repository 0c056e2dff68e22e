"""The upload of a finished dataset to a bucket: cut off anywhere, or raced by another build, it harms nobody's work."""

import hashlib
import itertools
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.store.bucket import Bucket, StoreError
from planimeter.flows.store.claims import Claim, Claims
from planimeter.flows.store.remote_place import RemotePlace
from planimeter.flows.store.storage import FolderStore
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini", scale=0.02)
AT = f"{RECIPE.dataset}/{RECIPE.version}"

#: What an upload says that another has overtaken.
LOST = ("appeared while this build was at work", "has taken over the upload", "is not what was uploaded")

on_s3 = pytest.mark.parametrize("url", ["s3"], indirect=True)


@pytest.fixture
def url(request, tmp_path, monkeypatch):
    """An address of the test's own, in this process's memory or on an S3 server, and a folder for its machine."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    scheme = getattr(request, "param", "memory")
    if scheme == "s3":
        request.getfixturevalue("s3")
    return f"{scheme}://shelf/{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]}"


def there(url):
    """What lies at ``url``."""
    root, _, name = url.rpartition("/")
    bucket = Bucket(root)
    return {path: bucket.get(f"{name}/{path}") for path in sorted(bucket.sizes(name))}


def version_at(url):
    """The files of the version at ``url``, where nothing else lies."""
    objects = there(url)
    assert all(name.startswith(f"{AT}/") for name in objects), objects.keys()
    return {name.removeprefix(f"{AT}/"): content for name, content in objects.items()}


def of_build(name, *first):
    """The files of the version that ``machine(name, ...)`` delivers."""
    rows = {"data/more": f"more of {name}".encode(), "data/rows": f"the rows of {name}".encode()}
    return {**dict.fromkeys(first, b""), **rows, "manifest.json": json.dumps({"by": name}).encode()}


def finished(url, files):
    """A place whose folder holds a small stand-in for a dataset."""
    place = RemotePlace(RECIPE, url)
    place.prepare()
    (place.folder / "data").mkdir(parents=True)
    for name, content in files.items():
        (place.folder / name).write_bytes(content)
    return place


def machine(name, url, tmp_path, monkeypatch, *first):
    """A machine that has a dataset of its own to deliver."""
    (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / name))
    return finished(url, of_build(name, *first))


def deliver(place):
    with bars() as shown:
        place.deliver(shown)


def outcome(place):
    try:
        deliver(place)
    except PlanimeterError as error:
        return str(error)
    return "well"


def cut_off(place, method, monkeypatch):
    """Deliver, until a bucket's ``method`` fails below the version."""
    plain = getattr(Bucket, method)

    def failing(bucket, name, *given, **more):
        if name.startswith("marvl-qa-mini/"):
            raise StoreError("the network is gone")
        return plain(bucket, name, *given, **more)

    with monkeypatch.context() as cut, pytest.raises(StoreError):
        cut.setattr(Bucket, method, failing)
        deliver(place)


def first_before(method, ending, do, monkeypatch):
    """Have it done before the first call of a bucket's ``method`` with an object whose name ends in ``ending``."""
    plain, left = getattr(Bucket, method), [do]

    def hooked(*given, **more):
        if left and str(given[-1 if method == "upload" else 1]).endswith(ending):
            left.pop()()
        return plain(*given, **more)

    monkeypatch.setattr(Bucket, method, hooked)


@on_s3
def test_an_upload_that_was_cut_off_is_not_there_and_goes_on(url, monkeypatch):
    place = finished(url, of_build("only") | {"data/of an earlier attempt": b"old"})
    cut_off(place, "sizes", monkeypatch)
    assert f"{AT}/data/rows" in there(url)
    assert not RemotePlace(RECIPE, url).is_built()
    (place.folder / "data" / "of an earlier attempt").unlink()
    deliver(place)
    assert version_at(url) == of_build("only")


PRESENT = [("thesis.txt", r"thesis\.txt is not what was"), ("data/rows", "data/rows appeared while this build was")]


@pytest.mark.parametrize("name, words", PRESENT)
def test_what_others_put_there_stays(name, words, url):
    Bucket(url).put(f"{AT}/{name}", b"years of work")
    with pytest.raises(VersionExistsError, match="not a dataset that Planimeter finished"):
        RemotePlace(RECIPE, url).is_built()
    with pytest.raises(PlanimeterError, match=words):
        deliver(finished(url, of_build("only")))
    assert there(url)[f"{AT}/{name}"] == b"years of work"


def test_a_version_that_appears_meanwhile_is_not_replaced(url, monkeypatch):
    place, sizes = finished(url, of_build("only")), Bucket.sizes

    def and_then(bucket, folder):
        listed = sizes(bucket, folder)
        if folder.startswith("marvl-qa-mini/"):
            Bucket(url).put(f"{AT}/manifest.json", b"theirs")
        return listed

    monkeypatch.setattr(Bucket, "sizes", and_then)
    with pytest.raises(VersionExistsError, match="it appeared while this build was at work"):
        deliver(place)
    assert there(url)[f"{AT}/manifest.json"] == b"theirs"


def test_a_manifest_never_seals_what_another_build_uploads(url, tmp_path, monkeypatch):
    """Asleep between the last look at the objects and its decision, while another is amid its upload."""
    asleep = machine("asleep", url, tmp_path, monkeypatch, "data/first of asleep")
    awake = machine("awake", url, tmp_path, monkeypatch, "data/first of awake")
    decision = f"{RECIPE.dataset}-{RECIPE.version}/2"
    first_before("put", decision, partial(cut_off, awake, "sizes", monkeypatch), monkeypatch)
    with pytest.raises(PlanimeterError, match="a build of other content has taken over the upload"):
        deliver(asleep)
    assert f"{AT}/manifest.json" not in there(url)
    deliver(awake)
    assert version_at(url) == of_build("awake", "data/first of awake")


def test_what_is_decided_stays_though_its_build_dies(url, tmp_path, monkeypatch):
    """Killed before the manifest: whoever comes next puts it there, also one that would have overtaken it."""
    dead, late = (machine(name, url, tmp_path, monkeypatch, f"data/of {name}") for name in ("dead", "late"))
    cut_off(dead, "put", monkeypatch)
    assert f"{AT}/manifest.json" not in there(url)
    with pytest.raises(VersionExistsError, match="appeared while"):
        deliver(late)
    assert there(url)[f"{AT}/manifest.json"] == b'{"by": "dead"}'
    assert there(url)[f"{AT}/data/rows"] == b"the rows of dead"
    deliver(dead)
    assert version_at(url) == of_build("dead", "data/of dead")


def hooked(plain, requests, overtake):
    """``plain``, which overtakes first when ``requests`` come to 0."""

    def request(*given, **more):
        if next(requests) == 0:
            overtake()
        return plain(*given, **more)

    return request


@pytest.mark.parametrize("same", [True, False], ids=["the same content", "other content"])
def test_two_uploads_lose_nothing_wherever_one_interrupts_the_other(same, url, tmp_path, monkeypatch):
    """The second one does all its work before the first, the second, ... request of the first one."""
    monkeypatch.setattr("planimeter.flows.store.remote_place.STREAMS", 1)
    winners = set()
    for moment in itertools.count():
        here = f"{url}/{moment}"
        first, second = (machine(f"{moment} {name}", here, tmp_path, monkeypatch) for name in ("first", "second"))
        if same:
            shutil.copytree(first.folder, second.folder, dirs_exist_ok=True)
        requests, outcomes = itertools.count(-moment), []
        overtake = partial(lambda place, ends: ends.append(outcome(place)), second, outcomes)
        with monkeypatch.context() as hooks:
            for method in ("put", "get", "sizes", "upload", "delete"):
                hooks.setattr(Bucket, method, hooked(getattr(Bucket, method), requests, overtake))
            outcomes.append(outcome(first))
        if len(outcomes) < 2:
            break
        files = version_at(here)
        by = json.loads(files["manifest.json"])["by"]
        assert files == of_build(by)
        refused = [message for message in outcomes if message != "well"]
        assert len(refused) == (0 if same else 1), (moment, outcomes)
        assert all(any(words in message for words in LOST) for message in refused), (moment, refused)
        winners.add(by.partition(" ")[2])
    assert winners == ({"first"} if same else {"first", "second"})
    assert moment > 10, "few requests were interrupted"


def test_an_upload_whose_answer_was_lost_is_not_taken_for_another(url, tmp_path, monkeypatch):
    place = machine("only", url, tmp_path, monkeypatch)
    rows = place.folder / "data/rows"
    again = partial(place._create, "data/rows", rows, hashlib.sha256(rows.read_bytes()).hexdigest())
    first_before("upload", "data/rows", again, monkeypatch)
    deliver(place)
    assert f"{AT}/manifest.json" in there(url)


@on_s3
def test_uploads_of_the_same_content_end_well_together(url, tmp_path, monkeypatch):
    """With leftovers of other content in their way, of which each object has to be replaced."""
    cut_off(machine("old", url, tmp_path, monkeypatch, "data/of old"), "sizes", monkeypatch)
    places = [machine(str(number), url, tmp_path, monkeypatch) for number in range(2)]
    shutil.copytree(places[0].folder, places[1].folder, dirs_exist_ok=True)
    with ThreadPoolExecutor(2) as machines:
        assert list(machines.map(outcome, places)) == ["well", "well"]
    assert version_at(url) == of_build("0")


@on_s3
def test_of_two_claims_of_a_number_one_holds(url, tmp_path, monkeypatch):
    for store in (FolderStore(tmp_path / "store"), Bucket(url)):
        claims = Claims(store, "d-1.0.0")
        assert claims.latest() == (0, Claim())
        with ThreadPoolExecutor(4) as machines:
            added = list(machines.map(lambda n, c=claims: c.add(1, Claim(content=str(n))), range(4)))
        assert added.count(True) == 1
        assert claims.latest() == (1, Claim(content=str(added.index(True))))
        last = Claim(content="last", files=("a", "b"), manifest="{}")
        assert claims.add(10, last)
        assert claims.latest() == (10, last)
        store.put("uploads/d-1.0.0/11", b"\xff")
        assert claims.latest() == (11, Claim())
        # A build that was overtaken never finds its own claim to hold again.
        held = []
        look = partial(lambda c, numbers: numbers.append(c.latest()[0]), claims, held)
        monkeypatch.setattr(store, "delete", hooked(store.delete, itertools.repeat(0), look))
        claims.clear()
        assert (held, claims.latest()) == ([11, 11, 11], (0, Claim()))
