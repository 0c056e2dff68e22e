"""Prepares the tokens of a sentence for the reader of counts: references, asides, sums and products."""

import re
from math import prod

from planimeter.evals.marvl_qa.lexicon import Token
from planimeter.evals.marvl_qa.numbers import NOT_WHOLE

SEVERAL = "several numbers in the answer"

ONES = frozenset({"one", "single", "a single"})
_NONE = frozenset({"no", "没有", "沒有", "keine", "aucun"})
_PLURALS = frozenset({"maxima", "minima"})
#: "the maximum is 6", "the peak value: 6": heights, and no counts.
_SINGULARS = frozenset({"maximum", "minimum", "peak", "summit", "valley", "max", "min"})
_VALUES = frozenset({"value", "values", "height", "level", "point", "lies", "reaches", "has"})
_PRODUCTS = re.compile(
    r"(N)[lwq]{0,2}gf[lqw]{0,2}(N)(?:[lwq]{0,3}[AOF])?e?|(N)([lwq]{0,2}g),?W?e?W?[qi]{0,2}(N)(?:[lwq]{0,3}[AOF])?e?"
    r"|(N)(?:[lwq]{0,3}[AOF])?P?e[fqD]{0,3}(N)g|(N)g[*wP](N)g|(N)g,(N)(?:[lwq]{0,3}[AOF])?P?e[qD]?g"
    r"|(N)(?:[lwq]{0,3}[AOF])?P?eg,?[jq]?(N)g|ef[D]?(N)g[qW]{1,2}(N)(?:[lwq]{0,3}[AOF])"
)
_MOST_TERMS = 40
_LARGEST = 10**9


def prepared(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` with Z for "figure 6", L for "row 1", X for "not 6", and N for every other number.

    Asides that add no number are dropped; a sum, a product and what they equal are one number, whose text is its last
    sign: "+", "*", "=", or "-" for what is none.
    """
    return _added(_without_asides(_added(_multiplied(_without_references(tokens)))))


def _without_references(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` with Z, L and X; "one" is a number only where it counts."""
    kept: list[Token] = []
    tokens = _without_exceptions(tokens)
    for k, token in enumerate(tokens):
        before = kept[-1] if kept else Token("", "")
        tail = "".join(token.code for token in kept[-3:])
        following = tokens[k + 1] if k + 1 < len(tokens) else Token("", "")
        if (
            token.code in "AO"
            and token.text in _SINGULARS
            and (following.code in ("i", "=") or following.text in _VALUES)
        ):
            kept.append(Token("z", token.text))
        elif token.text in ("max", "min") and before.code == "N":
            kept.append(Token("a", token.text))
        elif token.code == "N" and _refers(before, following):
            kept[-1] = Token("Z", token.text)
        elif before.code == "g" and (token.code == "N" or (len(token.text) == 1 and token.text in "bcdefgh")):
            kept[-1] = Token("L", token.text)
        elif token.text in ONES and not _counts(tokens, k):
            kept.append(Token("q", token.text))
        elif token.code == "N" and (denial := re.search("d[qvi]{0,2}$|I[vD]?$", tail)):
            kept[len(kept) - len(denial[0]) :] = [Token("X", token.text)]
        elif token.code == "N" and re.search("X[k,]$", tail):
            kept[-2:] = [token]
        elif token.text in _NONE and before.code in ("i", "q", "j", ",", "Q", "") and _counts(tokens, k):
            kept.append(Token("N", token.text, 0))
        else:
            kept.append(token)
    return kept


def _refers(before: Token, following: Token) -> bool:
    """Whether a number behind ``before`` is its name: "figure 6", "peak 6", "plot 6"."""
    if before.code == "Q":
        return following.code not in tuple("lwAOFC")
    return before.code in ("r", "A", "O") and before.text not in _PLURALS and before.text.isascii()


def _without_exceptions(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` without "excluding the 2 on the border", up to the end of the clause."""
    kept: list[Token] = []
    excepts = False
    for token in tokens:
        excepts = token.code == "V" or (excepts and token.code not in ",;:)ki")
        if not excepts:
            kept.append(token)
    return kept


def _counts(tokens: list[Token], k: int) -> bool:
    """Whether "one" at ``k`` is a number: before the feature, at the end, or behind a colon; else it is a pronoun."""
    following = "".join(token.code for token in tokens[k + 1 : k + 5])
    before = tokens[k - 1].code if k else "^"
    if re.match(r"[lw]{0,3}[AOFg]", following) or before in ":=":
        return True
    return not following[:1].strip("?)") or (following[0] == "," and before in "^,is")


def _without_asides(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` without asides that hold no number or the same one again, but for what they say against it."""
    kept: list[Token] = []
    k = 0
    while k < len(tokens):
        inner = _aside(tokens, k) if tokens[k].code == "(" else None
        values = {token.value for token in inner or () if token.code == "N"}
        last = next((token for token in kept[:-6:-1] if token.code == "N"), None)
        codes = {token.code for token in inner or ()}
        if inner is not None and len(inner) == 1 and values and (not kept or kept[-1].code in "+*=:i"):
            kept.append(inner[0])  # "(2 + 3) = 5"
            k += 3
        elif inner is None or (values and (last is None or values != {last.value} or codes & set("odhb"))):
            kept.append(tokens[k])
            k += 1
        else:
            named = [token for token in inner if token.code in "AO"] if codes <= set("AOlq") else []
            kept.extend(named or [token for token in inner if token.code in "habpeLv"][:1])
            k += len(inner) + 2
    return kept


def _aside(tokens: list[Token], start: int) -> list[Token] | None:
    """Return what stands between the parenthesis at ``start`` and its closing one, None where that is far or nested."""
    for end in range(start + 1, min(start + 14, len(tokens))):
        if tokens[end].code == ")":
            return tokens[start + 1 : end]
        if tokens[end].code == "(":
            return None
    return None


def _added(tokens: list[Token]) -> list[Token]:
    """Return ``tokens`` with sums, products and what they equal as one number: "3 + 3 = 6", "4 rows of 4", "2 x 3"."""
    done: list[Token] = []
    k = 0
    while k < len(tokens):
        if tokens[k].code != "N":
            done.append(tokens[k])
            k += 1
            continue
        number, k = _chain(tokens, k)
        while k + 1 < len(tokens) and tokens[k].code in "=i" and tokens[k + 1].code == "N":
            right, end = _chain(tokens, k + 1)
            signs = {number.text} if tokens[k].code == "i" else {number.text, right.text}
            if not signs & {"+", "*", "-", "="}:
                break
            number, k = _equal(number, right), end
        done.append(number)
    return done


def _operates(token: Token) -> bool:
    return token.code in "+*-/" or token.text == "by"


def _chain(tokens: list[Token], start: int) -> tuple[Token, int]:
    """Return the number that a chain of numbers and operators from ``start`` makes, and where it ends."""
    terms, product, plain, k = [], [tokens[start].value], True, start + 1
    while k + 1 < len(tokens) and _operates(tokens[k]) and tokens[k + 1].code == "N":
        if tokens[k].code in "+-/":
            terms.append(product)
            product = []
            plain &= tokens[k].code == "+"
        product.append(tokens[k + 1].value)
        k += 2
    if k == start + 1:
        return tokens[start], k
    terms.append(product)
    values = [value for term in terms for value in term]
    if not plain or None in values or len(values) > _MOST_TERMS:
        return Token("N", "-", None, SEVERAL), k
    total = sum(prod(value or 0 for value in term) for term in terms)
    if total >= _LARGEST:
        return Token("N", "-", None, NOT_WHOLE), k
    return Token("N", "+" if len(terms) > 1 else "*", total), k


def _equal(left: Token, right: Token) -> Token:
    """Return what "3 + 3 = 6" or "6 = 3 + 3" states; a sum may be wrong, and then its result is stated."""
    if left.text in ("+", "*", "-", "=") and right.text not in ("+", "*", "-"):
        return Token("N", "=", right.value, right.problem)
    return left if left.value == right.value else Token("N", "-", None, SEVERAL)


def _multiplied(tokens: list[Token]) -> list[Token]:
    codes = "".join(token.code for token in tokens)
    done: list[Token] = []
    end = 0
    for match in _PRODUCTS.finditer(codes):
        numbers = [tokens[match.start(k)] for k in range(1, match.re.groups + 1) if match[k] == "N"]
        each = match[4] is None or "e" in match[0].replace(match[4], "", 1)
        if not each or any(number.value is None for number in numbers):
            continue
        nouns = [token for token in tokens[match.start() : match.end()] if token.code in "AOF"]
        done += [*tokens[end : match.start()], Token("N", "*", prod(number.value or 0 for number in numbers)), *nouns]
        end = match.end()
    return [*done, *tokens[end:]]
