"""What differs between two versions, in folders and on the Hub, and how little is read to find it."""

import shutil

import command_line
import pytest
import sample_folder
from huggingface_hub import constants
from sample_folder import RECIPE, counting_rows, png, write_sample
from stand_in_hub import REPO

from planimeter.export.hub.diff import diff
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import NoDatasetError


def folders(old, new):
    return diff(Version.in_folder(old), Version.in_folder(new))


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """Version 1.1.0 of the sample: in the second of its two files of `counting` one picture is another."""
    rows = [*counting_rows()]
    rows[-1] |= {"image": png(77)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sample_folder.ROWS, "counting", rows)
        return write_sample(tmp_path_factory.mktemp("changed") / "1.1.0", recipe=RECIPE | {"version": "1.1.0"})


def test_rows_that_came_went_and_changed_are_found(sample, tmp_path, monkeypatch):
    rows_there = [dict(row) for row in counting_rows()]
    rows_there[0] |= {"prompt": "How many?"}
    rows_there[1] |= {"id": "new"}
    monkeypatch.setitem(sample_folder.ROWS, "counting", rows_there[:-1])
    found = folders(sample, write_sample(tmp_path / "1.0.0"))
    rows = found.rows["counting"]
    assert (rows.added, set(rows.removed)) == (("new",), {"c01", "c18"})
    assert dict(rows.changed) == {"c00": ("prompt",)}
    assert rows.same == 15
    assert rows.shared_pictures == 17
    assert not found.is_fresh_edition
    assert folders(sample, sample).is_empty


def test_a_changed_picture_is_noticed(sample, changed):
    rows = folders(sample, changed).rows["counting"]
    assert dict(rows.changed) == {"c18": ("image",)}
    assert (rows.added, rows.removed, rows.same, rows.shared_pictures) == ((), (), 17, 17)


def test_a_fresh_edition_shares_no_item_and_no_picture(tmp_path, sample, monkeypatch):
    fresh = [row | {"id": f"f{row['id']}", "image": png(200 + place)} for place, row in enumerate(counting_rows())]
    monkeypatch.setitem(sample_folder.ROWS, "counting", fresh)
    monkeypatch.setitem(sample_folder.ROWS, "transformation", [])
    recipe = RECIPE | {"seed": 8, "version": "2.0.0"}
    found = folders(sample, write_sample(tmp_path / "2.0.0", recipe=recipe))
    assert found.is_fresh_edition
    fresh[3] |= {"image": png(3)}
    again = folders(sample, write_sample(tmp_path / "again" / "2.0.0", recipe=recipe))
    assert again.rows["counting"].shared_pictures == 1
    assert not again.is_fresh_edition


# --- on the Hub


@pytest.fixture
def old(put, folder, changed):
    """Version 1.0.0 of the sample; it is on the Hub, and so is ``changed``."""
    put(folder)
    put(changed)
    return folder


def test_diff_reads_only_differing_files_of_the_hub(hub, api, old, changed):
    # Equal files are not read; those of two versions differ, if only in their canaries.
    for folder, files in (
        (old, set()),
        (changed, {path.relative_to(old).as_posix() for path in old.rglob("*.parquet")}),
    ):
        shutil.rmtree(constants.HF_HUB_CACHE)
        hub.reset()
        assert diff(Version.on_hub(api, REPO, "v1.0.0"), Version.in_folder(folder)) == folders(old, folder)
        paths = {request["path"].split("/resolve/")[-1].partition("/")[2] for request in hub.log}
        assert {path for path in paths if path.startswith("data/")} == files
    both = diff(Version.on_hub(api, REPO, "v1.0.0"), Version.on_hub(api, REPO, "v1.1.0"))
    assert both == folders(old, changed)
    assert (both.old, both.new) == ("marvl-qa-mini 1.0.0", "marvl-qa-mini 1.1.0")
    for repo, tag in (("tester/nowhere", "v1.0.0"), (REPO, "v9.9.9")):
        with pytest.raises(NoDatasetError, match=f"{repo}@{tag}: the Hub shows no such dataset or tag"):
            Version.on_hub(api, repo, tag)


def test_the_command_compares_two_tags(old):
    ended = command_line.here("diff", f"{REPO}@v1.0.0", f"{REPO}@v1.1.0")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("marvl-qa-mini 1.0.0 → marvl-qa-mini 1.1.0\n")
    assert "rows of counting: 0 added, 0 removed, 1 changed (in image), 17 as before; 17 pictures in both" in ended.out
    assert "  counting changed: c18" in ended.out
    unknown = f"{REPO}@v3"
    for missing, words in {unknown: f"{unknown}: the Hub shows no such", str(old.with_name("none")): "none"}.items():
        ended = command_line.here("diff", f"{REPO}@v1.0.0", missing)
        assert (ended.code, len(ended.lines)) == (1, 1)
        assert words in ended.err
