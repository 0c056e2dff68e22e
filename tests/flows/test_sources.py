"""The digest of our own code: what decides the bytes of a shard is in it, and nothing else."""

import ast

import pytest

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import sources

SUITE = "planimeter.flows.suites.marvl_qa"

#: A suite whose families import a helper each, and one in common.
FILES = {
    "flows/suites/waves.py": "from planimeter.evals.wording import ASK\n",
    "generators/short.py": "from planimeter.filters import height\nimport planimeter.generators.common\n",
    "generators/long.py": "from planimeter.generators import common\n",
    "generators/common.py": '"""Words."""\n\nSEED = 1\n\n\ndef draw():\n    """More words."""\n    return SEED\n',
    "filters/height.py": "LIMIT = 2\n",
    "evals/wording.py": "ASK = 'How many?'\n",
    "rendering/png.py": "",
}
WAVES, SHORT, LONG = "planimeter.flows.suites.waves", "planimeter.generators.short", "planimeter.generators.long"


def forget():
    for cached in (sources.digest, sources._tree, sources._tree_digest, sources._imports, sources._pins):
        cached.cache_clear()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project that a test may edit; to import a module of it does nothing."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    monkeypatch.setattr(sources, "_PINNED", set())
    monkeypatch.setattr(sources, "_CONTENTS", {})
    monkeypatch.setattr(sources, "import_module", lambda _: None)
    forget()
    yield tmp_path
    forget()


def digest_of(*modules):
    """As a process computes it that begins now."""
    forget()
    return sources.digest(modules)


def edit(path, addition="MORE = 1\n"):
    path.write_text(path.read_text() + addition)


def test_what_a_module_imports_is_in_its_key_and_nothing_else(project):
    assert sources.closure([SHORT]) == {SHORT, "planimeter.filters.height", "planimeter.generators.common"}
    keys = {name: digest_of(WAVES, name) for name in (SHORT, LONG)}
    assert digest_of(SHORT, WAVES) == keys[SHORT] != keys[LONG]
    for file, of_short, of_long in (
        ("filters/height.py", True, False),
        ("generators/common.py", True, True),
        ("evals/wording.py", True, True),
        ("generators/long.py", False, True),
        ("rendering/png.py", False, False),
    ):
        edit(project / file)
        changed = [digest_of(WAVES, name) != keys[name] for name in (SHORT, LONG)]
        assert changed == [of_short, of_long], file
        (project / file).write_text(FILES[file])
    assert all(digest_of(WAVES, name) == key for name, key in keys.items())


def test_comments_docstrings_and_layout_do_not_count_but_in_the_digest_of_all_files(project):
    before, digests = digest_of(SHORT), {sources.files_digest()}
    (project / "generators/common.py").write_text("# A comment\nSEED = (1)\ndef draw():\n\n    return SEED\n")
    assert digest_of(SHORT) == before
    digests.add(sources.files_digest())
    (project / "export").mkdir()
    (project / "export" / "card.md.j2").write_text("template")
    digests.add(sources.files_digest())
    (project / "export" / "data.parquet").write_text("not ours")
    digests.add(sources.files_digest())
    assert len(digests) == 3


def held(code):
    """Whether a process that begins now would run ``code``."""
    sources._pins.cache_clear()
    try:
        code.pin()
    except PlanimeterError:
        return False
    return True


def test_an_edit_between_the_digest_and_the_import_is_noticed(project, monkeypatch):
    """Where digests are taken once a process, rows of the new code would be kept under the key of the old."""
    code = sources.Code.of((WAVES, SHORT))
    path = project / "generators/short.py"
    for damage in ("MORE = 1\n", "MORE = (\n", "\0"):
        edit(path, damage)
        assert not held(code), damage
        path.write_text(FILES["generators/short.py"])
    path.unlink()
    assert not held(code)
    path.write_text(FILES["generators/short.py"])
    edit(project / "generators/long.py")
    assert held(code)
    edit(path)
    assert held(code), "it is imported by now: an edit changes nothing here"
    sources._PINNED.clear()
    path.write_text(FILES["generators/short.py"])
    with monkeypatch.context() as patch:
        patch.setattr(sources, "import_module", lambda _: {}["half an edit"])
        assert not held(code), "a module that cannot be imported"
    sources._PINNED.clear()
    edit(project / "generators/common.py")
    assert not held(code), "a module that the others import"


def test_a_process_that_starts_after_an_edit_does_not_pass_for_one_before(project):
    planned = sources.Code.of((WAVES, SHORT))
    edit(project / "generators/short.py")
    assert digest_of(WAVES, SHORT) != planned.digest
    assert not held(planned)


def test_the_wording_of_a_question_is_in_the_key_and_prefect_is_not():
    ours = sources.closure([SUITE])
    assert {"planimeter.evals.marvl_qa.prompt", "planimeter.generators.seeding"} <= ours
    outside = ("planimeter.flows.build", "planimeter.flows.steps", "planimeter.flows.commands.cli")
    assert not any(name.startswith(outside) for name in ours)
    with pytest.raises(LookupError, match="no module of ours"):
        sources.digest(("generators.nothing",))


def test_every_python_gives_the_same_digest():
    """`ast.dump` of Python 3.12 adds type parameters, and that of 3.13 drops empty lists: each would be another key."""
    assert sources.plain(ast.parse("def f(a, *, b=-1):\n    return [a, f'{b!r}']\n")) == (
        "Module(body=[FunctionDef(name='f',args=arguments(args=[arg(arg='a')],kwonlyargs=[arg(arg='b')],"
        "kw_defaults=[UnaryOp(op=USub(),operand=Constant(value=1))]),body=[Return(value=List(elts=[Name(id='a',"
        "ctx=Load()),JoinedStr(values=[FormattedValue(value=Name(id='b',ctx=Load()),conversion=114)])],ctx=Load()))])])"
    )
    literals = ("x = []", "x = [[]]", "x = ()", "x = None", "x: int", "x = 0")
    assert len({sources.plain(ast.parse(text)) for text in literals}) == 6, "an empty literal is taken for another"


def test_a_module_is_parsed_though_another_thread_parses_at_once(monkeypatch):
    parse, fails = ast.parse, iter([True, True, False])

    def disturbed(text):
        if next(fails):
            raise SystemError("AST constructor recursion depth mismatch (before=25, after=37)")
        return parse(text)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert isinstance(sources._parsed("x = 1").body[0], ast.Assign)
