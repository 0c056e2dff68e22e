"""The prompts of both kinds, from which the certifier learns the kind; no answer is known here."""

SYMMETRIES = ("left-right", "top-bottom", "both", "none")
SYSTEM_PROMPT = ""
PROMPTS = {
    "areas": """\
The board has black and white tiles. Black tiles that share a side belong to one area; tiles that touch at a corner \
only do not.

How many black areas are there? Answer with the number inside <answer> tags, such as <answer>12</answer>.""",
    "mirror": """\
The board has black and white tiles. Is it its own mirror image: with left and right exchanged (left-right), with top \
and bottom exchanged (top-bottom), with either (both), or with neither (none)?

Answer with one of left-right, top-bottom, both, none inside <answer> tags, such as <answer>none</answer>.""",
}
