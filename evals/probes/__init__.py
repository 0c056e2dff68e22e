"""Measures what a score on a dataset is worth: the scores of models that see no picture, little of it, or all.

A blind probe predicts answers from an input that must not reveal them, such as the order of the options or the size of
the file, and is compared with itself on permuted answers. A half-blind reader answers from little of the picture. The
certifier reads all of it. ``probing`` runs them on a dataset's folder; ``part`` is the declaration that a suite makes
for each config, ``results`` has the records of ``probes.json``.
"""
