"""What `curves` and `curves_maps` share: drawings of closed curves. No suite."""
