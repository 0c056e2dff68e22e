"""The suites: a folder each, and what they share."""
