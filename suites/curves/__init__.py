"""CurveBench: the tree of nested curves."""
