"""The wheels hold what git tracks, and work where there is no checkout; nothing is taken from outside at run time."""

import email
import json
import os
import shutil
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import command_line
import pytest
from wheels import PROJECTS, built, ran, tracked

from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import OUTPUTS
from planimeter.suites.base import Recipe
from planimeter.suites.loading import available, load


def version(distribution: str = "planimeter") -> str:
    described = (command_line.ROOT / PROJECTS[distribution] / "pyproject.toml").read_text()
    return str(tomllib.loads(described)["project"]["version"])


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of an environment of its own that holds the wheels, and finds the libraries of this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    binaries = folder / "bin"
    (packages,) = folder.glob("lib/python*/site-packages")
    # A path in a .pth file is searched, and the .pth files in it are not read, among which are the editable installs'.
    libraries = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "libraries.pth").write_text("\n".join(libraries))
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", binaries / "python")
    ran(*pip, "install", "--no-deps", "--no-index", "--ignore-installed", *wheels.values(), cwd=folder)
    return binaries


def linked_files(top: Path) -> dict[str, str]:
    """Return the tracked files below ``top`` and below the folders that it links to, by their paths in a wheel."""
    folders = {path.resolve(): path for path in (top, *top.rglob("*")) if path == top or path.is_symlink()}
    found, names = {}, tracked()
    for folder, place in folders.items():
        prefix = f"{folder.relative_to(command_line.ROOT)}/"
        names = [name for name in names if not name.endswith("README.md")]
        files = [name for name in names if name.startswith(prefix) and not (command_line.ROOT / name).is_symlink()]
        found.update({str((place / name.removeprefix(prefix)).relative_to(top)): name for name in files})
    return found


@pytest.mark.parametrize("distribution", PROJECTS)
def test_a_wheel_holds_its_packages_and_nothing_else(distribution: str, wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[distribution]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    linked = {place: linked_files(command_line.ROOT / folder / "src") for place, folder in PROJECTS.items()}
    whole = distribution == "planimeter"
    # The inner packages of evals lie in the folder that the slim distribution links to, and are in the other's wheel.
    others = set() if whole else {*linked["planimeter"].values()}
    assert names == {name for name, file in linked[distribution].items() if file not in others}
    # What `planimeter new` copies is no module, so its files end in .txt.
    data = {".toml", ".parquet", ".j2", ".yaml", ".txt", ".mplstyle"} if whole else {".toml"}
    typed = ("export", "streams", "suites") if whole else ("evals", "items")
    assert {Path(name).suffix for name in names} == {".py", ".typed"} | data
    assert {f"planimeter/{package}/py.typed" for package in typed} <= names


@pytest.mark.parametrize("distribution", PROJECTS)
def test_the_metadata_are_what_an_index_shows(distribution: str, wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels[distribution]) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        shown = email.message_from_bytes(archive.read(name))
        assert sum(name.endswith("/licenses/LICENSE") for name in archive.namelist()) == 1
    described = {"Name": distribution.replace("_", "-"), "Version": version(distribution)}
    described |= {"License-Expression": "Apache-2.0", "Requires-Python": "<3.14,>=3.11"}
    assert {key: shown[key] for key in described} == described
    needed = [line for line in shown.get_all("Requires-Dist", []) if "extra ==" not in line]
    if distribution == "planimeter":
        extras = set(shown.get_all("Provides-Extra", []))
        assert {"dask", "s3"} <= extras and "dev" not in extras and "planimeter-evals~=2.0.0" in needed
        assert not any(line.startswith(("datasets", "distributed", "s3fs")) for line in needed)
    else:
        assert needed == ["math-verify[antlr4_13_2]"]


@pytest.mark.slow
def test_a_dataset_is_built_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    """With the code that this checkout has, so that the bytes are the same."""
    listed = ran(installed / "planimeter", "list", cwd=tmp_path)
    assert all(name in listed for name in available())
    ran(installed / "planimeter", "build", *command_line.TINY, cwd=tmp_path)
    recipe = load("marvl-qa-mini", scale=0.02)
    assert isinstance(recipe, Recipe)
    folder = Path("outputs/x0.02/marvl-qa-mini") / recipe.version
    verified = ran(installed / "planimeter", "verify", folder, cwd=tmp_path)
    assert verified.startswith(f"{folder}: no problem found\n")
    assert json.loads((tmp_path / folder / "manifest.json").read_text())["code"] == Place(recipe, OUTPUTS).code()


@pytest.mark.slow
def test_the_wheel_of_an_outside_suite_builds_alone(installed: Path, tmp_path: Path) -> None:
    """Installed beside Planimeter, with nothing of what `planimeter new` wrote left."""
    source, site = tmp_path / "open-rings", {"PYTHONPATH": str(tmp_path / "site")}
    ran(installed / "planimeter", "new", "open-rings", cwd=tmp_path)
    written = {str(path.relative_to(source)) for path in source.glob("open_rings/*")}
    assert {Path(name).suffix for name in written} == {".py", ".toml", ".yaml"}
    wheel = built(tmp_path / "wheels", [source])["open_rings"]
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == written
    shutil.rmtree(source)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps", "--no-index")
    ran(*pip, "--target", tmp_path / "site", wheel, cwd=tmp_path)
    assert "(open-rings 0.1.0)" in " ".join(ran(installed / "planimeter", "list", cwd=tmp_path, **site).split())
    checked = ran(installed / "planimeter", "check", "open_rings", cwd=tmp_path, **site)
    assert checked.startswith("open_rings: nothing is wrong with the items that were made")
    ran(installed / "planimeter", "build", "open-rings", "--scale", "0.1", cwd=tmp_path, **site)
    folder = Path("outputs/x0.1/open-rings/0.1.0")
    verified = ran(installed / "planimeter", "verify", folder, cwd=tmp_path, **site)
    assert verified.startswith(f"{folder}: no problem found\n")
    assert json.loads((tmp_path / folder / "manifest.json").read_text())["configs"] == {"discs": {"test": 12}}


@pytest.mark.slow
def test_each_data_file_of_the_suites_is_read_out_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    """Each TOML by its model, each YAML as the card's prose, each Parquet of signatures."""
    code = (
        "from planimeter.export.texts import text_of\n"
        "from planimeter.items.builtin_suites import SUITES\n"
        "from planimeter.suites import loading\n"
        "from planimeter.suites.editions import signatures\n"
        "print(*(loading.load(name) and name for name in loading.available()))\n"
        "print(*(text_of(name) and name for name in SUITES))\n"
        "print(*(name for suite in SUITES.values() for name in suite.editions if next(signatures(name))))\n"
        "print(loading.__file__)"
    )
    *read, file = ran(installed / "python", "-c", code, cwd=tmp_path).splitlines()
    assert os.path.commonpath([file, installed.parent]) == str(installed.parent)
    files = [Path(name) for name in tracked() if name.startswith("suites/")]
    assert set(read[0].split()) == {path.stem for path in files if path.suffix == ".toml"}
    assert set(read[1].split()) == {path.parent.name for path in files if path.name == "card.yaml"}
    assert set(read[2].split()) == {path.stem for path in files if path.suffix == ".parquet"}
