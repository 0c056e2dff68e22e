"""Probes the meaning of a score on a dataset: baselines, blind probes, low-resolution readers and the certifier.

A blind probe sees an input that must not reveal the answer (the order of the options, the size of the file) and is
compared with itself on permuted answers; a half-blind reader sees little of the picture. ``probing`` runs both on a
dataset's folder; the ``probes`` module of each suite declares its ``PARTS``, ``results`` the form of the results.
"""
