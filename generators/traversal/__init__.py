"""Backbones for exact path traversal: polylines that fill a grid of tortuosity, crossings and points (TraversalBench)."""
