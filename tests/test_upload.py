"""The upload of a finished dataset to a bucket: cut off anywhere, or raced by another build, it harms nobody's work."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from loopback_s3 import content, objects

from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError, VersionExistsError
from planimeter.flows.store.bucket import Bucket, StoreError
from planimeter.flows.store.lease import Lease
from planimeter.flows.store.remote_place import RemotePlace
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini", scale=0.02)
assert isinstance(RECIPE, Recipe)


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


def machine(name: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RemotePlace:
    """A machine that has a dataset of its own to deliver."""
    (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / name))
    place = finished(url)
    (place.folder / "data" / "rows").write_bytes(f"the rows of {name}".encode())
    (place.folder / "data" / "more").write_bytes(f"more of {name}".encode())
    (place.folder / "data" / f"first of {name}").write_bytes(b"")
    (place.folder / "manifest.json").write_bytes(json.dumps({"by": name}).encode())
    return place


def overtake(place: RemotePlace) -> None:
    """Take the lease of a build that is not heard of, deliver, and end."""
    with Lease(place.store, RECIPE.dataset, "awake", beat=0.1, patience=0.2) as place._lease:
        deliver(place)


def first_before(method: str, ending: str, do: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have it done before the first call of a bucket's ``method`` with an object whose name ends in ``ending``."""
    plain, left = getattr(Bucket, method), [do]

    def hooked(*given: Any, **more: Any) -> Any:
        if left and str(given[-1 if method == "upload" else 1]).endswith(ending):
            left.pop()()
        return plain(*given, **more)

    monkeypatch.setattr(Bucket, method, hooked)


@pytest.mark.parametrize("moment", ["its upload", "more", "rows"])
def test_a_build_that_slept_before_it_leaves_alone_what_another_has_finished(
    moment: str, s3: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep, awake = (machine(name, url, tmp_path, monkeypatch) for name in ("asleep", "awake"))
    monkeypatch.setattr("planimeter.flows.store.remote_place.STREAMS", 1)
    with Lease(asleep.store, RECIPE.dataset, "asleep", beat=60) as asleep._lease:
        if moment == "its upload":
            overtake(awake)
        else:
            first_before("upload", f"data/{moment}", partial(overtake, awake), monkeypatch)
        with pytest.raises(PlanimeterError, match=r"took the place of this one|appeared while"):
            deliver(asleep)
    there = {name: content(s3, url, name) for name in objects(s3, url)}
    assert there == {
        "marvl-qa-mini/1.0.0/data/first of awake": b"",
        "marvl-qa-mini/1.0.0/data/more": b"more of awake",
        "marvl-qa-mini/1.0.0/data/rows": b"the rows of awake",
        "marvl-qa-mini/1.0.0/manifest.json": b'{"by": "awake"}',
    }


def test_a_manifest_never_seals_what_another_build_uploads(
    s3: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asleep between the last look at the claim and the manifest, while another is amid its upload."""
    asleep, awake = (machine(name, url, tmp_path, monkeypatch) for name in ("asleep", "awake"))

    def up_to_the_manifest() -> None:
        with monkeypatch.context() as cut, pytest.raises(StoreError):
            cut.setattr(Bucket, "sizes", lambda *_: (_ for _ in ()).throw(StoreError("the network is gone")))
            deliver(awake)

    first_before("put", "1.0.0/manifest.json", up_to_the_manifest, monkeypatch)
    with pytest.raises(PlanimeterError, match="another build has taken over the upload"):
        deliver(asleep)
    assert "marvl-qa-mini/1.0.0/manifest.json" not in objects(s3, url)
    deliver(awake)
    assert content(s3, url, "marvl-qa-mini/1.0.0/data/rows") == b"the rows of awake"
    assert content(s3, url, "marvl-qa-mini/1.0.0/manifest.json") == b'{"by": "awake"}'


def test_an_upload_is_refused_before_it_touches_a_finished_version(
    s3: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even by a build that holds the lease: its beat may have fallen on another's, which it then replaced."""
    late, first = (machine(name, url, tmp_path, monkeypatch) for name in ("late", "first"))
    deliver(first)
    before = objects(s3, url)
    with (
        Lease(late.store, RECIPE.dataset, "late") as late._lease,
        pytest.raises(VersionExistsError, match="it appeared while this build was at work"),
    ):
        deliver(late)
    assert objects(s3, url) == before


def test_an_upload_whose_answer_was_lost_is_not_taken_for_another(
    s3: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = machine("only", url, tmp_path, monkeypatch)
    first_before("upload", "data/rows", partial(place._create, "data/rows", place.folder / "data/rows"), monkeypatch)
    deliver(place)
    assert "marvl-qa-mini/1.0.0/manifest.json" in objects(s3, url)
