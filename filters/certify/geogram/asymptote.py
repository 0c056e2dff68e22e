"""Parses the part of Asymptote that figures of problems use: first into tokens, then into a tree of tuples.

A node is a tuple whose first member names its kind. Any other syntax raises ``UnreadableError``: the parser guesses
nothing, because a nearly correct figure is wrong.

Kinds of expressions: num, str, name, vector, list, call, index, member, unary, binary, assign, choose, join. Kinds of
statements: import, declare, define, expr, if, for, each, while, return, break, continue, block.
"""

import re
from collections.abc import Callable
from typing import Any, Final

Node = tuple[Any, ...]


class UnreadableError(ValueError):
    """The error for a drawing program with an unsupported element, which the message names."""


_TOKEN: Final = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<num>\d+\.\d+|\d+\.(?!\.)|\.\d+|\d+)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r'|(?P<str>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r"|(?P<op>\^\^|\*\*|\+\+|---|--|\.\.\.|\.\.|::|\+=|-=|\*=|/=|\^=|==|!=|<=|>=|&&|\|\||[-+*/%^=<>!?:;,.(){}\[\]&#])",
    re.DOTALL,
)
TYPES: Final = frozenset(
    {"bool", "guide", "int", "pair", "path", "pen", "real", "string", "transform", "triple", "void", "var"}
)  # fmt: skip

#: Binding strengths of binary operators; joins of paths bind between the loose and the tight ones.
_LOOSE: Final = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "^^": 5}
_TIGHT: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}
#: Tokens that end an expression or a term: most names and numbers precede one of these and need no lookahead.
_ENDS: Final = frozenset(",);]}")
_TERM_ENDS: Final = _ENDS | {"+", "-", "--"}
_ASSIGN: Final = frozenset({"=", "+=", "-=", "*=", "/=", "^="})

#: No figure nests deeper; Python's own stack overflows at about twice as much.
_DEPTH: Final = 30


def parse(code: str) -> list[Node]:
    """Return the statements of ``code`` as nodes.

    Raises:
        UnreadableError: at the first token that does not fit the grammar.
    """
    reader = _Reader(_tokens(code))
    body = []
    while reader.peek():
        body.append(reader.statement())
    return body


def _tokens(code: str) -> list[str]:
    collected: list[str] = []
    at = 0
    for match in _TOKEN.finditer(code):
        if match.start() != at:
            break
        at = match.end()
        if match.lastgroup != "space":
            collected.append(match[0])
    if at < len(code):
        raise UnreadableError(f"unexpected character {code[at]!r}")
    return collected


class _Reader:
    """A recursive-descent parser over a list of tokens."""

    def __init__(self, listed: list[str]) -> None:
        #: Empty tokens at the end, which are never consumed: some rules look ahead.
        self._tokens = [*listed, "", "", ""]
        self._at = 0
        self._depth = 0

    def peek(self, ahead: int = 0) -> str:
        return self._tokens[self._at + ahead]

    def take(self, wanted: str = "") -> str:
        word = self.peek()
        if not word or (wanted and word != wanted):
            found = repr(word) if word else "the end of the program"
            raise UnreadableError(f"expected {repr(wanted) if wanted else 'another token'}, got {found}")
        self._at += 1
        return word

    def ahead(self, *wanted: str) -> bool:
        """If the next token is one of ``wanted``, consume it and return True; otherwise return False."""
        if self.peek() in wanted:
            self._at += 1
            return True
        return False

    # Statements

    def statement(self) -> Node:
        self._depth += 1
        if self._depth > _DEPTH:
            raise UnreadableError("the program is nested too deeply")
        made = self._statement()
        self._depth -= 1
        return made

    def _statement(self) -> Node:
        word = self.peek()
        if word == "{":
            return ("block", self._block())
        if word in ("import", "access", "from", "include", "usepackage"):
            self.take()
            return ("import", self._to_the_end())
        if word == "if":
            return self._if()
        if word == "for":
            return self._for()
        if word == "while":
            self.take()
            return ("while", self._test(), self.statement())
        if word in ("return", "break", "continue"):
            self.take()
            value = None if self.peek() == ";" else self.expression()
            self.take(";")
            return (word, value)
        if self.ahead(";"):
            return ("block", [])
        if word in TYPES and self.peek(1) != "(":
            return self._declaration()
        value = self.expression()
        self._end()
        return ("expr", value)

    def _to_the_end(self) -> list[str]:
        words = []
        while not self.ahead(";"):
            words.append(self.take())
        return words

    def _end(self) -> None:
        # Asymptote requires the semicolon; the corpora omit the last one now and then.
        if self.peek():
            self.take(";")

    def _block(self) -> list[Node]:
        self.take("{")
        body = []
        while self.peek() != "}":
            body.append(self.statement())
        self.take("}")
        return body

    def _if(self) -> Node:
        self.take("if")
        test, then = self._test(), self.statement()
        return ("if", test, then, self.statement() if self.ahead("else") else ("block", []))

    def _test(self) -> Node:
        self.take("(")
        test = self.expression()
        self.take(")")
        return test

    def _for(self) -> Node:
        self.take("for")
        self.take("(")
        if self.peek() in TYPES and self.peek(2) == ":":
            self.take()
            name = self.take()
            self.take(":")
            values = self.expression()
            self.take(")")
            return ("each", name, values, self.statement())
        start = ("block", []) if self.ahead(";") else self._statement()
        test = ("num", 1.0) if self.peek() == ";" else self.expression()
        self.take(";")
        steps = [] if self.peek() == ")" else self._listed(")")
        if not steps:
            self.take(")")
        return ("for", start, test, steps, self.statement())

    def _declaration(self) -> Node:
        kind = self.take() + self._dimensions()
        if self.peek(1) == "(":
            return self._definition()
        declared: list[tuple[str, str, Node | None]] = []
        while True:
            name, dimensions = self.take(), self._dimensions()
            declared.append((kind + dimensions, name, self._initial() if self.ahead("=") else None))
            if not self.ahead(","):
                break
        self._end()
        return ("declare", declared)

    def _dimensions(self) -> str:
        brackets = ""
        while self.ahead("["):
            self.take("]")
            brackets += "[]"
        return brackets

    def _initial(self) -> Node:
        if self.ahead("{"):
            return ("list", self._listed("}"))
        return self.expression()

    def _definition(self) -> Node:
        name = self.take()
        self.take("(")
        parameters: list[tuple[str, Node | None]] = []
        while not self.ahead(")"):
            if self.take() not in TYPES:
                raise UnreadableError("a parameter of a function has an unknown type")
            self._dimensions()
            parameter = self.take()
            parameters.append((parameter, self.expression() if self.ahead("=") else None))
            self.ahead(",")
        return ("define", name, parameters, self._block())

    # Expressions

    def expression(self) -> Node:
        if self._is_token_before(_ENDS):
            return self._primary()
        self._depth += 1
        if self._depth > _DEPTH:
            raise UnreadableError("the program is nested too deeply")
        left = self._operators(_LOOSE, self._path)
        if self.ahead("?"):
            then = self.expression()
            self.take(":")
            left = ("choose", left, then, self.expression())
        elif self.peek() in _ASSIGN:
            operator = self.take()
            left = ("assign", left, operator, self.expression())
        self._depth -= 1
        return left

    def _is_token_before(self, ends: frozenset[str]) -> bool:
        """Return True if the next token is a name or a number and the token after it is one of ``ends``."""
        return self._tokens[self._at + 1] in ends and self._tokens[self._at][0].isalnum()

    def _operators(self, binding: dict[str, int], operand: Callable[[], Node], least: int = 1) -> Node:
        left = operand()
        while (strength := binding.get(self.peek(), 0)) >= least:
            left = ("binary", self.take(), left, self._operators(binding, operand, strength + 1))
        return left

    def _path(self) -> Node:
        """Parse a path: points joined by ``--`` and ``..``, each with optional directions in braces."""
        points, joins = [self._knot()], []
        while self.peek() in ("--", "..", "---", "::", "..."):
            if self.peek() == "--" and self.peek(1) in (")", ";", ","):
                self.take()
                return ("assign", points[-1][1], "-=", ("num", 1.0))
            joins.append(self.take())
            points.append(self._knot())
        if not joins and points[0][0] is None and points[0][2] is None:
            return points[0][1]
        return ("join", points, joins)

    def _knot(self) -> tuple[Node | None, Node, Node | None]:
        before = self._direction()
        point = self._operators(_TIGHT, self._unary)
        return before, point, self._direction()

    def _direction(self) -> Node | None:
        if not self.ahead("{"):
            return None
        value = self.expression()
        if self.ahead(","):
            value = ("vector", [value, self.expression()])
        self.take("}")
        return value

    def _unary(self) -> Node:
        if self._is_token_before(_TERM_ENDS):
            return self._primary()
        if self.peek() in ("-", "+", "!"):
            return ("unary", self.take(), self._unary())
        if self.peek() in ("++", "--"):
            operator = self.take()
            return ("assign", self._unary(), f"{operator[0]}=", ("num", 1.0))
        return self._power()

    def _power(self) -> Node:
        base = self._postfix()
        if self.ahead("^", "**"):
            return ("binary", "^", base, self._unary())
        return base

    def _postfix(self) -> Node:
        node = self._primary()
        while True:
            if self.ahead("("):
                node = ("call", node, self._listed(")"))
            elif self.ahead("["):
                node = ("index", node, self.expression())
                self.take("]")
            elif self.ahead("."):
                node = ("member", node, self.take())
            elif self.peek() == "++" and self.peek(1) in (")", ";", ",", "]"):
                self.take()
                node = ("assign", node, "+=", ("num", 1.0))
            else:
                return node

    def _listed(self, end: str) -> list[Node]:
        items: list[Node] = []
        while not self.ahead(end):
            items.append(("list", self._listed("}")) if self.ahead("{") else self.expression())
            if self.peek() != end:
                self.take(",")
        return items

    def _primary(self) -> Node:
        word = self.take()
        if word[0].isdigit() or (word[0] == "." and len(word) > 1 and word[1].isdigit()):
            number = ("num", int(word) if word.isdigit() else float(word))
            # A number before a name or a bracket multiplies it, before any other operator.
            factor = self.peek().isidentifier() or self.peek() == "("
            return ("binary", "*", number, self._power()) if factor else number
        if word[0] in "\"'":
            return ("str", word[1:-1].replace('\\"', '"'))
        if word == "(":
            return self._parenthesis()
        if word == "new" or not word.isidentifier():
            raise UnreadableError(f"unexpected word {word!r}")
        return ("name", word)

    def _parenthesis(self) -> Node:
        parts = self._listed(")")
        return parts[0] if len(parts) == 1 else ("vector", parts)
