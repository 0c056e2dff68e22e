"""What a model is shown, whatever the harness."""

#: Suites whose problem is told in words and code alone; the picture in a row is for people.
WITHOUT_PICTURES = frozenset({"geogram", "geogram_import"})
