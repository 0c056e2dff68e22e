"""TraversalBench: the order of the markers along a path."""
