"""The protocol of GeoGram: what a model may write for an answer, and what it must not."""

import pytest
from listed import listed, valued

from planimeter.evals.geogram import grader as geogram


def row(answer: str) -> dict[str, object]:
    return {"answer": answer, "level": "primitive", "code": "draw((0,0)--(1,0));"}


def read(gold: str, reply: str, *, strict: bool = False) -> str:
    """Return what is read, or the reason of a refusal in brackets."""
    parsed = geogram.read("geogram", row(gold), reply, strict=strict)
    return f"[{parsed.reason}]" if parsed.value is None else geogram.written(parsed.value)


def accuracy(gold: str, reply: str, *, strict: bool = False) -> float:
    parsed = geogram.read("geogram", row(gold), reply, strict=strict)
    return geogram.score("geogram", row(gold), parsed)["accuracy"]


#: Answers and other spellings of the same numbers; imported answers may be no numbers.
SAME = r"""
\frac{209}{2}:: 104.5 ¦ 104\frac{1}{2}
8\pi+27:: 27 + 8\pi ¦ 8π+27
134:: 134^\circ ¦ 134°
1512:: 1,512
2\sqrt{29}:: \sqrt{116} ¦ 2\sqrt29 ¦ 2√29
25:: KG = 25 ¦ x = 25
12\pi:: 12\pi\text{ cm}^2
\frac{3\sqrt{2}}{2}:: \frac{3}{\sqrt{2}}
15:: 15 \text{ square units}
1024:: 2^{10} ¦ 2^10 ¦ (2^5)^{2}
\frac{1}{8}:: 2^{-3} ¦ 2^-3
\sqrt{2}:: 2^{1/2} ¦ 2^{\frac{1}{2}}
\sqrt[3]{2}:: 2^{\frac13}
8:: 2^(3)
24:: 24 cm² ¦ 24 \text{ square centimeters} ¦ 24 sq. ft ¦ [ABC]=24 ¦ S_{\triangle ABC} = \frac12 \cdot 6 \cdot 8 = 24
120:: 120^{o} ¦ 120º ¦ \angle ABC = 120 \text{ degrees}
1200:: 1\,200 ¦ 1 200
\frac{9}{4}:: 9⁄4 ¦ {9 \over 4} ¦ 2 1/4 ¦ 2¼ ¦ 2\frac14 ¦ \frac{9}{4} (2.25) ¦ 2.25 = \frac94
\frac{7}{3}:: 2.\overline{3}
9\pi:: 9 pi ¦ 9π \approx 28.27
2\sqrt{3}:: 4\sin 60^\circ ¦ 4\sin\frac{\pi}{3} ¦ 6\tan(30)
(3,4):: (3, 4)
DEF:: DEF
\frac{s^2\sqrt{3}}{4}:: \frac{\sqrt3}{4}s^2
"""
OTHER = r"""
2:: 2\sqrt{3}
8\pi+27:: 52.13
5:: 5, 6 ¦ 5 \text{ or } 6
2\sqrt{29}:: 2\sqrt{28}
12:: 12\pi
134:: 46
\frac{1}{3}:: 0.33
(3,4):: 24
DEF:: 24
\frac{s^2\sqrt{3}}{4}:: 24
"""
STRICTLY_SAME = r"""
638+121\pi:: 638+121π
\frac{9}{4}:: \frac{18}{8} ¦ 2.25
2\sqrt{29}:: \sqrt{116}
"""
UNITS = listed(r"\text{cm}^2 ¦ \mathrm{cm}^{2} ¦ \text{ square inches}")
#: What could compute for ever.
ENDLESS = listed(r"""
9^{9^{9^{9}}} ¦ 9^{9^9} ¦ 9^9^9 ¦ 9**9**9 ¦ (9^{99})^{9^{9}} ¦ 2^{99999} ¦ 2^{(99999999999)} ¦ 2^{+99999999999}
2^{9 9 9 9 9 9} ¦ 2^⏎{99999999999} ¦ 2^{\left(99999999999\right)} ¦ 2 ^ { 1{,}000{,}000{,}000 } ¦ 2^\frac{9999999999}{1}
10^{-\frac{9999999999}{1}} ¦ \sqrt[0.0000000001]{9} ¦ 9e9999999999 ¦ 100000! ¦ (99999999)_{9999} ¦ \Gamma(99999999)
\dbinom{99999999}{9999} ¦ {99999999 \choose 9999} ¦ \exp(\exp(\exp(99))) ¦ \operatorname{eye}(99999999)
\sum_{k=1}^{10^9} k
""")
NO_NUMBER = listed(r"""
24 \text{ or more} ¦ \text{at least }24 ¦ > 24 ¦ 24\% ¦ 24 \approx 25 ¦ 24 \pm 1 ¦ \text{not }24 ¦ 2x = 24 ¦ 24 = 25
24, 25 ¦ [24] ¦ (24, 25) ¦ 24 : 25 : 26 ¦ 24 \text{ per side} ¦ 24 furlongs ¦ 24^\circ 15' ¦ 24 24 ¦ 2.4e1 ¦ 24x ¦ 24_5
24! ¦ \text{if } r = 2, 24 ¦ 24 (25.1) ¦ \sqrt{24 ¦ 1\frac{7}{4}
""")
MARKED_OTHERWISE = listed(r"""
24 ¦ **Answer:** 24 cm² ¦ {"answer": "24"} ¦ <answer>24</answer> ¦ \boxed{24}. Written inside \boxed{}. ¦ boxed{24}
The percentage that is shaded is \boxed{24\%}. ¦ With \boxed{3} and \boxed{8} the area is \boxed{24}
""")
UNMARKED = listed(r"""
I think it might be 24. ¦ The area is at least 24. ¦ 24... ¦ 20-24 ¦ The area isn't 24. ¦ There are 24 triangles.
So the area is **24**. ¦ Half of 48 is⏎24 ¦ Step 1: 6 times 8⏎$$\frac{48}{2}$$
""")
VOID_OR_ONE_OF_TWO = listed(r"""
\boxed{24} or \boxed{25} ¦ The answer is not \boxed{24}. ¦ \boxed{24} would be the whole. ¦ The base is 6, so \boxed{24
""")


def test_the_same_number_counts_in_any_spelling() -> None:
    spaced = [(f"24{space}{unit}", "24") for space in ("", " ", r"\ ", "~", r"\,", r"\;", r"\quad ") for unit in UNITS]
    for boxed, gold in (*valued(SAME), *spaced):
        assert accuracy(gold, f"So the answer is \\boxed{{{boxed}}}.") == 1.0, boxed
    for boxed, gold in valued(OTHER):
        assert accuracy(gold, f"\\boxed{{{boxed}}}") == 0.0, boxed


def test_strictly_the_number_stands_alone_in_one_box_at_the_end() -> None:
    for boxed, gold in valued(STRICTLY_SAME):
        assert accuracy(gold, f"So the area is\n\\boxed{{{boxed}}}", strict=True) == 1.0, boxed
    for boxed in listed(r"24 \text{ mm} ¦ 24^\circ ¦ [ABC]=24 ¦ 24 = 24 ¦ 24 \approx 24.0"):
        assert read("24", f"\\boxed{{{boxed}}}", strict=True) == "[not the asked format]", boxed
    kept = [r"The answer is $\boxed{5}$.", r"\[\boxed{5}\]"]
    broken = listed(r"\boxed{5\text{ cm}} ¦ \boxed{x = 5} ¦ First \boxed{3}, then \boxed{5} ¦ \boxed{5} it is")
    for reply in kept + broken:
        assert read("5", reply) == "5"
        assert read("5", reply, strict=True) == ("5" if reply in kept else "[not the asked format]"), reply


@pytest.mark.parametrize("boxed", [*ENDLESS, "1" * 200], ids=range(len(ENDLESS) + 1))
def test_what_could_compute_for_ever_is_refused(boxed: str) -> None:
    for gold in ("5", "x+1"):
        assert read(gold, f"\\boxed{{{boxed}}}").startswith("["), gold


def test_two_expressions_are_several_answers() -> None:
    assert read("DEF", "\\boxed{DEF} or \\boxed{ABC}") == "[several answers]"
    assert read("DEF", "\\boxed{DEF} or \\boxed{DEF}") == "DEF"


def test_a_bound_or_one_of_several_numbers_is_no_number() -> None:
    for boxed in NO_NUMBER:
        assert read("24", f"\\boxed{{{boxed}}}").startswith("["), boxed
    for boxed in listed(r"9\pi \approx 28.9 ¦ 9\pi = 28.9 ¦ 27 = 9\pi"):
        assert read("9\\pi", f"\\boxed{{{boxed}}}") == "[several numbers]", boxed


def test_a_rounding_is_not_taken_for_the_exact_number() -> None:
    for gold, rounding in (("9\\pi", "28.274334"), ("\\frac{1}{3}", "0.333333333333")):
        for boxed, strict in ((rounding, True), (rounding, False), (f"\\approx {rounding}", False)):
            assert read(gold, f"\\boxed{{{boxed}}}", strict=strict) == rounding
            assert accuracy(gold, f"\\boxed{{{boxed}}}", strict=strict) == 0.0


def test_a_number_needs_a_mark_and_strictly_a_box() -> None:
    for reply in MARKED_OTHERWISE:
        assert read("24", reply) == "24", reply
        assert read("24", reply, strict=True) != "24" or reply.endswith("\\boxed{24}"), reply
    for reply in UNMARKED:
        assert read("24", reply) == "[unmarked]", reply
    for reply in VOID_OR_ONE_OF_TWO:
        assert read("24", reply).startswith("[") and read("24", reply, strict=True).startswith("["), reply
