"""The directions in which our packages may import one another, and the size and places of files."""

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
PACKAGES = (
    "benchmarks",
    "curation",
    "evals",
    "export",
    "filters",
    "flows",
    "generators",
    "harness",
    "items",
    "probes",
    "recipes",
    "rendering",
    "scores",
    "solvers",
    "streams",
    "tests",
)
#: What each room may import of ours, itself aside; the most particular prefix of a module's name decides.
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
        "evals",
        "filters",
        "recipes",
        "items",
        "generators.curves.fingerprint",  # the digest of a drawing, of which an id is made
        "generators.curves_maps.candidates",  # how many curves a planar map may have, where the axis of a chart ends
    ),
    "export.verify": (
        "evals",
        "export",
        "filters",
        "recipes",
        "items",
        # The verifier is to find the generators' faults: it computes nothing with them, but shares definitions.
        # the closed lists of training levels, which no recipe prints
        "generators.curves.curriculum",
        "generators.geogram.curriculum",
        "generators.marvl_qa.curriculum",
        "generators.traversal.curriculum",
        "generators.traversal.limits",  # a record of what a recipe prints
        "generators.curves.signatures",  # what likeness of two drawings is: a blur and a correlation
        "generators.marvl_qa.plan",  # how a family prints its parameters, compared with the row's expression
        "generators.quotas",  # how a number of rows is rounded to cells
    ),
    "curation": ("evals", "export", "filters", "items", "recipes", "rendering"),
    "scores": ("evals", "export.atomic", "export.manifest", "items"),
    "scores.page": (
        "evals",
        "scores",
        "export.manifest",
        "export.pages.survey",  # how a few rows are read from the files
        "export.pages.templating",  # the styles of every page
        "rendering.frame",  # where in a picture its plot lies
        "solvers",  # what guessing scores on the same rows
    ),
    "solvers": ("evals", "filters", "items"),
    "probes": (
        "evals",
        "export.atomic",
        "export.manifest",
        "export.measures",
        "export.pages.templating",  # the styles of every page
        "filters",  # which items are near duplicates
        "generators.curves.signatures",  # what likeness of two drawings is
        "generators.traversal.signatures",  # and of two paths
        "items",
        "scores",
        "solvers",
    ),
    "harness": (
        "evals",
        "scores",
        "export.atomic",
        "export.columns",
        "export.manifest",
        "export.measures",
        "export.parquet",
        "items",
    ),
    "streams": (
        "export.columns",
        "export.schema",
        "filters",
        "flows.errors",
        "flows.shards",
        "flows.suites",  # how an item goes through the rooms
        "generators.seeding",
        "items",
        "recipes",
    ),
    "flows": (
        "curation",
        "evals",
        "export",
        "filters",
        "generators",
        "harness",
        "items",
        "probes",
        "recipes",
        "rendering",
        "scores",
        "solvers",
        "streams",
    ),
}
#: The rooms of flows, lowest first: none imports from one that comes later. The most particular prefix decides.
FLOOR = {
    f"flows.{room}": floor
    for floor, rooms in enumerate(
        (
            ("errors", "learning"),
            ("shards",),
            ("suites",),
            ("display",),
            ("store",),
            ("imports.chunks", "parts", "selection", "work"),
            ("workers",),
            ("display.artifacts", "display.events", "service.hooks", "states"),
            ("certifying", "tasks", "writing"),
            ("built",),
            ("build", "imports"),
            ("deployments",),
            ("service",),
            ("commands",),
            ("__main__",),
        )
    )
    for room in rooms
}
#: Streams see the suites, and the commands see them.
FLOOR["streams"] = FLOOR["flows.suites"]
#: The only modules that may import Prefect.
PREFECT = (
    "flows.build",
    "flows.commands.prefect_mode",
    "flows.deployments",
    "flows.display.artifacts",
    "flows.display.events",
    "flows.service",
    "flows.states",
    "flows.tasks",
)
PURE = (
    "curation",
    "evals",
    "export",
    "filters",
    "generators",
    "harness",
    "items",
    "probes",
    "rendering",
    "scores",
    "solvers",
    "streams",
)
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MODULES = [path for path in SOURCES if path.relative_to(ROOT).parts[0] not in ("benchmarks", "tests")]
#: The environment of verifiers, which has to be found beside `planimeter`.
ENVIRONMENT = ROOT / "planimeter_env/__init__.py"


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {PREFIX + name_of(path): path for path in MODULES}


def imports(path: Path, source: str | None = None) -> Iterator[str]:
    """Yield the modules that a file imports; ``from a import b`` counts as ``a.b``, relative ones are made absolute."""
    package = PREFIX + name_of(path) if path.name == "__init__.py" else PREFIX + name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(source or path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module) if part)
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def wrong_imports(path: Path, source: str | None = None) -> list[str]:
    room = max((room for room in ALLOWED if within(name_of(path), room)), key=len)
    allowed = ALLOWED[room] if room == "filters.certify" else (room, *ALLOWED[room])
    named = list(imports(path, source))
    ours = [module.removeprefix(PREFIX) for module in named if module.startswith(PREFIX)]
    # Without the prefix a module of ours is found in a checkout only, and there a second time.
    foreign = [module for module in named if module.split(".")[0] in PACKAGES]
    if not any(within(name_of(path), prefix) for prefix in PREFECT):
        foreign += [module for module in named if within(module, "prefect")]
    higher = [module for module in ours if floor_of(module) > floor_of(name_of(path))]
    return foreign + higher + [module for module in ours if not any(within(module, prefix) for prefix in allowed)]


def floor_of(module: str) -> int:
    """Return how high in flows a module of ours lies; -1 for those of the other rooms, which see nothing of flows."""
    rooms = [room for room in FLOOR if within(module, room)]
    return FLOOR[max(rooms, key=len)] if rooms else -1


def imported(path: Path) -> set[str]:
    """Return the modules of ours that a file imports, here or there within a function."""
    found = set()
    for module in imports(path):
        while module and module not in FILES:
            module = module.rpartition(".")[0]
        found.add(module)
    return found - {"", PREFIX + name_of(path)}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path):
    assert wrong_imports(path) == []


def test_checks_reach_no_geometry_of_the_generators_through_the_filters_either():
    """Limits and bins of the audit are plain records; what computes is in none of these modules."""
    records = ("generators.traversal.cells", "generators.traversal.limits")
    sources = {name_of(path): path for path in MODULES}
    reached, queue = set(), [name for name in sources if within(name, "export.verify.checks")]
    for name in queue:
        for module in (found.removeprefix(PREFIX) for found in imports(sources[name]) if found.startswith(PREFIX)):
            target = module if module in sources else module.rpartition(".")[0]
            if target not in reached:
                reached.add(target)
                queue += [target] if within(target, "export") or within(target, "filters") else []
    generators = {name for name in reached if within(name, "generators")}
    assert generators <= {name for name in ALLOWED["export.verify"] if within(name, "generators")} | set(records)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("export/verify/checks/x.py", "from planimeter.generators.curves.nesting import nest"),
        ("export/rows/x.py", "from planimeter.generators.curves.trees import canonical"),
        ("filters/certify/x.py", "from planimeter.filters import nrmse"),
        ("generators/x.py", "import planimeter.filters"),
        ("evals/x.py", "from planimeter.generators import seeding"),
        ("export/x.py", "from prefect.artifacts import create_markdown_artifact"),
        ("evals/x.py", "from ..flows import build"),
        ("rendering/x.py", "from planimeter.filters.verdict import Verdict"),
        ("curation/x.py", "from planimeter.flows.errors import PlanimeterError"),
        ("solvers/x.py", "from planimeter.export.manifest import Manifest"),
        ("flows/build.py", "from filters.verdict import Verdict"),
        ("flows/work.py", "from prefect import task"),
        ("flows/commands/x.py", "import prefect"),
        ("flows/store/x.py", "from planimeter.flows.workers.processes import WorkerPool"),
        ("flows/tasks.py", "from planimeter.flows import deployments"),
        ("flows/display/bars.py", "from planimeter.flows.display import artifacts"),
        ("flows/build.py", "from planimeter.flows.service import publish"),
    ],
)
def test_a_wrong_import_is_noticed(file, line):
    assert wrong_imports(ROOT / file, line)


def test_the_environment_of_verifiers_needs_the_slim_distribution_only():
    ours = {
        module.removeprefix(PREFIX).split(".")[0] for module in imports(ENVIRONMENT) if within(module, "planimeter")
    }
    assert ours == {"evals", "items"}


def test_every_module_of_flows_has_its_floor():
    rooms = {name_of(path) for path in MODULES if within(name_of(path), "flows")} - {"flows"}
    assert [module for module in rooms if floor_of(module) < 0] == []
    assert [room for room in FLOOR if not any(within(module, room) for module in (*rooms, "streams"))] == []


def test_no_modules_import_one_another_in_a_circle():
    """Imports within functions count too: there a circle hides from Python."""
    sorter = TopologicalSorter({name: imported(path) for name, path in FILES.items()})
    sorter.prepare()


def test_pure_packages_import_without_prefect():
    names = [PREFIX + name_of(path) for path in MODULES if any(within(name_of(path), package) for package in PURE)]
    script = (
        "import importlib, sys\n"
        "sys.modules['prefect'] = None\n"  # makes every import of it fail
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_every_package_is_in_one_wheel():
    slim, whole = (
        {link.name: link.resolve() for link in (ROOT / name / "src/planimeter").iterdir()}
        for name in ("distributions/evals", "")
    )
    assert {*slim} == {"evals", "items"}
    assert not {*slim} & {*whole}
    assert {**slim, **whole} == {path.parent.name: path.parent for path in MODULES if path.parent.parent == ROOT}


def test_the_slim_distribution_asks_for_what_its_rooms_import_and_no_more():
    """Another library that a grader imports would be missing beside a trainer."""
    needed = {"math_verify": "math-verify[antlr4_13_2]", "numba": "numba", "numpy": "numpy"}
    foreign = {
        name.split(".")[0] for path in MODULES if within(name_of(path), "evals") or within(name_of(path), "items")
        for name in imports(path)
    }  # fmt: skip
    assert foreign - {"planimeter", *sys.stdlib_module_names} == {*needed}
    project = tomllib.loads((ROOT / "distributions/evals/pyproject.toml").read_text())["project"]
    assert project["dependencies"] == [*needed.values()]


def test_no_file_is_too_long_to_read():
    assert [
        f"{name_of(path)}: {n}" for path in (*SOURCES, ENVIRONMENT) if (n := len(path.read_text().splitlines())) > 400
    ] == []


def test_tests_are_flat_files_and_no_package():
    assert not list((ROOT / "tests").rglob("__init__.py"))
