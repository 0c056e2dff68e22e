"""Reads the Asymptote of drawing programs into Python syntax trees, so that one machine carries out both languages.

The grammar covers what a textbook figure needs: typed declarations, assignments, one-line and block functions, counted
loops, ``if`` on a comparison, calls, and paths joined by ``--``. Anything else is refused with its place. A pair or
triple becomes ``_vector(...)``, a path ``_path(...)`` with the name ``cycle`` at its end where it is closed. What
modules are imported decides nothing: a name has one meaning, whatever module brings it.
"""

import ast
import re
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<number>\d+\.\d*|\.\d+|\d+)|(?P<name>[A-Za-z_]\w*)|(?P<string>"[^"]*")"""
    r"""|(?P<sign>--|\+\+|\+=|==|!=|<=|>=|&&|\|\||[-+*/%<>=(){}\[\];,.!])""",
    re.DOTALL,
)
#: Statements that begin so set up the page; none of them places anything.
_SETTING: Final = ("import", "pen", "currentprojection")
#: What tokens begin with that are no numbers, names or texts; what ends an expression; and what ends a term.
_SIGNS: Final = frozenset("-+=!<>&|*/%(){}[];,.")
_ENDS: Final = frozenset(",);]}")
_TERM_ENDS: Final = _ENDS | {"+", "-", "--"}
_TYPES: Final = ("int", "real", "pair", "triple", "path", "void")


class UnreadableError(ValueError):
    """The program holds something that the certifier does not read."""


def to_python(code: str) -> ast.Module:
    """Return ``code`` as a Python module of the same meaning.

    Raises:
        UnreadableError: at the first token that the grammar has no place for.
    """
    return ast.parse("\n".join(_Parser(_tokens(code)).program()))


def _tokens(code: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    for match in _TOKEN.finditer(code):
        start, end = match.span()
        if start != at:
            break
        if match.lastgroup != "space":
            tokens.append(code[start:end])
        at = end
    if at != len(code):
        raise UnreadableError(f"no token of Asymptote at {code[at : at + 20]!r}")
    return tokens


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        #: Two empty ones at the end, which are never consumed: some rules look ahead by one.
        self.tokens = [*tokens, "", ""]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at]

    def take(self, *wanted: str) -> str:
        piece = self.tokens[self.at]
        if not piece or (wanted and piece not in wanted):
            near = " ".join(self.tokens[max(0, self.at - 5) : self.at + 3])
            raise UnreadableError(f"need {' or '.join(wanted) or 'more'} in Asymptote, got {piece!r} near {near!r}")
        self.at += 1
        return piece

    def program(self) -> list[str]:
        lines: list[str] = []
        while self.peek():
            lines += self.statement()
        return lines

    def block(self) -> list[str]:
        if self.peek() != "{":
            return ["    " + line for line in self.statement()]
        self.take("{")
        lines: list[str] = []
        while self.peek() != "}":
            lines += self.statement()
        self.take("}")
        return ["    " + line for line in lines] or ["    pass"]

    def statement(self) -> list[str]:
        piece = self.peek()
        if piece == "for":
            return self.loop()
        if piece == "if":
            return self.branch()
        if piece in _SETTING:
            while self.take() != ";":
                pass
            return []
        if piece == "return":
            self.take()
            value = self.expression()
            self.take(";")
            return [f"return {value}"]
        if piece in _TYPES:
            return self.declaration()
        expression = self.expression()
        if self.peek() == "=":
            self.take()
            expression += " = " + self.expression()
        self.take(";")
        return [expression]

    def declaration(self) -> list[str]:
        self.take(*_TYPES)
        while self.peek() == "[":
            self.take("[")
            self.take("]")
        name = self.take()
        if self.peek() == "(":
            self.take("(")
            params = []
            while self.peek() != ")":
                self.take(*_TYPES)
                params.append(self.take())
                if self.peek() == ",":
                    self.take()
            self.take(")")
            return [f"def {name}({', '.join(params)}):", *self.block()]
        lines: list[str] = []
        while True:
            self.take("=")
            lines.append(f"{name} = {self.expression()}")
            if self.take(",", ";") == ";":
                return lines
            name = self.take()

    def loop(self) -> list[str]:
        self.take("for")
        self.take("(")
        self.take("int")
        name = self.take()
        self.take("=")
        start = self.expression()
        self.take(";")
        self.take(name)
        sign = self.take("<", "<=")
        stop = self.expression()
        self.take(";")
        if self.peek() == "++":
            self.take()
            self.take(name)
        else:
            self.take(name)
            self.take("++")
        self.take(")")
        return [f"for {name} in range({start}, ({stop}) + {int(sign == '<=')}):", *self.block()]

    def branch(self) -> list[str]:
        self.take("if")
        self.take("(")
        test = self.expression()
        test += " " + self.take("==", "!=", "<", ">", "<=", ">=") + " " + self.expression()
        self.take(")")
        lines = [f"if {test}:", *self.block()]
        if self.peek() == "else":
            self.take()
            lines += ["else:", *self.block()]
        return lines

    def expression(self) -> str:
        """Read a path, or what one is made of."""
        if self.stands_alone(_ENDS):
            return self.take()
        pieces = [self.sum()]
        while self.peek() == "--":
            self.take()
            pieces.append(self.sum())
        return pieces[0] if len(pieces) == 1 else f"_path({', '.join(pieces)})"

    def sum(self) -> str:
        text = self.product()
        while self.peek() in ("+", "-"):
            text += f" {self.take()} {self.product()}"
        return text

    def stands_alone(self, ends: frozenset[str]) -> bool:
        """Whether a number, name or text comes, and then one of ``ends``: most do, and it needs no further look."""
        return self.tokens[self.at + 1] in ends and self.tokens[self.at][0] not in _SIGNS

    def product(self) -> str:
        if self.stands_alone(_TERM_ENDS):
            return self.take()
        text = self.sign()
        while self.peek() in ("*", "/"):
            text += f" {self.take()} {self.sign()}"
        return text

    def sign(self) -> str:
        if self.peek() == "-":
            self.take()
            return f"(-{self.sign()})"
        return self.postfix()

    def postfix(self) -> str:
        text = self.atom()
        while self.peek() in (".", "["):
            if self.take() == ".":
                text += "." + self.take("x", "y", "z")
            else:
                text += f"[{self.expression()}]"
                self.take("]")
        return text

    def listed(self, closing: str) -> list[str]:
        items: list[str] = []
        while self.peek() != closing:
            items.append(self.expression())
            if self.peek() == ",":
                self.take()
        self.take(closing)
        return items

    def atom(self) -> str:
        piece = self.take()
        if piece == "(":
            items = self.listed(")")
            return f"({items[0]})" if len(items) == 1 else f"_vector({', '.join(items)})"
        if piece == "{":
            return f"[{', '.join(self.listed('}'))}]"
        if piece[:1] == '"':
            return piece
        if piece[:1].isdigit() or piece[:1] == ".":
            # A number before a name or a bracket multiplies it, before anything else does.
            return f"({piece} * {self.postfix()})" if self.peek().isidentifier() or self.peek() == "(" else piece
        if piece.isidentifier():
            if self.peek() == "(":
                self.take()
                return f"{piece}({', '.join(self.listed(')'))})"
            return piece
        raise UnreadableError(f"no expression of Asymptote begins with {piece!r}")
