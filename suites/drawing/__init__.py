"""The shared part of `curves` and `curves_maps`: drawings of closed curves. Not a suite."""
