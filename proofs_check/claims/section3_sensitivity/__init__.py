"""The computations of `section3_sensitivity.md`, by name in `computed`."""
