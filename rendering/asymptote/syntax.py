"""Reads the part of Asymptote that figures of problems are written in: tokens, then a tree of tuples.

A node is a tuple whose first member names its kind. Whatever is outside of this part raises ``UndrawableError``:
nothing is guessed, because a figure that is nearly right is wrong.

Kinds of expressions: num, str, name, pair, list, call, index, member, unary, binary, assign, choose, join.
Kinds of statements: declare, define, expr, if, for, each, while, return, break, continue, block.
"""

import re
from typing import Any, Final

Node = tuple[Any, ...]

#: A value of the language: float, bool, str, complex (a pair), Transform, Path, Pen, a list of values, None.
Value = Any


class UndrawableError(Exception):
    """The program holds something that this reader does not draw; the message says what, in a few words."""


_TOKEN: Final = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<num>\d+\.\d+|\d+\.(?!\.)|\.\d+|\d+)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r'|(?P<str>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r"|(?P<op>\^\^|\*\*|\+\+|---|--|\.\.\.|\.\.|::|\+=|-=|\*=|/=|\^=|==|!=|<=|>=|&&|\|\||[-+*/%^=<>!?:;,.(){}\[\]&#])"
)
TYPES: Final = frozenset(
    {"bool", "guide", "int", "pair", "path", "pen", "real", "string", "transform", "void", "var"}
)  # fmt: skip

#: Binary operators from loose to tight; paths are joined between comparison and sum.
_LEVELS: Final = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("^^",))
_SUMS: Final = (("+", "-"), ("*", "/", "%"))
_ASSIGN: Final = frozenset({"=", "+=", "-=", "*=", "/=", "^="})

#: No figure nests deeper; Python's own stack would end at about twice as much.
_DEPTH: Final = 30


def tokens(code: str) -> list[str]:
    """Return the tokens of ``code``; a number before a name (``2cm``) gets the ``*`` that Asymptote understands."""
    collected: list[str] = []
    at = 0
    after_number = False
    while at < len(code):
        match = _TOKEN.match(code, at)
        if match is None:
            raise UndrawableError(f"the sign {code[at]!r}")
        if match.lastgroup == "name" and after_number:
            collected.append("*")
        if match.lastgroup != "space":
            collected.append(match[0])
            after_number = match.lastgroup == "num"
        at = match.end()
    return collected


def parse(code: str) -> list[Node]:
    """Return the statements of ``code``, which holds no comments."""
    reader = _Reader(tokens(code))
    body = []
    while reader.peek():
        body.append(reader.statement())
    return body


class _Reader:
    def __init__(self, listed: list[str]) -> None:
        self._tokens = listed
        self._at = 0
        self._depth = 0

    def peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place] if place < len(self._tokens) else ""

    def take(self, wanted: str = "") -> str:
        word = self.peek()
        if not word or (wanted and word != wanted):
            raise UndrawableError(f"{word or 'the end'!r} where {wanted or 'more'!r} is needed")
        self._at += 1
        return word

    def ahead(self, *wanted: str) -> bool:
        """Take the next word if it is one of ``wanted``."""
        if self.peek() in wanted:
            self._at += 1
            return True
        return False

    # Statements

    def statement(self) -> Node:
        self._depth += 1
        if self._depth > _DEPTH:
            raise UndrawableError("deep nesting")
        made = self._statement()
        self._depth -= 1
        return made

    def _statement(self) -> Node:
        word = self.peek()
        if word == "{":
            return ("block", self._block())
        if word in ("import", "access", "from", "include", "usepackage"):
            return self._import()
        if word == "if":
            return self._if()
        if word == "for":
            return self._for()
        if word == "while":
            self.take()
            self.take("(")
            test = self.expression()
            self.take(")")
            return ("while", test, self.statement())
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

    def _import(self) -> Node:
        names = []
        while self.peek() != ";":
            names.append(self.take())
        self.take(";")
        if {"three", "solids", "graph3"} & set(names):
            raise UndrawableError("three dimensions")
        return ("block", [])

    def _end(self) -> None:
        # Asymptote wants the semicolon; the corpora leave out the last one now and then.
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
        self.take("(")
        test = self.expression()
        self.take(")")
        then = self.statement()
        return ("if", test, then, self.statement() if self.ahead("else") else ("block", []))

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
        kind = self.take()
        while self.ahead("["):
            self.take("]")
            kind += "[]"
        if self.peek(1) == "(":
            return self._definition()
        made: list[tuple[str, str, Node | None]] = []
        while True:
            name, full_kind = self.take(), kind
            while self.ahead("["):
                self.take("]")
                full_kind += "[]"
            made.append((full_kind, name, self._initial() if self.ahead("=") else None))
            if not self.ahead(","):
                break
        self._end()
        return ("declare", made)

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
                raise UndrawableError("a parameter of an unknown type")
            while self.ahead("["):
                self.take("]")
            parameter = self.take()
            parameters.append((parameter, self.expression() if self.ahead("=") else None))
            self.ahead(",")
        return ("define", name, parameters, self._block())

    # Expressions

    def expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEPTH:
            raise UndrawableError("deep nesting")
        left = self._binary(0)
        if self.ahead("?"):
            then = self.expression()
            self.take(":")
            left = ("choose", left, then, self.expression())
        elif self.peek() in _ASSIGN:
            operator = self.take()
            left = ("assign", left, operator, self.expression())
        self._depth -= 1
        return left

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._path()
        left = self._binary(level + 1)
        while self.peek() in _LEVELS[level]:
            left = ("binary", self.take(), left, self._binary(level + 1))
        return left

    def _path(self) -> Node:
        """Read points joined by ``--`` and ``..``, with directions in braces."""
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
        point: Node = self._sum(0)
        return before, point, self._direction()

    def _direction(self) -> Node | None:
        if not self.ahead("{"):
            return None
        value = self.expression()
        if self.ahead(","):
            value = ("pair", [value, self.expression()])
        self.take("}")
        return value

    def _sum(self, level: int) -> Node:
        if level == len(_SUMS):
            return self._unary()
        left = self._sum(level + 1)
        while self.peek() in _SUMS[level]:
            left = ("binary", self.take(), left, self._sum(level + 1))
        return left

    def _unary(self) -> Node:
        if self.peek() in ("-", "+", "!"):
            return ("unary", self.take(), self._unary())
        if self.peek() in ("++", "--"):
            operator = self.take()
            return ("assign", self._unary(), f"{operator[0]}=", ("num", 1.0))
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
            return ("num", float(word))
        if word[0] in "\"'":
            return ("str", word[1:-1].replace('\\"', '"'))
        if word == "(":
            return self._parenthesis()
        if word == "new" or not word.isidentifier():
            raise UndrawableError(f"the word {word!r}")
        return ("name", word)

    def _parenthesis(self) -> Node:
        parts = self._listed(")")
        if len(parts) == 1:
            return parts[0]
        if len(parts) == 2:
            return ("pair", parts)
        raise UndrawableError("three dimensions")
