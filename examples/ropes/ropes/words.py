"""The prompt, and the form of the answer."""

SYSTEM_PROMPT = ""
PROMPT = """\
Ropes begin at the letters on the left and end at the numbers on the right. Where two ropes cross, the lower one has a \
gap, and goes on straight behind the upper one.

At which number does each rope end? Answer inside <answer> tags, with nothing else between them: each letter with its \
number, in the order of the alphabet, such as <answer>A2 B1</answer> for two ropes."""

LETTERS, NUMBERS = "ABCDEF", "123456"


def answer(ends):
    """Return the canonical answer: the number of each letter, letters in order."""
    return " ".join(f"{letter}{ends[letter]}" for letter in sorted(ends))


def ranked(ranks):
    """Return the answer that gives each rope, A first, the rank of its end from the top, 0 the uppermost."""
    return answer({letter: NUMBERS[int(rank)] for letter, rank in zip(LETTERS, ranks, strict=False)})
