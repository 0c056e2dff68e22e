"""The code that the suites `curves` and `curves_maps` share, for drawings of closed curves; not a suite itself."""
