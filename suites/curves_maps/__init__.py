"""The suite of crossing curves: read their planar map, faces and adjacencies, from a picture (CurveBench, section 8)."""
