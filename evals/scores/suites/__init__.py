"""The tables and figures of each suite, in the module of its name: ``tables(scored)`` and ``figures(scored)``."""
