"""Sealed editions: a seed that no file, log or database has, and seals that fit or are refused."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import command_line
import plain
import pyarrow.parquet as pq
import pytest

from planimeter.export.manifest import Manifest, canonical_json
from planimeter.export.parquet import sha256_of
from planimeter.export.seal import SEAL_FILE, SEED_FILE, seal_of
from planimeter.export.verify.folder import verify
from planimeter.flows import work
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.options import BuildOptions
from planimeter.flows.secret import Sealed, Secret, kept_from_messages
from planimeter.flows.store import keys
from planimeter.generators.seeding import item_seed
from planimeter.suites.loading import load

SEED, SALT = "7f3a91c05be24d6688d0a1b2c3e4f596", "0123456789abcdef0123456789abcdef"
OTHER = SEED[::-1]

NAME = Path("geogram") / load("geogram").version


def seed_file(path: Path, seed: str = SEED, salt: str = SALT) -> Path:
    path.write_text(f"{seed} {salt}\n")
    path.chmod(0o600)
    return path


def marks(seed: str = SEED) -> list[bytes]:
    """What no file may contain."""
    return [seed.encode(), seed.upper().encode(), str(int(seed, 16)).encode(), bytes.fromhex(seed)]


def leaks(*folders: Path) -> list[Path]:
    """The files below ``folders`` whose content or name has the seed or the salt."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert files
    secret = [*marks(), SALT.encode(), str(int(SALT, 16)).encode()]
    return [path for path in files if any(mark in path.read_bytes() + bytes(path) for mark in secret)]


@pytest.fixture(scope="session")
def edition(kept) -> Path:
    """Outputs with a sealed edition of a few rows and its store, to be read only."""

    def make(outputs: Path) -> None:
        plain.build("geogram", outputs, scale=0.02, sealed=seed_file(outputs.with_name("seed-of-sealed")))

    return kept("sealed", make)


@pytest.fixture
def sealed(edition, tmp_path) -> Path:
    """A copy of the edition, to be damaged."""
    return Path(shutil.copytree(edition / NAME, tmp_path / NAME))


@pytest.fixture
def seed(tmp_path) -> Path:
    return seed_file(tmp_path / "seed")


# --- the seed file


@pytest.mark.parametrize(
    "line",
    [
        f"{SEED} {SALT}",
        f"{SEED[:31]} {SALT}\n",
        f"{SEED.upper()} {SALT}\n",
        f"{'0' * 32} {'0' * 32}\n",
        f"{SEED} {SALT}\n{SEED} {SALT}\n",
        "\u00e9" * 66,
    ],
)
def test_a_short_or_misshapen_seed_file_is_refused(line, tmp_path):
    (tmp_path / "seed").write_text(line, encoding="utf-8")
    with pytest.raises(PlanimeterError) as refused:
        Secret.read(tmp_path / "seed")
    said = str(refused.value)
    assert str(tmp_path / "seed") in said and "secrets.token_hex" in said and SEED not in said.lower()


def test_a_link_or_missing_or_changed_seed_file_is_refused(seed, tmp_path):
    (tmp_path / "link").symlink_to(seed)
    with pytest.raises(PlanimeterError, match="is a link"):
        Secret.read(tmp_path / "link")
    with pytest.raises(PlanimeterError, match="No such file"):
        Secret.read(tmp_path / "nowhere")
    sealed = Sealed.at(seed)
    seed_file(seed, OTHER)
    with pytest.raises(PlanimeterError, match="has another seed than the edition"):
        sealed.open()


def test_a_seed_file_that_others_may_read_is_warned_of(seed):
    arguments = ("build", "geogram", "--sealed", str(seed), "--seed", "1")
    assert command_line.here(*arguments).lines == [
        "planimeter: --seed and --sealed exclude each other: the seed of a sealed edition is in its file"
    ]
    for mode in (0o640, 0o604):
        seed.chmod(mode)
        ended = command_line.here("build", "geogram", "--sealed", str(seed), "--out", "/dev/null/none")
        assert "other users of this machine may read" in ended.lines[0]


def test_the_seal_is_the_digest_of_the_seed_file(seed):
    secret = Secret.read(seed)
    assert secret.seal == sha256_of(seed) and secret.seed == int(SEED, 16)
    assert secret.store_key != secret.seal
    assert not any(mark.decode("latin-1") in repr((secret, Sealed.at(seed))) for mark in marks())


def test_seeds_of_items_do_not_give_a_secret_root_away():
    # SeedSequence can be inverted, a keyed digest cannot.
    assert item_seed(int(SEED, 16), ("c", 1)) == 7016847882958811904
    assert item_seed(2**64 - 1, ("c", 1)) == 411812140348170240
    assert item_seed(int(SEED, 16), ("c", 1)) != item_seed(int(OTHER, 16), ("c", 1))


def test_keys_of_shards_depend_on_seed_and_salt(seed, tmp_path):
    public = load("geogram", scale=0.02)
    recipe = public.model_copy(update={"seed": None})
    opened = Secret.read(seed).opened(public)
    files = [seed, seed_file(tmp_path / "salt", SEED, OTHER), seed_file(tmp_path / "other", OTHER)]
    planned = [keys.plan(recipe, Sealed.at(file)) for file in files]
    assert len({key for plan in (*planned, keys.plan(opened)) for _, key in plan}) == 4 * len(planned[0])


def test_a_recipe_hides_its_seed_and_needs_it(seed):
    recipe = load("geogram").model_copy(update={"seed": None})
    assert SEED not in repr(Secret.read(seed).opened(recipe)) and "seed" not in repr(Secret.read(seed).opened(recipe))
    with pytest.raises(PlanimeterError, match="--seed FILE"):
        _ = recipe.root


def test_an_error_that_states_the_seed_is_replaced(seed, monkeypatch):
    secret = Secret.read(seed)
    for text in (f"at {secret.seed}", f"0x{secret.seed:X}"):
        left_out = pytest.raises(PlanimeterError, match="making it failed; the message is left out")
        with left_out, kept_from_messages(secret, "making it"):
            raise ValueError(text)
    with pytest.raises(ValueError, match="another"), kept_from_messages(secret, "making it"):
        raise ValueError("another")
    recipe = load("geogram", scale=0.02).model_copy(update={"seed": None})
    (shard, _), *_ = keys.plan(recipe, Sealed.at(seed))

    def fails(recipe):
        raise ValueError(f"cannot make {recipe.seed}")

    monkeypatch.setattr(work, "suite_of", fails)
    with pytest.raises(PlanimeterError, match="states the secret seed"):
        work.make_shard(recipe.model_dump(mode="json"), shard, "memory://nowhere", Sealed.at(seed))


def test_a_sealed_edition_has_one_dataset_in_its_own_folder(seed):
    with pytest.raises(PlanimeterError, match="one dataset at a time"):
        BuildOptions.of(recipe="smoke", sealed=str(seed)).load()
    given = BuildOptions.of(recipe="geogram", scale=0.02, sealed=str(seed))
    assert given.place().folder.parts[-5:] == ("outputs", "x0.02", "sealed", *NAME.parts)


# --- the edition


def test_an_edition_contains_its_seal_and_not_its_seed(edition, seed):
    folder = edition / NAME
    assert leaks(edition) == []
    manifest = Manifest.read(folder)
    assert manifest.seed is None and manifest.recipe["seed"] is None
    assert "seed" not in json.loads((folder / "manifest.json").read_text())
    assert manifest.seal == sha256_of(seed)
    for record in manifest.files:
        assert "seed" not in pq.read_schema(folder / record.path).names
    assert "**This edition is sealed.**" in (folder / "README.md").read_text()
    strata = json.loads((folder / SEAL_FILE).read_text())["strata"]["geogram"]
    assert sum(strata.values()) == 10 and strata["level primitive, language asymptote"] == 1


def test_verify_compares_seal_and_seed_file(sealed, seed):
    assert verify(sealed) == []
    ended = command_line.here("verify", str(sealed), "--seed", str(seed))
    assert ended.code == 0 and "the seed file has this seal" in ended.out
    shutil.copy(seed, sealed / SEED_FILE)
    assert verify(sealed) == [], "it is open"
    seed_file(sealed / SEED_FILE, OTHER)
    (problem,) = verify(sealed)
    assert "seed.txt: its SHA-256 is not the seal" in str(problem)
    (sealed / SEED_FILE).unlink()
    (sealed / SEAL_FILE).write_text((sealed / SEAL_FILE).read_text().replace('"test": 10', '"test": 11'))
    (problem,) = verify(sealed)
    assert str(problem).startswith("seal.json: line") and "11" in str(problem)
    (sealed / SEAL_FILE).unlink()
    (problem,) = verify(sealed)
    assert "seal.json: cannot be read" in str(problem)


def test_a_public_dataset_has_no_seal(folder, seed):
    (folder / SEAL_FILE).write_text("{}")
    assert [str(problem) for problem in verify(folder)] == [
        "seal.json: belongs to a sealed edition, and this dataset is not sealed; move it elsewhere"
    ]
    (folder / SEAL_FILE).unlink()
    assert "is not sealed" in command_line.here("verify", str(folder), "--seed", str(seed)).err
    assert "is not a sealed edition" in command_line.here("unseal", str(folder), "--seed", str(seed)).err


def test_rows_are_made_again_from_the_seed_file(sealed, seed):
    (record,) = Manifest.read(sealed).files
    name = pq.read_table(sealed / record.path)["id"][3].as_py()
    asked = command_line.here("rebuild", str(sealed), name)
    assert asked.code == 1 and "is a sealed edition: give its seed file by --seed FILE" in asked.err
    ended = command_line.here("rebuild", str(sealed), name, "--seed", str(seed))
    assert ended.code == 0 and "same bytes" in ended.out
    assert "another seed" in command_line.here("rebuild", str(sealed), name, "--seed", str(seed_file(seed, OTHER))).err


def refused(folder: Path, seed: Path, *more: str) -> str:
    """What `unseal` says of an edition that it refuses."""
    ended = command_line.here("unseal", str(folder), "--seed", str(seed), "--rows", "2", *more)
    assert ended.code == 1
    return ended.err


def test_an_edition_is_proved_and_another_seed_refused(sealed, seed, tmp_path):
    ended = command_line.here("unseal", str(sealed), "--seed", str(seed), "--rows", "2")
    assert ended.code == 0 and "match; 2 rows of each config were made again and are identical" in ended.out
    assert "the seed file has the seal" in refused(sealed, seed_file(tmp_path / "other", OTHER))


def test_another_recipe_or_code_is_refused_by_name(sealed, seed, tmp_path, monkeypatch):
    published = shutil.copy(sealed / SEAL_FILE, tmp_path / "published.json")
    manifest = Manifest.read(sealed)
    harder = {**manifest.recipe, "geogram": {**manifest.recipe["geogram"], "attempts": 61}}
    resealed(sealed, manifest.model_copy(update={"recipe": harder}))
    assert "recipe is " in refused(sealed, seed, "--seal", published)
    resealed(sealed, manifest.model_copy(update={"code": "ab" * 32}))
    assert "code is 'abab" in refused(sealed, seed, "--seal", published)
    assert "this Planimeter makes other rows: code is" in refused(sealed, seed)


def resealed(folder: Path, manifest: Manifest) -> None:
    """Write manifest and seal, as somebody would who changes an edition afterwards."""
    (folder / "manifest.json").write_bytes(manifest.to_json())
    (folder / SEAL_FILE).write_bytes(canonical_json(seal_of(folder, manifest)))


def test_a_changed_row_is_refused_by_file_and_by_id(sealed, seed, tmp_path):
    published = shutil.copy(sealed / SEAL_FILE, tmp_path / "published.json")
    manifest = Manifest.read(sealed)
    (record,) = manifest.files
    path = sealed / record.path
    rows = pq.read_table(path)
    changed = rows.to_pylist()
    changed[0]["answer"] = "99"
    pq.write_table(rows.from_pylist(changed, schema=rows.schema), path)
    assert f"{record.path} is not the file in manifest.json" in refused(sealed, seed)
    files = (replace(record, sha256=sha256_of(path), bytes=path.stat().st_size),)
    resealed(sealed, manifest.model_copy(update={"files": files}))
    assert f"files: {record.path} is" in refused(sealed, seed, "--seal", published)
    assert f"{changed[0]['id']}: made again, it differs in answer" in refused(sealed, seed)


@pytest.mark.slow
def test_an_opened_edition_has_the_same_rows_with_seeds(edition, seed, tmp_path):
    recipe = Secret.read(seed).opened(load("geogram", scale=0.02))
    opened = plain.build(recipe, tmp_path / "open").folder
    manifest = Manifest.read(opened)
    assert manifest.seed == int(SEED, 16) and not manifest.seal and verify(opened) == []
    (record,), (open_record,) = Manifest.read(edition / NAME).files, manifest.files
    rows, others = pq.read_table(edition / NAME / record.path), pq.read_table(opened / open_record.path)
    assert others.drop_columns("seed").equals(rows)


@pytest.mark.process
def test_a_build_by_prefect_stores_no_seed(seed, tmp_path):
    """Outputs, store, Prefect's database and logs, and what is printed, also where a build is run again and fails."""
    home, out = tmp_path / "prefect", tmp_path / "out"
    arguments = ("geogram", "--scale", "0.01", "--sealed", str(seed), "--out", str(out), "--workers", "1")
    ended = command_line.run("build", *arguments, home=home, PREFECT_LOGGING_LEVEL="DEBUG")
    assert ended.code == 0, ended.err
    again = command_line.run("build", *arguments, home=home)
    other = seed_file(tmp_path / "other", OTHER)
    taken = command_line.run("build", *arguments[:4], str(other), *arguments[5:], home=home)
    assert again.code == 0 and taken.code == 1 and "its seal differs" in taken.err
    assert list(home.glob("*.db"))
    assert leaks(out, home) == []
    for text in (ended, again, taken):
        assert not any(mark.decode("latin-1") in text.out + text.err for mark in marks())
