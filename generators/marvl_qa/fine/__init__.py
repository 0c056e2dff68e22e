"""Families of surfaces with many small features, for the edition ``marvl-qa-hard``, grouped by kind into modules."""
