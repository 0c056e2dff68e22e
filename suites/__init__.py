"""The suites, a folder for each, and the modules that they share."""
