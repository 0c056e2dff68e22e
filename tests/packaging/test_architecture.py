"""The directions in which our packages may import one another, and the size of files."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "planimeter."
PURE = (
    *("curation", "evals", "export", "filters", "generators", "harness", "items", "probes", "rendering", "scores"),
    *("solvers", "streams"),
)
PACKAGES = (*PURE, "flows", "recipes", "benchmarks", "tests")
#: Definitions that the verifier shares with the generators. It is to find their faults and computes nothing with them.
DEFINITIONS = (
    # the closed lists of training levels, which no recipe prints
    *(f"generators.{suite}.curriculum" for suite in ("curves", "geogram", "marvl_qa", "traversal")),
    "generators.traversal.limits",  # a record of what a recipe prints
    "generators.curves.signatures",  # what likeness of two drawings is: a blur and a correlation
    "generators.marvl_qa.plan",  # how a family prints its parameters, compared with the row's expression
    *("generators.curves.plan", "generators.geogram.plan"),  # how many rows each cell has
    "generators.quotas",  # how a number of rows is rounded to cells
)
#: What each package may import of ours; the most particular prefix of a module's name decides. Each may import itself,
#: but for the certifiers, whose line names all.
ALLOWED: dict[str, tuple[str, ...]] = {
    "items": (),
    "generators": ("items",),
    "recipes": ("generators", "items"),
    "recipes.editions": ("filters", "generators", "items", "recipes"),
    "rendering": ("generators", "items"),
    "filters": ("generators", "items"),
    "filters.certify": ("filters.certify", "items"),
    "evals": ("items",),
    "export": (
        *("evals", "filters", "recipes", "items"),
        *DEFINITIONS,
        "generators.curves.fingerprint",  # the digest of a drawing, of which an id is made
    ),
    "export.verify": ("evals", "export", "filters", "recipes", "items", *DEFINITIONS),
    "curation": ("evals", "export", "filters", "items", "recipes", "rendering"),
    "scores": ("evals", "export.atomic", "export.manifest", "items"),
    "scores.page": (
        *("evals", "scores", "items", "export.manifest"),
        "export.pages.survey",  # how a few rows are read from the files
        "export.pages.templating",  # the styles of every page
        "rendering.frame",  # where in a picture its plot lies
        "solvers",  # what guessing scores on the same rows
    ),
    "solvers": ("evals", "filters", "items"),
    "probes": (
        *("evals", "filters", "items", "scores", "solvers", "export.atomic", "export.manifest", "export.measures"),
        "export.pages.templating",  # the styles of every page
        "generators.curves.signatures",  # what likeness of two drawings is
        "generators.traversal.signatures",  # and of two paths
    ),
    "harness": (
        *("evals", "scores", "items"),
        *(f"export.{module}" for module in ("atomic", "columns", "manifest", "measures", "parquet")),
    ),
    "streams": (
        *("export.columns", "export.schema", "filters", "flows.errors", "flows.shards", "generators.seeding"),
        "flows.suites",  # how an item goes through the packages
        *("items", "recipes"),
    ),
    "flows": (*PURE, "recipes"),
}
#: The modules of flows, lowest first: none imports from a later line. The most particular prefix decides.
FLOORS = """
errors learning
shards
suites
display
store
imports.chunks parts selection work
workers
display.artifacts display.events service.hooks states
certifying tasks writing
built
build imports
deployments
service
commands
__main__
"""
FLOOR = {f"flows.{module}": floor for floor, line in enumerate(FLOORS.strip().splitlines()) for module in line.split()}
#: Streams see the suites, and the commands see them.
FLOOR["streams"] = FLOOR["flows.suites"]
#: The only modules that may import Prefect.
PREFECT = (
    *("flows.build", "flows.commands.prefect_mode", "flows.deployments", "flows.display.artifacts"),
    *("flows.display.events", "flows.service", "flows.states", "flows.tasks"),
)
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
#: The environment of verifiers, which has to be found beside `planimeter`.
ENVIRONMENT = ROOT / "distributions/evals/planimeter_env/__init__.py"


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in SOURCES if path.relative_to(ROOT).parts[0] not in ("benchmarks", "tests")}


def read_imports(path: Path, source: str) -> Iterator[str]:
    """Yield the modules that a file imports; ``from a import b`` counts as ``a.b``, relative ones are made absolute."""
    package = PREFIX + name_of(path) if path.name == "__init__.py" else PREFIX + name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module) if part)
            yield from (f"{stem}.{alias.name}" for alias in node.names)


IMPORTS = {name: [*read_imports(path, path.read_text())] for name, path in MODULES.items()}


def within(module: str, *prefixes: str) -> bool:
    return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)


def most_particular(module: str, prefixes: dict[str, object]) -> str:
    return max((prefix for prefix in prefixes if within(module, prefix)), key=len, default="")


def floor_of(module: str) -> int:
    """Return how high in flows a module lies; -1 for those of the other packages, which see nothing of flows."""
    return FLOOR.get(most_particular(module, FLOOR), -1)


def wrong_imports(name: str, named: list[str]) -> list[str]:
    package = most_particular(name, ALLOWED)
    allowed = ALLOWED[package] if package == "filters.certify" else (package, *ALLOWED[package])
    ours = [module.removeprefix(PREFIX) for module in named if module.startswith(PREFIX)]
    # Without the prefix a module of ours is found in a checkout only, and there a second time.
    foreign = [module for module in named if module.split(".")[0] in PACKAGES]
    if not within(name, *PREFECT):
        foreign += [module for module in named if within(module, "prefect")]
    higher = [module for module in ours if floor_of(module) > floor_of(name)]
    return foreign + higher + [module for module in ours if not within(module, *allowed)]


def imported(name: str) -> set[str]:
    """Return the modules of ours that one imports, at its top or within a function."""
    targets = set()
    for module in (module.removeprefix(PREFIX) for module in IMPORTS[name] if module.startswith(PREFIX)):
        targets.add(module if module in MODULES else module.rpartition(".")[0])
    return targets & MODULES.keys() - {name}


def test_imports_point_one_way() -> None:
    wrong = {name: wrong_imports(name, named) for name, named in IMPORTS.items()}
    assert {name: modules for name, modules in wrong.items() if modules} == {}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("export.suites.x", "from planimeter.generators.curves.nesting import nest"),
        ("export.suites.x", "from planimeter.generators.curves.trees import canonical"),
        ("filters.certify.x", "from planimeter.filters import nrmse"),
        ("generators.x", "import planimeter.filters"),
        ("evals.x", "from planimeter.generators import seeding"),
        ("export.x", "from prefect.artifacts import create_markdown_artifact"),
        ("evals.x", "from ..flows import build"),
        ("rendering.x", "from planimeter.filters.verdict import Verdict"),
        ("curation.x", "from planimeter.flows.errors import PlanimeterError"),
        ("solvers.x", "from planimeter.export.manifest import Manifest"),
        ("flows.build", "from filters.verdict import Verdict"),
        ("flows.work", "from prefect import task"),
        ("flows.commands.x", "import prefect"),
        ("flows.store.x", "from planimeter.flows.workers.processes import WorkerPool"),
        ("flows.tasks", "from planimeter.flows import deployments"),
        ("flows.display.bars", "from planimeter.flows.display import artifacts"),
        ("flows.build", "from planimeter.flows.service import publish"),
    ],
)
def test_a_wrong_import_is_noticed(name: str, line: str) -> None:
    assert wrong_imports(name, [*read_imports(ROOT / f"{name.replace('.', '/')}.py", line)])


def test_checks_reach_no_geometry_of_the_generators_through_the_filters_either() -> None:
    """Limits and bins of the audit are plain records; what computes is in none of these modules."""
    reached: set[str] = set()
    queue = [name for name in MODULES if within(name, "export.suites", "export.checks", "export.alike")]
    for name in queue:
        new = imported(name) - reached
        reached |= new
        queue += [target for target in new if within(target, "export", "filters")]
    records = {"generators.traversal.cells", "generators.traversal.limits", "generators.curves.fingerprint"}
    assert {name for name in reached if within(name, "generators")} <= {*DEFINITIONS} | records


def test_every_module_of_flows_has_its_floor() -> None:
    modules = {name for name in MODULES if within(name, "flows")} - {"flows"}
    assert [module for module in modules if floor_of(module) < 0] == []
    assert [place for place in FLOOR if not any(within(module, place) for module in (*modules, "streams"))] == []


def test_no_modules_import_one_another_in_a_circle() -> None:
    """Imports within functions count too: there a circle hides from Python."""
    TopologicalSorter({name: imported(name) for name in MODULES}).prepare()


def test_pure_packages_reach_nothing_that_imports_prefect() -> None:
    reached = {name for name in MODULES if within(name, *PURE)}
    queue = [*reached]
    for name in queue:
        # Python loads the packages that a module lies in, too.
        parents = {package for package in MODULES if within(name, package)}
        queue += (parents | imported(name)) - reached
        reached |= parents | imported(name)
    assert len(reached) > 200
    assert {name for name in reached if any(within(module, "prefect") for module in IMPORTS[name])} == set()


@pytest.mark.slow
def test_pure_packages_import_without_prefect() -> None:
    names = [PREFIX + name for name in MODULES if within(name, *PURE)]
    # None makes every import of it fail.
    script = f"import importlib, sys; sys.modules['prefect'] = None; [*map(importlib.import_module, {names!r})]"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_every_package_is_in_one_wheel() -> None:
    slim, whole = (
        {link.name: link.resolve() for link in (ROOT / name / "src/planimeter").iterdir()}
        for name in ("distributions/evals", "")
    )
    assert {*slim} == {"evals", "items"}
    assert not {*slim} & {*whole}
    assert {**slim, **whole} == {name: ROOT / name for name in {name.split(".")[0] for name in MODULES}}


def test_the_slim_distribution_asks_for_what_its_packages_import_and_no_more() -> None:
    """Another library that a grader imports would be missing beside a trainer."""
    needed = {"math_verify": "math-verify[antlr4_13_2]", "numba": "numba", "numpy": "numpy"}
    foreign = {
        module.split(".")[0] for name in MODULES if within(name, *("evals", "items")) for module in IMPORTS[name]
    }
    assert foreign - {"planimeter", *sys.stdlib_module_names} == {*needed}
    project = tomllib.loads((ROOT / "distributions/evals/pyproject.toml").read_text())["project"]
    assert project["dependencies"] == [*needed.values()]
    # And the environment of verifiers asks for nothing but this distribution.
    asked = [name for name in read_imports(ENVIRONMENT, ENVIRONMENT.read_text()) if within(name, "planimeter")]
    assert {module.split(".")[1] for module in asked} == {"evals", "items"}


def test_no_file_is_too_long_to_read() -> None:
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in (*SOURCES, ENVIRONMENT)}
    assert {name: length for name, length in lengths.items() if length > 400} == {}
