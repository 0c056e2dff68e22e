"""Measures what a score on a dataset means: runs models that see no picture, a part of it, or all of it.

A blind probe predicts answers from an input that must not reveal them, such as the order of the options or the size of
the file; its accuracy is compared with that on permuted answers. A half-blind reader answers from little of the
picture, such as a thumbnail. The certifier reads the whole picture. The module ``probing`` runs all of these on a
dataset; ``part`` has the settings that a suite declares for them, ``results`` the records of ``probes.json``.
"""
