"""A sealed edition on the Hub: the seal before the rows, the seed after them, each once and under its own tag."""

import json
import shutil

import pytest
from sample_folder import FUNNEL, RECIPE, REJECTS, ROWS, tables
from stand_in_hub import REPO

from planimeter.export.dataset import write_dataset
from planimeter.export.hub.faults import PublishError
from planimeter.export.hub.publish import Target, publish_file
from planimeter.export.manifest import Manifest
from planimeter.export.schema import schema_of
from planimeter.export.seal import SEAL_FILE, SEED_FILE
from planimeter.export.verify.folder import verify
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.secret import Secret
from planimeter.flows.service import hub as service

LINE = "7f3a91c05be24d6688d0a1b2c3e4f596 0123456789abcdef0123456789abcdef\n"


@pytest.fixture
def sealed(tmp_path):
    """The hand-made dataset as a sealed edition."""
    folder, seal = tmp_path / "sealed" / "1.0.0", Secret(LINE).seal
    folder.mkdir(parents=True)
    configs = {}
    for config, rows in ROWS.items():
        schema = schema_of("marvl_qa", config, ["test"], sealed=True)
        plain = [{name: value for name, value in row.items() if name != "seed"} for row in rows]
        configs[config] = {"test": tables(plain, schema, 5)}
    named = {"dataset": RECIPE["dataset"], "version": RECIPE["version"], "seed": None, "seal": seal}
    more = {"code_digest": "0" * 64, "funnel": FUNNEL, "rejects": REJECTS}
    write_dataset(folder, recipe=RECIPE | {"seed": None}, configs=configs, **named, **more)
    assert verify(folder) == []
    return folder


@pytest.fixture
def put_file(api):
    def put(folder, name, content, **options):
        return publish_file(
            folder, Target(repo=REPO), name, content, **({"api": api, "log": str, "dry_run": False} | options)
        )

    return put


def seal_of(folder):
    return SEAL_FILE, (folder / SEAL_FILE).read_bytes()


SEED = (SEED_FILE, LINE.encode())


def test_seal_rows_and_seed_are_published_in_this_order(hub, put, put_file, sealed):
    with pytest.raises(PublishError, match=r"no seal of this edition: publish it before the rows, by .*--only-seal"):
        put(sealed)
    with pytest.raises(PublishError, match="has no rows of this edition"):
        put_file(sealed, *SEED)
    assert [step.split()[0] for step in put_file(sealed, *seal_of(sealed), dry_run=True).steps] == [
        "create",
        "commit:",
        "tag",
    ]
    assert hub.repos == {}
    assert put_file(sealed, *seal_of(sealed)).tag == "seal-v1.0.0"
    assert set(hub.files()) == {SEAL_FILE}
    put(sealed)
    assert hub.files(revision="v1.0.0") == hub.files() and SEED_FILE not in hub.files()
    done = put_file(sealed, *SEED)
    assert (done.tag, len(done.steps)) == ("seed-v1.0.0", 2)
    assert set(hub.files()) == {*hub.files(revision="v1.0.0"), SEED_FILE}
    # All of it again changes nothing.
    titles = hub.titles()
    assert titles[:3] == ["marvl-qa-mini 1.0.0: seed", "marvl-qa-mini 1.0.0", "marvl-qa-mini 1.0.0: seal"]
    assert put_file(sealed, *seal_of(sealed)).steps == put(sealed).steps == put_file(sealed, *SEED).steps == ()
    assert hub.titles() == titles


def test_rows_under_another_seal_are_refused(put, put_file, sealed):
    put_file(sealed, *seal_of(sealed))
    manifest = json.loads((sealed / "manifest.json").read_text())
    (sealed / SEAL_FILE).write_text(json.dumps({"seal": "0" * 64}))
    (sealed / "manifest.json").write_text(json.dumps(manifest | {"seal": "0" * 64}))
    with pytest.raises(PublishError, match=r"has another seal under seal-v1\.0\.0"):
        put(sealed)
    with pytest.raises(PublishError, match=r"has seal-v1\.0\.0 with another seal\.json, which is never replaced"):
        put_file(sealed, *seal_of(sealed))


def test_a_seal_after_its_rows_is_refused(put, put_file, sealed, folder):
    put(folder)
    with pytest.raises(PublishError, match=r"has the rows of v1\.0\.0 already: a seal must precede its rows"):
        put_file(sealed, *seal_of(sealed))


def test_only_the_seed_of_the_edition_is_published(hub, sealed, folder, tmp_path):
    given = {"private": False, "dry_run": True, "log": str}
    path = tmp_path / "seed"
    path.write_text(LINE[::-1].strip() + "\n")
    with pytest.raises(PlanimeterError, match="has another seed than the edition"):
        service.sealed_publication(sealed, REPO, seed=str(path), **given)
    with pytest.raises(PlanimeterError, match="is not a sealed edition"):
        service.sealed_publication(folder, REPO, **given)
    assert service.sealed_publication(sealed, REPO, **given)().tag == "seal-v1.0.0"


def test_an_opened_edition_keeps_every_promise(put, put_file, api, sealed, tmp_path):
    put_file(sealed, *seal_of(sealed))
    put(sealed)
    put_file(sealed, *SEED)
    found = api.snapshot_download(REPO, repo_type="dataset", local_dir=tmp_path / "found")
    assert verify(tmp_path / "found") == [] and found
    assert Manifest.read(tmp_path / "found").seed is None
    shutil.rmtree(tmp_path / "found")
