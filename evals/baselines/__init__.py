"""Reference models that need no GPU: the first rows of every table of scores.

``solver`` says what one is and holds those that serve any suite; each suite's own are in the module that it declares,
whose ``SOLVERS`` lists them; ``solving`` finds them by name, shows them rows and writes their replies.
"""
