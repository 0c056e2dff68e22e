"""Paths that a reader has to follow from marker to marker: polylines, in equal numbers for each combination of
tortuosity, number of crossings and number of points (TraversalBench).
"""
