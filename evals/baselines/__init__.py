"""Reference models that need no GPU, such as the most common answer: baselines for scores.

``solver`` has the base class and the models that every suite has; a suite lists further ones as ``SOLVERS`` in its
module ``solvers``; ``solving`` finds them by name, passes them rows and returns their replies.
"""
