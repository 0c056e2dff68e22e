"""Pieces of programs mean alone what they mean together; steps on a tape are those of numpy, bit for bit."""

import pytest

from planimeter.filters.certify.geogram import program
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.certificate import measure, recover

ASYMPTOTE = (
    "pair A = (0.5, 1.5), B = 2.5dir(30.5);\nreal E3 = 2.0;\nreal e = 0.5E3;",
    'pair A = (0.5, 1.5);\npair E = (2.5, 0.5);\npair F = 0.5E + 1.5(A + E);\ndraw(A--E);\nlabel("$A\'$", A, N);',
    "pair A = (1.5, 2);\nfill(A--(0.5, 2.5)--(3.5, 1.25)--cycle, gray( 0.25));\nfill(A--(0.5, 0)--cycle, white);",
    'pair A = (1.5, 2); // a "quote of 0.5\npair B = (0.5, 1.25); /* " 2.5 */ pair C = A + 0.5*B;\nlabel("1.5", B);',
    "real f(real x) {\n  return 0.25*x + 1.5;\n}\nreal b = f(4.5) + f(0.25);\nfill(graph(f, 0, 1), white);",
    "int n = 2;\nreal a = 0.5;\nif (n == 2) a = 1.5;\nelse { a = 2.5; }\nimport olympiad\nreal b = 3.5;\nreal c = n;",
    "real a = 0.2718281828;\nreal b = 1.5 + 0.2718281828;\nreal c = .5 + 1. + 0.75;\nreal d = .2718281828 + 1.5;",
    "real a = 0.5;\nfor (int i = 0; i < 3; ++i) {\n  a = 0.5*a + 1.5;\n  draw((a, 0.5)--(0, 0));\n}\nreal b = 2*a;",
)
MATPLOTLIB = (
    "A = np.array([0.5, 1.5])\nv = np.array([1.0, 2.0])\n"
    'ax.fill(*zip(A + 0.5*v, v, A, A + 0.50*v), color="0.75")\n'
    'ax.fill(*zip(A + 0.5*v, v, A, A + 0.25*v), color="white")',
    'b = (0.5 +\n2.5)\nfor i in range(2):\n    # " 0.5\n    a = 0.5*a\n\n    b = a + 0.25',
    "A = np.array([0.5, 2.5])\nax.annotate('0.5', A)\nax.fill(*zip(A, 0.5*A, 0.75*A), color='0.25')\nt = 0.5",
    "def f(x):\n    return 0.25*x\n\ndef g(x):\n    return f(x) + 0.5\na = g(1.5)\ndef f(x):\n    return 0.75*x",
    "a = 1.5e1 + 0.5\nb = 1_0.5\nc = 2.5",
    'a = 0.5\nax.set_aspect("""\n0.5\n""")' + "\nb = 1.5",
)

SQUARES = ((0.25, "gray(0.5)"), (8.5, "gray(0.5)"), (0.5, "white"), (0.001, "gray(0.5)"))


PROGRAMS = [(code, "asymptote") for code in ASYMPTOTE] + [(code, "matplotlib") for code in MATPLOTLIB]


@pytest.mark.parametrize(("code", "language"), PROGRAMS, ids=map(str, range(len(PROGRAMS))))
def test_pieces_mean_alone_what_they_mean_together(code, language, monkeypatch):
    def met():
        try:
            made = program.Program(code, language)
            trace = made.trace(made.start[:, None] * [[1.0, 1.25]])
        except UnreadableError as error:
            return str(error)
        fills = [(region.shade, len(region.pieces)) for region in trace.fills]
        return str((made.start, made.labels, made.edges, sorted(trace.values.items()), fills, trace.steps))

    apart = met()
    monkeypatch.setattr(
        program, "_pieces", lambda code, language: [(program._piece.__wrapped__(code, language, ()), {})]
    )
    assert apart == met()


def test_small_regions_count_and_upper_ones_cover():
    squares = "".join(f"fill((0, 0)--({a}, 0)--({a}, {a})--(0, {a})--cycle, {shade});" for a, shade in SQUARES)
    shaded = measure(squares, "asymptote", '{"given": [], "asked": "shaded()"}').asked
    assert shaded == pytest.approx(8.5**2 - 0.5**2 + 0.001**2, rel=1e-12)
    assert measure("real a = 0.5;", "asymptote", '{"given": [], "asked": "shaded()"}').asked == 0
    givens = '{"given": [["hull(A, B, C)", "4"]], "asked": "dist(A, B)"}'
    with pytest.raises(UnreadableError, match="hull cannot be a given fact"):
        recover("It is 4.", "pair A = (0.5, 2.5), B = (1.5, 0.5), C = (3.5, 4.5);", "asymptote", givens)
