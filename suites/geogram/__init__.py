"""The suite of GeoGramBench: solve a geometry problem whose figure is given as a drawing program."""
