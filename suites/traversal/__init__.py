"""The suite of TraversalBench: name the markers along a path in their order."""
