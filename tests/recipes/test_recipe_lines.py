"""Every mistake of a recipe is listed at once, with the line on which it stands."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_line import here
from hypothesis import given
from hypothesis import strategies as st

from planimeter.recipes.lines import lines_of
from planimeter.recipes.loading import RecipeError, available, load

DOCUMENT = '''# comment: seed = 3
seed = 1
title = """
[limits]
px = 9
"""
a.b.c = 1
a.b."d.e" = 2

pairs = [
  [1, 2], # first
  # between
  [3, 4],
]
look = { ink = "black", deep = { dash = [1, 2] } }

[limits]
px = 4.0
[limits.inner]
px = 5.0
[[files]]
name = "one"
[[files]]
name = "two"
[files.more]
size = 1
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("seed",), 2),
        (("title",), 3),
        (("a",), 7),
        (("a", "b", "c"), 7),
        (("a", "b", "d.e"), 8),
        (("pairs",), 10),
        (("pairs", 1, 0), 10),
        (("look", "deep", "dash", 1), 15),
        (("limits",), 17),
        (("limits", "px"), 18),
        (("limits", "inner"), 19),
        (("limits", "inner", "px"), 20),
        (("files", 0, "name"), 22),
        (("files", 1), 23),
        (("files", 1, "name"), 24),
        (("files", 1, "more", "size"), 26),
        # What is missing is missing in a table.
        (("limits", "inner", "nothing"), 19),
        (("files", 1, "nothing"), 23),
        (("look", "deep", "nothing"), 15),
        (("nothing",), None),
        (("nothing", "at", "all"), None),
        ((), None),
    ],
)
def test_a_value_is_found_whatever_its_form(place, line):
    assert lines_of(DOCUMENT, [place]) == [line]


@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=5), st.booleans()),
        min_size=1,
        max_size=12,
    )
)
def test_a_document_that_was_written_line_by_line_is_read_so(written):
    """Strings hold whatever looks like a line's end or a key; those of several lines begin where their key stands."""
    text, began = "", []
    for number, (content, several) in enumerate(written):
        escaped = "".join(
            f"\\U{ord(sign):08X}" if sign in '"\\' or ord(sign) < 32 or sign == "\x7f" else sign for sign in content
        )
        text += f"# {number}\n\n" if number % 3 else ""
        began.append(text.count("\n") + 1)
        text += f'key{number} = """\n[x]\nkey = 1\n{escaped}"""\n' if several else f'key{number} = "{escaped}"\n'
    assert lines_of(text, [(f"key{number}",) for number in range(len(written))]) == began


@pytest.mark.parametrize("name", available())
def test_the_lines_of_our_own_recipes_hold_their_keys(name):
    text = Path(f"recipes/{name}.toml").read_text()
    values = tomllib.loads(text)
    places = [(key,) for key in values]
    places += [(key, inner) for key, value in values.items() if isinstance(value, dict) for inner in value]
    for place, line in zip(places, lines_of(text, places), strict=True):
        assert line is not None
        assert text.split("\n")[line - 1].lstrip("[").startswith((place[-1], ".".join(place)))


def broken(folder: Path, *changes: tuple[str, str], ends: str = "\n") -> Path:
    text = Path("recipes/curves.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "mine.toml"
    path.write_bytes(text.replace("\n", ends).encode())
    return path


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if line.startswith(text))


def faults_of(path: Path, **given: Any) -> tuple[str, ...]:
    with pytest.raises(RecipeError) as caught:
        load(str(path), **given)
    return caught.value.faults


VERSION = f'version = "{load("curves").version}"'


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_all_mistakes_are_listed_in_the_order_of_their_lines(tmp_path, ends):
    path = broken(
        tmp_path,
        ("seed = 20261121", "sed = 20261121"),
        (VERSION, "version = 1.1"),
        ("sizes = [[2, 4], [5, 8], [9, 12]]", "sizes = [\n  [2, 4],\n  [5, -8],\n]"),
        ('tree_shape = "deep"', 'tree_shape = "round"'),
        ("attempts = 1000\n", ""),
        ends=ends,
    )
    assert faults_of(path) == (
        "seed: Field required",
        f"line {line_of(path, 'version')}: version: Input should be a valid string, got 1.1",
        f"line {line_of(path, 'sed')}: sed: Extra inputs are not permitted, got 20261121",
        f"line {line_of(path, '[polygon]') + 3}: polygon.sizes.1.1: Input should be greater than 0, got -8",
        f"line {line_of(path, '[topographical]')}: topographical.attempts: Field required",
        f"line {line_of(path, 'tree_shape = ' + chr(34) + 'r')}: maze.tree_shape: Input should be 'uniform', 'bushy' "
        "or 'deep', got 'round'",
    )


def test_what_was_given_on_the_command_line_has_no_line(tmp_path):
    path = broken(tmp_path, ('license = "CC-BY-4.0"', 'license = "MIT"'))
    assert [fault.split(":")[0] for fault in faults_of(path, seed=-1)] == ["seed", f"line {line_of(path, 'license')}"]


def test_an_unknown_suite_hides_no_other_mistake(tmp_path):
    path = broken(tmp_path, ('suite = "curves"', 'suite = "rings"'), (VERSION, 'version = "one"'))
    version, suite = faults_of(path)
    assert version.startswith(f"line {line_of(path, 'version')}: version: need a version")
    assert suite.startswith(f"line {line_of(path, 'suite')}: suite: need one of marvl_qa")
    path = broken(tmp_path, ('suite = "curves"\n', ""))
    with pytest.raises(RecipeError, match=r"1 fault\n  suite: need one of marvl_qa, .* got None"):
        load(str(path))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("seed = " + "[" * 5000 + "]" * 5000, "nested too deep"),
        ("seed = " + "9" * 5000, "is not TOML"),
        ("seed = 1\nseed = 2\n", "is not TOML: Cannot overwrite a value .at line 2"),
        ("suite = [1, {}]", "suite: need one of"),
        ('suite = "curves"\n[easy]\nmargin_px = 1e300', "line 3: easy.margin_px: Input should be less than or equal"),
    ],
    ids=["deep", "digits", "twice", "list", "length"],
)
def test_whatever_stands_in_a_file_is_a_fault_of_the_recipe(tmp_path, content, words):
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(RecipeError, match=words):
        load(str(path))


def test_a_wrong_recipe_ends_the_command_with_its_lines_and_no_traceback(tmp_path):
    path = broken(tmp_path, ("gap_px = 10.0", "gap_px = 6.0"), ("gap_px = 7.5", 'gap_px = "wide"'))
    ended = here("build", str(path), "--out", str(tmp_path / "out"))
    assert (ended.code, ended.lines[0]) == (1, "planimeter: mine.toml: 2 faults")
    assert f"line {line_of(path, '[polygon]')}: polygon: need gap_px >= stroke + 3.0 px" in ended.lines[1]
    number = line_of(path, 'gap_px = "')
    assert f"line {number}: counting.gap_px: Input should be a valid number" in ended.lines[2]
    assert "Traceback" not in ended.err
    assert not (tmp_path / "out").exists()
