"""Paths that a reader has to follow exactly: polylines in a grid of tortuosity, crossings and points
(TraversalBench).
"""
