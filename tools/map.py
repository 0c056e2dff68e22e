"""Draws the map of the packages from their imports, for ``tools.docs``.

An arrow leads from a package to one that imports it; those that follow from other arrows are left out. A package lies
in the row above the highest of those that it imports, so all arrows point up.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Each package, before those that stand above it: its column, and the words in its box.
PACKAGES: Mapping[str, tuple[int, str]] = {
    "items": (1, "records that pass between packages"),
    "generators": (0, "(recipe, rng) → item"),
    "evals": (3, "prompt, grader, reward"),
    "filters": (0, "rules, near-duplicates, certifiers"),
    "rendering": (1, "item → pixels → PNG bytes"),
    "suites": (1, "one folder a suite: what only it has"),
    "export": (1, "rows → folder, verified, published"),
    "evals.scores": (3, "replies → scores, tables, figures"),
    "evals.baselines": (2, "reference models: rows → replies"),
    "evals.harnesses": (1, "Inspect, lmms-eval, VLMEvalKit"),
    "streams": (0, "training rows without end"),
    "evals.report": (2, "the page of scores"),
    "evals.probes": (3, "shortcuts a model could take"),
    "flows": (1, "plan, make, select, write, verify"),
}
BOX, GAP, ROW = (224, 50), 36, 100


def package_of(module: str) -> str | None:
    """Return the package of PACKAGES that ``module``, as planimeter.x.y, lies in."""
    name = module.removeprefix("planimeter.")
    around = [package for package in PACKAGES if f"{name}.".startswith(f"{package}.")]
    return max(around, key=len, default=None)


def module_of(path: Path) -> str:
    """Return the name of the module in ``path`` without that of our namespace, as ``flows.suites``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def read_imports(path: Path, source: str) -> Iterator[str]:
    """Yield the modules that a file imports; ``from a import b`` counts as ``a.b``, relative ones are made absolute."""
    package = f"planimeter.{module_of(path)}" if path.name == "__init__.py" else f"planimeter.{module_of(path.parent)}"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module) if part)
            yield from (f"{stem}.{alias.name}" for alias in node.names)


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Return the modules that the file at ``path`` imports."""
    return tuple(read_imports(path, path.read_text()))


def imports() -> dict[str, set[str]]:
    """Return which packages each package imports, those left out that another of them imports in turn."""
    direct: dict[str, set[str]] = {package: set() for package in PACKAGES}
    for top in {package.split(".")[0] for package in PACKAGES}:
        for path in (ROOT / top).rglob("*.py"):
            targets = {package_of(name) for name in imports_of(path) if name.startswith("planimeter.")}
            if package := package_of(module_of(path)):
                direct[package] |= {target for target in targets if target} - {package}
    # Of each cycle, such as those of a suite's files, the arrows to earlier packages are left out.
    order = {package: number for number, package in enumerate(PACKAGES)}
    ordered = {package: {name for name in direct[package] if order[name] < order[package]} for package in direct}
    reach = {package: _reached(ordered, package) for package in ordered}
    return {
        package: {target for target in targets if not any(target in reach[other] for other in targets - {target})}
        for package, targets in ordered.items()
    }


def _reached(direct: Mapping[str, set[str]], package: str) -> set[str]:
    queue = [*direct[package]]
    for target in queue:
        queue += direct[target] - set(queue)
    return set(queue)


def rows(direct: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the packages row by row, from those that import none."""
    heights: dict[str, int] = {}

    def height(package: str) -> int:
        if package not in heights:
            heights[package] = 1 + max((height(target) for target in direct[package]), default=-1)
        return heights[package]

    return [[name for name in PACKAGES if height(name) == level] for level in range(1 + max(map(height, PACKAGES)))]


def drawn() -> str:
    """Return the map as SVG."""
    direct = imports()
    levels = rows(direct)
    width = (1 + max(column for column, _ in PACKAGES.values())) * (BOX[0] + GAP) + GAP
    height = len(levels) * ROW
    corners = {
        package: (GAP + PACKAGES[package][0] * (BOX[0] + GAP), height - (number + 1) * ROW + (ROW - BOX[1]) / 2)
        for number, level in enumerate(levels)
        for package in level
    }
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        "<title>The packages, and which imports which</title>",
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#667"/></marker>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for package, targets in direct.items():
        x, y = corners[package]
        for target in sorted(targets):
            at, top = corners[target]
            lines.append(
                f'<path d="M{at + BOX[0] / 2:g} {top:g} C{at + BOX[0] / 2:g} {top - 30:g} {x + BOX[0] / 2:g} '
                f'{y + BOX[1] + 30:g} {x + BOX[0] / 2:g} {y + BOX[1] + 1:g}" fill="none" stroke="#99a" '
                'stroke-width="1.3" marker-end="url(#tip)"/>'
            )
    for package, (x, y) in corners.items():
        fill = "#eef4ff" if package.startswith("evals") else "#fff7e8" if package == "flows" else "#f4f6f4"
        lines += [
            f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="7" fill="{fill}" stroke="#556"/>',
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 21:g}" text-anchor="middle" font-size="15" font-weight="600">'
            f"{package.replace('.', '/')}</text>",
            f'<text x="{x + BOX[0] / 2:g}" y="{y + 39:g}" text-anchor="middle" font-size="12.5">'
            f"{escape(PACKAGES[package][1])}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])
