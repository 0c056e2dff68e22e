"""CurveBench, section 8: the planar map of crossing curves."""
