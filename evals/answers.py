r"""Finds where a reply states its answer; what the statement means is the suite's to say.

``marked`` finds the pieces of a reply that are marked as its answer, by a tag or GLM's box tokens, by ``\boxed{}``, by
a key of a JSON object, or by words ("the answer is", in a dozen languages), each without its wrapping. ``answer_of``
decides between them. A later statement counts where a word of correction or conclusion stands before it, because models
correct themselves downwards; two different plain statements without one are refused. Where nothing is marked the suite
reads the reply itself.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Generic, Literal, TypeVar

from planimeter.evals.wrapping import boxes, json_at
from planimeter.evals.wrapping import outside_reasoning as outside_reasoning
from planimeter.evals.wrapping import undecorated as undecorated
from planimeter.evals.wrapping import unwrapped as unwrapped
from planimeter.evals.wrapping import visible as visible

Value = TypeVar("Value")

#: How a piece is marked, the plainest way first.
Mark = Literal["tag", "box", "json", "words"]
_RANK: dict[Mark, int] = {"tag": 0, "box": 1, "json": 2, "words": 3}

#: Bounds on characters and number: a reply that loops on "the answer is" would otherwise take quadratic time.
_LONGEST_STATEMENT = 300
_MOST_STATEMENTS = 50
_SENTENCE_END = re.compile(r"[.!?](?=[\s*_\"')\]]|$)|[\u3002\u0964]|\n")

_KEY = r"(?:(?:final|correct|my|the)?[\s\\_-]{0,3}answer|ans)"
#: An opening or a closing tag: <answer>, </final_answer>, < Final Answer >, <final\_answer>, [answer], a closing one
#: that is cut off, and GLM's box tokens.
_TAG = re.compile(
    rf"[<\[]\s{{0,4}}(/?)\s{{0,4}}{_KEY}\s{{0,4}}/?(?:[>\]]|\Z)|<\|(?:begin|(end))_of_box\|>", re.IGNORECASE
)
#: What stands between tags that are merely mentioned.
_PLACEHOLDER = re.compile(r"[\s.\u2026`*\"'\u2018-\u201d]*+(?:(?:and|or|tags?)[\s.,`*\"']*)?|\s{0,8}[A-Z]\s{0,8}")

_ADJECTIVE = r"(?:final|correct|right|best|my|the|our|overall|true)"
_LINK = r"(?:(?:is|are|was|would\s+be|should\s+be|must\s+be|equals|comes\s+to|comes\s+out\s+(?:to|as))\b(?:\s{0,2}:)?)"
#: Signs that may stand between a word and its colon, and behind that: emphasis and quotes.
_EMPHASIS = r"[*_\"'`\u201d]{0,4}"
_SIGN = rf"{_EMPHASIS}\s{{0,2}}(?:[:=]|->|\u2192|=>|\s[-\u2013\u2014]\s)"
#: Words may repeat a few times only: of a reply that loops on "final" every beginning would be followed to the end.
_WORDS = re.compile(
    rf"\b(?:{_ADJECTIVE}\s+){{0,6}}(?:final[\s_-]?)?(?:answer|choice)\b"
    rf"(?:\s+(?:here|to\s+(?:this|the|your)\s+(?:question|problem|puzzle)|i\s+(?:get|give|got)))?"
    rf"(?:{_SIGN}|{_EMPHASIS}\s{{1,2}}{_LINK}){_EMPHASIS}"
    rf"|^[\s#>*_]{{0,8}}(?:(?:final|correct)\s+)?(?:answer|result|output|ans|a|solution|conclusion|verdict)"
    rf"(?:{_SIGN}{_EMPHASIS}|[*_]{{0,4}}\s{{0,2}}$)"
    rf"|\b(?:correct|right|best)\s+(?:option|transformation|choice)(?:{_SIGN}|\s{{1,2}}{_LINK}){_EMPHASIS}"
    r"|\bi\s+(?:choose|pick|select|answer)\b(?!\s+(?:in|inside|with)\b)"
    r"|(?:答案|答え|答えは|回答|解答)\s{0,2}(?:[:=]|是|为|為|应该是|應該是|は)\s{0,2}[:=]?\*{0,2}"
    r"|(?:정답|답변|해답|답)\s{0,2}(?:[:=]|은|는|이)\s{0,2}:?\*{0,2}"
    rf"|\b(?:antwort|lösung|ergebnis)(?:{_SIGN}|\s(?:ist|lautet|wäre)\b:?){_EMPHASIS}"
    rf"|\b(?:réponse|reponse)(?:\s(?:finale|correcte))?(?:{_SIGN}|\sest\b:?){_EMPHASIS}"
    rf"|\b(?:respuesta|resposta)(?:\s(?:final|corre[ct]ta))?(?:{_SIGN}|\s(?:es|é|seria|sería)\b:?){_EMPHASIS}"
    rf"|\brisposta(?:\s(?:finale|corretta))?(?:{_SIGN}|\sè\b:?){_EMPHASIS}"
    rf"|\bответ(?:{_SIGN}|\s(?:это|равен)\b){_EMPHASIS}"
    rf"|(?:الإجابة|الاجابة|الجواب)(?:\s(?:النهائية|الصحيحة|النهائي|الصحيح))?(?:{_SIGN}|\s(?:هي|هو)\b:?){_EMPHASIS}"
    rf"|उत्तर(?:{_SIGN}|\sहै\b){_EMPHASIS}",
    re.IGNORECASE | re.MULTILINE,
)
_BACKWARDS = re.compile(
    rf"\s(?:is|are|would\s+be|must\s+be|should\s+be)\s+(?:the|my|our)\s+(?:{_ADJECTIVE}\s+){{0,2}}(?:answer|choice|option)\b"
    rf"(?!{_SIGN}|\s+is\b)",
    re.IGNORECASE,
)
#: A sentence that begins so makes no statement itself: "If the answer is 6, ...", "I doubt that the answer is 6".
_SUPPOSED = re.compile(
    r"\b(?:if|suppos\w+|assum\w+|unless|whether|doubt|not|never|cannot|nor|deny|rule\w*\s+out|unlikely|impossible|say"
    r"|previous(?:ly)?|initial(?:ly)?|tempting|at\s+first|might|could)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
#: Words behind which a model takes back what it said.
_TAKEN_BACK = (
    r"(?:actually|wait|nope|correction|corrected|sorry|oops|hmm+|hold\s+on|rather|edit|update|scratch\s+that"
    r"|on\s+(?:reflection|second\s+thou?ghts?)|let\s+me\s+(?:re|correct|fix|double|check|count|look)\w*|my\s+mistake"
    r"|i\s+(?:made|was|mis\w+|take|change|revise|correct)\b|after\s+re\w+|(?:re)?(?:counting|checking|considering)\s+again"
    r"|korrektur|moment|halt|en\s+fait|corrección|espera|исправ\w+"
    r"|(?:no|non|nein|нет)(?=[,.:;!\u2014-]|\s+wait))"
)
_CORRECTION = re.compile(
    rf"(?:\A|[.!?,;:\n\u2026\u3002(\u2014-])[\s*_>]{{0,8}}(?:(?:but|oh|ah|well|and|so|hm+|okay|ok)\b[\s,.]{{0,4}}){{0,3}}"
    rf"(?:{_TAKEN_BACK}(?!\w)|更正|不对|等等|纠正|实际上|訂正|いや|정정|아니)|\b(?:i\s+(?:was\s+wrong|miscounted|made\s+an?\s+(?:mistake|error)))\b",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"\b(?:final(?:ly)?|therefore|thus|hence|so|in\s+(?:conclusion|summary)|conclude|overall|total)\b|最终|最終|최종",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(
    r"\b(?:yes|correct|right|confirm\w*|consistent|same|indeed|stands?|match\w*|holds?|fine|agrees?|sure)\b", re.I
)
_DENIED = re.compile(
    r"\b(?:not|no|never|wrong|incorrect|mistake\w*|errors?|instead|should|missed|forgot|overlooked)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
#: A value in an object that is no JSON: 'in single quotes', bare words.
_PLAIN_VALUE = re.compile(r"'[^'\n]{1,4000}'|[^\s,{}\[\]\"'][^,{}\[\]\"'\n]{0,300}")
_LEADING = re.compile(r"[\s:*_]{0,40}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed(Generic[Value]):
    """What a parser took from a reply: a value, or None and the ``reason`` in a few words that do not vary."""

    value: Value | None
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ValueError(f"a refusal has a reason and nothing else has one, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Marked:
    """A piece of a reply that is marked as its answer: its ``text`` without wrapping, how, and where the mark stands.

    ``closed`` is false for a tag that lacks its partner, which a stop string or a mere mention may have left.
    """

    text: str
    mark: Mark
    start: int
    end: int
    closed: bool = True


#: Reasons, in words that do not vary.
SEVERAL: Final = "several answers"
TAKEN_BACK: Final = "taken back without a plain answer"

#: What a suite reads in a phrase: a value, a refusal, or None where the phrase states nothing of the kind.
Meaning = Callable[[str], Parsed[Value] | None]


def stated(
    reply: str, meaning: Callable[[str], Parsed[Value]], asked: str, *, strict: bool, multiline: bool = False
) -> Parsed[Value]:
    """Return what ``reply`` states, which ``meaning`` reads in a phrase or refuses.

    If ``strict`` the reply is nothing but ``asked`` (a pattern); otherwise the answer stands where it is marked, or
    anywhere if nothing is. See ``answer_of``.
    """
    if strict:
        text = outside_reasoning(reply).strip()
        return meaning(text) if re.fullmatch(asked, text) else Parsed(value=None, reason="not the asked format")
    text = visible(reply)
    return answer_of(text, meaning, multiline=multiline) or meaning(untagged(text))


def answer_of(text: str, meaning: Meaning[Value], *, keys: str = "", multiline: bool = False) -> Parsed[Value] | None:
    """Return what ``text`` marks as its answer, as ``meaning`` reads it, or None where nothing is marked.

    ``text`` is what ``visible`` returns. ``meaning`` is called with pieces of it without their wrapping, Markdown
    and LaTeX inside left; ``keys`` (a pattern) are the suite's own names for an answer in a JSON object, and with
    ``multiline`` an answer may have several lines.

    The last of the plainest marks counts. A different one of its kind before it, or of any kind behind it, makes
    "several answers", unless words of correction stand between them. A correction behind the last of them counts
    likewise, if it can be read; if not, the answer is refused as taken back.
    """
    read = list(_read(text, meaning, keys, multiline=multiline))
    if not read:
        return None
    strongest = min(_RANK[piece.mark] for piece, _ in read)
    first = next(k for k, (piece, _) in enumerate(read) if _RANK[piece.mark] == strongest)
    last, answer = read[first]
    several = False
    for piece, parsed in read[first + 1 :]:
        if parsed.value is None and _RANK[piece.mark] > strongest:
            continue
        between = text[last.end : piece.end]
        concludes = _RANK[piece.mark] == strongest and _CONCLUSION.search(between)
        if concludes or answer.value is None or _CORRECTION.search(between):
            answer, several = parsed, False
        else:
            several |= parsed != answer
        last = piece
    if several:
        return Parsed(value=None, reason=SEVERAL)
    return corrected(answer, text[last.end :], meaning, multiline=multiline)


def _read(text: str, meaning: Meaning[Value], keys: str, *, multiline: bool) -> Iterator[tuple[Marked, Parsed[Value]]]:
    pieces = marked(text, keys=keys, multiline=multiline)
    closed = [piece.start for piece in pieces if piece.mark == "tag" and piece.closed]
    readings: dict[str, Parsed[Value] | None] = {}
    for piece in pieces:
        if not piece.closed and closed and piece.start < closed[-1]:
            continue
        if piece.text not in readings:
            readings[piece.text] = meaning(piece.text)
        parsed = readings[piece.text]
        plain = piece.closed and piece.mark in ("tag", "box")
        if parsed is None and plain:
            parsed = Parsed(value=None, reason="no answer where it is marked")
        if parsed is not None and (parsed.value is not None or piece.closed or not closed):
            yield piece, parsed


def corrected(answer: Parsed[Value], tail: str, meaning: Meaning[Value], *, multiline: bool) -> Parsed[Value]:
    """Return ``answer``, or what the text behind it says instead."""
    cue = _CORRECTION.search(tail)
    if cue is None:
        return answer
    rest = undecorated(tail[cue.start() :].lstrip(" .!?,;:()\n\u2026\u3002"))
    phrases = (rest,) if multiline else sentences(rest)[:_MOST_STATEMENTS]
    readings = [parsed for parsed in map(meaning, phrases) if parsed is not None]
    values = {parsed for parsed in readings if parsed.value is not None}
    if len(values) == 1 and readings[-1].value is not None:
        return readings[-1]
    confirmed = "let me" in cue[0].lower() and _CONFIRMED.search(rest)
    if takes_back(tail) or (readings and not confirmed):
        return Parsed(value=None, reason=TAKEN_BACK)
    return answer


def untagged(text: str) -> str:
    """Return ``text`` without the tags around an answer, which a reply may also merely mention."""
    return _TAG.sub(" ", text)


def turns(between: str) -> bool:
    """Whether the text between two statements says that the second one counts: a correction, or a conclusion."""
    return bool(_CORRECTION.search(between) or _CONCLUSION.search(between))


def takes_back(tail: str) -> bool:
    """Whether the text behind a statement may correct it: by a denial or an unconfirmed number behind such words."""
    cue = _CORRECTION.search(tail)
    rest = tail[cue.start() :] if cue else ""
    return bool(_DENIED.search(rest) or (re.search(r"\d", rest) and not _CONFIRMED.search(rest)))


def marked(text: str, *, keys: str = "", multiline: bool = False) -> tuple[Marked, ...]:
    """Return the pieces of ``text`` that are marked as its answer, in their order; at most 50 of a kind.

    A piece inside of one that is marked more plainly is left out. What stands alone between tags that are merely
    mentioned ("...", "N", nothing) is none.
    """
    taken = bytearray(len(text))
    kept: list[Marked] = []
    for kind in (_tags(text, multiline=multiline), _boxed(text), _keyed(text, keys)):
        for piece in kind:
            if taken.find(1, piece.start, piece.end) < 0:
                taken[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
                kept.append(piece)
    kept.extend(_worded(text, taken, multiline=multiline))
    return tuple(sorted((piece for piece in kept if piece.text), key=lambda piece: piece.start))


def _tags(text: str, *, multiline: bool) -> Iterator[Marked]:
    tokens = list(deque(_TAG.finditer(text), maxlen=4 * _MOST_STATEMENTS))
    if tokens and all(map(_closes, tokens)):
        before = text[: tokens[0].start()]
        yield _tag(before if multiline else last_line(before), 0, tokens[0].end(), closed=False)
    for token, following in pairwise((*tokens, None)):
        if token is None or _closes(token):
            continue
        if following is not None:
            content, end = text[token.end() : following.start()], following
            yield _tag(content, token.start(), end.end() if _closes(end) else end.start(), closed=_closes(end))
        else:
            rest = text[token.end() :].strip()
            content = rest if multiline else rest.split("\n", 1)[0].split("<", 1)[0]
            yield _tag(
                content, token.start(), token.end() + text[token.end() :].find(content) + len(content), closed=False
            )


def _closes(token: re.Match[str]) -> bool:
    return bool(token[1] or token[2])


def _tag(content: str, start: int, end: int, *, closed: bool) -> Marked:
    stated = "" if _PLACEHOLDER.fullmatch(content) else _innermost(content)
    return Marked(text=stated, mark="tag", start=start, end=end, closed=closed)


def _innermost(content: str) -> str:
    """Return ``content`` unwrapped; of a JSON object with an answer, the answer."""
    text = unwrapped(content)
    inner = list(_keyed(text, "")) if text.startswith("{") and text.endswith("}") else []
    return inner[0].text if len(inner) == 1 else text


def _boxed(text: str) -> Iterator[Marked]:
    for start, inner, end in boxes(text)[-_MOST_STATEMENTS:]:
        yield Marked(text=unwrapped(text[inner:end]), mark="box", start=start, end=end + 1)


def _keyed(text: str, keys: str) -> Iterator[Marked]:
    names = f"{_KEY}|{keys}" if keys else _KEY
    pattern = rf"[{{,]\s{{0,8}}([\"']?)(?:{names})\1\s{{0,4}}:\s{{0,4}}"
    for key in deque(re.finditer(pattern, text, re.IGNORECASE), maxlen=_MOST_STATEMENTS):
        item = json_at(text, key.end())
        if item is not None:
            value, end = item
            content = value if isinstance(value, str) else text[key.end() : end]
        else:
            plain = _PLAIN_VALUE.match(text, key.end())
            if plain is None:
                continue
            content, end = plain[0], plain.end()
        yield Marked(text=unwrapped(content), mark="json", start=key.start(), end=end)


def _worded(text: str, taken: bytearray, *, multiline: bool) -> Iterator[Marked]:
    matches = [m for m in deque(_WORDS.finditer(text), maxlen=_MOST_STATEMENTS) if not _supposed(text, m.start())]
    for words, following in pairwise((*matches, None)):
        if words is None:
            continue
        start = words.end() + len(_LEADING.match(text, words.end())[0])  # type: ignore[index]
        if multiline:
            end = following.start() if following else len(text)
            other = taken.find(1, start, end)
            end = other if other >= 0 else end
        else:
            end = _statement_end(text, start)
        if taken.find(1, words.start(), end) < 0 and text[start:end].strip():
            yield Marked(text=unwrapped(text[start:end]), mark="words", start=words.start(), end=end)
    for words in deque(_BACKWARDS.finditer(text), maxlen=_MOST_STATEMENTS):
        start = _sentence_start(text, words.start())
        phrase = text[start : words.start()]
        if taken.find(1, start, words.end()) < 0 and phrase.strip() and not _SUPPOSED.search(phrase):
            yield Marked(text=unwrapped(phrase), mark="words", start=start, end=words.end())


def _statement_end(text: str, start: int) -> int:
    """Return where the sentence from ``start`` ends, or is corrected."""
    rest = text[start : start + _LONGEST_STATEMENT]
    end = _SENTENCE_END.search(rest)
    rest = rest[: end.start()] if end else rest
    cue = _CORRECTION.search(rest, 1)
    return start + (cue.start() if cue else len(rest))


def _sentence_start(text: str, end: int) -> int:
    start = max(0, end - _LONGEST_STATEMENT // 2)
    return start + max((m.end() for m in _SENTENCE_END.finditer(text[start:end])), default=0)


def _supposed(text: str, end: int) -> bool:
    return bool(_SUPPOSED.search(text[_sentence_start(text, end) : end]))


def last_line(text: str) -> str:
    """Return the last line of ``text`` that is not empty, stripped."""
    return text.strip().rsplit("\n", 1)[-1].strip()


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of ``text``; a line break ends one, a decimal point does not."""
    pieces = (piece.strip() for piece in _SENTENCE_END.split(text))
    return tuple(piece for piece in pieces if piece)
