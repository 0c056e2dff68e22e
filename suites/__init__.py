"""The suites: a folder each, and their shared modules."""
