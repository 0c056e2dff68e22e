"""Translates Asymptote into Python syntax trees, so that ``machine.py`` compiles both languages of drawing programs.

A pair or triple becomes ``_vector(...)``, a path ``_path(...)``, with the name ``cycle`` at its end if it is closed.
Imports are ignored: a name has the same meaning in every module.
"""

import ast
from typing import Final

from planimeter.filters.certify.geogram.asymptote import Node, UnreadableError, parse

_OPERATORS: Final[dict[str, type[ast.operator]]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "^": ast.Pow,
}  # fmt: skip
_TESTS: Final[dict[str, type[ast.cmpop]]] = {"==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt}
_ONE: Final = ("num", 1)


def tree(code: str, language: str) -> ast.Module:
    """Return ``code`` in ``language``, "asymptote" or "matplotlib", as a Python syntax tree.

    Raises:
        UnreadableError: if the code is not in ``language``, or uses syntax that figures do not need.
    """
    try:
        if language == "matplotlib":
            return ast.parse(code)
        return ast.Module([statement for node in parse(code) for statement in _statement(node)], [])
    except SyntaxError as error:
        raise UnreadableError(f"the program is not {language}: {error.msg}, line {error.lineno}") from error
    except (MemoryError, RecursionError) as error:
        raise UnreadableError("the program is nested too deeply") from error
    except UnreadableError:
        raise
    except ValueError as error:
        # A null byte, or an integer of thousands of digits.
        raise UnreadableError(f"the program is not {language}: {error}") from error


def _statement(node: Node) -> list[ast.stmt]:
    match node:
        case ("import", _) | ("expr", ("assign", ("name", "currentprojection"), "=", _)):
            return []
        case ("block", body):
            return [statement for child in body for statement in _statement(child)]
        case ("declare", names):
            # Pens set up the page; none of them places anything. A name without a value gets one when it is assigned.
            return [_set(name, value) for kind, name, value in names if kind != "pen" and value is not None]
        case ("expr", ("assign", ("name", name), "=", value)):
            return [_set(name, value)]
        case ("expr", ("assign", ("index", base, place), "=", value)):
            return [ast.Assign([ast.Subscript(_value(base), _value(place), ast.Store())], _value(value), lineno=1)]
        case ("expr", ("assign", ("name", name) as target, operator, value)):
            return [_set(name, ("binary", operator[0], target, value))]
        case ("expr", value):
            return [ast.Expr(_value(value))]
        case ("return", value) if value is not None:
            return [ast.Return(_value(value))]
        case ("define", name, parameters, body) if all(default is None for _, default in parameters):
            arguments = ast.arguments([], [ast.arg(parameter) for parameter, _ in parameters], None, [], [], None, [])
            return [ast.FunctionDef(name, arguments, _block(("block", body)), [], lineno=1)]
        case ("if", ("binary", operator, left, right), then, otherwise) if operator in _TESTS:
            test = ast.Compare(_value(left), [_TESTS[operator]()], [_value(right)])
            return [ast.If(test, _block(then), _statement(otherwise))]
        case (
            "for",
            ("declare", [("int", name, start)]) | ("expr", ("assign", ("name", name), "=", start)),
            ("binary", "<" | "<=" as sign, ("name", counter), stop),
            [
                ("assign", ("name", counted), "+=", step)
                | ("assign", ("name", counted), "=", ("binary", "+", ("name", _), step))
            ],
            body,
        ) if name == counter == counted and start is not None and (step[0], float(step[1])) == ("num", 1.0):
            end = stop if sign == "<" else ("binary", "+", stop, _ONE)
            loop = ast.For(_name(name, ast.Store()), _call("range", [start, end]), _block(body), [], lineno=1)
            return [loop] if node[1][0] == "declare" else [loop, _set(name, end)]
    raise UnreadableError(f"unsupported statement: {node[0]}")


def _set(name: str, value: Node) -> ast.stmt:
    return ast.Assign([_name(name, ast.Store())], _value(value), lineno=1)


def _block(node: Node) -> list[ast.stmt]:
    return _statement(node) or [ast.Pass()]


def _value(node: Node) -> ast.expr:
    match node:
        case ("num" | "str", constant):
            return ast.Constant(constant)
        case ("name", name):
            return _name(name)
        case ("vector", parts):
            return _call("_vector", parts)
        case ("list", items):
            return ast.List([_value(item) for item in items])
        case ("call", ("name", name), arguments):
            return _call(name, arguments)
        case ("index", base, place):
            return ast.Subscript(_value(base), _value(place))
        case ("assign", ("name", name), "=", value):
            # A named argument.
            return ast.NamedExpr(_name(name, ast.Store()), _value(value))
        case ("member", base, "x" | "y" | "z" as axis):
            return ast.Attribute(_value(base), axis)
        case ("unary", "-", inner):
            return ast.UnaryOp(ast.USub(), _value(inner))
        case ("binary", operator, left, right) if operator in _OPERATORS:
            return ast.BinOp(_value(left), _OPERATORS[operator](), _value(right))
    return _path(node)


def _path(node: Node) -> ast.expr:
    """Return a path as a call of ``_path``, or paths that ``^^`` combines as a call of ``_several``."""
    match node:
        case ("join", knots, joins) if set(joins) == {"--"} and all(k[0] is k[2] is None for k in knots):
            return _call("_path", [point for _, point, _ in knots])
        case ("binary", "^^", left, right):
            return _call("_several", [left, right])
    raise UnreadableError(f"unsupported expression: {node[0]}")


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def _call(name: str, arguments: list[Node]) -> ast.Call:
    return ast.Call(_name(name), [_value(argument) for argument in arguments], [])
