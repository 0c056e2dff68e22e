"""Measures what a score on a dataset is worth: baselines, blind probes, low-resolution readers and the certifier.

A blind probe looks at what must not reveal the answer (the order of the options, the size of the file) and is compared
with itself on permuted answers; a half-blind reader sees little of the picture. ``probing`` runs both on a dataset's
folder; what there is to look at stands in ``suites``, what was measured in ``results``.
"""
