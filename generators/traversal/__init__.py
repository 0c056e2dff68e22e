"""Paths to be followed exactly: polylines that fill a grid of tortuosity, crossings and points (TraversalBench)."""
