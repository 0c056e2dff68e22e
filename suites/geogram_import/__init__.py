"""GeoGramBench: problems of an imported corpus."""
