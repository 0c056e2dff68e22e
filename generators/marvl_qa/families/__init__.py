"""The 32 families of surfaces, grouped by kind into modules; private modules contain shared functions."""
