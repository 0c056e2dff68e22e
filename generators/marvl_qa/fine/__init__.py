"""Families of surfaces with many small features, for the edition ``marvl-qa-hard``; one module a kind."""
