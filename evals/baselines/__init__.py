"""Reference models that need no GPU: the first rows of every table of scores.

``solver`` says what one is and holds those that serve any suite; each suite's own are in the module of its name, whose
``SOLVERS`` lists them by config; ``solving`` finds them by name, shows them rows and writes their replies.
"""
