"""The 32 families of surfaces, one module a kind; modules whose names start with an underscore are shared."""
