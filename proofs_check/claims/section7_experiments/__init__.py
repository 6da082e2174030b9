"""The computations of `section7_experiments.md`, by name in `computed`."""
