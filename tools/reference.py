"""The generated reference: command line, Python, manifest, recipes."""

import importlib
import inspect
import json
import pprint
import re
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import typer
from pydantic import BaseModel

from planimeter.export.manifest import Manifest
from planimeter.flows.commands.cli import app
from planimeter.items.suites import SUITES
from planimeter.suites.base import Recipe
from planimeter.suites.loading import Collection, recipe_of
from tools.markdown import docstring, fenced, prose, table

#: What users import, in the order of the page.
MODULES = ("planimeter.evals", "planimeter.evals.rewards", "planimeter.streams")

#: Longer signatures have a line for each parameter.
WIDTH = 80

#: What the values of an option are called.
KINDS = {"str": "text", "Path": "path", "int": "integer", "float": "number"}


def pages() -> dict[str, str]:
    """Return the pages of the reference by their paths in `docs/`."""
    return {
        "reference/cli.md": "\n\n".join(cli_page()),
        "reference/python.md": "\n\n".join(python_page()),
        "reference/manifest.md": "\n\n".join(manifest_page()),
        "reference/recipe.md": "\n\n".join(recipe_page()),
    }


def commands(group: Any = None, name: str = "planimeter") -> Iterator[tuple[str, Any]]:
    """Yield each command of the command line with its full name."""
    parent: Any = group or typer.main.get_command(app)
    for part, command in parent.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} {part}")
        elif not command.hidden:
            yield f"{name} {part}", command


def cli_page() -> Iterator[str]:
    """Yield the blocks of the page of the command line."""
    yield "# Command line"
    yield (
        "`planimeter COMMAND --help` prints the same. Each command ends with exit code 0, or with one line that says "
        "what was wrong."
    )
    listed = list(commands())
    lines = [
        (f"[`{name}`](#{name.replace(' ', '-')})", prose(command.help.split("\n\n")[0])) for name, command in listed
    ]
    yield table(("command", "what it does"), lines)
    for name, command in listed:
        arguments = [param for param in command.params if param.param_type_name == "argument"]
        options = [param for param in command.params if param.param_type_name == "option" and not param.hidden]
        yield f"## {name}"
        yield docstring(inspect.cleandoc(command.help))
        yield fenced("text", " ".join((name, *(["[OPTIONS]"] if options else ()), *map(_metavar, arguments))))
        if arguments:
            yield table(
                ("argument", "meaning"), [(f"`{_metavar(param)}`", prose(param.help or "")) for param in arguments]
            )
        if options:
            rows = [(_flags(param), _kind(param), _default(param), prose(param.help or "")) for param in options]
            yield table(("option", "value", "default", "meaning"), rows)


def _metavar(param: Any) -> str:
    name = param.metavar or param.name.upper()
    name = f"{name}..." if param.nargs == -1 else name
    return name if param.required else f"[{name}]"


def _flags(param: Any) -> str:
    return ", ".join(f"`{flag}`" for flag in (*param.opts, *param.secondary_opts))


def _kind(param: Any) -> str:
    """Return what an option takes, with its range; nothing for a flag."""
    if param.is_flag:
        return ""
    kind = param.type_descriptor.annotation
    name = KINDS.get(getattr(kind, "__name__", str(kind)), str(kind))
    bounds = (f"{param.min:g} or more" if param.min is not None else "", f"at most {param.max:g}" if param.max else "")
    return ", ".join(filter(None, (name, *bounds)))


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if param.is_flag:
        flags = param.opts if param.default else param.secondary_opts
        return f"`{flags[0]}`" if flags else "off"
    return "" if param.default in (None, "") else f"`{param.default}`"


def python_page() -> Iterator[str]:
    """Yield the blocks of the page of the public functions and classes."""
    yield "# Python"
    yield (
        "What may be imported from outside, beside [what a suite imports]"
        "(../guides/your-suite.md#what-a-suite-imports). Other modules may change with any release."
    )
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        yield f"## {module_name}"
        yield docstring(inspect.cleandoc(module.__doc__ or ""))
        for name in module.__all__:
            yield f"### {module_name.rpartition('.')[2]}.{name}"
            yield from _described(name, getattr(module, name))


def _described(name: str, value: Any) -> Iterator[str]:
    """Yield the signature and the docstring of a public name; a constant has its value."""
    if inspect.isclass(value):
        yield fenced("python", f"class {name}:\n{_signature('__init__', value.__init__, '    ')}")
        yield docstring(inspect.getdoc(value) or "")
        for member, part in inspect.getmembers_static(value, lambda part: isinstance(part, FunctionType | property)):
            if not member.startswith("_"):
                yield f"#### {name}.{member}"
                yield from _described(member, part)
    elif isinstance(value, property):
        returned = inspect.signature(value.fget).return_annotation if value.fget else ""
        yield fenced("python", f"{name}: {_short(inspect.formatannotation(returned))}")
        yield docstring(inspect.getdoc(value) or "")
    elif callable(value):
        yield fenced("python", _signature(name, value))
        yield docstring(inspect.getdoc(value) or "")
    else:
        plain = dict(value) if isinstance(value, Mapping) else value
        yield fenced("python", f"{name} = {pprint.pformat(plain, width=WIDTH, sort_dicts=False)}")


def _signature(name: str, function: Any, indent: str = "") -> str:
    signature = inspect.signature(function)
    line = f"{indent}def {name}{_short(str(signature))}: ..."
    if len(line) <= WIDTH:
        return line
    marked: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in marked:
            marked.append("*")
        marked.append(_short(str(parameter)))
    returned = _short(inspect.formatannotation(signature.return_annotation))
    lines = "".join(f"{indent}    {parameter},\n" for parameter in marked)
    return f"{indent}def {name}(\n{lines}{indent}) -> {returned}: ..."


def _short(annotation: str) -> str:
    """Return an annotation without the modules of its names."""
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", annotation)


def manifest_page() -> Iterator[str]:
    """Yield the blocks of the page of manifest.json."""
    document = Manifest.model_json_schema()
    yield "# manifest.json"
    yield (
        "What was built, from what, and what each check rejected: UTF-8 JSON with sorted keys, so that equal content "
        "is equal bytes. `planimeter verify` checks it against the data files."
    )
    yield _table_of(document, "")
    for name, part in sorted(document["$defs"].items()):
        yield f"## {name}"
        yield docstring(inspect.cleandoc(part.get("description", "")))
        yield _table_of(part, "")


def recipe_page() -> Iterator[str]:
    """Yield the blocks of the page of recipes."""
    yield "# Recipes"
    yield (
        "A recipe is a TOML file, such as `suites/curves/curves.toml`. A key that is not listed here is an error, and "
        "each error names its key, as in `maze.gap_px: Input should be a valid number`."
    )
    models: dict[str, type[BaseModel]] = {suite: recipe for suite in SUITES if (recipe := recipe_of(suite))}
    shared = _toml_schema(next(iter(models.values())))
    yield "## Every dataset"
    common = {name: shared["properties"][name] for name in shared["properties"] if name in Recipe.model_fields}
    yield _table_of(shared | {"properties": common}, "", {"suite": "the name of a suite"})
    yield "### Shortcut"
    yield from _model(shared["$defs"]["Shortcut"], "")
    for kind, model in (models | {"collection": Collection}).items():
        document = _toml_schema(model)
        yield f"## {kind}"
        yield docstring(inspect.cleandoc(document.get("description", "")))
        keys = {name: key for name, key in document["properties"].items() if kind == "collection" or name not in common}
        yield _table_of(document | {"properties": keys}, f"{kind}-")
        for name, part in document.get("$defs", {}).items():
            if name != "Shortcut":
                yield f"### {kind} {name}"
                yield from _model(part, f"{kind}-")


def _toml_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a table without null, which TOML has not: a key that may be None may be left out."""

    def without_null(part: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in part.items() if (name, value) != ("default", None)}
        if "anyOf" in kept:
            kept["anyOf"] = [option for option in kept["anyOf"] if option != {"type": "null"}]
        return kept

    document: dict[str, Any] = json.loads(json.dumps(model.model_json_schema()), object_hook=without_null)
    return document


def _model(part: Mapping[str, Any], prefix: str) -> Iterator[str]:
    if "description" in part:
        yield docstring(inspect.cleandoc(part["description"]))
    yield _table_of(part, prefix)


def _table_of(document: Mapping[str, Any], prefix: str, kinds: Mapping[str, str] | None = None) -> str:
    """Return the keys of an object of a JSON schema; ``prefix`` is that of the headings of other objects."""
    required = document.get("required", ())
    rows = [
        (
            f"`{name}`",
            (kinds or {}).get(name) or _type(key, prefix),
            "required" if name in required else f"`{json.dumps(key['default'])}`" if "default" in key else "",
            prose(key.get("description", "")),
        )
        for name, key in document["properties"].items()
    ]
    return table(("key", "type", "default", "meaning"), rows)


def _type(key: Mapping[str, Any], prefix: str) -> str:
    """Return a type of a JSON schema for people."""
    match key:
        case {"$ref": reference}:
            name = reference.rpartition("/")[2]
            return f"[{name}](#{prefix}{name.lower()})"
        case {"anyOf": options} | {"oneOf": options} | {"allOf": options}:
            return " or ".join(_type(option, prefix) for option in options)
        case {"const": value}:
            return f"`{json.dumps(value)}`"
        case {"enum": values}:
            return " or ".join(f"`{json.dumps(value)}`" for value in values)
        case {"type": "array", "items": list(places)} | {"type": "array", "prefixItems": list(places)}:
            return f"[{', '.join(_type(place, prefix) for place in places)}]"
        case {"type": "array", "items": item}:
            return f"list of {_type(item, prefix)}"
        case {"type": "object", "additionalProperties": dict(value)}:
            return f"object of {_type(value, prefix)}"
        case {"type": str(name)}:
            return _ranged(name, key)
    return "any value"


def _ranged(name: str, key: Mapping[str, Any]) -> str:
    """Return the type `name` with its bounds, as in 0 < number ≤ 1."""
    lower, upper = {"minimum": "≤≥", "exclusiveMinimum": "<>"}, {"maximum": "≤", "exclusiveMaximum": "<"}
    low = [(_number(key[bound]), signs) for bound, signs in lower.items() if bound in key]
    high = [f" {sign} {_number(key[bound])}" for bound, sign in upper.items() if bound in key]
    if low and not high:
        parts = (name, *(f" {signs[1]} {value}" for value, signs in low))
    else:
        parts = (*(f"{value} {signs[0]} " for value, signs in low), name, *high)
    # A narrow column must not break it.
    return "".join(parts).replace(" ", "\N{NO-BREAK SPACE}")


def _number(value: float) -> str:
    """Return a bound; 2 to the 64th in full would widen a table by half."""
    exponent = value.bit_length() - 1 if isinstance(value, int) else 0
    return f"2^{exponent}" if exponent > 30 and value == 2**exponent else f"{value:,}"
