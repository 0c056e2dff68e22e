"""The tables of each suite, with their plots, in the module of its name: ``tables(scored)``."""
