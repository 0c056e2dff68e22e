"""The suite of CurveBench: read the tree of nested closed curves from a picture."""
