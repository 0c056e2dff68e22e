"""Reference models that need no GPU: the first rows of every table of scores.

``solver`` has the base class and the models of any suite; each suite's own are listed in ``SOLVERS`` of the module that
it declares; ``solving`` finds them by name, passes them rows and writes their replies.
"""
