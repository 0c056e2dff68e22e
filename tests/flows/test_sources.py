import ast
import shutil
from pathlib import Path

import pytest

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import sources


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of our sources that a test may edit."""
    for package in sources.OURS:
        shutil.copytree(sources.ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "_HELD", set())
    for cached in (sources.digest, sources._tree, sources._tree_digest, sources._imports):
        cached.cache_clear()
    return tmp_path


def digest_of(*modules: str) -> str:
    for cached in (sources.digest, sources._tree, sources._tree_digest, sources._imports):
        cached.cache_clear()
    return sources.digest(modules)


SUITE = "planimeter.flows.suites.marvl_qa"
GABOR = "planimeter.generators.marvl_qa.families.gabor_function"
WAVES = "planimeter.generators.marvl_qa.families.windowed_waves"


def edit(path: Path, addition: str) -> None:
    path.write_text(path.read_text() + addition)


def test_a_helper_that_the_suite_imports_is_in_the_key(project: Path) -> None:
    before = digest_of(SUITE, GABOR)
    edit(project / "filters" / "marvl_qa" / "prominence.py", "\nMORE = 1\n")
    assert digest_of(SUITE, GABOR) != before


def test_one_family_is_not_in_the_key_of_another(project: Path) -> None:
    gabor, waves = digest_of(SUITE, GABOR), digest_of(SUITE, WAVES)
    edit(project / "generators" / "marvl_qa" / "families" / "gabor_function.py", "\nMORE = 1\n")
    assert digest_of(SUITE, WAVES) == waves
    assert digest_of(SUITE, GABOR) != gabor


def held(code: sources.Code) -> bool:
    """Whether a process that begins now would run ``code``."""
    sources._holds.cache_clear()
    try:
        code.hold()
    except PlanimeterError:
        return False
    return True


def test_an_edit_between_the_digest_and_the_import_is_noticed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where digests are taken once a process, rows of the new code would be kept under the key of the old."""
    code = sources.Code(modules=(SUITE, GABOR), digest=digest_of(SUITE, GABOR))
    path, other = (
        project / "generators" / "marvl_qa" / "families" / f"{name}.py" for name in ("gabor_function", "cone")
    )
    before = path.read_text()
    for damage in ("\nMORE = 1\n", "\nMORE = (\n", "\0"):
        edit(path, damage)
        assert not held(code), damage
        path.write_text(before)
    path.unlink()
    assert not held(code)
    path.write_text(before)
    edit(other, "\nMORE = 1\n")
    assert held(code)
    edit(path, "\nMORE = 1\n")
    assert held(code), "it is imported by now: an edit changes nothing here"
    sources._HELD.clear()
    path.write_text(before)
    edit(project / "generators" / "seeding.py", "\nMORE = 1\n")
    assert not held(code), "a module that the others import"


def test_a_module_that_cannot_be_imported_is_not_held(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = sources.Code(modules=(SUITE, GABOR), digest=digest_of(SUITE, GABOR))

    def half_an_edit(_: str) -> None:
        raise NameError("half an edit")

    monkeypatch.setattr(sources, "import_module", half_an_edit)
    assert not held(code)


def test_a_process_that_starts_after_an_edit_does_not_pass_for_one_before(project: Path) -> None:
    planned = sources.Code(modules=(SUITE, GABOR), digest=digest_of(SUITE, GABOR))
    edit(project / "generators" / "marvl_qa" / "families" / "gabor_function.py", "\nMORE = 1\n")
    assert digest_of(SUITE, GABOR) != planned.digest
    assert not held(planned)


def test_comments_docstrings_and_layout_do_not_count(project: Path) -> None:
    before = digest_of(SUITE, GABOR)
    path = project / "rendering" / "png.py"
    path.write_text('"""Other words."""\n\n# a comment\n' + path.read_text().split('"""', 2)[2] + "\n\n")
    assert digest_of(SUITE, GABOR) == before


def test_the_wording_of_a_question_is_in_the_key(project: Path) -> None:
    assert "planimeter.evals.marvl_qa.prompt" in sources.closure([SUITE])
    assert "planimeter.generators.seeding" in sources.closure([SUITE])


def test_no_shard_depends_on_prefect() -> None:
    ours = sources.closure([SUITE])
    assert not any(
        name.startswith(("planimeter.flows.build", "planimeter.flows.tasks", "planimeter.flows.commands.cli"))
        for name in ours
    )


def test_an_unknown_module_is_an_error() -> None:
    with pytest.raises(LookupError, match="no module of ours"):
        sources.digest(("generators.nothing",))


def test_every_python_gives_the_same_digest() -> None:
    """`ast.dump` of Python 3.12 adds type parameters, and that of 3.13 drops empty lists: each would be another key."""
    assert sources.plain(ast.parse("def f(a, *, b=-1):\n    return [a, f'{b!r}']\n")) == (
        "Module(body=[FunctionDef(name='f',args=arguments(args=[arg(arg='a')],kwonlyargs=[arg(arg='b')],"
        "kw_defaults=[UnaryOp(op=USub(),operand=Constant(value=1))]),body=[Return(value=List(elts=[Name(id='a',"
        "ctx=Load()),JoinedStr(values=[FormattedValue(value=Name(id='b',ctx=Load()),conversion=114)])],ctx=Load()))])])"
    )


def test_a_literal_that_is_empty_is_told_from_one_that_is_not() -> None:
    trees = {sources.plain(ast.parse(text)) for text in ("x = []", "x = [[]]", "x = ()", "x = None", "x: int", "x = 0")}
    assert len(trees) == 6


def test_a_module_is_parsed_though_another_thread_parses_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, fails = ast.parse, iter([True, True, False])

    def disturbed(text: str) -> ast.Module:
        if next(fails):
            raise SystemError("AST constructor recursion depth mismatch (before=25, after=37)")
        return parse(text)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert isinstance(sources._parsed("x = 1").body[0], ast.Assign)
