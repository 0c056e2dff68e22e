"""The directions in which our packages may import one another, and the size of files."""

import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tools.map import imports_of, module_of, read_imports

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "planimeter."
#: What lies in evals and needs the whole project; the rest of evals is the slim distribution.
INNER = ("evals.baselines", "evals.harnesses", "evals.probes", "evals.report", "evals.scores")
PURE = ("evals", *INNER, "export", "filters", "generators", "items", "rendering", "streams")
PACKAGES = ("evals", *PURE[len(INNER) + 1 :], "flows", "suites", "benchmarks", "tests")
#: Definitions that the verifier shares with the generators, to find their faults without computing anything with them:
#: the closed lists of training levels, records of what a recipe prints, what likeness of two drawings is, how a family
#: prints its parameters, how many rows each cell has, and how a number of rows is rounded to cells.
DEFINITIONS = (
    *(f"generators.{suite}.curriculum" for suite in ("curves", "geogram", "marvl_qa", "traversal")),
    *(
        "generators.traversal.cells",
        "generators.traversal.limits",
        "generators.curves.signatures",
        "generators.marvl_qa.cameras",
    ),
    *("generators.marvl_qa.plan", "generators.curves.plan", "generators.geogram.plan", "generators.quotas"),
)
#: What each package may import of ours; the most particular prefix of a module's name decides. Each may import itself,
#: but for the certifiers, whose line names all. Single modules are the digest of a drawing (export); reading
#: rows and styles of pages (evals.report), and where in a picture its plot lies (evals.scores).
ALLOWED_IMPORTS = f"""
items:
generators: items
suites: items
suites.base: items
suites.errors: items
suites.loading: items suites.base suites.errors
suites.editions: filters items suites.loading
suites.write_signatures: export items suites.editions
suites.account: export filters
suites.pipeline: export filters flows.errors flows.shards generators items suites.account \
    suites.base suites.editions
suites.*: suites.drawing
suites.*.recipe: filters generators items rendering suites.base suites.drawing.recipe
suites.*.signature: filters generators items suites.base suites.editions suites.*.recipe
suites.*.rows: evals export filters items suites.geogram generators.curves.fingerprint \
    {" ".join(DEFINITIONS)}
suites.*.surface: evals export filters flows.errors flows.shards generators items rendering suites
suites.*.surface_transformation: evals export filters flows.errors flows.shards generators items rendering suites
suites.*.surface_checks: export filters items suites.*.hard_checks {" ".join(DEFINITIONS)}
suites.*.hard: evals export filters flows.errors flows.shards generators items rendering suites
suites.*.hard_checks: export filters items {" ".join(DEFINITIONS)}
suites.*.checks: evals export filters items suites.drawing.checks suites.geogram.checks suites.*.rows \
    suites.*.hard_checks suites.*.surface_checks {" ".join(DEFINITIONS)}
suites.*.pipeline: evals export filters flows.errors flows.shards generators items rendering suites
suites.*.probes: evals evals.baselines evals.probes filters items suites.geogram.probes suites.*.surface_probes \
    suites.*.thumbnails
suites.*.surface_probes: evals evals.baselines evals.probes filters items suites.*.thumbnails
suites.*.thumbnails: filters items
suites.*.scores: evals evals.scores items rendering.frame suites.drawing.scores
suites.traversal.audit: export filters flows.errors items suites.traversal.recipe
rendering: generators items
filters: generators items
filters.geogram.answers: evals.geogram.closed_form filters generators
filters.certify: filters.certify items
evals: items
export: evals filters items suites.base suites.editions suites.errors suites.loading \
    generators.curves.fingerprint {" ".join(DEFINITIONS)}
export.verify: evals export filters items suites.base suites.editions suites.errors suites.loading \
    {" ".join(DEFINITIONS)}
evals.scores: evals export.atomic export.foreign export.manifest export.spreadsheets items rendering.frame
evals.report: evals evals.scores evals.baselines items export.built export.manifest export.pages.templating
evals.baselines: evals filters items export.built
evals.probes: evals evals.baselines evals.scores filters items export.atomic export.built export.foreign \
    export.manifest export.pages.templating
evals.harnesses: evals evals.scores items export.atomic export.built export.foreign export.manifest \
    export.pages.templating
streams: export.columns export.schema filters flows.errors flows.shards generators.seeding items suites
flows: {" ".join(PURE)} suites
"""
#: A star stands for each folder of suites/.
SUITES = sorted(path.parent.name for path in ROOT.glob("suites/*/__init__.py"))
ALLOWED = {
    line.replace("*", suite): tuple(allowed.replace("*", suite).split())
    for line, allowed in re.findall(r"^(.+):(.*)$", ALLOWED_IMPORTS, re.MULTILINE)
    for suite in SUITES
}
#: The only modules that may import Prefect.
PREFECT = (
    *("flows.blocks", "flows.build", "flows.deployments", "flows.display.artifacts"),
    *("flows.display.events", "flows.imports.steps", "flows.service", "flows.tasks"),
)
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
#: The environment of verifiers, which has to be found beside `planimeter`.
ENVIRONMENT = ROOT / "distributions/evals/planimeter_env/__init__.py"


MODULES = {module_of(path): path for path in SOURCES if path.relative_to(ROOT).parts[0] not in ("benchmarks", "tests")}


@cache
def imports(name: str) -> tuple[str, ...]:
    return imports_of(MODULES[name])


def within(module: str, *prefixes: str) -> bool:
    return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)


def most_particular(module: str, prefixes: Iterable[str]) -> str:
    return max((prefix for prefix in prefixes if within(module, prefix)), key=len, default="")


def wrong_imports(name: str, named: Iterable[str]) -> list[str]:
    package = most_particular(name, ALLOWED)
    allowed = ALLOWED[package] if package == "filters.certify" else (package, *ALLOWED[package])
    ours = [module.removeprefix(PREFIX) for module in named if module.startswith(PREFIX)]
    # Without the prefix a module of ours is found in a checkout only, and there a second time.
    foreign = [module for module in named if module.split(".")[0] in PACKAGES]
    if not within(name, *PREFECT):
        foreign += [module for module in named if within(module, "prefect")]
    return foreign + [module for module in ours if not is_allowed(module, allowed)]


def is_allowed(module: str, allowed: tuple[str, ...]) -> bool:
    """Return whether ``module`` is within one of ``allowed``; one that names evals opens no inner package of it."""
    inner = most_particular(module, INNER)
    return any(within(module, prefix) and most_particular(prefix, INNER) == inner for prefix in allowed)


def imported(name: str) -> set[str]:
    """Return the modules of ours that one imports, at its top or within a function."""
    targets = set()
    for module in (module.removeprefix(PREFIX) for module in imports(name) if module.startswith(PREFIX)):
        targets.add(module if module in MODULES else module.rpartition(".")[0])
    return targets & MODULES.keys() - {name}


def test_imports_point_one_way() -> None:
    wrong = {name: wrong_imports(name, imports(name)) for name in MODULES}
    assert {name: modules for name, modules in wrong.items() if modules} == {}


WRONG = [
    ("suites.curves.rows", "from planimeter.generators.curves.nesting import nest"),
    ("filters.certify.x", "from planimeter.filters import nrmse"),
    ("export.x", "from prefect.artifacts import create_markdown_artifact"),
    ("evals.x", "from ..flows import build"),
    ("evals.x", "from planimeter.evals.scores.forms import Table"),
    ("flows.build", "from filters.verdict import Verdict"),
]


@pytest.mark.parametrize(("name", "line"), WRONG)
def test_a_wrong_import_is_noticed(name: str, line: str) -> None:
    assert wrong_imports(name, [*read_imports(ROOT / f"{name.replace('.', '/')}.py", line)])


def test_no_modules_import_one_another_in_a_circle() -> None:
    """Imports within functions count too: there a circle hides from Python."""
    TopologicalSorter({name: imported(name) for name in MODULES}).prepare()


def reached(names: Iterable[str], *through: str) -> set[str]:
    """Return ``names`` and what they import, and what that imports as far as it lies in the packages ``through``."""
    everything = {*names}
    queue = [*everything]
    for name in queue:
        # Python loads the packages that a module lies in, too.
        new = ({package for package in MODULES if within(name, package)} | imported(name)) - everything
        everything |= new
        queue += [target for target in new if not through or within(target, *through)]
    return everything


def test_pure_packages_reach_no_prefect() -> None:
    pure = reached(name for name in MODULES if within(name, *PURE))
    assert len(pure) > 200
    assert {name for name in pure if any(within(module, "prefect") for module in imports(name))} == set()
    # Limits and bins of the audit are plain records; what computes is in none of these modules.
    by_checks = reached(
        (name for name in MODULES if within(name, "export", "suites") and name.endswith((".checks", ".rows"))),
        "export",
        "suites",
        "filters",
    )
    records = (*DEFINITIONS, *(f"generators.{name}" for name in ("traversal.cells", "curves.fingerprint")))
    assert [n for n in by_checks if within(n, "generators") and not any(within(kept, n) for kept in records)] == []


def test_the_slim_distribution_asks_for_what_it_imports() -> None:
    needed = {"math_verify": "math-verify[antlr4_13_2]"}
    graders = [name for name in MODULES if within(name, "evals", "items") and not within(name, *INNER)]
    foreign = {module.split(".")[0] for name in graders for module in imports(name)}
    # Of numpy type checkers alone read: `test_rewards_need_no_numpy`.
    assert foreign - {"planimeter", "numpy", *sys.stdlib_module_names} == {*needed}
    project = tomllib.loads((ROOT / "distributions/evals/pyproject.toml").read_text())["project"]
    assert project["dependencies"] == [*needed.values()]
    # And the environment of verifiers asks for nothing but this distribution.
    asked = [name for name in imports_of(ENVIRONMENT) if within(name, "planimeter")]
    assert {module.split(".")[1] for module in asked} == {"evals", "items"}


def test_no_file_is_too_long_to_read() -> None:
    lengths = {module_of(path): len(path.read_text().splitlines()) for path in (*SOURCES, ENVIRONMENT)}
    assert {name: length for name, length in lengths.items() if length > 400} == {}
