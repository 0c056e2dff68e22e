"""The suite of GeoGramBench problems that are imported from an existing corpus."""
