"""What kills leave lying is removed by the next build, and nothing that is of use, or somebody else's."""

from pathlib import Path

from filelock import FileLock

from planimeter.flows.store.place import Place
from planimeter.flows.store.sweep import sweep
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, Recipe)


def littered(outputs: Path) -> tuple[Place, list[Path], list[Path]]:
    """A place, what is to go from it, and what is to stay."""
    place = Place(RECIPE, outputs)
    place.prepare()
    store, versions = Path(place.lock().lock_file).parent.parent, place.folder.parent
    litter = [
        store / "shards/0a/.tmp-77-0a",
        store / "builds/.tmp-77-x.json",
        store / "parts/marvl-qa-mini/.tmp-77-0",
        versions / ".0.9.0.staging/data/x",
    ]
    kept = [
        store / "shards/0a/0a.arrow",
        store / "made" / ("0" * 64),
        versions / "0.8.0/README.md",
        outputs / "curves/.1.2.1.staging/README.md",
    ]
    for path in litter + kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    return place, litter, kept


def test_litter_goes_and_all_else_stays(tmp_path: Path) -> None:
    place, litter, kept = littered(tmp_path)
    (Path(place.lock().lock_file).parent / "curves.lock").touch()
    with place.locked():
        sweep(place)
    assert not any(path.exists() for path in litter)
    assert not litter[-1].parent.parent.exists(), "an empty folder under construction is left"
    assert all(path.exists() for path in kept)


def test_the_half_written_shards_of_a_build_at_work_stay(tmp_path: Path) -> None:
    place, litter, kept = littered(tmp_path)
    with place.locked(), FileLock(Path(place.lock().lock_file).parent / "curves.lock"):
        sweep(place)
    assert all(path.exists() for path in [*litter[:3], *kept])
    assert not litter[3].exists(), "the lock of this dataset is ours"
