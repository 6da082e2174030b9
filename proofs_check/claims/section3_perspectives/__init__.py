"""The computations of `section3_perspectives.md`, by name in `computed`."""
