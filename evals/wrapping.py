r"""Removes from a reply what models and serving stacks add: reasoning, chat-template tokens, code fences, Markdown.

An answer inside a reasoning block does not count as the answer of the reply. All functions take time linear in the
length of the reply: no regular expression has two unbounded parts that can match the same characters.
"""

import html
import json
import re
import unicodedata

_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u200e\u200f]")
_NAMES = r"(?:think(?:ing)?|reasoning|thoughts?)"
#: <think>, [THINK], ◁think▷, <|begin_of_thought|> and their closings; the first group is "/" or "end" in a closing.
_THOUGHT = re.compile(
    rf"<(/?){_NAMES}>|\[(/?)THINK\]|\u25c1(/?){_NAMES}\u25b7|<\|(?:begin|(end))_of_thought\|>", re.IGNORECASE
)
#: gpt-oss puts reasoning in its own channel.
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\s*<\|message\|>")
_OTHER_CHANNEL = re.compile(r"<\|channel\|>\s*(?:analysis|commentary)\b")
#: The next turn is the model's invention.
_NEXT_TURN = re.compile(
    r"<\|im_start\|>\s*(?:user|system)\b|<start_of_turn>\s*user\b|<\|(?:user|User)\|>|\[INST\]"
    r"|^(?:#{1,4} ?)?(?:User|USER|Human|Instruction):",
    re.MULTILINE,
)
_TEMPLATE = re.compile(
    r"<\|(?:im_start|start_header_id|start)\|>\s*assistant\b(?:\s*<\|end_header_id\|>)?|<start_of_turn>\s*model\b"
    r"|<\|(?!(?:begin|end)_of_box\|)[\w\u2581 ]{1,40}\|>|</?s>|<[be]os>|<(?:end|start)_of_(?:turn|utterance|text)>"
    r"|\[/INST\]",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#39|#x27);", re.IGNORECASE)
_BREAK = re.compile(r"<br\s{0,4}/?>", re.IGNORECASE)
#: A reply may end in a loop of blanks; patterns with several optional blanks would take quadratic time over it.
_LONG_BLANK = re.compile(r"\s{9,}+")

_LATEX_WRAP = re.compile(r"\\(?:text|textbf|textrm|textit|mathbf|mathrm|mathit|mathsf|bf|rm|emph)\s{0,8}\{([^{}]*+)\}")
#: Some hosts read the \b of \boxed as a backspace, or omit it.
_BOX = re.compile(r"(?:\\f?box(?:ed)?|\x08oxed|(?<![\\\w])boxed)\s{0,8}\{|[{}]")
_BOX_TOKEN = re.compile(r"<\|(?:begin|end)_of_box\|>")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r"\A(?:```+|~~~+)[^\n`]{0,40}(?:\n|\Z)|\A```+|\n?\s{0,8}(?:```+|~~~+)\Z")
_PAIRS = (
    *(("**", "**"), ("__", "__"), ("`", "`"), ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("*", "*")),
    *(('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("\u300c", "\u300d"), ("\u00ab", "\u00bb"), ("\u201e", "\u201c")),
)


def outside_reasoning(reply: str) -> str:
    """Return ``reply`` without reasoning blocks (``<think>`` etc.), invisible characters and blanks at its ends.

    Strict parsers read the result. A reasoning block may lack its closing tag, or its opening one, which is often part
    of the chat template. The result is empty if the reply is nothing but reasoning.
    """
    reply = _INVISIBLE.sub("", reply)
    channels = [*_FINAL_CHANNEL.finditer(reply)]
    if channels:
        reply = reply[channels[-1].end() :]
    elif _OTHER_CHANNEL.search(reply):
        return ""
    kept: list[str] = []
    start, inside = 0, False
    for token in _THOUGHT.finditer(reply):
        closing = any(token.groups())
        if not inside and not closing:
            kept.append(reply[start : token.start()])
        elif closing and not inside:
            kept.clear()
        inside = not closing
        start = token.end()
    if not inside:
        kept.append(reply[start:])
    return " ".join(kept).replace("\r\n", "\n").strip()


def visible(reply: str) -> str:
    """Return ``reply`` normalised for lenient parsers: without reasoning, chat-template tokens, invisible characters.

    Turns of the user that the model invents after its reply are also removed. Digits of other scripts, full-width forms
    and circled numbers become ASCII (full compatibility folding would turn "10\u00b2" into "102"), HTML escapes become
    their characters, and ``<br>`` a line break. A run of more than eight blanks becomes two line
    breaks if it contains several, one if it contains one, else one blank.
    """
    text = _ESCAPED.sub(lambda sign: html.unescape(sign[0]), reply) if "&" in reply else reply
    text = text if text.isascii() else "".join(map(_fold, text))
    text = outside_reasoning(text)
    following = _NEXT_TURN.search(text)
    if following and text[: following.start()].strip():
        text = text[: following.start()]
    text = _BREAK.sub("\n", _TEMPLATE.sub("", text))
    return _LONG_BLANK.sub(lambda run: "\n\n" if run[0].count("\n") > 1 else "\n" if "\n" in run[0] else " ", text)


def _fold(sign: str) -> str:
    if sign == "\u2212":
        return "-"
    if sign.isascii():
        return sign
    if sign.isdecimal():
        return str(unicodedata.decimal(sign))
    if "\uff01" <= sign <= "\uff5e" or "\u2460" <= sign <= "\u2473":
        return unicodedata.normalize("NFKC", sign)
    return sign


def boxes(text: str) -> list[tuple[int, int, int]]:
    r"""Return offsets in ``text`` for each complete ``\boxed{}``, in order: its start, its content's start and end.

    A box inside another box is omitted.
    """
    outer: list[tuple[int, int, int]] = []
    opened: list[tuple[int, int, bool]] = []
    for piece in _BOX.finditer(text):
        if piece[0] != "}":
            opened.append((piece.start(), piece.end(), piece[0] != "{"))
        elif opened:
            start, inner, is_box = opened.pop()
            if is_box:
                # A box ends after those inside it.
                while outer and outer[-1][0] > start:
                    outer.pop()
                outer.append((start, inner, piece.start()))
    return outer


def unwrapped(text: str) -> str:
    r"""Return ``text`` without the markup that encloses all of it: code fences, boxes, quotes, emphasis, fonts.

    Markup inside the text stays, as in "3*4" and ``\frac{1}{2}``. At most eight layers are removed.
    """
    text = _BOX_TOKEN.sub(" ", text)
    for _ in range(8):
        before = text = text.strip()
        text = _FENCE.sub("", text).strip() if text.startswith(("```", "~~~")) else text
        box = boxes(text) if "box" in text else []
        alone = len(box) == 1 and not _WORD.search(text[: box[0][0]] + text[box[0][2] :])
        text = text[box[0][1] : box[0][2]].strip() if alone else text
        font = _LATEX_WRAP.fullmatch(text)
        text = font[1] if font else text
        for opening, closing in _PAIRS:
            middle = text[len(opening) : -len(closing)]
            wraps = text.startswith(opening) and text.endswith(closing)
            if wraps and middle and opening not in middle and closing not in middle:
                text = middle
                break
        if text == before:
            break
    return text


def json_at(text: str, start: int) -> tuple[object, int] | None:
    """Return the JSON value at offset ``start`` of ``text``, and the offset of its end; None if it is not JSON."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):  # a reply may have arbitrarily deep brackets
        return None
