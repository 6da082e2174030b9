"""The computations of `section3_privacy.md`, by name in `computed`."""
