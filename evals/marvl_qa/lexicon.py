"""Turns a reply into sentences of coded tokens, for the grammars of counts and of transformations.

A token's code is one letter, which says what the word does in a sentence, whatever the language. A grammar is then a
few patterns over strings of codes, and a word that is missing costs an entry of ``vocabulary.toml``.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from planimeter.evals.marvl_qa.numbers import NUMBER, value_of

_CJK = "\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CJK_RUN = re.compile(f"[{_CJK}]++")
_CJK_DIGITS = "零一二三四五六七八九十"
_CJK_NUMBER = f"[{_CJK_DIGITS}两兩]{{1,3}}(?=[个個つ处處座])"
_KOREAN = {
    name: value for value, name in enumerate(("두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"), 2)
}
#: Letters, with the vowel signs of Arabic and Devanagari, which are no word characters to ``re``.
_LETTERS = r"(?:[^\W\d_]|[\u0300-\u036f\u064b-\u065f\u0900-\u0963])++"
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER.pattern})|(?P<cjk>[{_CJK}]++)|(?P<word>{_LETTERS}(?:['\u2019-]{_LETTERS})*+(?!\d))"
    r"|(?P<name>\w++)|(?P<end>[.!?\u061f\u2026]++(?=\s|$|[\"')\]\u201d])|[\u3002\u0964]|;(?=\s)|\n)"
    r"|(?P<mark>[<>]=|[-=]{1,2}>|\S)",
    re.IGNORECASE,
)
_TIMES = re.compile(r"(?<=\d)\s{0,8}(?:[x\u00d7\u22c5\u00b7*]|\\times|\\cdot)\s{0,8}(?=\d)", re.IGNORECASE)
_SPACED = re.compile(r"(?<=\d)\s{1,8}([+-])(?=\d)|(?<=\d)\sminus\s(?=\d)")
_SIGNED = r"[-+\u00b1]?\s?(?:[0-9]++(?:\.[0-9]++)?|\\?pi\b|\u03c0)"
#: Coordinates: "(-2, 3)", "x = -3, -1, 1", "[-5, 5]".
_COORDINATES = re.compile(
    rf"(?:\b(?:near|at|around|close\sto|about)\s)?[(\[]\s?{_SIGNED}(?:\s?[,;]\s?{_SIGNED}){{1,2}}\s?[)\]]"
    rf"|(?:\b(?:near|at|around|close\sto|about)\s)?\b[xyz]\s?(?:=|\u2248|~|\u2208|\bin\b|at\b)\s?{_SIGNED}(?:(?:\s?,\s?(?:and\s)?|\sand\s|\sto\s){_SIGNED}){{0,20}}",
    re.IGNORECASE,
)
#: A point behind one of these ends no sentence.
_ABBREVIATIONS = frozenset(
    ["fig", "figs", "nos", "nr", "approx", "ca", "eg", "ie", "vs", "eq", "sec", "tab", "cf", "deg"]
)
_LONGEST = 5
#: Of a longer text the end is read: a reply of this length loops.
_LONGEST_READ = 100_000
#: Words behind which a model goes on, without having taken back what it said.
_MILD = frozenset(
    {
        *("actually", "hmm", "hm", "moment", "after removing", "after excluding"),
        *("let me verify", "let me check", "let me double-check"),
    }
)
_NO = frozenset({"no", "nope", "nein", "non", "não", "нет"})
_SIGNS: Mapping[str, str] = {
    **dict.fromkeys(",\u3001\u060c\u2013\u2014{}", ","),
    **dict.fromkeys("([", "("),
    **dict.fromkeys(")]", ")"),
    **dict.fromkeys(":|", ":"),
    **dict.fromkeys(("=", "->", "=>", "-->", "\u2192", "\u21d2"), "="),
    **dict.fromkeys(("<", ">", "<=", ">=", "\u2264", "\u2265"), "b"),
    **dict.fromkeys("*\u00d7\u22c5\u00b7", "*"),
    "\u00b0": "g",
    **dict.fromkeys("\u2713\u2714\u2705\u2611", "x"),
    **dict.fromkeys("\u2717\u2718\u274c\u2716\u2260", "d"),
    **{sign: sign for sign in ";+-/"},
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, sign or number; ``value`` is a number's, or None with the ``problem`` that keeps it from being one."""

    code: str
    text: str
    value: int | None = None
    problem: str = ""


Sentence = tuple[Token, ...]


class Lexicon:
    """The words of a task, "counting" or "transformation", and those of both: see ``vocabulary.toml``."""

    def __init__(self, task: str) -> None:
        tables = tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text("utf-8"))
        words = [*tables["shared"].items(), *tables[task].items()]
        entries = {entry.strip(): code for code, text in words for entry in text.split(",")}
        self._exact = {entry: code for entry, code in entries.items() if entry and not entry.endswith("*")}
        self._stems = {entry[:-1]: code for entry, code in entries.items() if entry.endswith("*")}
        self._shortest = min(map(len, self._stems))
        self._longest = max(map(len, self._stems))
        self._first = {entry.split(" ", 1)[0] for entry in self._exact if " " in entry}
        runs = sorted((re.escape(entry) for entry in self._exact if _CJK_RUN.match(entry)), key=len, reverse=True)
        first = "".join(sorted({run[0] for run in runs} | set(_CJK_DIGITS + "两兩")))
        self._pieces = re.compile(f"[^{first}]++|{_CJK_NUMBER}|{'|'.join(runs)}|.")
        self._code = lru_cache(maxsize=4096)(self._looked_up)

    def _looked_up(self, word: str) -> str:
        code = self._exact.get(word)
        if code is not None:
            return code
        for length in range(min(len(word), self._longest), self._shortest - 1, -1):
            code = self._stems.get(word[:length])
            if code is not None:
                return code
        return "d" if word.endswith(("n't", "n\u2019t")) else "w"

    def sentences(self, text: str) -> list[Sentence]:
        """Return the sentences of ``text``; a line break ends one unless a colon stands before it.

        The code ``?`` at a sentence's end says that it asks.
        """
        if len(text) > _LONGEST_READ:
            text = text[-_LONGEST_READ:].lstrip("0123456789.,")
        text = _CJK_RUN.sub(r" \g<0> ", text.casefold().replace("_", " "))
        text = _SPACED.sub(lambda sign: f" {sign[1] or '-'} ", _TIMES.sub(" * ", text))
        done: list[Sentence] = []
        current: list[Token] = []
        trailing = False
        for token in self._tokens(text):
            if token.code != "\n":
                if not current and trailing and token.code == "N":  # "5... 6"
                    current.append(Token("c", "hmm"))
                current.append(token)
            elif current and not (token.text == "\n" and current[-1].code in ":=" and current[-1].text != "|"):
                trailing = token.text[:2] == ".." or token.text[0] == "\u2026"
                asks = "?" in token.text or "\u061f" in token.text
                done.append((*current, replace(token, code="?")) if asks else tuple(current))
                current = []
        return [*done, tuple(current)] if current else done

    def _tokens(self, text: str) -> Iterator[Token]:
        words: list[str] = []
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            if kind == "word":
                words.append(match[0])
                continue
            abbreviated = kind == "end" and match[0] == "." and bool(words) and words[-1] in _ABBREVIATIONS
            yield from self._phrases(words)
            words = []
            if not abbreviated:
                yield from self._token(match, kind)
        yield from self._phrases(words)

    def _token(self, match: re.Match[str], kind: str) -> Iterator[Token]:
        if kind == "number":
            yield Token("N", match[0], *value_of(match))
        elif match[0] in _KOREAN:
            yield Token("N", match[0], _KOREAN[match[0]])
        elif kind == "cjk":
            yield from (self._piece(piece[0]) for piece in self._pieces.finditer(match[0]))
        elif kind == "end":
            spaced = len(match[0]) > 1 and match.string[match.start() - 1 : match.start()].isspace()
            yield Token("," if spaced and match[0][0] in ".\u2026" else "\n", match[0])
        elif kind == "name":
            yield Token("w", match[0])
        elif match[0] in _SIGNS:
            yield Token(_SIGNS[match[0]], match[0])

    def _piece(self, piece: str) -> Token:
        if piece not in self._exact and all(sign in _CJK_DIGITS + "两兩" for sign in piece):
            return Token("N", piece, _cjk_value(piece))
        return Token(self._code(piece), piece)

    def _phrases(self, words: list[str]) -> Iterator[Token]:
        start = 0
        while start < len(words):
            longest = min(_LONGEST, len(words) - start) if words[start] in self._first else 1
            phrases = (" ".join(words[start : start + length]) for length in range(longest, 0, -1))
            phrase = next(phrase for phrase in phrases if " " not in phrase or phrase in self._exact)
            yield Token(self._code(phrase), phrase)
            start += phrase.count(" ") + 1


#: Reads the vocabulary when it is first asked for.
lexicon = lru_cache(Lexicon)


def _cjk_value(numeral: str) -> int:
    tens, ten, units = numeral.rpartition("十")
    worth = {sign: value for value, sign in enumerate(_CJK_DIGITS)} | {"两": 2, "兩": 2}
    return 10 * (worth[tens] if tens else 1) + worth.get(units, 0) if ten else worth[units[-1]]


def corrected(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the parts of a sentence that a correction divides, each but the first with its code "c" in front.

    "No, 5" corrects too; a word of correction in the midst of a clause does not.
    """
    current: list[Token] = []
    for k, token in enumerate(tokens):
        following = tokens[k + 1].code if k + 1 < len(tokens) else ""
        starts = not current or current[-1].code in ",;:()kjd-"
        denies = token.text in _NO and (
            following in ",;:" if not current else following in (",", ":") and current[-1].code in ",-"
        )
        if denies or (token.code == "c" and starts):
            if current:
                yield current
            current = [Token("c", token.text)]
        else:
            current.append(Token("q", token.text) if token.code == "c" else token)
    if current:
        yield current


def without_coordinates(text: str) -> str:
    """Return ``text`` with "there" for points, intervals, and values of x, y and z."""
    return _COORDINATES.sub(" there ", text)


def takes_back(tokens: Sequence[Token]) -> bool:
    """Whether ``tokens``, which begin with a correction, leave nothing of what was said before."""
    return tokens[0].text not in _MILD and all(token.code != "x" for token in tokens)
