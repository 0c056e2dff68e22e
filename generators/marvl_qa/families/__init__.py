"""The 32 families of surfaces of the MaRVL-QA paper, a module for each kind; private modules have shared functions."""
