"""The digest of our own code: what decides the bytes of a shard is in it, and nothing else."""

import re

import pytest

from planimeter.flows.store import sources

SUITE = "planimeter.flows.suites.marvl_qa"
IMPORT = sources._IMPORT.findall

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
    for cached in (sources.digest, sources._content, sources._imports):
        cached.cache_clear()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project that a test may edit."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
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


def test_an_import_in_brackets_or_within_a_function_counts():
    imports = "import os\nfrom planimeter.a import (\n    b,\n    c as d,\n)\ndef f():\n    import planimeter.e\n"
    found = [(module or package, *re.findall(r"\w+", "".join(names))) for module, package, *names in IMPORT(imports)]
    assert found == [("os",), ("planimeter.a", "b", "c", "as", "d"), ("planimeter.e",)]


def test_the_digest_of_all_files_holds_templates_and_no_data(project):
    digests = {sources.files_digest()}
    (project / "export").mkdir()
    (project / "export" / "card.md.j2").write_text("template")
    digests.add(sources.files_digest())
    (project / "export" / "data.parquet").write_text("not ours")
    digests.add(sources.files_digest())
    assert len(digests) == 2


def test_the_wording_of_a_question_is_in_the_key_and_prefect_is_not():
    ours = sources.closure([SUITE])
    assert {"planimeter.evals.marvl_qa.prompt", "planimeter.generators.seeding"} <= ours
    outside = ("planimeter.flows.build", "planimeter.flows.steps", "planimeter.flows.commands.cli")
    assert not any(name.startswith(outside) for name in ours)
    with pytest.raises(LookupError, match="no module of ours"):
        sources.digest(("generators.nothing",))
