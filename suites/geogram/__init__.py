"""GeoGramBench: the figure that a program draws."""
