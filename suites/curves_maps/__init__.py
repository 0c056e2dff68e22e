"""The suite of crossing curves: read their planar map, faces and adjacencies (CurveBench, section 8)."""
